"""A hand as one integer: what is fixed in it and which cards are still loose.

A 坎 or 提 in hand stays whole (Z24), so every other face has at most two cards, three where the
winning card joins a pair. Loose cards take four bits a face (small 1..10, then big), and the sums
of everything fixed sit above them, so placing a card or laying a group is one addition.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from libs.families.paohuzi.points import CHI_BY_CARDS, FACES, points
from libs.game.cards import show
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandError

HALF = 40
"""Bits of the loose cards of one size."""
HALF_MASK = (1 << HALF) - 1
ONES = 0x1111111111
"""One card of every face of a size."""

LOOSE_MASK = (1 << 2 * HALF) - 1
SUMS = 2 * HALF
HUXI_AT = SUMS + 8
FOURS_AT = SUMS + 24
WEIGHT = 1 << SUMS
"""Counts 1 for a loose card and 3 for a fixed group: 21 in a complete hand, 20 with a four."""
HUXI = WEIGHT << 8
GROUP = HUXI << 8
FOUR = GROUP << 8
CHI = FOUR << 8


def weight_of(shape: int) -> int:
    """Loose cards plus three per fixed group."""
    return shape >> SUMS & 255


def huxi_of(shape: int) -> int:
    """胡息 of the fixed groups."""
    return shape >> HUXI_AT & 255


def groups_of(shape: int) -> int:
    """Number of fixed groups."""
    return shape >> SUMS + 16 & 255


def fours_of(shape: int) -> int:
    """Number of 跑 and 提."""
    return shape >> FOURS_AT & 255


def chis_of(shape: int) -> int:
    """Number of 吃 melds, 比 groups included."""
    return shape >> SUMS + 32


def unit(card: int) -> int:
    """One loose card without its weight."""
    return 1 << 4 * (card - 1)


def loose(card: int, n: int = 1) -> int:
    """`n` loose cards of a face."""
    return n * (unit(card) + WEIGHT)


def fixed(kind: str, card: int) -> int:
    """A fixed group of equal cards."""
    four = FOUR if kind in ("pao", "ti") else 0
    return 3 * WEIGHT + GROUP + four + HUXI * points(kind, card)


def _concealed(card: int, n: int) -> int:
    """`n` equal cards in hand: a 坎 stays whole, four are a 提 not laid yet (Z3, Z24)."""
    if n < 3:
        return loose(card, n)
    return fixed("kan" if n == 3 else "ti", card)


def _fifth(first: int) -> dict[bytes, int]:
    """Shapes of every five neighbouring faces, by their counts."""
    part = [[_concealed(first + i, n) for n in range(5)] for i in range(5)]
    return {
        bytes(counts): sum(part[i][n] for i, n in enumerate(counts))
        for counts in product(range(5), repeat=5)
    }


_PARTS = tuple(_fifth(first) for first in (1, 6, 11, 16))


class _ChiShapes(dict[bytes, int]):
    """Shape of a 吃 meld; only groups with 胡息 are stored."""

    def __missing__(self, cards: bytes) -> int:
        return 3 * WEIGHT + GROUP + CHI


def _meld_shapes() -> dict[MeldKind, Mapping[bytes, int]]:
    """Shape of every meld by kind and cards."""
    triples = (MeldKind.PENG, MeldKind.WEI, MeldKind.CHOU_WEI)
    shapes: dict[MeldKind, Mapping[bytes, int]] = {}
    for kind in (*triples, MeldKind.PAO, MeldKind.TI):
        size = 3 if kind in triples else 4
        shapes[kind] = {bytes([f] * size): fixed(kind.name.lower(), f) for f in FACES}
    shapes[MeldKind.CHI] = _ChiShapes(
        {
            cards: 3 * WEIGHT + GROUP + CHI + HUXI * group.points
            for cards, group in CHI_BY_CARDS.items()
            if group.points
        }
    )
    return shapes


_MELDS = _meld_shapes()


def read(counts: bytes, melds: Iterable[Meld]) -> int:
    """The shape of a hand: concealed counts (indexed by card, 21 long) and melds."""
    first, second, third, fourth = _PARTS
    shape = first[counts[1:6]] + second[counts[6:11]] + third[counts[11:16]] + fourth[counts[16:21]]
    for meld in melds:
        shape += _MELDS[meld[0]][meld[1]]
    return shape


def check_hand(counts: Sequence[int], melds: Sequence[Meld]) -> None:
    """Raises HandError unless the melds are groups (Z9-Z16) and no face has five cards (Z1)."""
    for meld in melds:
        cards = bytes(meld.cards)
        known = CHI_BY_CARDS if meld.kind == MeldKind.CHI else _MELDS.get(meld.kind, {})
        if cards not in known:
            raise HandError(f"no {meld.kind.name.lower()} is made of {show(cards)}")
    for face in FACES:
        if counts[face] + sum(meld.cards.count(face) for meld in melds) > 4:
            raise HandError(f"there are four {show([face])}, not five")
