"""The engine's own compact encoding of states and event records.

Layout of a state (version 1), all lengths one byte:
`version release players round_no dealer phase turn+1 waiting outcome xing width n_regs n_marks`,
then the length-prefixed game, options, wall, removed, commitment, seed, nonce; the hands (`width`
bytes each); all registers as little-endian int64; melds, piles, flowers; open card, forced claim,
win; prompts. Golden bytes in `tests/game/test_codec.py` keep it from changing unnoticed.
"""

import struct
from typing import Any, get_args, get_type_hints

from libs.game import events as ev
from libs.game.melds import Meld, MeldKind
from libs.game.state import Open, OpenKind, Prompt, State, WinRecord

VERSION = 1


class CodecError(ValueError):
    """Bytes that are no state or record of this version."""


def encode_state(s: State) -> bytes:
    """The bytes of a state."""
    out = bytearray((
        VERSION, s.release, s.players, s.round_no, s.dealer, s.phase, s.turn + 1, s.waiting,
        s.outcome, s.xing, len(s.hands[0]), len(s.regs), len(s.marks[0]),
    ))
    for part in (s.game.encode(), s.options, s.wall, s.removed, s.commitment, s.seed, s.nonce):
        out.append(len(part))
        out += part
    registers = [*s.regs, *s.discarded, *s.asked]
    for seat in range(s.players):
        out += bytes(s.hands[seat])
        registers += s.marks[seat]
    out += struct.pack(f"<{len(registers)}q", *registers)
    for seat in range(s.players):
        melds = s.melds[seat]
        out.append(len(melds))
        for meld in melds:
            _put_meld(out, meld)
        for part in (s.piles[seat], s.flowers[seat]):
            out.append(len(part))
            out += part
    _put_open(out, s)
    out.append(len(s.prompts))
    for prompt in s.prompts:
        _put_prompt(out, prompt)
    return bytes(out)


def _put_meld(out: bytearray, meld: Meld) -> None:
    out += bytes((meld.kind, meld.claimed, meld.source + 1, meld.from_discard, len(meld.steps)))
    out += bytes(meld.steps)
    out.append(len(meld.cards))
    out += meld.cards


def _put_open(out: bytearray, s: State) -> None:
    out += bytes(s.open) if s.open else b"\0"
    if s.forced:
        out += bytes((s.forced[0] + 1, len(s.forced[1])))
        out += s.forced[1]
    else:
        out.append(0)
    if s.win:
        seat, card, source, by, last_card, first = s.win
        out += bytes((seat + 1, card, source, by + 1, last_card, first))
    else:
        out.append(0)


def _put_prompt(out: bytearray, p: Prompt) -> None:
    out += struct.pack("<BHBBBHBB", p.seat, p.number, p.cls, p.default, p.auto, p.continues,
                       p.answer + 1, len(p.choices))
    for choice in p.choices:
        out.append(len(choice))
        out += choice


class _Reader:
    """A position in the bytes being read."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def take(self, n: int) -> bytes:
        part = self.data[self.at : self.at + n]
        if len(part) != n:
            raise CodecError("truncated")
        self.at += n
        return part

    def part(self) -> bytes:
        at = self.at + 1
        end = at + self.data[self.at]
        if end > len(self.data):
            raise CodecError("truncated")
        self.at = end
        return self.data[at:end]


def decode_state(data: bytes) -> State:
    """The state of `encode_state`'s bytes. Raises CodecError."""
    try:
        return _decode_state(data)
    except (IndexError, struct.error, UnicodeDecodeError, ValueError) as error:
        raise CodecError("not a state of this version") from error


