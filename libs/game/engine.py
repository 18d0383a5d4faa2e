"""The engine's four calls: start a round, step it, fold records, look at it.

No clock, no randomness: time comes in as `advance` and `timeout`, the order of cards as a seed or
a deck. Every call takes and returns state as bytes (`codec`).
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from libs.game import deal
from libs.game import events as ev
from libs.game.codec import CodecError, decode_events, decode_state, encode_state
from libs.game.evolve import apply, begin
from libs.game.flow import Table
from libs.game.options import pack, unpack
from libs.game.state import Outcome, Prompt, State
from libs.game.variant import Registry, Variant
from libs.game.view import Formed, TableView, form, snapshot

PROMPTS, ADVANCE, ENDED = 1, 2, 3
"""What a round waits for (`rules.v1.RoundStatus`)."""


class Refused(Exception):
    """An input that cannot be taken; the state stands. `reason` as in protocol.md."""

    def __init__(self, reason: str, message: str, **fields: str) -> None:
        super().__init__(message)
        self.reason, self.message, self.fields = reason, message, fields


@dataclass(frozen=True)
class Start:
    """What a round begins with. `joined` are the seats in order of (last) joining."""

    game: str
    options: Any
    players: int
    round_no: int
    source: deal.Seed | bytes
    """A seed, or a whole deck (hands seat by seat from the dealer, then the wall)."""
    release: int = 0
    carry: bytes = b""
    joined: tuple[int, ...] = ()
    creator: int = -1


class Input(NamedTuple):
    """One input: `kind` is `answer`, `timeout`, `auto`, `advance` or `abort`; `choice` an index
    or an encoded action."""

    kind: str
    seat: int = -1
    number: int = 0
    choice: int | bytes = 0


class Stepped(NamedTuple):
    """What an input caused. `prompts` are the questions open now (unanswered); `carry` is set
    when the round has ended."""

    state: bytes
    events: list[Formed]
    prompts: list[Prompt]
    status: int
    turn: int
    carry: bytes


def find(registry: Registry, game: str, release: int) -> Variant:
    """The variant; release 0 means the newest. Raises Refused."""
    if release:
        variant = registry.get((game, release))
    else:
        known = [r for g, r in registry if g == game]
        variant = registry[game, max(known)] if known else None
    if variant is None:
        games = sorted({g for g, _ in registry})
        raise Refused(
            "UNKNOWN_GAME",
            f"no game {game!r} at release {release}",
            field="game",
            allowed=", ".join(games),
        )
    return variant


def check_players(variant: Variant, players: int) -> None:
    """Raises Refused for a number of players that the game has not."""
    if players not in variant.players:
        allowed = ", ".join(map(str, variant.players))
        raise Refused("UNKNOWN_PLAYERS", "number of players", field="players", allowed=allowed)


def start(registry: Registry, wanted: Start, run_on: bool) -> Stepped:
    """Deals a round and plays it to its first stop. Raises Refused."""
    variant = find(registry, wanted.game, wanted.release)
    check_players(variant, wanted.players)
    refused = variant.limits(wanted.options, wanted.players)
    if refused:
        raise Refused(refused.code, str(refused), field=refused.key, allowed=refused.allowed)
    event = _started(variant, wanted)
    state = begin(event, variant.deck.width, variant.slots)
    table = Table(state, variant, run_on)
    table.events.append(form(table, event))
    table.run()
    return _result(table)


def _started(variant: Variant, wanted: Start) -> ev.Started:
    """The first event: the order of cards, the dealer, the commitment."""
    rule = variant.first_dealer(wanted.options)
    dealer = wanted.carry[0] if wanted.carry else _first_dealer(wanted, rule)
    if isinstance(wanted.source, bytes):
        if sorted(wanted.source) != sorted(variant.deck.cards):
            raise Refused("BAD_REQUEST", "a deck must hold every card once", field="deck")
        deck, parts = wanted.source, (b"", b"", b"")
    else:
        seed = wanted.source
        if len(seed.server) != 32 or len(seed.nonce) != 32:
            raise Refused("BAD_REQUEST", "seed and nonce are 32 bytes", field="seed")
        stream = deal.stream(seed, wanted.round_no, variant.release)
        deck = deal.shuffle(variant.deck.cards, stream)
        if dealer < 0:
            dealer = deal.below(wanted.players, stream)
        parts = (deal.commitment(seed, wanted.round_no), seed.server, seed.nonce)
    out = variant.removed(wanted.options, wanted.players)
    removed = deck[len(deck) - out :] if out else b""
    return ev.Started(
        variant.game,
        variant.release,
        pack(wanted.options),
        wanted.players,
        wanted.round_no,
        max(dealer, 0),
        deck,
        removed,
        *parts,
        _asked_before(wanted),
    )


def _asked_before(wanted: Start) -> tuple[int, ...]:
    """Prompts of each seat in the rounds before, from the carry."""
    if len(wanted.carry) == 1 + 2 * wanted.players:
        return struct.unpack_from(f"<{wanted.players}H", wanted.carry, 1)
    return (0,) * wanted.players


def carry_of(dealer: int, asked: Sequence[int]) -> bytes:
    """What the next round needs: its dealer, and how often each seat has been asked so far."""
    return struct.pack(f"<B{len(asked)}H", dealer, *asked)


def _first_dealer(wanted: Start, rule: str) -> int:
    """M3; -1: drawn from the seed (seat 0 with a given deck)."""
    if rule == "random":
        return -1
    if rule == "creator" and wanted.creator >= 0:
        return wanted.creator
    return wanted.joined[0] if wanted.joined else 0


def _load(registry: Registry, state: bytes) -> tuple[State, Variant]:
    try:
        loaded = decode_state(state)
        variant = find(registry, loaded.game, loaded.release)
        unpack(variant.options, loaded.options)
    except (CodecError, IndexError, ValueError) as error:
        raise Refused("BAD_STATE", "not a state of this version", field="state") from error
    return loaded, variant


def step(registry: Registry, state: bytes, what: Input, run_on: bool) -> Stepped:
    """Applies one input. Raises Refused; then nothing has happened."""
    loaded, variant = _load(registry, state)
    if loaded.outcome:
        raise Refused("PROMPT_CLOSED", "the round has ended")
    table = Table(loaded, variant, run_on)
    if what.kind == "abort":
        table.emit(ev.Ended(Outcome.VOID))
        return _result(table)
    if what.kind == "advance":
        if loaded.waiting != 1:
            raise Refused("BAD_REQUEST", "the round does not wait for an advance")
        table.emit(ev.Waiting(2))
    else:
        table.emit(ev.Answered(what.seat, _choice(table, what)))
    table.run()
    return _result(table)


def _choice(table: Table, what: Input) -> int:
    """Index of the chosen action. Raises Refused."""
    state = table.state
    if not 0 <= what.seat < state.players:
        raise Refused("BAD_REQUEST", "no such seat", field="seat")
    prompt = table.prompt(what.seat)
    if prompt is None or prompt.number != what.number or prompt.answer >= 0:
        if 0 < what.number <= state.asked[what.seat]:
            raise Refused("PROMPT_CLOSED", "the prompt is answered or closed", field="prompt_id")
        raise Refused("STALE_PROMPT", "no such prompt", field="prompt_id")
    if what.kind == "timeout":
        return prompt.default
    if what.kind == "auto":
        return prompt.auto
    if isinstance(what.choice, bytes):
        if what.choice in prompt.choices:
            return prompt.choices.index(what.choice)
    elif 0 <= what.choice < len(prompt.choices):
        return what.choice
    raise Refused("NOT_A_CHOICE", "the prompt does not offer that", field="choice")


def _result(table: Table) -> Stepped:
    state = table.state
    prompts = [p for p in state.prompts if p.answer < 0]
    status = ENDED if state.outcome else ADVANCE if state.waiting == 1 else PROMPTS
    carry = carry_of(table.variant.next_dealer(state), state.asked) if state.outcome else b""
    return Stepped(encode_state(state), table.events, prompts, status, state.turn, carry)


def fold(registry: Registry, state: bytes, records: Sequence[bytes]) -> bytes:
    """The state after recorded events; an empty state: the records begin a round."""
    loaded: State | None = _load(registry, state)[0] if state else None
    try:
        events = decode_events(b"".join(records))
    except CodecError as error:
        raise Refused("BAD_STATE", str(error), field="records") from error
    for event in events:
        if isinstance(event, ev.Started):
            variant = find(registry, event.game, event.release)
            loaded = begin(event, variant.deck.width, variant.slots)
        elif loaded is None:
            raise Refused("BAD_STATE", "records must begin a round", field="records")
        else:
            apply(loaded, event)
    if loaded is None:
        raise Refused("BAD_REQUEST", "no state and no records", field="records")
    return encode_state(loaded)


def table_of(registry: Registry, state: bytes) -> Table:
    """A table to look at. Raises Refused."""
    loaded, variant = _load(registry, state)
    return Table(loaded, variant, False)


def view(registry: Registry, state: bytes, reader: int) -> TableView:
    """The table as one reader (-1: a spectator) sees it. Raises Refused."""
    table = table_of(registry, state)
    if reader >= table.state.players:
        raise Refused("BAD_REQUEST", "no such seat", field="seat")
    return snapshot(table, reader)


def legal(registry: Registry, state: bytes, seat: int) -> Prompt | None:
    """The seat's open, unanswered question. Raises Refused."""
    table = table_of(registry, state)
    if not 0 <= seat < table.state.players:
        raise Refused("BAD_REQUEST", "no such seat", field="seat")
    prompt = table.prompt(seat)
    return None if prompt is None or prompt.answer >= 0 else prompt
