"""The worked cases of 沅江鬼胡子, sheets, and what cannot be scored (G18-G31)."""

from dataclasses import replace
from pathlib import Path

import pytest

from libs import variants
from libs.families.guihuzi.split import check_hand
from libs.families.guihuzi.tables import LASTS, RUNS, parts, run_groups, tables
from libs.game.cards import ZI_PAI, parse
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandError, HandSpec, LineKind, SeatHand, Win, WinSource
from libs.variants.yuanjiang_guihuzi.case_runner import from_sheet, spec_of_case
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.rules import RELEASE_1
from libs.variants.yuanjiang_guihuzi.scoring import ITEMS, score
from libs.wire.hands import hand_spec_message, hand_spec_of
from libs.wire.sheets import Heading, sheet_message
from libs.wire.told import sheet_of
from tools import cases, explain

FILES = sorted((Path(variants.__file__).parent / "yuanjiang_guihuzi/cases").glob("*.jsonl"))
CASES = [case for file in FILES for case in cases.read_cases(file)]
SCORED = [case for case in CASES if case["kind"] == "score"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: cases.Case) -> None:
    """Every worked case comes out as written."""
    assert cases.check(case, cases.find_in_process) == []


@pytest.mark.parametrize("key", ["yingxi", "split", "items", "factor", "payer_amount", "deltas"])
def test_a_wrong_expectation_is_noticed(key: str) -> None:
    """The comparison looks at each part of a result."""
    case = next(case for case in SCORED if case["expect"]["can_win"] and case["expect"]["items"])
    wrong = {"split": [], "items": [], "deltas": [0, 0, 0]}.get(key, -1)
    expect = {**case["expect"], key: wrong}
    assert cases.check({**case, "expect": expect}, cases.find_in_process) != []


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case["id"])
def test_lines_lead_to_the_amount(case: cases.Case) -> None:
    """Each line follows from the one before it; the last is what a payer pays (G23, G25, G28)."""
    sheet = score(spec_of_case(case))
    for seat in sheet.seats:
        total = 0
        for line in seat.lines:
            if line.kind == LineKind.ADD:
                total += line.value
            elif line.kind == LineKind.MULTIPLY:
                total *= line.value
            else:
                total = min(total, line.value)
            assert line.subtotal == total
        assert seat.amount == total
    assert sum(sheet.deltas) == 0
    assert {pay.clause for pay in sheet.payments} <= {"G23"}
    lines = [line for seat in sheet.seats for line in seat.lines]
    assert all(line.clause[0] == "G" and line.zh and line.en for line in lines)