def _decode_state(data: bytes) -> State:
    if data[0] != VERSION:
        raise CodecError("another version")
    _, release, players, round_no, dealer, phase, turn, waiting, outcome, xing = data[:10]
    width, n_regs, n_marks = data[10:13]
    r = _Reader(data, 13)
    game, options, wall, removed, commitment, seed, nonce = [r.part() for _ in range(7)]
    hands = [list(r.take(width)) for _ in range(players)]
    n = n_regs + players * (2 + n_marks)
    registers = list(struct.unpack(f"<{n}q", r.take(8 * n)))
    at = n_regs + 2 * players
    marks = [registers[at + i * n_marks : at + (i + 1) * n_marks] for i in range(players)]
    melds, piles, flowers = [], [], []
    for _ in range(players):
        melds.append([_get_meld(r) for _ in range(r.byte())])
        piles.append(r.part())
        flowers.append(r.part())
    state = State(
        game.decode(), release, options, players, round_no, dealer, wall, removed, commitment,
        seed, nonce, hands, melds, piles, flowers, registers[n_regs : n_regs + players], marks,
        registers[:n_regs], registers[n_regs + players : at], phase, turn - 1, waiting, outcome,
        xing=xing,
    )
    _get_open(r, state)
    state.prompts = [_get_prompt(r) for _ in range(r.byte())]
    if r.at != len(data):
        raise CodecError("bytes left over")
    return state


def _get_meld(r: _Reader) -> Meld:
    kind, claimed, source, from_discard, n = r.take(5)
    steps = tuple(MeldKind(k) for k in r.take(n)) if n else ()
    return Meld(MeldKind(kind), r.part(), claimed, source - 1, bool(from_discard), steps)


def _get_open(r: _Reader, s: State) -> None:
    card = r.byte()
    if card:
        seat, kind, seen = r.take(3)
        s.open = Open(card, seat, OpenKind(kind), seen)
    seat = r.byte()
    if seat:
        s.forced = (seat - 1, r.part())
    seat = r.byte()
    if seat:
        card, source, by, last_card, first = r.take(5)
        s.win = WinRecord(seat - 1, card, source, by - 1, last_card, first)


def _get_prompt(r: _Reader) -> Prompt:
    fields = struct.unpack("<BHBBBHBB", r.take(10))
    seat, number, cls, default, auto, continues, answer, n = fields
    choices = tuple([r.part() for _ in range(n)])
    return Prompt(seat, number, cls, choices, default, auto, continues, answer - 1)


_CODES = {kind: code for code, kind in enumerate(ev.KINDS)}


def encode_event(event: ev.Event) -> bytes:
    """The record of an event: its code, then its fields in order."""
    out = bytearray((_CODES[type(event)],))
    for value in event:
        _put_value(out, value)
    return bytes(out)


def _put_value(out: bytearray, value: Any) -> None:
    if isinstance(value, int):
        _put_int(out, value)
    elif isinstance(value, bytes):
        _put_int(out, len(value))
        out += value
    elif isinstance(value, str):
        _put_value(out, value.encode())
    elif isinstance(value, Meld):
        _put_meld(out, value)
    else:
        out.append(len(value))
        for item in value:
            _put_value(out, item)


def _put_int(out: bytearray, value: int) -> None:
    """Zigzag varint: -1 is one byte."""
    value = value << 1 if value >= 0 else (-value << 1) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _get_int(r: _Reader) -> int:
    value = shift = 0
    while True:
        byte = r.byte()
        value |= (byte & 127) << shift
        if byte < 128:
            return -(value + 1 >> 1) if value & 1 else value >> 1
        shift += 7


_FIELDS: dict[type, tuple[Any, ...]] = {
    kind: tuple(get_type_hints(kind).values()) for kind in ev.KINDS
}


def decode_event(data: bytes) -> ev.Event:
    """The event of a record. Raises CodecError."""
    try:
        r = _Reader(data)
        kind = ev.KINDS[r.byte()]
        event: ev.Event = kind(*[_get_value(r, hint) for hint in _FIELDS[kind]])
    except (IndexError, ValueError) as error:
        raise CodecError("not an event record") from error
    if r.at != len(data):
        raise CodecError("bytes left over")
    return event


def _get_value(r: _Reader, hint: Any) -> Any:
    if hint is int:
        return _get_int(r)
    if hint is bytes:
        return r.take(_get_int(r))
    if hint is str:
        return r.take(_get_int(r)).decode()
    if hint is Meld:
        return _get_meld(r)
    item = get_args(hint)[0]
    return tuple([_get_value(r, item) for _ in range(r.byte())])
