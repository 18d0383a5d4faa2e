"""The auto-player's discard: what a timeout or 托管 throws, by what the seat itself holds (M5)."""

from collections.abc import Sequence

from libs.families.guihuzi.points import ER_QI_SHI


def _worth(hand: Sequence[int], face: int) -> int:
    """How much the hand would miss the face: equal cards, neighbours, 二七十."""
    base = 0 if face <= 10 else 10
    number = face - base
    worth = 12 * (hand[face] - 1)
    for distance, value in ((1, 3), (2, 2)):
        for other in (number - distance, number + distance):
            if 1 <= other <= 10:
                worth += value * min(hand[base + other], 1)
    if number in ER_QI_SHI:
        worth += 1 + 4 * sum(min(hand[base + n], 1) for n in ER_QI_SHI if n != number)
    return worth


def pick_discard(hand: Sequence[int], faces: Sequence[int]) -> int:
    """The face of `faces` the hand misses least; the lowest among equals."""
    return min(faces, key=lambda face: (_worth(hand, face), face))