@pytest.mark.parametrize("case", SCORED[:12], ids=lambda case: case["id"])
def test_explain_tells_the_sheet(case: cases.Case) -> None:
    """`tools.explain` says the amount in the game's own words."""
    sheet = score(spec_of_case(case))
    text = "\n".join(explain.report(sheet, explain.words_of("libs.variants." + case["game"])))
    if case["expect"]["can_win"]:
        assert f"amount per payer: {case['expect']['payer_amount']}" in text
        assert f"硬息 {case['expect']['yingxi']}" in text
    else:
        assert "(G" in text.splitlines()[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case_survives_the_wire(case: cases.Case) -> None:
    """A hand, its sheet and its waits say the same after a trip through the protos (G29)."""
    if case["kind"] not in ("score", "ting"):
        return
    spec = spec_of_case(case)
    assert hand_spec_of(RELEASE_1, hand_spec_message(RELEASE_1, spec)).seats[0] == spec.seats[0]
    read = hand_spec_of(RELEASE_1, hand_spec_message(RELEASE_1, spec))
    if spec.win is None:
        assert RELEASE_1.waits(read, 0) == RELEASE_1.waits(spec, 0)
    else:
        sheet = score(spec)
        assert score(read) == sheet
        heading = Heading(RELEASE_1, 0, spec.win)
        told = sheet_of(sheet_message(sheet, heading))
        assert from_sheet(case, told) == from_sheet(case, sheet)


def test_explain_reads_taken_cards_and_facts(capsys: pytest.CaptureFixture[str]) -> None:
    """`chi:三四五/四@own` makes an 内圆 (G29), `bao_ting=1` multiplies (G26)."""
    args = [
        "--game",
        "yuanjiang_guihuzi",
        "--hand",
        "四四四七八九捌",
        "--card",
        "捌",
        "--melds",
        "peng:玖玖玖,peng:陆陆陆,chi:三四五/四@own,chi:贰柒拾/柒",
        "--fact",
        "bao_ting=1",
    ]
    assert explain.main(args) == 0
    assert "amount per payer: 160" in capsys.readouterr().out
    args[args.index("--melds") + 1] = "peng:玖玖玖,peng:陆陆陆,chi:三四五/四,chi:贰柒拾/柒"
    assert explain.main(args) == 0
    assert "amount per payer: 80" in capsys.readouterr().out
    assert explain.main([*args, "--fact", "bao_ting"]) == 2


def spec(hand: str, win: Win, dealer: int = 1) -> HandSpec:
    """A hand of seat 0 without melds."""
    seat = SeatHand(tuple(ZI_PAI.count(parse(hand))))
    return HandSpec(Options(), 3, dealer, (seat, SeatHand(), SeatHand()), win)


READY = "三三三陆陆陆二七十贰柒拾四五六壹贰叁八"


def test_discards_and_other_seats_deals_cannot_be_won() -> None:
    """G18: the reason names it, nobody pays."""
    for source, reason in (
        (WinSource.DISCARD, "wall_only"),
        (WinSource.LIANG_ZHANG, "wall_only"),
        (WinSource.DEAL, "not_dealer"),
    ):
        card = 0 if source is WinSource.DEAL else 8
        sheet = score(spec(READY, Win(0, card, source, 2)))
        assert (sheet.can_win, sheet.reason, sheet.deltas) == (False, reason, (0, 0, 0))


def test_a_drawn_round_pays_nothing() -> None:
    """G31."""
    sheet = score(replace(spec(READY, Win(0, 8, WinSource.OWN_DRAW, 0)), win=None))
    assert (sheet.win_kind, sheet.deltas, sheet.payments) == ("liu_ju", (0, 0, 0), ())


@pytest.mark.parametrize("win", [
    Win(3, 8, WinSource.OWN_DRAW, 0), Win(0, 8, WinSource.OTHER_DRAW, 0),
    Win(0, 0, WinSource.OWN_DRAW, 0), Win(0, 8, WinSource.DEAL),
])  # fmt: skip
def test_impossible_wins_are_refused(win: Win) -> None:
    """A seat that is not there, an own card of another, a win without its card."""
    with pytest.raises(HandError):
        score(spec(READY, win, dealer=0))


def test_a_dealer_who_is_not_there_is_refused() -> None:
    """G2: the dealer is one of the players."""
    with pytest.raises(HandError, match="dealer"):
        score(spec(READY, Win(0, 8, WinSource.OWN_DRAW, 0), dealer=3))


@pytest.mark.parametrize("meld", [
    Meld(MeldKind.CHI, bytes(parse("六六陆"))), Meld(MeldKind.PAO, bytes(parse("三三三三"))),
    Meld(MeldKind.PENG, bytes(parse("三三四"))), Meld(MeldKind.CHI, bytes(parse("一五十"))),
])  # fmt: skip
def test_melds_of_other_games_are_refused(meld: Meld) -> None:
    """G12, G19: no 绞, no 一五十, no 跑."""
    with pytest.raises(HandError):
        check_hand([0] * 21, [meld])


def test_five_equal_cards_are_refused() -> None:
    """Z1: there are four of each face."""
    with pytest.raises(HandError):
        check_hand(ZI_PAI.count(parse("三三三")), [Meld(MeldKind.PENG, bytes(parse("三三三")))])


def test_a_card_of_which_all_four_are_owned_cannot_win() -> None:
    """G21: the four may lie on the table too; nor does anything lie there on the deal (G3)."""
    laid = [Meld(MeldKind.PENG, bytes(parse("捌捌捌")), 18, 1)]
    hand = SeatHand(tuple(ZI_PAI.count(parse("捌三三三四四四五五五六六六九九九"))), tuple(laid))
    seats = (hand, *[SeatHand((0,) * 21)] * 2)
    for card, source in ((18, WinSource.OWN_DRAW), (0, WinSource.DEAL)):
        with pytest.raises(HandError):
            score(HandSpec(Options(), 3, 0, seats, Win(0, card, source)))


def test_hints_refuse_an_impossible_hand() -> None:
    """As scoring does."""
    seat = SeatHand((0,) * 21, (Meld(MeldKind.CHI, bytes(parse("一五十"))),))
    with pytest.raises(HandError):
        RELEASE_1.waits(HandSpec(Options(), 3, 0, (seat, seat, seat), None), 0)


def test_the_table_of_items_is_in_the_order_of_the_page() -> None:
    """G24: names, in order; each row has its clause and labels."""
    names = list(dict.fromkeys(item.zh for item in ITEMS))
    assert names == [
        "天胡",
        "对子息",
        "乌对胡",
        "大字胡",
        "小字胡",
        "全黑胡",
        "一点红",
        "十三红",
        "项项息",
        "无息平",
        "吊吊手",
        "十对",
    ]
    assert all(item.en and item.clause == "G24" and item.value > 0 for item in ITEMS)


def test_runs_and_er_qi_shi_split_in_one_way() -> None:
    """Why a table from cards to their number of 二七十 is enough (G19)."""
    rows = tables().plain
    assert len(rows) == 3_899
    for half, er in rows.items():
        groups = run_groups(half)
        assert sum(groups) == half
        assert sum(group == RUNS[-1] for group in groups) == er
    assert len(LASTS) == 30


@pytest.mark.parametrize(("cards", "ways"), [
    ("", 1), ("三四五", 1), ("三三三", 1), ("三三三四四四五五五", 2), ("二二二七七七十十十", 2),
    ("三三三四五", 2), ("二七", 1), ("二二七七十", 1), ("三四五六七", 2), ("一四", 0), ("三", 0),
])  # fmt: skip
def test_number_of_ways_to_split(cards: str, ways: int) -> None:
    """Counted by hand: 门子, and a last one where two cards are over (G19)."""
    half = sum((1 << 40) + (1 << 4 * (card - 1)) for card in parse(cards))
    assert len(parts(half)) == ways
