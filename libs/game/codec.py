"""The engine's own compact encoding of states and event records.

Layout of a state (version 1), all lengths one byte:
`version release players round_no dealer phase turn+1 waiting outcome xing width n_regs n_marks`,
then the length-prefixed game, options, wall, removed, commitment, seed, nonce; the hands (`width`
bytes each); all registers as little-endian int64; melds, piles, flowers; open card, forced claim,
win; prompts. Golden bytes in `tests/game/test_codec.py` keep it from changing unnoticed.
"""

import struct
from functools import lru_cache
from itertools import chain
from typing import Any, get_args, get_type_hints

from libs.game import events as ev
from libs.game.melds import Meld, MeldKind
from libs.game.state import Open, OpenKind, Prompt, State, WinRecord

VERSION = 1


class CodecError(ValueError):
    """Bytes that are no state or record of this version."""


def encode_state(s: State) -> bytes:
    """The bytes of a state."""
    hands, marks = s.hands, s.marks
    out = [
        bytes(
            (
                VERSION,
                s.release,
                s.players,
                s.round_no,
                s.dealer,
                s.phase,
                s.turn + 1,
                s.waiting,
                s.outcome,
                s.xing,
                len(hands[0]),
                len(s.regs),
                len(marks[0]),
            )
        )
    ]
    for part in (s.game.encode(), s.options, s.wall, s.removed, s.commitment, s.seed, s.nonce):
        out += _BYTES[len(part)], part
    out += map(bytes, hands)
    registers = [*s.regs, *s.discarded, *s.asked, *chain.from_iterable(marks)]
    out.append(struct.pack(f"<{len(registers)}q", *registers))
    for melds, pile, flowers in zip(s.melds, s.piles, s.flowers, strict=True):
        out.append(_BYTES[len(melds)])
        out += map(_meld_raw, melds)
        out += _BYTES[len(pile)], pile, _BYTES[len(flowers)], flowers
    _put_open(out, s)
    out.append(_BYTES[len(s.prompts)])
    out += map(_prompt_raw, s.prompts)
    return b"".join(out)


@lru_cache(maxsize=1 << 16)
def _meld_raw(meld: Meld) -> bytes:
    kind, cards, claimed, source, from_discard, steps = meld
    head = bytes((kind, claimed, source + 1, from_discard, len(steps), *steps, len(cards)))
    return head + cards


def _put_open(out: list[bytes], s: State) -> None:
    out.append(bytes(s.open) if s.open else b"\0")
    if s.forced:
        out += bytes((s.forced[0] + 1, len(s.forced[1]))), s.forced[1]
    else:
        out.append(b"\0")
    if s.win:
        seat, card, source, by, last_card, first = s.win
        out.append(bytes((seat + 1, card, source, by + 1, last_card, first)))
    else:
        out.append(b"\0")


def _prompt_raw(p: Prompt) -> bytes:
    choices = p.choices
    head = _PROMPT.pack(
        p.seat, p.number, p.cls, p.default, p.auto, p.continues, p.answer + 1, len(choices)
    )
    return head + _choices_raw(choices)


@lru_cache(maxsize=1 << 14)
def _choices_raw(choices: tuple[bytes, ...]) -> bytes:
    return b"".join([bytes((len(choice),)) + choice for choice in choices])


_BYTES = tuple(bytes((n,)) for n in range(256))
_KINDS = {int(kind): kind for kind in MeldKind}
_PROMPT = struct.Struct("<BHBBBHBB")


@lru_cache(maxsize=1 << 16)
def _meld_of(raw: bytes) -> Meld:
    """The meld of `_meld_raw`'s bytes; melds never change, so equal ones may be one object."""
    kind, claimed, source, from_discard, n = raw[:5]
    steps = tuple([_KINDS[k] for k in raw[5 : 5 + n]])
    return Meld(_KINDS[kind], raw[6 + n :], claimed, source - 1, bool(from_discard), steps)


def _melds_at(data: bytes, at: int) -> tuple[list[Meld], int]:
    """A counted list of melds and the position behind it."""
    melds = []
    n = data[at]
    at += 1
    for _ in range(n):
        size = at + 5 + data[at + 4]
        end = size + 1 + data[size]
        melds.append(_meld_of(data[at:end]))
        at = end
    return melds, at


def _parts_at(data: bytes, at: int, n: int) -> tuple[list[bytes], int]:
    """`n` length-prefixed parts and the position behind them."""
    parts = []
    for _ in range(n):
        end = at + 1 + data[at]
        parts.append(data[at + 1 : end])
        at = end
    return parts, at


def decode_state(data: bytes) -> State:
    """The state of `encode_state`'s bytes. Raises CodecError."""
    try:
        return _decode_state(data)
    except (IndexError, KeyError, struct.error, UnicodeDecodeError, ValueError) as error:
        raise CodecError("not a state of this version") from error


