"""The auto-player's discard: what a timeout or 托管 throws, by what the seat itself holds (M5)."""

from collections.abc import Sequence

RANKS = 9
"""Faces of a suit; they follow each other, and a gap lies between suits."""
FIRST_HONOUR = 50


def _worth(hand: Sequence[int], face: int) -> int:
    """How much the hand would miss one card of the face: equal cards, then neighbours in runs."""
    worth = 10 * (hand[face] - 1)
    if face >= FIRST_HONOUR:
        return worth
    rank = face % 10
    for distance, value in ((1, 4), (2, 2)):
        for other in (rank - distance, rank + distance):
            if 1 <= other <= RANKS and hand[face - rank + other]:
                worth += value
    return worth + (1 < rank < RANKS)


def pick_discard(hand: Sequence[int], faces: Sequence[int]) -> int:
    """The face of `faces` the hand misses least; the lowest among equals."""
    return min(faces, key=lambda face: (_worth(hand, face), face))
