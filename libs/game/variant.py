"""A game as data and functions: the record that a family fills and a variant changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Variant:
    """One game at one release. Phases are functions by number; phase 0 opens a round."""

    game: str
    zh: str
    en: str
    release: int
    players: tuple[int, ...]
    deck: Deck
    red: frozenset[int]
    options: type
    slots: tuple[int, int]
    """Numbers of registers: of the round, of each seat."""
    phases: tuple[Phase, ...]
    ranks: Mapping[Verb, int]
    """Rank of each claim, lower is stronger (Z7)."""
    removed: Callable[[Any, int], int]
    """(options, players) → cards taken out of the wall unseen."""
    first_dealer: Callable[[Any], str]
    """options → `longest`, `random` or `creator`."""
    next_dealer: Callable[[State], int]
    meld_form: Callable[[Table, int, Meld], Meld]
    """(table, seat, meld) → the meld as the other seats see it."""
    flags: Mapping[int, str]
    """Seat registers that are public flags, with their names."""
    notes: Mapping[int, str]
    """Seat registers that are masks of faces only that seat is told about."""
    hand_spec: Callable[[State, Any], HandSpec]
    """(final state, options) → what the score depends on."""
    score: Callable[[HandSpec], Sheet]
    finish: Callable[[Any, Sequence[int]], tuple[tuple[int, ...], tuple[Line, ...]]]
    """(options, totals) → final scores and the steps that led there."""
    waits: Callable[[HandSpec, int], tuple[Wait, ...]]
    """(hand, seat) → faces that win; the hand has no win."""
    may_discard: Callable[[Sequence[int]], Sequence[int]]
    """Count vector of a hand → faces it could discard, for waits after a discard."""
    limits: Callable[[Any, int], OptionError | None]
    """(options, players) → what this number of players may not have."""
    play: Any
    """What the family's phases ask about this variant; its type is the family's."""
    terms: tuple[Term, ...] = ()
    pile_form: Callable[[Table, int, int], bytes] = whole_pile
    """(table, seat, reader) → the seat's discard pile as the reader sees it."""
    known: Callable[[Table, int], Sequence[int]] = lambda table, reader: ()
    """(table, reader) → cards the reader knows though they do not lie before it any more."""


Registry = Mapping[tuple[str, int], Variant]
"""Every variant that can be played, by (game, release)."""
