"""Which split of a winning hand counts (J14), and whether a seat may win at all.

A variant describes a room with a `Scoring` record: prices, what a split is worth (`appraise`),
and who pays whom (`settle`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from libs.families.pengpai.decks import DA_WANG
from libs.families.pengpai.hand import ANNOUNCED, BAO_LIU_PENG, HAI_LAO, Held
from libs.families.pengpai.points import OPEN_KINDS, Prices
from libs.families.pengpai.shape import SETS, complete, completed_by, winning_faces
from libs.families.pengpai.split import Placed, Won, placements
from libs.game.cards import Deck
from libs.game.sheet import HandSpec, LineKind, Payment, SeatSheet, WinSource
from libs.game.variant import Term

PING_HU, QUAN_HUN, QUAN_SU = "ping_hu", "quan_hun", "quan_su"
NOT_QUAN_HUN = "not_quan_hun"
"""Reason: 报六碰 was announced and the split is no 全荤 (J31)."""


class Step(NamedTuple):
    """One line of the calculation to come; `code` names a term of the room."""

    code: str
    kind: LineKind
    value: int


class Appraisal(NamedTuple):
    """What one split comes to. `reason` is "" for a split that may win."""

    reason: str
    items: tuple[tuple[str, int], ...]
    """What counts beside melds and triples: (code, 胡)."""
    doubles: tuple[str, ...]
    raw: int
    """胡 of melds, triples and items."""
    rounded: int
    """`raw` after rounding, where the game rounds (J23)."""
    amount: int
    """After the doublings, before the cap."""
    capped: int
    """The final amount (J24)."""


@dataclass(frozen=True, eq=False)
class Scoring:
    """How a room scores; built by the variant from its options."""

    options: Any
    deck: Deck
    prices: Prices
    men_pai: int
    """First card of the run that is a 门牌 (J20, X9)."""
    flower: int
    """The card that is set aside (J1); 0: none."""
    shape_clause: str
    terms: Mapping[str, Term]
    """Items, doublings and steps by code."""
    free: bool
    """Every complete hand may win unless 报六碰 was announced."""
    appraise: Callable[[Look], Appraisal]
    steps: Callable[[Appraisal], Iterable[Step]]
    settle: Callable[[HandSpec, Verdict | None], Settlement]
    """(round, its win) → the sheets of the seats and what they pay; None: 流局."""


@dataclass(slots=True)
class Situation:
    """A hand of one seat and the card it could win with (0: it is complete by itself)."""

    held: Held
    card: int
    source: WinSource
    scoring: Scoring
    table: int = field(init=False)
    """胡 of the melds."""
    open: bool = field(init=False)
    """A 碰 or 明杠 lies on the table."""
    _sole: bool | None = None

    def __post_init__(self) -> None:
        price = self.scoring.prices.meld
        self.table = sum(price(meld) for meld in self.held.melds)
        self.open = any(meld.kind in OPEN_KINDS for meld in self.held.melds)

    @property
    def own_draw(self) -> bool:
        """自摸: a draw, a replacement, a 海捞 card or the deal."""
        return self.source is not WinSource.DISCARD

    def sole(self) -> bool:
        """The winning face was the hand's only wait, by shape (J18, X14)."""
        if self._sole is None:
            faces = winning_faces(self.held, self.scoring.deck) if self.card else []
            self._sole = faces == [self.card]
        return self._sole

    def fact(self, key: str) -> int:
        """A fact of `hand`."""
        return self.held.facts.get(key, 0)


class Look(NamedTuple):
    """One split of a hand, as a game appraises it."""

    at: Situation
    placed: Placed
    points: int
    """胡 of melds and triples."""
    men_pai: int
    """Number of 门牌."""
    hidden: int
    """门子 in hand in which the winning card does not lie."""
    pattern: str
    """`quan_su` (runs only), `quan_hun` (no run but 门牌) or `ping_hu` (J21, X9, X11)."""


