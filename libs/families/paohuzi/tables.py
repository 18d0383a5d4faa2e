"""Tables of one size (small or big): which loose cards split into runs, with or without a pair.

They are small (some thousand rows) and built at first use, once per value of `yi_wu_shi`.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from libs.families.paohuzi.points import chi_groups
from libs.families.paohuzi.shape import ONES

_FOURS = ONES << 2
Run = tuple[int, int]
"""(packed cards, 1 if the run has 胡息)."""


class Rows(NamedTuple):
    """What is known about halves.

    `value`: packed half → most paying runs of any split; `need`: half that lacks one card →
    (face index 0..9, value with it); `stuck`: presence mask → faces that lie in no run.
    """

    value: dict[int, int]
    need: dict[int, tuple[Run, ...]]
    stuck: dict[int, int]


class Tables(NamedTuple):
    """`best`: splits into runs and at most one pair; `plain`: into runs without 胡息 only (L14)."""

    runs: tuple[Run, ...]
    best: Rows
    plain: Rows


def pack(cards: Iterable[int]) -> int:
    """Small cards as a packed half."""
    return sum(1 << 4 * (card - 1) for card in cards)


def _fits(half: int) -> bool:
    """At most two cards a face, three at one face (the winning card's)."""
    threes = (half + ONES) & _FOURS
    return not half & _FOURS and not threes & (threes - 1)


def _raise(table: dict[int, int], half: int, value: int) -> None:
    if table.get(half, -1) < value:
        table[half] = value


def _sums(runs: Iterable[Run]) -> dict[int, int]:
    """Every sum of runs that fits, with its most paying runs."""
    table = {0: 0}
    for cards, pays in runs:
        layer = table
        for _ in range(3):
            layer = {h + cards: v + pays for h, v in layer.items() if _fits(h + cards)}
            table = table | {h: max(v, table.get(h, -1)) for h, v in layer.items()}
    return table


def _with_pair(table: dict[int, int]) -> dict[int, int]:
    """`table` and every row of it with one pair more; the sizes mod 3 keep them apart."""
    rows = dict(table)
    for half, value in table.items():
        for face in range(10):
            paired = half + (2 << 4 * face)
            if _fits(paired):
                _raise(rows, paired, value)
    return rows


def _needs(table: dict[int, int]) -> dict[int, tuple[Run, ...]]:
    """For each half that lacks one card: what completes it."""
    found: dict[int, list[Run]] = {}
    for half, value in table.items():
        for face in range(10):
            if half >> 4 * face & 3:
                found.setdefault(half - (1 << 4 * face), []).append((face, value))
    return {half: tuple(rows) for half, rows in found.items()}


def _stuck(runs: Iterable[Run]) -> dict[int, int]:
    """Faces of each presence mask that no run within it covers."""
    masks = [pack(n + 1 for n in range(10) if bits >> n & 1) for bits in range(1 << 10)]
    rows = {}
    for mask in masks:
        covered = 0
        for cards, _ in runs:
            if mask & cards == cards:
                covered |= cards
        rows[mask] = mask & ~covered
    return rows


@lru_cache(maxsize=2)
def tables(yi_wu_shi: bool) -> Tables:
    """The tables of a room with or without 一五十 (L6)."""
    runs = tuple(
        (pack(g.cards), int(g.points > 0))
        for g in chi_groups(yi_wu_shi)
        if g.kind != "jiao" and g.cards[0] <= 10
    )
    best = _with_pair(_sums(runs))
    plain = _sums(run for run in runs if not run[1])
    stuck = _stuck(runs)
    return Tables(runs, Rows(best, _needs(best), stuck), Rows(plain, _needs(plain), stuck))