def _decode_state(data: bytes) -> State:
    """Lengths are not checked one by one: bytes cut short or too long end elsewhere than `data`."""
    if data[0] != VERSION:
        raise CodecError("another version")
    _, release, players, round_no, dealer, phase, turn, waiting, outcome, xing = data[:10]
    width, n_regs, n_marks = data[10:13]
    fixed, at = _parts_at(data, 13, 7)
    game, options, wall, removed, commitment, seed, nonce = fixed
    hands = [list(data[at + i * width : at + (i + 1) * width]) for i in range(players)]
    at += players * width
    n = n_regs + players * (2 + n_marks)
    registers = list(struct.unpack_from(f"<{n}q", data, at))
    at += 8 * n
    first = n_regs + 2 * players
    marks = [registers[first + i * n_marks : first + (i + 1) * n_marks] for i in range(players)]
    melds, piles, flowers = [], [], []
    for _ in range(players):
        lying, at = _melds_at(data, at)
        (pile, flower), at = _parts_at(data, at, 2)
        melds.append(lying)
        piles.append(pile)
        flowers.append(flower)
    state = State(
        game.decode(),
        release,
        options,
        players,
        round_no,
        dealer,
        wall,
        removed,
        commitment,
        seed,
        nonce,
        hands,
        melds,
        piles,
        flowers,
        registers[n_regs : n_regs + players],
        marks,
        registers[:n_regs],
        registers[n_regs + players : first],
        phase,
        turn - 1,
        waiting,
        outcome,
        xing=xing,
    )
    at = _get_prompts(data, _get_open(data, at, state), state)
    if at != len(data):
        raise CodecError("another length")
    return state


def _get_open(data: bytes, at: int, s: State) -> int:
    """The open card, the forced claim and the win; returns the position behind them."""
    if data[at]:
        card, seat, kind, seen = data[at : at + 4]
        s.open = Open(card, seat, OpenKind(kind), seen)
        at += 3
    at += 1
    if data[at]:
        end = at + 2 + data[at + 1]
        s.forced = (data[at] - 1, data[at + 2 : end])
        at = end - 1
    at += 1
    if data[at]:
        seat, card, source, by, last_card, first = data[at : at + 6]
        s.win = WinRecord(seat - 1, card, source, by - 1, last_card, first)
        at += 5
    return at + 1


def _get_prompts(data: bytes, at: int, s: State) -> int:
    n = data[at]
    at += 1
    for _ in range(n):
        seat, number, cls, default, auto, continues, answer, count = _PROMPT.unpack_from(data, at)
        choices, at = _parts_at(data, at + _PROMPT.size, count)
        prompt = Prompt(seat, number, cls, tuple(choices), default, auto, continues, answer - 1)
        s.prompts.append(prompt)
    return at


class _Reader:
    """A position in the bytes of a record."""

    __slots__ = ("at", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

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

    def meld(self) -> Meld:
        start = self.at
        self.take(5 + self.data[start + 4])
        self.take(self.byte())
        return _meld_of(self.data[start : self.at])


_CODES = {kind: code for code, kind in enumerate(ev.KINDS)}


def encode_event(event: ev.Event) -> bytes:
    """The record of an event: its code, then its fields in order."""
    kind = type(event)
    code = _CODES[kind]
    if kind in _PLAIN:
        return _numbers(code, *event)
    if kind is ev.Asked:
        return _asked(code, *event)
    out = bytearray((code,))
    for value in event:
        _put_value(out, value)
    return bytes(out)


@lru_cache(maxsize=1 << 16)
def _numbers(code: int, *values: int) -> bytes:
    """The record of an event that is nothing but numbers: most are, and few differ."""
    out = bytearray((code,))
    for value in values:
        _put_int(out, value)
    return bytes(out)


@lru_cache(maxsize=1 << 14)
def _asked(code: int, *values: Any) -> bytes:
    """The record of a question: seats are asked the same things again and again."""
    out = bytearray((code,))
    for value in values:
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
        out += _meld_raw(value)
    else:
        out.append(len(value))
        for item in value:
            _put_value(out, item)


def _put_int(out: bytearray, value: int) -> None:
    """Zigzag varint: -1 is one byte."""
    if 0 <= value < 64:
        out.append(value << 1)
        return
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
_PLAIN = frozenset(kind for kind, hints in _FIELDS.items() if set(hints) <= {int})


def decode_event(data: bytes) -> ev.Event:
    """The event of a record that holds one. Raises CodecError."""
    events = decode_events(data)
    if len(events) != 1:
        raise CodecError("not one event")
    return events[0]


def decode_events(data: bytes) -> list[ev.Event]:
    """The events of records that were joined. Raises CodecError."""
    events = []
    r = _Reader(data)
    try:
        while r.at < len(data):
            kind = ev.KINDS[r.byte()]
            events.append(kind(*[_get_value(r, hint) for hint in _FIELDS[kind]]))
    except (IndexError, KeyError, ValueError) as error:
        raise CodecError("not an event record") from error
    return events


def _get_value(r: _Reader, hint: Any) -> Any:
    if hint is int:
        return _get_int(r)
    if hint is bytes:
        return r.take(_get_int(r))
    if hint is str:
        return r.take(_get_int(r)).decode()
    if hint is Meld:
        return r.meld()
    item = get_args(hint)[0]
    return tuple([_get_value(r, item) for _ in range(r.byte())])
