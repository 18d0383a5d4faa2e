"""听牌: the faces that complete a hand (G19, G21), found half by half."""

from libs.families.guihuzi.points import ER_QI_SHI
from libs.families.guihuzi.split import (
    CARDS,
    LEAST,
    Concealed,
    HandRules,
    meld_yingxi,
    owned,
)
from libs.families.guihuzi.tables import ONES, TOTAL_AT, UNITS, best, halves, tables

Units = tuple[tuple[int, int], ...]


def _touches(number: int, other: int) -> bool:
    """Whether two numbers of one size can lie in one group."""
    return abs(number - other) <= 2 or {number, other} <= set(ER_QI_SHI)


class _Near(dict[int, Units]):
    """Mask of the faces that are there (bit 0 of each) → (number, packed card) of every card that
    could lie in a group with one of them."""

    def __missing__(self, mask: int) -> Units:
        there = [n for n in range(1, 11) if mask >> 4 * (n - 1) & 1]
        self[mask] = tuple(
            (n, UNITS[n - 1]) for n in range(1, 11) if any(_touches(n, other) for other in there)
        )
        return self[mask]


_NEAR = _Near()


def _near(half: int) -> Units:
    return _NEAR[(half | half >> 1 | half >> 2) & ONES]


def _wins(first: int, second: int, least: int, zero: bool) -> bool:
    """Whether two halves, as `best` values them, win together."""
    return (first >> 1) + (second >> 1) >= least or (zero and bool(first & second & 1))


def _pair_wait(small: int, big: int) -> list[int]:
    """The face that makes ten pairs of nineteen cards: the only one held an odd number of times."""
    odd = (small & ONES) | (big & ONES) << 40
    if not odd or odd & (odd - 1):
        return []
    return [((odd.bit_length() - 1) >> 2) + 1]


def waits(hand: Concealed, rules: HandRules) -> list[int]:
    """The faces that win, in order; 海底, 报听 and `small_hu_extra` are not asked. A face of which
    the seat owns all four is none (G21)."""
    counts, melds = hand
    small, big = halves(counts)
    if (small + big) >> TOTAL_AT != CARDS - 1 - 3 * len(melds):
        return []
    value = tables().value
    least = LEAST - meld_yingxi(melds)
    zero = rules.wu_xi_ping and not melds
    found = [] if melds else _pair_wait(small, big)
    for half, other, base in ((small, big, 0), (big, small, 10)):
        # A card must bring the half to no or two cards over, and the other half must fit.
        if (half >> TOTAL_AT) % 3 and (rest := best(other, value)) >= 0:
            for number, unit in _near(half):
                done = best(half + unit, value)
                if done >= 0 and _wins(done, rest, least, zero):
                    found.append(base + number)
    return [face for face in sorted(set(found)) if owned(hand, face) < 4]


def is_ting(hand: Concealed, rules: HandRules) -> bool:
    """Whether some card would win (G26)."""
    return bool(waits(hand, rules))