class Verdict(NamedTuple):
    """The split that counts (J14). `placed` and `best` are None without a complete shape."""

    reason: str
    at: Situation
    placed: Placed | None
    best: Appraisal | None


class Settlement(NamedTuple):
    """Sheets of seats and what they pay each other."""

    seats: tuple[SeatSheet, ...]
    payments: tuple[Payment, ...]


def triple_kind(placed: Placed, face: int, source: WinSource) -> str:
    """A triple completed by a discard is priced as 碰 (J16, X7)."""
    claimed = source is WinSource.DISCARD and placed.won is Won.TRIPLE and placed.at == face
    return "peng" if claimed else "an_ke"


def look_at(at: Situation, placed: Placed) -> Look:
    """What every game asks about a split."""
    scoring = at.scoring
    equal, source = scoring.prices.equal, at.source
    runs = triples = men_pai = 0
    points = at.table
    for split in placed.parts:
        runs += len(split.runs)
        men_pai += split.runs.count(scoring.men_pai)
        for face in split.triples:
            triples += 1
            points += equal(triple_kind(placed, face, source), face)
    pattern = QUAN_SU if runs == SETS else QUAN_HUN if runs == men_pai else PING_HU
    holding = placed.won >= Won.TRIPLE
    return Look(at, placed, points, men_pai, runs + triples - holding, pattern)


def whole_hand(held: Held, card: int) -> bytes:
    """The concealed cards with the winning card."""
    whole = bytearray(held.counts)
    if card:
        whole[card] += 1
    return bytes(whole)


def judge(at: Situation) -> Verdict:
    """The split with the highest final amount of those that may win, ties by the amount before
    the cap, then by raw (J14)."""
    whole = whole_hand(at.held, at.card)
    if at.card == DA_WANG and at.fact(HAI_LAO):
        return Verdict("da_wang", at, None, None)
    if whole[at.scoring.flower] or not complete(whole, len(at.held.melds)):
        return Verdict("not_complete", at, None, None)
    appraise = at.scoring.appraise
    best: tuple[tuple[bool, bool, int, int, int], Placed, Appraisal] | None = None
    for placed in placements(whole, at.card):
        found = appraise(look_at(at, placed))
        # Of splits that may not win, one that keeps 报六碰 is nearer to it.
        rank = (
            not found.reason,
            found.reason != NOT_QUAN_HUN,
            found.capped,
            found.amount,
            found.raw,
        )
        if best is None or rank > best[0]:
            best = rank, placed, found
    assert best is not None
    return Verdict(best[2].reason, at, best[1], best[2])


def may_win(held: Held, card: int, source: WinSource, scoring: Scoring) -> bool:
    """Whether the seat may win with the card, which `held` does not contain (0: the hand is
    complete by itself): shape, minimum, 报六碰, 定胡 (J13, J26, J31, X18)."""
    if held.counts[scoring.flower]:
        return False
    if card:
        if not completed_by(held.counts, card, len(held.melds)):
            return False
    elif not complete(held.counts, len(held.melds)):
        return False
    if scoring.free and held.facts.get(BAO_LIU_PENG) != ANNOUNCED:
        return True
    return not judge(Situation(held, card, source, scoring)).reason


def open_faces(held: Held, scoring: Scoring) -> list[int]:
    """The waits by shape; a hand whose flower is not set aside yet has none (J1, J4)."""
    return [] if held.counts[scoring.flower] else winning_faces(held, scoring.deck)


def waits(held: Held, source: WinSource, scoring: Scoring) -> list[int]:
    """Faces the seat may win with from a source, minimum and restrictions honoured."""
    faces = open_faces(held, scoring)
    if scoring.free and held.facts.get(BAO_LIU_PENG) != ANNOUNCED:
        return faces
    return [f for f in faces if not judge(Situation(held, f, source, scoring)).reason]
