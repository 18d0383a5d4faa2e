"""胡息 of a group (Z27) and the groups of 吃 type (Z15)."""

from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from libs.game.melds import MeldKind

POINTS: dict[str, tuple[int, int]] = {
    "ti": (9, 12),
    "pao": (6, 9),
    "wei": (3, 6),
    "chou_wei": (3, 6),
    "kan": (3, 6),
    "peng": (1, 3),
    "run": (3, 6),
}
"""(small, big) 胡息 by kind (Z27); `run` is the price of 一二三, 二七十 and 一五十 alone."""

MELD_NAMES: dict[MeldKind, str] = {
    kind: kind.name.lower()
    for kind in (
        MeldKind.CHI,
        MeldKind.PENG,
        MeldKind.WEI,
        MeldKind.CHOU_WEI,
        MeldKind.PAO,
        MeldKind.TI,
    )
}

FACES = range(1, 21)


def is_big(card: int) -> bool:
    """Whether the card is 壹..拾."""
    return card > 10


def points(kind: str, card: int) -> int:
    """胡息 of a group of equal cards (Z27)."""
    return POINTS[kind][is_big(card)]


class ChiGroup(NamedTuple):
    """A group of 吃 type: its canonical cards, kind (`run`, `er_qi_shi`, …) and 胡息."""

    cards: bytes
    kind: str
    points: int

    @property
    def clause(self) -> str:
        """The clause that gives its 胡息."""
        return "L6" if self.kind == "yi_wu_shi" else "Z27"


def _runs(base: int, yi_wu_shi: bool) -> list[ChiGroup]:
    """Runs of one size; `base` is 0 for small, 10 for big."""
    pays = POINTS["run"][base > 0]
    shapes = [((n, n + 1, n + 2), "run", pays if n == 1 else 0) for n in range(1, 9)]
    shapes.append(((2, 7, 10), "er_qi_shi", pays))
    if yi_wu_shi:
        shapes.append(((1, 5, 10), "yi_wu_shi", pays))
    return [ChiGroup(bytes(base + n for n in cards), kind, value) for cards, kind, value in shapes]


def _jiaos() -> list[ChiGroup]:
    """绞: two of one size and one of the other, same number; small cards first."""
    shapes = [s for n in range(1, 11) for s in ((n, n, n + 10), (n, n + 10, n + 10))]
    return [ChiGroup(bytes(cards), "jiao", 0) for cards in shapes]


@lru_cache(maxsize=2)
def chi_groups(yi_wu_shi: bool) -> tuple[ChiGroup, ...]:
    """Every group of 吃 type (Z15); 一五十 only with the room option (L6)."""
    return (*_runs(0, yi_wu_shi), *_runs(10, yi_wu_shi), *_jiaos())


CHI_BY_CARDS: dict[bytes, ChiGroup] = {
    bytes(order): group for group in chi_groups(True) for order in permutations(group.cards)
}
"""Group of three cards given in any order."""
