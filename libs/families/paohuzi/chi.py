"""吃 with 比 (Z15, Z16, Z19): which groups may be laid with a card on offer."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from libs.families.paohuzi.points import FACES, chi_groups


class Chi(NamedTuple):
    """One way to 吃: the group with the eaten card, and the 比 groups (sorted)."""

    group: bytes
    bi: tuple[bytes, ...]


@lru_cache(maxsize=2)
def _groups_by_face(yi_wu_shi: bool) -> tuple[tuple[bytes, ...], ...]:
    """By face: the groups of 吃 type that hold it, in canonical order."""
    groups = sorted(group.cards for group in chi_groups(yi_wu_shi))
    return tuple(tuple(g for g in groups if face in g) for face in range(len(FACES) + 1))


def _take(usable: list[int], cards: Sequence[int]) -> list[int] | None:
    """`usable` without `cards`; None if some are missing."""
    left = usable.copy()
    for card in cards:
        if not left[card]:
            return None
        left[card] -= 1
    return left


def _bi_ways(
    left: list[int], card: int, groups: Sequence[bytes]
) -> Iterator[tuple[tuple[bytes, ...], list[int]]]:
    """Ways to lay every copy of `card` left in hand (Z16), with the cards left over."""
    if not left[card]:
        yield (), left
        return
    for at, group in enumerate(groups):
        rest = _take(left, group)
        if rest is not None:
            for more, over in _bi_ways(rest, card, groups[at:]):
                yield (group, *more), over


def chi_options(counts: Sequence[int], card: int, yi_wu_shi: bool) -> list[Chi]:
    """Every way to 吃 `card` with the concealed `counts`, without repeats.

    坎 cards are not usable, nor is a face of which the hand holds a 坎 eaten (Z15, Z16). A way
    that would leave nothing to discard is not offered (Z19).
    """
    if counts[card] > 2:
        return []
    usable = [n if n < 3 else 0 for n in counts]
    usable[card] += 1
    groups = _groups_by_face(yi_wu_shi)[card]
    ways = []
    for group in groups:
        left = _take(usable, group)
        if left is not None:
            ways += [Chi(group, bi) for bi, over in _bi_ways(left, card, groups) if any(over)]
    return ways
