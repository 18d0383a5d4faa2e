"""The groups of the game and what each carries: 硬息 and +5 息 (G12, G19, G20, G23)."""

from itertools import combinations, permutations
from typing import NamedTuple

from libs.game.melds import Meld, MeldKind

FACES = range(1, 21)
ER_QI_SHI = (2, 7, 10)
RUN_SHAPES = (*((n, n + 1, n + 2) for n in range(1, 9)), ER_QI_SHI)
"""Numbers of the groups of three different cards: runs, then 二七十 (G12)."""
SIZES = (0, 10)
"""What a number is raised by: small, big."""

CHI_GROUPS: tuple[bytes, ...] = tuple(
    bytes(base + n for n in shape) for base in SIZES for shape in RUN_SHAPES
)
"""Every group that a 吃 may lay, its cards in order (G12)."""
CHI_WITH: dict[int, tuple[bytes, ...]] = {
    face: tuple(group for group in CHI_GROUPS if face in group) for face in FACES
}
"""By face: the groups it is part of."""
_ER_QI_SHI = frozenset(bytes(base + n for n in ER_QI_SHI) for base in SIZES)
CHI_BY_CARDS: dict[bytes, bytes] = {
    bytes(order): group for group in CHI_GROUPS for order in permutations(group)
}
"""A group of three cards in any order → in order."""


def is_big(card: int) -> bool:
    """Whether the card is 壹..拾."""
    return card > 10


def is_er_qi_shi(group: bytes) -> bool:
    """Whether a group, its cards in order, is 二七十 or 贰柒拾."""
    return group in _ER_QI_SHI


def _last_shapes() -> dict[tuple[int, int], str]:
    """Numbers of every last 门子 and its kind (G19)."""
    shapes = {(n, n): "last_i" for n in range(1, 11)}
    shapes |= {(n, n + d): "last_iii" for d in (1, 2) for n in range(1, 11 - d)}
    return shapes | dict.fromkeys(combinations(ER_QI_SHI, 2), "last_ii")


LAST_SHAPES = _last_shapes()

YINGXI = {
    "liu": 1, "piao": 1, "wai": 1, "peng": 1, "kan": 1, "er_qi_shi": 1, "last_i": 1, "last_ii": 1,
    "juhua": 0, "last_iii": 0, "dui": 0,
}  # fmt: skip
"""硬息 by kind of group (G20)."""
FIVES = frozenset({"kan", "wai", "liu"})
"""Kinds that add 5 息 (G23)."""


class Laid(NamedTuple):
    """What a meld is worth: 硬息, whether it is 坎/歪/溜, of equal cards, a 二七十."""

    yingxi: int
    five: bool
    equal: bool
    er_qi_shi: bool


def _laid() -> dict[tuple[MeldKind, bytes], Laid]:
    rows = {}
    sizes = {MeldKind.PENG: 3, MeldKind.WAI: 3, MeldKind.LIU: 4, MeldKind.PIAO: 4}
    for kind, size in sizes.items():
        name = kind.name.lower()
        for face in FACES:
            rows[kind, bytes([face] * size)] = Laid(YINGXI[name], name in FIVES, True, False)
    for cards, group in CHI_BY_CARDS.items():
        red = is_er_qi_shi(group)
        rows[MeldKind.CHI, cards] = Laid(int(red), False, False, red)
    return rows


LAID = _laid()
"""Every meld by (kind, cards)."""


def laid(meld: Meld) -> Laid:
    """What a meld is worth; KeyError if no such meld exists."""
    return LAID[meld[0], meld[1]]
