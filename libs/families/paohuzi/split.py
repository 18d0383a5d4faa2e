"""Ways to place the winning card (Z24, Z25) and the best split of the loose cards (Z23, Z26)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from libs.families.paohuzi.points import FACES
from libs.families.paohuzi.shape import (
    CHI,
    FOURS_AT,
    HALF,
    HALF_MASK,
    HUXI_AT,
    LOOSE_MASK,
    ONES,
    SUMS,
    fixed,
    fours_of,
    groups_of,
    huxi_of,
    loose,
    read,
)
from libs.families.paohuzi.tables import Rows, Tables, tables
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource


@dataclass(frozen=True)
class HandRules:
    """What a variant decides about complete hands."""

    yi_wu_shi: bool = False
    """一五十 is a group (L6)."""
    least: int = 6
    """Least 胡息 to win (L5, Q5)."""
    least_black: int = 6
    """Least 胡息 of a hand without a red card (Q5)."""
    zero_counts: int = 0
    """胡息 that a complete shape with none counts as (L14); 0: it does not win."""


class Way(IntEnum):
    """How the winning card meets the hand (Z24, Z25)."""

    OWN_DRAW = 0
    OTHER_DRAW = 1
    DISCARD = 2
    FREE = 3
    """The dealer's 亮张: its own card with free choice (L4)."""
    DEAL = 4
    """A card that has joined the dealer's hand (Z4, Q4)."""


_SOURCE_WAYS = {
    WinSource.OWN_DRAW: Way.OWN_DRAW,
    WinSource.OTHER_DRAW: Way.OTHER_DRAW,
    WinSource.DISCARD: Way.DISCARD,
    WinSource.DEAL: Way.DEAL,
}


def way_of(source: WinSource, dealer: bool) -> Way:
    """The way of a source; the 亮张 is the dealer's own, for others a card drawn by another."""
    if source is WinSource.LIANG_ZHANG:
        return Way.FREE if dealer else Way.OTHER_DRAW
    return _SOURCE_WAYS[source]


Placed = tuple[int, str]
"""The shape with the winning card placed, and the group it completed ("" if it lies loose)."""
Change = tuple[int, str]


def _join(before: str, after: str) -> tuple[Change, ...]:
    """By card: what changes when it turns the group `before` into `after`."""
    changes = [(0, "")]
    for card in FACES:
        old = loose(card, 2) if before == "pair" else fixed(before, card)
        changes.append((fixed(after, card) - old, after))
    return tuple(changes)


FORCED = (Way.OWN_DRAW, Way.DEAL)
"""Ways in which a pair, 坎 or own 偎 must take the card (Z4, Z9, Z12)."""
_JOINS: dict[str, tuple[tuple[Change, ...] | None, ...]] = {
    "pair": tuple(_join("pair", to) for to in ("wei", "peng", "peng", "kan", "kan")),
    "kan": tuple(_join("kan", to) for to in ("ti", "pao", "pao", "ti", "ti")),
    "wei": tuple(_join("wei", to) for to in ("ti", "pao", "pao", "ti", "ti")),
    "peng": tuple(_join("peng", to) if to else None for to in ("pao", "pao", "", "pao", "pao")),
}
"""Group met → by way: the changes, None where the card may not join."""


def join_changes(meets: str, way: Way) -> tuple[Change, ...] | None:
    """By card: how the met group changes; None if the card may not join it."""
    return _JOINS[meets][way] if meets else None


_LOOSE = tuple(0 if card == 0 else loose(card) for card in range(21))
MEETS = {MeldKind.PENG: "peng", MeldKind.WEI: "wei", MeldKind.CHOU_WEI: "wei"}


def met_by(counts: bytes, melds: Sequence[Meld], card: int) -> str | None:
    """The group of the seat that `card` meets: pair, kan, wei or peng; "" for none.

    None when the seat holds all four cards of the face (Z28).
    """
    held = counts[card]
    meets = ("", "", "pair", "kan", "")[held]
    for meld in melds:
        if card in meld[1]:
            held += meld[1].count(card)
            meets = MEETS.get(meld[0], meets)
    return None if held > 3 else meets


def placements(counts: bytes, melds: Sequence[Meld], card: int, way: Way) -> list[Placed]:
    """Every way the winning card may lie in the hand (Z24, Z25); none if it cannot win."""
    shape = read(counts, melds)
    if way == Way.DEAL and (not card or _laid(melds, card)):
        return [(shape, "")]
    meets = met_by(counts, melds, card)
    if meets is None:
        return []
    free = (shape + _LOOSE[card], "")
    changes = join_changes(meets, way)
    if changes is None:
        return [free]
    change, joined = changes[card]
    joins = (shape + change, joined)
    if way in FORCED and meets != "peng":
        return [joins]
    return [joins, free]


def _laid(melds: Sequence[Meld], card: int) -> bool:
    """The 亮张 lies in a laid 提 already (Q3)."""
    return any(meld.kind == MeldKind.TI and meld.cards[0] == card for meld in melds)


