"""A hand as two packed halves (small, big), and the tables of what a half splits into.

A half holds ten faces of four bits each and the number of its cards above them, so placing a
card or laying a group is one addition. There is no 绞: the halves never meet. In a complete hand
one half is made of 门子 only (0 cards over), the other has the last 门子 too (2 over).

Runs and 二七十 are linearly independent, so cards that split into them alone do so in one way;
all choice lies in which faces stand as three equal cards and in the last 门子. `Tables.value`
knows the halves without three equal cards; `best` adds the choice of those.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from libs.families.guihuzi.points import ER_QI_SHI, LAST_SHAPES, RUN_SHAPES, YINGXI

TOTAL_AT = 40
TOTAL = 1 << TOTAL_AT
"""One card in the count of cards."""
ONES = 0x1111111111
"""One card of every face, not counted."""
_THREES = ONES * 3
FIVES = ONES * 5
EIGHTS = ONES * 8
MOST_GROUPS = 6
"""门子 of three or four cards in a complete hand (G19)."""


def pack(numbers: Iterable[int]) -> int:
    """Cards of one size, given by their numbers 1..10, as a packed half."""
    return sum(TOTAL + (1 << 4 * (n - 1)) for n in numbers)


UNITS = tuple(pack((n,)) for n in range(1, 11))
RUNS = tuple(pack(shape) for shape in RUN_SHAPES)
ER_QI_SHI_PACKED = pack(ER_QI_SHI)


class Last(NamedTuple):
    """A last 门子: its packed cards, kind and 硬息."""

    cards: int
    kind: str
    yingxi: int


LASTS = tuple(Last(pack(shape), kind, YINGXI[kind]) for shape, kind in LAST_SHAPES.items())
NO_LAST = Last(0, "", 0)


def _fifth(first: int) -> dict[bytes, int]:
    """Packed cards of five neighbouring faces, by their counts."""
    return {
        bytes(counts): pack(first + i for i, n in enumerate(counts) for _ in range(n))
        for counts in product(range(5), repeat=5)
    }


_LOW, _HIGH = _fifth(1), _fifth(6)


def halves(counts: bytes) -> tuple[int, int]:
    """The packed halves of a count vector (indexed by card, 21 long)."""
    return (_LOW[counts[1:6]] + _HIGH[counts[6:11]], _LOW[counts[11:16]] + _HIGH[counts[16:21]])


def cards_of(half: int, base: int) -> bytes:
    """The cards of a packed half; `base` is 0 for small, 10 for big."""
    return bytes(base + n + 1 for n in range(10) for _ in range(half >> 4 * n & 15))


def _fits(half: int) -> bool:
    """At most four cards of a face."""
    return not half + _THREES & EIGHTS


class Tables(NamedTuple):
    """`plain`: half made of runs and 二七十 → number of 二七十. `value`: half made of those and,
    where two cards are over, a last 门子 → 2 × most 硬息 + 1 if it can be split without any."""

    plain: dict[int, int]
    value: dict[int, int]


def _plain() -> dict[int, int]:
    rows = layer = {0: 0}
    for _ in range(MOST_GROUPS):
        layer = {
            half + run: er + (run == ER_QI_SHI_PACKED)
            for half, er in layer.items() for run in RUNS if _fits(half + run)
        }  # fmt: skip
        rows = rows | layer
    return rows


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables, built at first use."""
    plain = _plain()
    value = {half: 2 * er + (er == 0) for half, er in plain.items()}
    for half, er in plain.items():
        for cards, _, yingxi in LASTS:
            whole = half + cards
            if _fits(whole):
                old, new = value.get(whole, 0), er + yingxi
                value[whole] = 2 * max(old >> 1, new) | old & 1 | (new == 0)
    return Tables(plain, value)


class _Subsets(dict[int, tuple[tuple[int, int], ...]]):
    """Mask of the faces with three cards (bit 3 of each) → (packed, number) of every choice of
    them to stand as three equal cards, none first."""

    def __missing__(self, mask: int) -> tuple[tuple[int, int], ...]:
        threes = [3 * UNITS[n] for n in range(10) if mask >> 4 * n & 8]
        rows = [(0, 0)]
        for three in threes:
            rows += [(cards + three, k + 1) for cards, k in rows]
        self[mask] = tuple(rows)
        return self[mask]


SUBSETS = _Subsets()


def best(half: int, value: dict[int, int]) -> int:
    """2 × most 硬息 of a half + 1 if it can be split without any; -1 if it cannot be split."""
    mask = half + FIVES & EIGHTS
    if not mask:
        return value.get(half, -1)
    most, zero = -1, 0
    for cards, k in SUBSETS[mask]:
        found = value.get(half - cards)
        if found is not None:
            if not k:
                zero = found & 1
            if (found >> 1) + k > most:
                most = (found >> 1) + k
    return -1 if most < 0 else 2 * most | zero


class Part(NamedTuple):
    """One way to split a half: the faces that stand as three equal cards (packed, number), the
    number of 二七十, the last 门子, and the packed cards of runs and 二七十."""

    threes: int
    n_threes: int
    er_qi_shi: int
    last: Last
    runs: int


def parts(half: int) -> list[Part]:
    """Every way to split a half."""
    plain = tables().plain
    over = (half >> TOTAL_AT) % 3
    if over == 1:
        return []
    lasts = LASTS if over else (NO_LAST,)
    found = []
    for cards, k in SUBSETS[half + FIVES & EIGHTS]:
        for last in lasts:
            # A card that is missing borrows and leaves a face of 11 or more, never in the table.
            runs = half - cards - last.cards
            er = plain.get(runs)
            if er is not None:
                found.append(Part(cards, k, er, last, runs))
    return found


def run_groups(runs: int) -> list[int]:
    """The packed groups of cards made of runs and 二七十 only."""
    plain = tables().plain
    groups = [ER_QI_SHI_PACKED] * plain[runs]
    runs -= sum(groups)
    while runs:
        present = runs & (TOTAL - 1)
        lowest = (present & -present).bit_length() - 1 >> 2
        groups.append(RUNS[lowest])
        runs -= RUNS[lowest]
    return groups
