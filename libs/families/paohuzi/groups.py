"""The groups of a split, put together again for the score sheet (Z26)."""

from collections.abc import Iterator

from libs.families.paohuzi.points import CHI_BY_CARDS, FACES, MELD_NAMES, points
from libs.families.paohuzi.shape import HALF, HALF_MASK, LOOSE_MASK, ONES, fours_of
from libs.families.paohuzi.split import MEETS, Candidate, jiao_states
from libs.families.paohuzi.tables import Rows, Tables
from libs.families.paohuzi.waits import Concealed
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import Group

_FOURS = ("pao", "ti")


def equal_group(kind: str, card: int, on_table: bool, won: bool = False) -> Group:
    """A group of three or four equal cards."""
    cards = bytes([card]) * (4 if kind in _FOURS else 3)
    return Group(kind, cards, points(kind, card), "Z27", on_table, won)


def chi_group(cards: bytes, on_table: bool) -> Group:
    """A group of 吃 type from three cards in any order."""
    group = CHI_BY_CARDS[bytes(cards)]
    return Group(group.kind, group.cards, group.points, group.clause, on_table)


def _meld_group(meld: Meld) -> Group:
    if meld.kind == MeldKind.CHI:
        return chi_group(meld.cards, True)
    return equal_group(MELD_NAMES[meld.kind], meld.cards[0], True)


def _fixed_groups(hand: Concealed, card: int, joined: str) -> Iterator[Group]:
    """Melds, 坎 and 提 in hand; the one that `card` joined in its new form."""
    for meld in hand.melds:
        if joined and meld.kind in MEETS and meld.cards[0] == card:
            yield equal_group(joined, card, True, won=True)
        else:
            yield _meld_group(meld)
    for face in FACES:
        n = hand.counts[face]
        if joined and face == card and n >= 2:
            yield equal_group(joined, face, False, won=True)
        elif n > 2:
            yield equal_group("kan" if n == 3 else "ti", face, False)


def _cards(half: int, base: int) -> list[int]:
    """The cards of a packed half; `base` is 0 for small, 10 for big."""
    return [base + n + 1 for n in range(10) for _ in range(half >> 4 * n & 15)]


def _peel(half: int, rows: Rows, both: Tables) -> Iterator[int]:
    """Packed groups of one best split of a half: the pair if it has one, then runs."""
    value = rows.value[half]
    if len(_cards(half, 0)) % 3 == 2:
        pair, half = _peel_pair(half, value, rows)
        yield pair
    while half:
        present = (half | half >> 1) & ONES
        lowest = present & -present
        fitting = [r for r in both.runs if r[0] & lowest and present & r[0] == r[0]]
        run, pays = next(r for r in fitting if rows.value.get(half - r[0]) == value - r[1])
        yield run
        half, value = half - run, value - pays


def _peel_pair(half: int, value: int, rows: Rows) -> tuple[int, int]:
    """A pair whose removal keeps the value, and the rest."""
    for n in range(10):
        pair = 2 << 4 * n
        if half >> 4 * n & 3 > 1 and rows.value.get(half - pair) == value:
            return pair, half - pair
    raise AssertionError("a row with a pair was built from one without")


def _jiao_groups(taken: int) -> Iterator[Group]:
    """The 绞 among loose cards that a state has taken out."""
    for n in range(10):
        small, big = taken >> 4 * n & 3, taken >> HALF + 4 * n & 3
        if small:
            yield chi_group(bytes([n + 1] * small + [n + 11] * big), False)


def _loose_groups(shape: int, rows: Rows, both: Tables) -> Iterator[Group]:
    """One best split of the loose cards."""
    states = jiao_states(shape, None if fours_of(shape) else rows.stuck)
    split = [s for s in states if s & HALF_MASK in rows.value and s >> HALF in rows.value]
    state = max(split, key=lambda s: 3 * rows.value[s & HALF_MASK] + 6 * rows.value[s >> HALF])
    yield from _jiao_groups((shape & LOOSE_MASK) - state)
    for half, base in ((state & HALF_MASK, 0), (state >> HALF, 10)):
        for packed in _peel(half, rows, both):
            cards = bytes(_cards(packed, base))
            if len(cards) == 2:
                yield Group("jiang", cards, 0, "Z23", False)
            else:
                yield chi_group(cards, False)


def split_groups(hand: Concealed, card: int, best: Candidate, both: Tables) -> tuple[Group, ...]:
    """Every 门子 of a candidate, melds first; the group of the winning card is marked."""
    shape, joined = best.placed
    rows = both.best if best.huxi else both.plain
    whole = tuple(_fixed_groups(hand, card, joined))
    free = list(_loose_groups(shape, rows, both))
    if card and not joined:
        at = next(i for i, group in enumerate(free) if card in group.cards)
        free[at] = free[at]._replace(won=True)
    return (*whole, *free)
