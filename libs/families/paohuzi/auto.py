"""The auto-player's discard: what a timeout or 托管 throws, by what the seat itself holds (M5)."""

from collections.abc import Sequence


def _near(face: int) -> tuple[tuple[int, int], ...]:
    """The other faces of its size that make the face worth more if the hand holds them."""
    base = 0 if face <= 10 else 10
    number = face - base
    worth = dict.fromkeys(range(1, 11), 0)
    for distance, value in ((1, 3), (2, 2)):
        for other in (number - distance, number + distance):
            if other in worth:
                worth[other] += value
    for run, value in (((2, 7, 10), 3), ((1, 2, 3), 2)):
        if number in run:
            for other in run:
                worth[other] += value
    del worth[number]
    return tuple((base + other, value) for other, value in worth.items() if value)


_NEAR = ((), *map(_near, range(1, 21)))
_RED = (2, 7, 10, 12, 17, 20)


def _worth(hand: Sequence[int], face: int) -> int:
    """How much the hand would miss the face: pairs, 绞, neighbours, 二七十 and scoring runs."""
    worth = 8 * (hand[face] - 1) + 4 * hand[_twin(face)] + (face in _RED)
    for other, value in _NEAR[face]:
        if hand[other]:
            worth += value
    return worth


def _twin(face: int) -> int:
    """The same number in the other size."""
    return face + 10 if face <= 10 else face - 10


def pick_discard(hand: Sequence[int], faces: Sequence[int]) -> int:
    """The face of `faces` the hand misses least; the lowest among equals."""
    return min(faces, key=lambda face: (_worth(hand, face), face))
