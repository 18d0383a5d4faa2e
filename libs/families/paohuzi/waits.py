"""听牌: the faces that complete a hand, found by one enumeration of its loose cards.

The winning card either joins a group that is there already, or lies in a run, a pair or a 绞 of
loose cards: then everything else splits, and the tables know what one half lacks.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from libs.families.paohuzi.shape import (
    HALF,
    HALF_MASK,
    LOOSE_MASK,
    ONES,
    fours_of,
    huxi_of,
    read,
    weight_of,
)
from libs.families.paohuzi.split import (
    EIGHTS,
    FORCED,
    MEETS,
    RED,
    HandRules,
    Way,
    jiao_states,
    join_changes,
    least_huxi,
    red_cards,
    runs_value,
)
from libs.families.paohuzi.tables import Rows, tables
from libs.game.melds import Meld

Found = dict[int, int]
"""Face → 胡息 of the hand with it."""


class Concealed(NamedTuple):
    """A hand that waits: its count vector (indexed by card, 21 long) and melds."""

    counts: bytes
    melds: Sequence[Meld]


_SIXES = ONES * 6


def _partials(n: int) -> tuple[tuple[int, int, int, tuple[int, ...]], ...]:
    """The 绞 of a number that lack one card: test mask of the small and big half, cards, faces."""
    small, big = 4 * n, 4 * n + HALF
    two_small, two_big = 2 << small, 2 << big
    return (
        (two_small, two_small, two_small, (n + 11,)),
        (two_big, two_big, two_big, (n + 1,)),
        (3 << small, 3 << big, (1 << small) + (1 << big), (n + 1, n + 11)),
    )


_PARTIALS = {8 << 4 * n: _partials(n) for n in range(10)}


def _raise(found: Found, face: int, value: int) -> None:
    if found.get(face, -1) < value:
        found[face] = value


def _from_runs(shape: int, rows: Rows, found: Found) -> None:
    """Faces that complete a run or a pair."""
    value, need = rows.value.get, rows.need.get
    for state in jiao_states(shape, None):
        small, big = state & HALF_MASK, state >> HALF
        done = value(small)
        if done is not None:
            for face, other in need(big, ()):
                _raise(found, face + 11, 3 * done + 6 * other)
        done = value(big)
        if done is not None:
            for face, other in need(small, ()):
                _raise(found, face + 1, 6 * done + 3 * other)


def _from_jiao(shape: int, rows: Rows, found: Found) -> None:
    """Faces that complete a 绞 of which two cards are there."""
    value = rows.value.get
    stuck = None if fours_of(shape) else rows.stuck
    cards = shape & LOOSE_MASK
    twos = (cards & HALF_MASK) + (cards >> HALF) + _SIXES & EIGHTS
    while twos:
        bit = twos & -twos
        twos ^= bit
        for first, second, part, faces in _PARTIALS[bit]:
            if cards & first and cards & second:
                for state in jiao_states(cards - part, stuck):
                    low, high = value(state & HALF_MASK), value(state >> HALF)
                    if low is not None and high is not None:
                        for face in faces:
                            _raise(found, face, 3 * low + 6 * high)


def loose_waits(shape: int, rows: Rows) -> Found:
    """Faces whose card completes the hand among its loose cards, with the 胡息 of all groups."""
    found: Found = {}
    if weight_of(shape) + 1 == (20 if fours_of(shape) else 21):
        _from_runs(shape, rows, found)
        _from_jiao(shape, rows, found)
    base = huxi_of(shape)
    return {face: base + value for face, value in found.items()}


def _met(hand: Concealed) -> Iterator[tuple[int, str]]:
    """(face, group) of every group that a card can meet."""
    for face, n in enumerate(hand.counts):
        if n == 2:
            yield face, "pair"
        elif n == 3:
            yield face, "kan"
    for meld in hand.melds:
        if meld.kind in MEETS:
            yield meld.cards[0], MEETS[meld.kind]


def _join_waits(hand: Concealed, shape: int, way: Way, rows: Rows) -> Found:
    """Faces that complete the hand by joining a group; a four leaves the same cards each time."""
    found: Found = {}
    whole: int | None = None
    for face, group in _met(hand):
        changes = join_changes(group, way)
        if changes is None:
            continue
        joined = shape + changes[face][0]
        if group == "pair":
            value = runs_value(joined, rows)
        else:
            whole = value = runs_value(joined, rows) if whole is None else whole
        if value >= 0:
            found[face] = value + huxi_of(joined)
    return found


def _by_way(hand: Concealed, way: Way, loose: Found, joins: Found) -> Found:
    """Both kinds of waits together; a forced group takes its card away from the others."""
    found = dict(loose)
    if way in FORCED:
        for face, group in _met(hand):
            if group != "peng":
                found.pop(face, None)
    for face, value in joins.items():
        _raise(found, face, value)
    return found


def _held(hand: Concealed, face: int) -> int:
    return hand.counts[face] + sum(meld.cards.count(face) for meld in hand.melds)


def _enough(hand: Concealed, found: Found, rules: HandRules) -> Found:
    """The waits with enough 胡息 (L5, Q5) whose four cards the seat does not hold itself (Z28)."""
    least = min(rules.least, rules.least_black)
    found = {f: v for f, v in found.items() if v >= least and _held(hand, f) < 4}
    if rules.least != rules.least_black:
        red = red_cards(hand.counts, hand.melds, 0)
        found = {f: v for f, v in found.items() if v >= least_huxi(rules, red + (f in RED))}
    return found


def waits(hand: Concealed, ways: Sequence[Way], rules: HandRules) -> dict[Way, Found]:
    """By way: the winning faces with the 胡息 they count (Z23-Z28, L5, L14, Q5)."""
    shape = read(hand.counts, hand.melds)
    both = tables(rules.yi_wu_shi)
    loose = loose_waits(shape, both.best)
    plain: Found = {}
    if rules.zero_counts and not huxi_of(shape) and not fours_of(shape):
        plain = dict.fromkeys(loose_waits(shape, both.plain), rules.zero_counts)
    result = {}
    for way in ways:
        found = _by_way(hand, way, loose, _join_waits(hand, shape, way, both.best))
        found = _enough(hand, found, rules)
        if plain:
            for face, value in _by_way(hand, way, plain, {}).items():
                if _held(hand, face) < 4:
                    _raise(found, face, value)
        result[way] = found
    return result


SOURCES = (Way.OWN_DRAW, Way.OTHER_DRAW, Way.DISCARD)


def is_ting(hand: Concealed, rules: HandRules) -> bool:
    """Whether some card could win, 跑 and 提 included (Q7)."""
    return any(waits(hand, SOURCES[:2], rules).values())
