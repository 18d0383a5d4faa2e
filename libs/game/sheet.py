"""What a finished hand is worth and why: the input (`HandSpec`) and the explained result (`Sheet`).

A `HandSpec` says everything a score may depend on; a variant's `score` turns it into a `Sheet`.
The flow builds one from the state at a win; tools and the ExplainHand RPC build one from notation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from libs.game.melds import Meld


class HandError(ValueError):
    """A hand written down that no play could lead to."""


class WinSource(IntEnum):
    """Where the winning card came from; the numbers are those of `paiju.game.v1.WinSource`."""

    OWN_DRAW = 1
    OTHER_DRAW = 2
    DISCARD = 3
    LIANG_ZHANG = 4
    DEAL = 5


@dataclass(frozen=True, slots=True)
class Win:
    """A claimed win. `card` is 0 when no single card completed the hand (DEAL without 亮张)."""

    seat: int
    card: int
    source: WinSource
    by: int = -1
    """The seat that drew or discarded the card; -1 for none."""
    last_card: bool = False
    """The card was the last of the wall."""
    first_discard: bool = False
    """The dealer's first discard, the winner having neither drawn nor claimed anything."""


@dataclass(frozen=True, slots=True)
class SeatHand:
    """Concealed cards (count vector, without the winning card) and melds of one seat."""

    counts: tuple[int, ...] = ()
    melds: tuple[Meld, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict)
    """Game facts about the seat, e.g. `discards_made`, `zhi_ting`; keys are listed per variant."""


@dataclass(frozen=True, slots=True)
class HandSpec:
    """Everything a round's score may depend on. `options` is the variant's options dataclass."""

    options: Any
    players: int
    dealer: int
    seats: tuple[SeatHand, ...]
    win: Win | None
    """None: 流局."""
    wall_next: int = 0
    """The card that would be drawn next; 0 for an empty wall."""


class LineKind(IntEnum):
    """How a line changes the running amount; the numbers are those of `scoring.v1.LineKind`."""

    ADD = 1
    MULTIPLY = 2
    ROUND = 3
    CAP = 4


class Line(NamedTuple):
    """One step of the calculation: the running amount becomes `subtotal` by `value`."""

    code: str
    zh: str
    en: str
    clause: str
    kind: LineKind
    value: int
    subtotal: int


class Group(NamedTuple):
    """One 门子 of the split that was used. `kind` is a pinyin word (glossary), e.g. `er_qi_shi`."""

    kind: str
    cards: bytes
    points: int
    clause: str
    on_table: bool
    won: bool = False
    """The winning card lies in this group."""


@dataclass(frozen=True, slots=True)
class SeatSheet:
    """One seat's calculation. `points` is the game's count of it (胡息, 硬息, 胡); `amount` the
    final amount of the last line."""

    seat: int
    groups: tuple[Group, ...]
    lines: tuple[Line, ...]
    points: int
    amount: int


class Payment(NamedTuple):
    """`payer` pays `amount` to `payee`; the reason is one clause."""

    payer: int
    payee: int
    amount: int
    clause: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """An explained, zero-sum result. `can_win` False: `reason` says why, no amounts."""

    can_win: bool
    reason: str
    winner: int
    """-1: nobody."""
    win_kind: str
    """`zi_mo`, `ping_hu`, `dian_pao`, `tian_hu`, … or `liu_ju`."""
    seats: tuple[SeatSheet, ...]
    payments: tuple[Payment, ...]
    deltas: tuple[int, ...]
    values: Mapping[str, int] = field(default_factory=dict)
    """Named intermediate results (`tun`, `xing`, `factor`, …), for explain and tests."""
