"""Count tests: sizes of tables, ways to split and ways to 吃 of small hands."""

from itertools import product

import pytest

from libs.families.paohuzi.cases import counts_of
from libs.families.paohuzi.chi import chi_options
from libs.families.paohuzi.points import chi_groups
from libs.families.paohuzi.shape import read
from libs.families.paohuzi.split import jiao_states
from libs.families.paohuzi.tables import tables
from libs.game.cards import parse, show

RUNS = [tuple(range(n, n + 3)) for n in range(8)] + [(1, 6, 9)]
YI_WU_SHI = (0, 4, 9)


def splits(counts: tuple[int, ...], runs: list[tuple[int, ...]]) -> bool:
    """Whether the counts of ten faces split into runs: lowest card first."""
    low = next((n for n, count in enumerate(counts) if count), None)
    if low is None:
        return True
    for run in runs:
        if run[0] == low and all(counts[n] for n in run):
            rest = tuple(c - (n in run) for n, c in enumerate(counts))
            if splits(rest, runs):
                return True
    return False


@pytest.mark.parametrize("yi_wu_shi", [False, True])
def test_table_holds_exactly_the_halves_that_split(yi_wu_shi: bool) -> None:
    """Z23, L6: of all 59,049 halves with at most two cards a face, those that are sums of runs."""
    runs = [*RUNS, YI_WU_SHI] if yi_wu_shi else RUNS
    value = tables(yi_wu_shi).best.value
    for counts in product(range(3), repeat=10):
        if sum(counts) % 3 == 0:
            packed = sum(count << 4 * n for n, count in enumerate(counts))
            assert (packed in value) == splits(counts, runs), counts


def test_table_sizes() -> None:
    """Rows with and without a pair, halves without 胡息, groups of 吃 type (Z15)."""
    assert [len(tables(y).best.value) for y in (False, True)] == [3871, 5685]
    assert len(tables(False).plain.value) == len(tables(True).plain.value) == 251
    assert [len(chi_groups(y)) for y in (False, True)] == [38, 40]


@pytest.mark.parametrize(
    ("hand", "ways"),
    [
        ("一二三", 1),
        ("一一壹", 2),
        ("一一壹壹", 3),
        ("一一壹壹二二贰贰", 9),
        ("一一壹壹二二贰贰三三叁叁", 27),
        ("一壹二贰", 1),
        ("一一一壹壹", 1),
    ],
)
def test_ways_to_take_jiao_out(hand: str, ways: int) -> None:
    """Each number gives none or one of at most two 绞; a 坎 gives none (Z24)."""
    assert len(jiao_states(read(counts_of(hand), ()), None)) == ways


@pytest.mark.parametrize(
    ("hand", "card", "ways"),
    [
        ("一二四五九", "三", 3),
        ("一二三四五九", "三", 2),
        ("一二四五叁叁九", "三", 4),
        ("一二三四五叁叁九", "三", 9),
        ("二七九九", "十", 1),
        ("二七八九九玖玖", "十", 2),
        ("三三三四五九", "三", 0),
        ("三三三三四五九", "三", 0),
        ("一二", "三", 0),
        ("一二九九九", "三", 0),
        ("一二九", "三", 1),
    ],
)
def test_ways_to_chi(hand: str, card: str, ways: int) -> None:
    """Z15, Z16, Z19: nothing of a 坎, every copy laid, a card left to discard."""
    found = chi_options(counts_of(hand), parse(card)[0], False)
    assert len(found) == len(set(found)) == ways


def test_chi_groups_are_canonical() -> None:
    """Groups come in one order of cards, 比 groups sorted."""
    found = chi_options(counts_of("一二二三三四四五九玖"), 3, False)
    assert [(show(way.group), *map(show, way.bi)) for way in found] == [
        ("一二三", "二三四", "三四五"),
        ("二三四", "一二三", "三四五"),
        ("三四五", "一二三", "二三四"),
    ]
