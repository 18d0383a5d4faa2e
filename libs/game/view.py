"""What each reader may see: built from what it may know, never by deleting fields.

`form` makes the forms of an event at the moment it happens; `snapshot` makes the whole table for
one reader. A face a reader may not know is HIDDEN, so that sizes tell nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from libs.game import events as ev
from libs.game.cards import HIDDEN, expand
from libs.game.melds import Meld
from libs.game.state import ALL_SEATS, Open, OpenKind, Prompt

if TYPE_CHECKING:
    from libs.game.flow import Table


class Seen(NamedTuple):
    """An event in the form of one reader. `left` is the number of cards left that goes with it
    (wall or hand); `extra` is a Prompt for Asked, a flag's name for Flagged, code and faces for
    Noted, the piles for PilesOpened, a Reveal for Ended."""

    event: ev.Event
    left: int = 0
    extra: Any = None


class Formed(NamedTuple):
    """An event with its forms: `public` for everybody without one of their own (None: nothing)."""

    event: ev.Event
    public: Seen | None
    private: tuple[tuple[int, Seen], ...]


_formed: Callable[[tuple[Any, ...]], Formed] = partial(tuple.__new__, Formed)
"""A Formed of a tuple, without the constructor written in Python: one for each event."""


class AskedAbout(NamedTuple):
    """A question with the open card it is about."""

    prompt: Prompt
    open: Open | None


class Reveal(NamedTuple):
    """All that was hidden in a round (Z30a)."""

    hands: tuple[bytes, ...]
    melds: tuple[tuple[Meld, ...], ...]
    wall: bytes
    removed: bytes
    seed: bytes
    nonce: bytes


def form(table: Table, event: ev.Event) -> Formed:
    """The forms of an event that has just been applied."""
    maker = _FORMS.get(type(event))
    if maker is None:
        return _formed((event, None, ()))
    made: Formed = maker(table, event)
    return made


def _public(table: Table, event: Any) -> Formed:
    return Formed(event, Seen(event), ())


def _started(table: Table, e: ev.Started) -> Formed:
    hidden = e._replace(
        deck=bytes(len(e.deck)), removed=bytes(len(e.removed)), seed=b"", nonce=b"", asked=()
    )
    return Formed(e, Seen(hidden), ())


def _dealt(table: Table, e: ev.Dealt) -> Formed:
    hidden = e._replace(cards=bytes((HIDDEN,)) * len(e.cards))
    return Formed(e, Seen(hidden), ((e.seat, Seen(e)),))


def _shown(table: Table, e: ev.Shown) -> Formed:
    return Formed(e, Seen(e, len(table.state.wall)), ())


def _drew(table: Table, e: ev.Drew) -> Formed:
    left = len(table.state.wall)
    if e.seen == ALL_SEATS:
        return Formed(e, Seen(e, left), ())
    knowing = [s for s in range(table.state.players) if e.seen >> s & 1]
    hidden = e._replace(card=HIDDEN, seen=0)
    return Formed(e, Seen(hidden, left), tuple((s, Seen(e, left)) for s in knowing))


def _melded(table: Table, e: ev.Melded) -> Formed:
    left = sum(table.state.hands[e.seat])
    others = table.variant.meld_form(table, e.seat, e.meld)
    if others == e.meld:
        return Formed(e, Seen(e, left), ())
    hidden = e._replace(meld=others)
    return Formed(e, Seen(hidden, left), ((e.seat, Seen(e, left)),))


def _turn(table: Table, e: ev.Turn) -> Formed:
    return Formed(e, Seen(e) if e.seat >= 0 else None, ())


def _asked(table: Table, e: ev.Asked) -> Formed:
    asked = AskedAbout(table.state.prompts[-1], table.state.open)
    return Formed(e, None, ((e.seat, Seen(e, 0, asked)),))


def _own(table: Table, e: Any) -> Formed:
    return Formed(e, None, ((e.seat, Seen(e)),))


def _flagged(table: Table, e: ev.Flagged) -> Formed:
    return Formed(e, Seen(e, 0, table.variant.flags[e.slot]), ())


def _noted(table: Table, e: ev.Noted) -> Formed:
    code = table.variant.notes.get(e.slot)
    if code is None:
        return _formed((e, None, ()))
    return Formed(e, None, ((e.seat, Seen(e, 0, (code, faces(e.value)))),))


def _piles_opened(table: Table, e: ev.PilesOpened) -> Formed:
    return Formed(e, Seen(e, 0, tuple(table.state.piles)), ())


def _ended(table: Table, e: ev.Ended) -> Formed:
    s = table.state
    reveal = Reveal(
        tuple(expand(hand) for hand in s.hands),
        tuple(tuple(melds) for melds in s.melds),
        s.wall,
        s.removed,
        s.seed,
        s.nonce,
    )
    return Formed(e, Seen(e, 0, reveal), ())


_FORMS: dict[type, Any] = {
    ev.Started: _started,
    ev.Dealt: _dealt,
    ev.Shown: _shown,
    ev.Joined: _public,
    ev.Drew: _drew,
    ev.Discarded: _public,
    ev.Melded: _melded,
    ev.Unclaimed: _public,
    ev.Turn: _turn,
    ev.Asked: _asked,
    ev.Closed: _own,
    ev.Returned: _own,
    ev.Noted: _noted,
    ev.Flagged: _flagged,
    ev.Won: _public,
    ev.Xing: _public,
    ev.Ended: _ended,
    ev.FlowerSet: _public,
    ev.PilesOpened: _piles_opened,
    ev.HaiLaoStarted: _public,
}


class SeatView(NamedTuple):
    """One seat as the reader sees it."""

    hand: bytes
    melds: tuple[Meld, ...]
    pile: bytes
    flowers: bytes
    flags: tuple[str, ...]


class TableView(NamedTuple):
    """The table as one reader (seat, or -1: a spectator) sees it."""

    game: str
    round_no: int
    dealer: int
    wall_left: int
    seats: tuple[SeatView, ...]
    open: tuple[int, int, bool] | None
    """(card, seat, discarded)."""
    turn: int
    prompt: Prompt | None
    ended: bool
    commitment: bytes
    reader: int
    notes: tuple[tuple[str, bytes], ...]


def snapshot(table: Table, reader: int) -> TableView:
    """The table for one reader."""
    s = table.state
    seats = tuple(_seat_view(table, seat, reader) for seat in range(s.players))
    opened = None
    if s.open:
        knows = s.open.seen == ALL_SEATS or (reader >= 0 and s.open.seen >> reader & 1)
        card = s.open.card if knows else HIDDEN
        opened = (card, s.open.seat, s.open.kind == OpenKind.DISCARDED)
    notes: tuple[tuple[str, bytes], ...] = ()
    prompt = None
    if reader >= 0:
        marks = s.marks[reader]
        notes = tuple((code, faces(marks[slot])) for slot, code in table.variant.notes.items())
        notes += (("own_discard", faces(s.discarded[reader])),)
        prompt = table.prompt(reader)
        if prompt and prompt.answer >= 0:
            prompt = None
    return TableView(
        s.game,
        s.round_no,
        s.dealer,
        len(s.wall),
        seats,
        opened,
        s.turn,
        prompt,
        bool(s.outcome),
        s.commitment,
        reader,
        notes,
    )


def _seat_view(table: Table, seat: int, reader: int) -> SeatView:
    s = table.state
    shown = seat == reader or bool(s.outcome)
    hand = expand(s.hands[seat])
    melds = s.melds[seat]
    if not shown:
        hand = bytes((HIDDEN,)) * len(hand)
        melds = [table.variant.meld_form(table, seat, meld) for meld in melds]
    flags = tuple(n for slot, n in table.variant.flags.items() if s.marks[seat][slot])
    pile = table.variant.pile_form(table, seat, reader)
    return SeatView(hand, tuple(melds), pile, s.flowers[seat], flags)


def faces(mask: int) -> bytes:
    """The faces of a mask, in order."""
    return bytes(face for face in range(mask.bit_length()) if mask >> face & 1)
