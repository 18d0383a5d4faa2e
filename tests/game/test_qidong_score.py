"""祁东十五胡, worked cases, score sheets and the rule at the end (Q5, Q8, Q9, Q10, Q11, Q12)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import libs.variants.qidong_shiwuhu as game
from libs.game.cards import show
from libs.game.events import Xing
from libs.game.sheet import Sheet
from libs.variants.qidong_shiwuhu.options import Options
from libs.variants.qidong_shiwuhu.rules import end_of_match
from libs.variants.qidong_shiwuhu.scoring import ITEMS
from tests.game.flow_kit import READY
from tests.game.qidong_kit import BLACK, Scene, sheet_of
from tools import cases

FILES = sorted((Path(game.__file__).parent / "cases").glob("*.jsonl"))
CASES = [case for file in FILES for case in cases.read_cases(file)]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Mapping[str, Any]) -> None:
    """The engine says what the case expects, and every key of the case is compared."""
    assert cases.check(case, cases.find_in_process) == []
    if isinstance(case["expect"], dict):
        assert set(case["expect"]) <= set(cases.find_in_process(case["game"]).run(case))


def test_the_files_are_whole() -> None:
    """Every kind is there, and no case twice."""
    assert {case["kind"] for case in CASES} == {"score", "ting", "chi"}
    assert len({case["id"] for case in CASES}) == len(CASES) == 85 + 60


def drawn(hand: str, card: str, wall: str = "八 八", **options: Any) -> Scene:
    """Seat 0 wins its own draw."""
    return Scene({0: hand, 1: "九", 2: "九"}, wall=f"{card} {wall}", **options).draw(0).do(0, "胡")


def sheet(hand: str, card: str, **options: Any) -> Sheet:
    """The sheet of a win on the own draw."""
    return sheet_of(drawn(hand, card, **options), **options)


def lines(got: Sheet) -> list[tuple[str, int, int, str]]:
    """Name, value, running amount and clause of each step."""
    return [(one.zh, one.value, one.subtotal, one.clause) for one in got.seats[0].lines]


@pytest.mark.parametrize(("base_two", "tun"), [(False, 1), (True, 2)])
def test_a_low_black_win_is_one_tun(base_two: bool, tun: int) -> None:
    """Q8: 12 胡息 without a red card: one 囤 before `base_two`."""
    got = sheet(BLACK, "六", base_two=base_two)
    assert (got.values["huxi"], got.values["tun"]) == (12, tun)


def test_tun_counts_from_fifteen() -> None:
    """Q8, Z32: floor((24 - 15) / 3) + 1."""
    assert sheet(READY, "六").values["tun"] == 4


def test_every_step_has_its_clause() -> None:
    """Q9, Q11, Z31, Z32, Z34: the product, unit and cap in order."""
    options = {"xing": "sui_xing", "base_two": True, "unit": 5, "cap": 90}
    assert lines(sheet(BLACK, "六", **options)) == [
        ("囤", 1, 1, "Z32"),
        ("底分2分", 1, 2, "Z32"),
        ("醒", 1, 3, "Z31"),
        ("自摸", 2, 6, "Q9"),
        ("黑胡", 3, 18, "Q9"),
        ("底分", 5, 90, "Z32"),
    ]


@pytest.mark.parametrize(
    ("hand", "card", "name"),
    [
        ("二二二 七七七 壹壹壹 叁叁叁 十十十 柒捌玖 四五", "六", "红胡"),
        ("壹壹壹 叁叁叁 伍伍伍 三四五 八八捌 柒捌玖 四五", "六", "点胡"),
        ("壹壹壹 叁叁叁 伍伍伍 三四五 八八捌 九玖玖 四五", "六", "黑胡"),
        (READY, "六", None),
    ],
)
def test_red_and_black(hand: str, card: str, name: str | None) -> None:
    """Q9: ten red, one red, none; off with the option."""
    items = [line[0] for line in lines(sheet(hand, card)) if line[3] == "Q9"]
    assert items == ["自摸", *([name] if name else [])]
    plain = sheet(hand, card, hong_hei_dian=False, zi_mo_double=False)
    assert plain.values["factor"] == 1


def test_items_are_one_table() -> None:
    """Q9: four multipliers, each with an option of the room."""
    assert [(item.zh, item.factor) for item in ITEMS] == [
        ("自摸", 2),
        ("红胡", 2),
        ("点胡", 3),
        ("黑胡", 3),
    ]
    assert all(hasattr(Options(), item.option) for item in ITEMS)


@pytest.mark.parametrize(
    ("pays", "deltas"),
    [
        ("all", (-8, 8, 0)),
        ("one", (-4, 4, 0)),
    ],
)
def test_who_pays_for_a_discard(pays: str, deltas: tuple[int, ...]) -> None:
    """Q10: the discarder both shares (default) or one; the third seat nothing."""
    scene = Scene({0: "六 八", 1: READY, 2: "九"}).discard(0, "六").do(1, "胡")
    assert Options().dian_pao_pays == "all"
    got = sheet_of(scene, dian_pao_pays=pays)
    assert got.deltas == deltas
    assert [payment.clause for payment in got.payments] == ["Q10"]


def test_both_others_pay_for_a_wall_card() -> None:
    """Q10: whoever drew it."""
    own = sheet(READY, "六", zi_mo_double=False)
    other = Scene({0: "八", 1: READY, 2: "九"}, wall="六 八").draw(0).do(1, "胡")
    assert own.deltas == (8, -4, -4)
    assert sheet_of(other, dian_pao_pays="one").deltas == (-4, 8, -4)


def test_each_share_of_a_discarder_is_capped() -> None:
    """Q10, Z34: two amounts of at most thirty."""
    scene = Scene({0: "六 八", 1: READY, 2: "九"}).discard(0, "六").do(1, "胡")
    assert sheet_of(scene, unit=10, cap=30).deltas == (-60, 60, 0)


@pytest.mark.parametrize(
    ("xing", "wall", "face", "turned"),
    [
        ("fan_xing", "二", "二", 1),
        ("fan_xing", "", "六", 0),
        ("sui_xing", "二 八", "六", 0),
    ],
)
def test_xing(xing: str, wall: str, face: str, turned: int) -> None:
    """Q11: the next wall card, the winning card when the wall is empty, or always that one."""
    scene = drawn(READY, "六", wall, xing=xing)
    shown = [f.event for f in scene.events if isinstance(f.event, Xing)]
    assert [(show([one.card]), one.turned) for one in shown] == [(face, turned)]
    count = {"二": 3, "六": 1}[face]
    assert sheet_of(scene, xing=xing).values["xing"] == count


def test_no_xing_by_default() -> None:
    """Q11, Z31: nothing is turned."""
    scene = drawn(READY, "六")
    assert [f for f in scene.events if isinstance(f.event, Xing)] == []


def test_a_discard_may_be_barred_from_winning() -> None:
    """Q12, Z33: 只胡墩上牌; 点炮必胡 takes it unasked."""
    hands = {0: "六 八", 1: READY, 2: "九"}
    assert Scene(hands, hu_policy="wall_only").discard(0, "六").asked(1) == ["吃 四五六", "过"]
    must = Scene(hands, hu_policy="must_hu_discard").discard(0, "六")
    assert must.state.win is not None


@pytest.mark.parametrize(
    ("limit", "totals", "factor"),
    [
        ("off", (1, 1, -2), 1),
        (10, (4, 6, -10), 2),
        (10, (4, 7, -11), 1),
        (15, (15, -8, -7), 2),
        (15, (16, -8, -8), 1),
        (20, (-20, 10, 10), 2),
        (30, (31, -16, -15), 1),
        ("none", (500, -300, -200), 2),
    ],
)
def test_low_scores_are_doubled(limit: int | str, totals: tuple[int, ...], factor: int) -> None:
    """Q12: by the largest absolute final score, all three seats alike, with a line."""
    finals, told = end_of_match(Options(low_score_limit=limit), totals)
    assert finals == tuple(total * factor for total in totals)
    assert [(one.clause, one.value) for one in told] == ([("Q12", 2)] if factor == 2 else [])


def test_nothing_is_told_where_nothing_changes() -> None:
    """Q12: all zero."""
    assert end_of_match(Options(low_score_limit=10), (0, 0, 0)) == ((0, 0, 0), ())