FIVES = ONES * 5
EIGHTS = ONES * 8
_JIAO_BITS = {
    8 << 4 * n: (
        2 << 4 * n,
        3 << 4 * n,
        1 << 4 * n,
        (2 << 4 * n) + (1 << 4 * n + HALF),
        (1 << 4 * n) + (2 << 4 * n + HALF),
    )
    for n in range(10)
}
"""Bit of a number → masks (two or more, any, one) and the cards of its two 绞."""


def jiao_states(shape: int, stuck: dict[int, int] | None) -> list[int]:
    """Loose cards left after each choice of 绞; with `stuck`, a face in no run must be in one."""
    small = shape & HALF_MASK
    big = shape >> HALF & HALF_MASK
    todo = small + big + FIVES & EIGHTS
    must = 0
    if stuck is not None:
        must = stuck[(small | small >> 1) & ONES] | stuck[(big | big >> 1) & ONES]
        if must & ~(todo >> 3):
            return []
    states = [shape & LOOSE_MASK]
    while todo:
        bit = todo & -todo
        todo ^= bit
        twos, some, one, small_jiao, big_jiao = _JIAO_BITS[bit]
        taken = [s - small_jiao for s in states] if small & twos and big & some else []
        if big & twos and small & some:
            taken += [s - big_jiao for s in states]
        states = taken if must & one else states + taken
    return states


def runs_value(shape: int, rows: Rows) -> int:
    """Best 胡息 of the loose cards; -1 if the hand is no seven 门子 (Z23).

    With a four one of the seven is a pair, so a stuck face may be that and nothing is pruned.
    """
    four = shape >> FOURS_AT & 255
    if shape >> SUMS & 255 != (20 if four else 21):
        return -1
    best = -1
    get = rows.value.get
    for state in jiao_states(shape, None if four else rows.stuck):
        low = get(state & HALF_MASK)
        if low is not None:
            high = get(state >> HALF)
            if high is not None and 3 * low + 6 * high > best:
                best = 3 * low + 6 * high
    return best


class Candidate(NamedTuple):
    """The best split of one placement. `huxi` is its own count, `counted` what it wins with."""

    placed: Placed
    huxi: int
    counted: int
    peng_peng: bool


def is_peng_peng(shape: int) -> bool:
    """No group of 吃 type: every 门子 is fixed, beside the pair that a four needs."""
    return shape < CHI and groups_of(shape) == (6 if fours_of(shape) else 7)


def candidates(placed: Sequence[Placed], rules: HandRules) -> list[Candidate]:
    """One best complete split per placement, and the one without 胡息 where L14 counts it.

    The number of 吃-type groups is the same in every split of a placement, so 胡息 decides.
    """
    rows = tables(rules.yi_wu_shi)
    found = []
    for place in placed:
        shape = place[0]
        value = runs_value(shape, rows.best)
        if value < 0:
            continue
        huxi = huxi_of(shape) + value
        found.append(Candidate(place, huxi, huxi, is_peng_peng(shape)))
        if rules.zero_counts and _has_zero(shape, rows):
            found.append(Candidate(place, 0, rules.zero_counts, False))
    return found


def _has_zero(shape: int, rows: Tables) -> bool:
    """Whether some split has no 胡息 at all (L14)."""
    return huxi_of(shape) == 0 and runs_value(shape, rows.plain) == 0


RED = (2, 7, 10, 12, 17, 20)


def red_cards(counts: Sequence[int], melds: Sequence[Meld], card: int) -> int:
    """Red cards among the winner's cards (Z1), `card` (0: none) included."""
    held = sum(counts[face] for face in RED) + (card in RED)
    return held + sum(c in RED for meld in melds for c in meld.cards)


def least_huxi(rules: HandRules, red: int) -> int:
    """Least 胡息 to win with so many red cards (L5, Q5)."""
    return rules.least if red else rules.least_black


def wins(candidate: Candidate, least: int) -> bool:
    """Whether a split has enough 胡息, or none at all where that wins (L14)."""
    return candidate.huxi >= least or candidate.huxi == 0 < candidate.counted


class Arrival(NamedTuple):
    """A card that meets a hand."""

    card: int
    way: Way


def arrived(melds: Sequence[Meld], arrival: Arrival) -> int:
    """The card that the hand does not hold yet; 0 if it does (Q4: the 亮张 in a laid 提)."""
    card, way = arrival
    return 0 if way == Way.DEAL and _laid(melds, card) else card


def can_win(counts: bytes, melds: Sequence[Meld], arrival: Arrival, rules: HandRules) -> bool:
    """Whether the hand is complete with the card and has enough 胡息 (Z23, Z24, L5, Q5)."""
    rows = tables(rules.yi_wu_shi)
    best = -1
    for shape, _ in placements(counts, melds, arrival[0], arrival[1]):
        value = runs_value(shape, rows.best)
        if value >= 0:
            if rules.zero_counts and _has_zero(shape, rows):
                return True
            huxi = value + (shape >> HUXI_AT & 255)
            if huxi > best:
                best = huxi
    if rules.least == rules.least_black or best < rules.least_black:
        return best >= rules.least
    return best >= least_huxi(rules, red_cards(counts, melds, arrived(melds, arrival)))
