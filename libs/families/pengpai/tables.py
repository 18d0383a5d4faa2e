"""Tables of one suit in two parts: which counts of nine ranks split into 门子, with or without
a pair.

A suit is complete if the state after its first five ranks fits what its last four ranks can
end. A state is how many runs reach over the border: `ends` take rank 6 only, `lasts` take ranks 6
and 7; three equal runs are three triples, so two of a kind are enough to decide. A mask has nine
bits for each way the pair may lie:

    PLAIN no pair | pair in the last four ranks | pair in the first five ranks

so `first & last` is not zero iff the suit is complete, and at least `PAIRED` iff with a pair:
the number of cards decides which.
"""

from collections.abc import Iterator
from itertools import product

FIVE, FOUR = 5, 4
BITS = 9
PAIRED = 1 << BITS
COPIES = 4
State = tuple[int, int, int]
"""(runs that end here, runs that end one rank later, pairs)."""


def _next(state: State, count: int) -> Iterator[State]:
    """States after a rank with `count` cards: the open runs take theirs, the rest starts runs,
    is a triple, a pair."""
    ends, lasts, pairs = state
    free = count - ends - lasts
    for pair in range(2 - pairs):
        for starts in range(3):
            rest = free - 2 * pair - starts
            if rest in (0, 3):
                yield lasts, starts, pairs + pair


def _first_mask(states: set[State]) -> int:
    mask = 0
    for ends, lasts, pairs in states:
        bit = 1 << 3 * ends + lasts
        mask |= bit << 2 * BITS if pairs else bit | bit << BITS
    return mask


def _firsts() -> dict[bytes, int]:
    """First five ranks → mask of the states they lead to."""
    layer: dict[bytes, set[State]] = {b"": {(0, 0, 0)}}
    for _ in range(FIVE):
        layer = {
            before + bytes((count,)): {after for state in states for after in _next(state, count)}
            for before, states in layer.items()
            for count in range(COPIES + 1)
        }
    return {counts: _first_mask(states) for counts, states in layer.items()}


def _lasts() -> dict[bytes, int]:
    """Last four ranks → mask of the states they can end."""
    layer: dict[bytes, set[State]] = {b"": {(0, 0, 0), (0, 0, 1)}}
    states = list(product(range(3), range(3), range(2)))
    for _ in range(FOUR):
        layer = {
            bytes((count,)) + rest: {s for s in states if not ends.isdisjoint(_next(s, count))}
            for rest, ends in layer.items()
            for count in range(COPIES + 1)
        }
    return {counts: _last_mask(counts, ends) for counts, ends in layer.items()}


def _last_mask(counts: bytes, states: set[State]) -> int:
    """A state ends with the pair in it or without one: the number of cards tells."""
    mask = 0
    for ends, lasts, pairs in states:
        bit = 1 << 3 * ends + lasts
        paired = (sum(counts) - ends - 2 * lasts) % 3 == 2
        if pairs:
            mask |= 0 if paired else bit << 2 * BITS
        else:
            mask |= bit << BITS if paired else bit
    return mask


def _honours() -> dict[bytes, int]:
    """Counts of the six faces that never run → pairs among them, at most one (J13, X5)."""
    return {
        bytes(counts): sum(n in (2, 5) for n in counts)
        for counts in product((0, 2, 3, 5), repeat=6)
        if sum(n in (2, 5) for n in counts) < 2
    }


def _with_one_more(table: dict[bytes, int]) -> dict[bytes, tuple[int, ...]]:
    """For each row the masks of the rows with one card more, by rank."""
    rows = {}
    for counts in table:
        more = (counts[:i] + bytes((counts[i] + 1,)) + counts[i + 1 :] for i in range(len(counts)))
        rows[counts] = tuple(table.get(key, 0) for key in more)
    return rows


FIRST = _firsts()
LAST = _lasts()
HONOURS = _honours()
FIRST_MORE = _with_one_more(FIRST)
LAST_MORE = _with_one_more(LAST)
