"""Every way to split a complete hand into 门子 and a pair, and to place the winning card (J14)."""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from libs.families.pengpai.shape import END, HONOUR, STARTS
from libs.families.pengpai.tables import HONOURS


class Split(NamedTuple):
    """One way to split the cards of a suit, or of the faces that never run. Runs are named by
    their first card."""

    runs: tuple[int, ...]
    triples: tuple[int, ...]
    pair: int = 0


class Won(IntEnum):
    """What the winning card stands in."""

    NONE = 0
    """No card completed the hand (天胡, X10)."""
    PAIR = 1
    TRIPLE = 2
    RUN = 3
    """A run whose other two cards wait for another card too."""
    BIAN = 4
    """The 3 of 123 or the 7 of 789 (J18)."""
    JIA = 5
    """The middle of a run (J18)."""


class Placed(NamedTuple):
    """A split of the whole hand and the place of the winning card.

    `at` is the face of the triple or pair, or the first card of the run; 0 without a card.
    """

    parts: tuple[Split, ...]
    won: Won = Won.NONE
    at: int = 0

    @property
    def runs(self) -> Iterator[int]:
        """First cards of the runs."""
        return (run for part in self.parts for run in part.runs)

    @property
    def triples(self) -> Iterator[int]:
        """Faces of the triples."""
        return (face for part in self.parts for face in part.triples)

    @property
    def pair(self) -> int:
        """Face of the pair."""
        return next(part.pair for part in self.parts if part.pair)


def _ways(counts: bytes, first: int) -> Iterator[Split]:
    """Splits of a suit whose lowest rank not yet split is `first`."""
    while counts and not counts[0]:
        counts, first = counts[1:], first + 1
    if not counts:
        yield Split((), ())
        return
    own = counts[0]
    following = min(counts[1], counts[2]) if len(counts) > 2 else 0
    for runs in range(min(own, following) + 1):
        left = own - runs
        if left in (1, 4):
            continue
        rest = bytes((0, counts[1] - runs, counts[2] - runs)) if runs else bytes(counts[:3])
        for split in _ways(rest[1:] + counts[3:], first + 1):
            if left != 2 or not split.pair:
                yield Split(
                    (first,) * runs + split.runs,
                    (first, *split.triples) if left == 3 else split.triples,
                    first if left == 2 else split.pair,
                )


@lru_cache(maxsize=1 << 16)
def suit_splits(counts: bytes, start: int) -> tuple[Split, ...]:
    """Every split of the nine ranks of the suit that begins with card `start`."""
    return tuple(_ways(counts, start))


@lru_cache(maxsize=1 << 10)
def honour_splits(counts: bytes) -> tuple[Split, ...]:
    """The one split of the faces that never run, if there is one; five are a triple and a pair."""
    if counts not in HONOURS:
        return ()
    faces = range(HONOUR, END)
    triples = tuple(f for f, n in zip(faces, counts, strict=True) if n > 2)
    pair = next((f for f, n in zip(faces, counts, strict=True) if n in (2, 5)), 0)
    return (Split((), triples, pair),)


def parts_of(counts: bytes) -> tuple[tuple[Split, ...], ...]:
    """Splits of each group of a complete hand: three suits and the faces that never run."""
    suits = (suit_splits(counts[start : start + 9], start) for start in STARTS)
    return (*suits, honour_splits(counts[HONOUR:END]))


def _run_place(start: int, card: int) -> Won:
    """What the card is to the run that begins with `start`."""
    at = card - start
    if at == 1:
        return Won.JIA
    rank = start % 10
    edge = (rank == 1 and at == 2) or (rank == 7 and at == 0)
    return Won.BIAN if edge else Won.RUN


def places(split: Split, card: int) -> list[tuple[Won, int]]:
    """Every place of the winning card in its group."""
    found = [
        (_run_place(run, card), run) for run in dict.fromkeys(split.runs) if run <= card <= run + 2
    ]
    if card in split.triples:
        found.append((Won.TRIPLE, card))
    if split.pair == card:
        found.append((Won.PAIR, card))
    return found


def group_of(card: int) -> int:
    """Index in `Placed.parts` of the group a card belongs to."""
    return min(card // 10, 5) - 2


def placements(counts: bytes, card: int) -> Iterator[Placed]:
    """Every split of a complete hand with every place of `card` (0: none)."""
    parts: Sequence[Sequence[Split]] = parts_of(counts)
    for chosen in product(*parts):
        if card:
            for won, at in places(chosen[group_of(card)], card):
                yield Placed(chosen, won, at)
        else:
            yield Placed(chosen)
