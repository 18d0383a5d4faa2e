"""A game as data and functions: the record that a family fills and a variant changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from libs.game.actions import Verb
from libs.game.cards import Deck
from libs.game.melds import Meld
from libs.game.options import OptionError
from libs.game.sheet import HandSpec, Line, Sheet
from libs.game.state import State

if TYPE_CHECKING:
    from libs.game.flow import Table

Phase = Callable[["Table"], None]


class Term(NamedTuple):
    """A word of the game: code, labels, clause."""

    code: str
    zh: str
    en: str
    clause: str


class Worth(NamedTuple):
    """What a win with a face is worth: `source` 1 own draw, 2 other draw, 3 discard."""

    source: int
    points: int
    amount: int


class Wait(NamedTuple):
    """A face that completes the hand."""

    card: int
    worth: tuple[Worth, ...]


def whole_pile(table: Table, seat: int, reader: int) -> bytes:
    """The pile of a game whose discards all lie open."""
    return table.state.piles[seat]


def every_face(hand: Sequence[int]) -> list[int]:
    """The faces that a hand holds, of its count vector."""
    return [face for face, n in enumerate(hand) if n]


def plain_sums(options: Any, totals: Sequence[int]) -> tuple[tuple[int, ...], tuple[Line, ...]]:
    """Final scores where no rule comes after the last round (M1)."""
    return tuple(totals), ()


@dataclass(frozen=True)
class Variant:
    """One game at one release; what is left out is as in most games. Phases are functions by
    number; phase 0 opens a round."""

    game: str
    zh: str
    en: str
    release: int
    players: tuple[int, ...]
    deck: Deck
    options: type
    slots: tuple[int, int]
    """Numbers of registers: of the round, of each seat."""
    phases: tuple[Phase, ...]
    ranks: Mapping[Verb, int]
    """Rank of each claim, lower is stronger (Z7)."""
    next_dealer: Callable[[State], int]
    hand_spec: Callable[[State, Any], HandSpec]
    """(final state, options) → what the score depends on."""
    score: Callable[[HandSpec], Sheet]
    waits: Callable[[HandSpec, int], tuple[Wait, ...]]
    """(hand, seat) → faces that win; the hand has no win."""
    red: frozenset[int] = frozenset()
    removed: Callable[[Any, int], int] = lambda options, players: 0
    """(options, players) → cards taken out of the wall unseen."""
    first_dealer: Callable[[Any], str] = lambda options: "longest"
    """options → `longest`, `random` or `creator`."""
    meld_form: Callable[[Table, int, Meld], Meld] = lambda table, seat, meld: meld
    """(table, seat, meld) → the meld as the other seats see it."""
    flags: Mapping[int, str] = field(default_factory=dict)
    """Seat registers that are public flags, with their names."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """Seat registers that are masks of faces only that seat is told about."""
    finish: Callable[[Any, Sequence[int]], tuple[tuple[int, ...], tuple[Line, ...]]] = plain_sums
    """(options, totals) → final scores and the steps that led there."""
    may_discard: Callable[[Sequence[int]], Sequence[int]] = every_face
    """Count vector of a hand → faces it could discard, for waits after a discard."""
    limits: Callable[[Any, int], OptionError | None] = lambda options, players: None
    """(options, players) → what this number of players may not have."""
    play: Any = None
    """What the family's phases ask about this variant; its type is the family's."""
    terms: tuple[Term, ...] = ()
    pile_form: Callable[[Table, int, int], bytes] = whole_pile
    """(table, seat, reader) → the seat's discard pile as the reader sees it."""
    known: Callable[[Table, int], Sequence[int]] = lambda table, reader: ()
    """(table, reader) → cards the reader knows though they do not lie before it any more."""
    facts: Mapping[str, int] = field(default_factory=dict)
    """What a written hand may tell beside its cards (`SeatHand.facts`), largest value of each."""


Registry = Mapping[tuple[str, int], Variant]
"""Every variant that can be played, by (game, release)."""
