"""Complete hands: whether a hand can win at all, and every way to split it (G19-G22)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from libs.families.guihuzi.points import FACES, LAID
from libs.families.guihuzi.tables import (
    ONES,
    TOTAL_AT,
    UNITS,
    Part,
    best,
    halves,
    parts,
    tables,
)
from libs.game.cards import show
from libs.game.melds import Meld
from libs.game.sheet import HandError

CARDS = 20
"""Cards of a complete hand, a four counted as three (G19)."""
LEAST = 5
"""Least 硬息 to win (G21)."""


@dataclass(frozen=True)
class HandRules:
    """What a room decides about complete hands."""

    wu_xi_ping: bool = True
    """A shape without 硬息 and with nothing on the table wins (G24)."""


class Concealed(NamedTuple):
    """A hand that waits: its count vector (indexed by card, 21 long) and melds."""

    counts: bytes
    melds: Sequence[Meld]


def with_card(counts: bytes, card: int) -> tuple[int, int]:
    """The packed halves of a hand and a card (0: none)."""
    small, big = halves(counts)
    if card > 10:
        return small, big + UNITS[card - 11]
    return (small + UNITS[card - 1], big) if card else (small, big)


def meld_yingxi(melds: Sequence[Meld]) -> int:
    """硬息 on the table (G20)."""
    return sum([LAID[meld[0], meld[1]][0] for meld in melds])


def is_ten_pairs(small: int, big: int, melds: Sequence[Meld]) -> bool:
    """十对: twenty cards in hand, every face an even number of times (G24)."""
    pairs = not melds and not (small | big) & ONES
    return pairs and (small + big) >> TOTAL_AT == CARDS


def can_win(hand: Concealed, card: int, rules: HandRules) -> bool:
    """Whether the hand is complete with the card (0: it holds all its cards) and has enough 硬息;
    `small_hu_extra` is not asked (G19, G21, G24)."""
    counts, melds = hand
    small, big = with_card(counts, card)
    if (small + big) >> TOTAL_AT != CARDS - 3 * len(melds):
        return False
    value = tables().value
    first = best(small, value)
    if first >= 0:
        second = best(big, value)
        if second >= 0:
            if (first >> 1) + (second >> 1) + meld_yingxi(melds) >= LEAST:
                return True
            if first & second & 1 and rules.wu_xi_ping and not melds:
                return True
    return is_ten_pairs(small, big, melds)


class Split(NamedTuple):
    """One way to split the concealed cards: of the small half, of the big half."""

    small: Part
    big: Part

    @property
    def last(self) -> tuple[str, int]:
        """Kind of the last 门子 and its first card."""
        part, base = (self.small, 0) if self.small.last.kind else (self.big, 10)
        low = part.last.cards & -part.last.cards
        return part.last.kind, base + ((low.bit_length() - 1) >> 2) + 1

    @property
    def threes(self) -> int:
        """Number of three equal cards in hand."""
        return self.small.n_threes + self.big.n_threes

    @property
    def er_qi_shi(self) -> int:
        """Number of 二七十 in hand."""
        return self.small.er_qi_shi + self.big.er_qi_shi

    def has_three(self, card: int) -> bool:
        """Whether the face stands as three equal cards."""
        threes, at = (self.small.threes, card - 1) if card < 11 else (self.big.threes, card - 11)
        return bool(threes >> 4 * at & 15)


def splits(hand: Concealed, card: int) -> Iterator[Split]:
    """Every split into six 门子 and a last one (G19); none if the hand has no such shape."""
    small, big = with_card(hand.counts, card)
    if (small + big) >> TOTAL_AT != CARDS - 3 * len(hand.melds):
        return
    firsts = parts(small)
    if firsts:
        seconds = parts(big)
        for first in firsts:
            for second in seconds:
                yield Split(first, second)


def owned(hand: Concealed, card: int) -> int:
    """Copies of a face in the hand and on the table."""
    return hand.counts[card] + sum([meld[1].count(card) for meld in hand.melds])


def check_hand(counts: Sequence[int], melds: Sequence[Meld]) -> None:
    """Raises HandError unless the melds are groups of this game and no face has five cards."""
    for meld in melds:
        if (meld.kind, bytes(meld.cards)) not in LAID:
            raise HandError(f"no {meld.kind.name.lower()} is made of {show(meld.cards)}")
    for face in FACES:
        if counts[face] + sum(meld.cards.count(face) for meld in melds) > 4:
            raise HandError(f"there are four {show([face])}, not five")
