"""An own hand laid out the way a player holds it: 字牌 by what belongs together, others by suit."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from paiju.game.v1 import option_pb2

from tools.play_words import Words, filled

Group = tuple[int, ...]

LAST_ZI = 20
_HALF = 10
_SUIT_STARTS = (21, 31, 41, 54)
_THREE, _PAIR = 10, 4
_ER_QI_SHI = ((2, 7, 10), (12, 17, 20))
_YI_WU_SHI = ((1, 5, 10), (11, 15, 20))


def is_zi_pai(words: Words) -> bool:
    """The deck holds 字牌 only."""
    return max(words.copies, default=0) <= LAST_ZI


def shapes(words: Words, options: option_pb2.Options) -> tuple[Group, ...]:
    """The groups of different cards that this room has: a word of the game that is also an option
    counts where the option is on."""
    found: list[Group] = [
        (base + n, base + n + 1, base + n + 2) for base in (0, _HALF) for n in range(1, 9)
    ]
    named = {"er_qi_shi": _ER_QI_SHI, "yi_wu_shi": _YI_WU_SHI, "jiao": tuple(_jiao())}
    for code, groups in named.items():
        on = code not in options.values or options.values[code].bool_value
        if code in words.terms and on:
            found += groups
    return tuple(found)


def _jiao() -> Iterator[Group]:
    for n in range(1, _HALF + 1):
        yield n, n, n + _HALF
        yield n, n + _HALF, n + _HALF


def grouped(hand: Mapping[int, int], groups: tuple[Group, ...]) -> list[Group]:
    """Three and four equal cards, then what the rest makes best: groups, pairs, single cards."""
    equal = [(card,) * n for card, n in sorted(hand.items()) if n >= 3]
    loose = tuple(hand.get(card, 0) if hand.get(card, 0) < 3 else 0 for card in range(LAST_ZI + 1))
    _, parts = _best(loose, groups)
    return equal + sorted(parts, key=lambda part: (-len(part), part))


@lru_cache(maxsize=50_000)
def _best(loose: tuple[int, ...], groups: tuple[Group, ...]) -> tuple[int, tuple[Group, ...]]:
    """The best parting of loose cards: its worth and its parts."""
    low = next((card for card, n in enumerate(loose) if n), 0)
    if not low:
        return 0, ()
    found = []
    candidates = [((low,), 0), ((low, low), _PAIR)]
    candidates += [(group, _THREE) for group in groups if low in group]
    for part, worth in candidates:
        left = _without(loose, part)
        if left is not None:
            rest, parts = _best(left, groups)
            found.append((worth + rest, (part, *parts)))
    return max(found)


def _without(loose: tuple[int, ...], part: Group) -> tuple[int, ...] | None:
    left = list(loose)
    for card in part:
        left[card] -= 1
        if left[card] < 0:
            return None
    return tuple(left)


def hand_lines(hand: Mapping[int, int], words: Words, groups: tuple[Group, ...]) -> list[str]:
    """The own hand: 字牌 in groups and, below, in columns by number; other cards by suit."""
    if not is_zi_pai(words):
        return suit_lines(hand, words)
    parts = grouped(hand, groups)
    return ["  ".join(words.cards(part) for part in parts), *column_lines(hand, words)]


def column_lines(hand: Mapping[int, int], words: Words) -> list[str]:
    """Small above big, one column for each number."""
    rows = []
    for label, base in (("小", 0), ("大", _HALF)):
        cells = [words.cards([base + n] * hand.get(base + n, 0)) for n in range(1, _HALF + 1)]
        rows.append((label, cells))
    widths = [_widest(n, hand) for n in range(1, _HALF + 1)]
    return [_row(label, cells, widths) for label, cells in rows if any(cells)]


def _widest(n: int, hand: Mapping[int, int]) -> int:
    """Columns that a number needs; none if the hand lacks it in both sizes."""
    return 2 * max(hand.get(n, 0), hand.get(n + _HALF, 0))


def _row(label: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = [filled(cell, wide) for cell, wide in zip(cells, widths, strict=True) if wide]
    return f"{label}  {'  '.join(shown)}".rstrip()


def suit_lines(hand: Mapping[int, int], words: Words) -> list[str]:
    """A line for each suit, equal cards side by side."""
    lines = []
    ends = (*_SUIT_STARTS[1:], 100)
    for first, end in zip(_SUIT_STARTS, ends, strict=True):
        cards = [words.cards([card] * hand.get(card, 0)) for card in range(first, end)]
        if any(cards):
            lines.append("   ".join(filter(None, cards)))
    return lines
