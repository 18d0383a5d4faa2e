"""The auto-player's discard: what a timeout or 托管 throws, by what the seat itself holds (M5)."""

from collections.abc import Sequence


def _worth(hand: Sequence[int], face: int) -> int:
    """How much the hand would miss the face: pairs, 绞, neighbours, 二七十 and scoring runs."""
    base = 0 if face <= 10 else 10
    number = face - base
    worth = 8 * (hand[face] - 1) + 4 * hand[_twin(face)]
    for distance, value in ((1, 3), (2, 2)):
        for other in (number - distance, number + distance):
            if 1 <= other <= 10:
                worth += value * min(hand[base + other], 1)
    if number in (2, 7, 10):
        worth += 1 + 3 * sum(min(hand[base + n], 1) for n in (2, 7, 10) if n != number)
    if number in (1, 2, 3):
        worth += 2 * sum(min(hand[base + n], 1) for n in (1, 2, 3) if n != number)
    return worth


def _twin(face: int) -> int:
    """The same number in the other size."""
    return face + 10 if face <= 10 else face - 10


def pick_discard(hand: Sequence[int], faces: Sequence[int]) -> int:
    """The face of `faces` the hand misses least; the lowest among equals."""
    return min(faces, key=lambda face: (_worth(hand, face), face))
