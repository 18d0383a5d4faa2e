"""Score sheets as a person reads them."""

from pathlib import Path

from paiju.game.v1 import event_pb2, sheet_pb2

from libs import variants
from libs.game.cards import parse
from libs.game.engine import find
from libs.variants import registry
from tools.case_runners import case_module
from tools.cases import read_cases
from tools.sheets import Style, deltas, label, pad, sheet_lines, table, width

GROUPS = [
    {"kind": "pao", "cards": parse("壹壹壹壹"), "points": 9, "clause": "Z27", "on_table": True},
    {"kind": "er_qi_shi", "cards": parse("二七十"), "points": 3, "clause": "Z27", "won": True},
]
LINES = [
    {
        "code": "tun",
        "label": {"zh": "囤"},
        "clause": "Z32",
        "kind": sheet_pb2.LINE_KIND_ADD,
        "value": 3,
        "subtotal": 3,
    },
    {
        "code": "zi_mo",
        "label": {"zh": "自摸"},
        "clause": "L8",
        "kind": sheet_pb2.LINE_KIND_MULTIPLY,
        "value": 2,
        "subtotal": 6,
    },
]


def won() -> sheet_pb2.ScoreSheet:
    """A round that seat 1 won."""
    return sheet_pb2.ScoreSheet(
        round_no=3,
        can_win=True,
        winner=1,
        win_kind="zi_mo",
        win_card=7,
        source=event_pb2.WIN_SOURCE_OWN_DRAW,
        deltas=[-6, 12, -6],
        seats=[{"seat": 1, "groups": GROUPS, "lines": LINES, "points": 12, "amount": 6}],
        payments=[
            {"payer": 0, "payee": 1, "amount": 6, "clause": "L10"},
            {"payer": 2, "payee": 1, "amount": 6, "clause": "L10"},
        ],
    )


def test_a_won_round_reads_from_headline_to_deltas():
    """Winner, split with 胡息, each step with clause and running amount, payments, result."""
    assert sheet_lines(won()) == [
        "第3局 seat 1 胡 七 自摸 (own draw)",
        "  门子    牌        胡息",
        "  跑      壹壹壹壹     9  Z27  桌上",
        "  二七十  二七十       3  Z27  胡",
        "                      12",
        "  项目  条款  数  小计",
        "  囤    Z32   +3     3",
        "  自摸  L8    ×2     6",
        "  seat 0  pays  seat 1  6  L10",
        "  seat 2  pays  seat 1  6  L10",
        "  seat 0 -6  seat 1 +12  seat 2 -6",
    ]


def test_names_replace_seat_numbers():
    """A platform prints its players."""
    lines = sheet_lines(won(), Style(["Ann", "Bo", "Cy"]))
    assert lines[0].startswith("第3局 Bo 胡")
    assert lines[-1] == "  Ann -6  Bo +12  Cy -6"


def test_a_round_without_a_winner_is_one_line_and_zeros():
    """流局 (Z30) has no split and no payments."""
    sheet = sheet_pb2.ScoreSheet(round_no=1, win_kind="liu_ju", deltas=[0, 0, 0])
    assert sheet_lines(sheet) == ["第1局 流局", "  seat 0 0  seat 1 0  seat 2 0"]


def test_a_hand_that_cannot_win_says_why():
    """The reason stands in the headline."""
    assert sheet_lines(sheet_pb2.ScoreSheet(reason="huxi"))[0] == "不胡 (huxi)"


def test_han_characters_take_two_columns():
    """Alignment counts columns of the terminal, not characters."""
    assert width("囤+1") == 4
    assert pad("囤", 4) == "囤  "
    assert pad("囤", 4, ">") == "  囤"
    assert table([("囤", "1"), ("xyz", "10")], "<>", "") == ["囤    1", "xyz  10"]
    assert deltas([1, 0, -1]) == "seat 0 +1  seat 1 0  seat 2 -1"


PLAYING = [
    {"kind": "an_ke", "cards": parse("C4 C4 C4"), "points": 2, "clause": "X7"},
    {"kind": "men_pai", "cards": parse("H1 H2 H3"), "points": 0, "clause": "X5"},
    {"kind": "run", "cards": parse("S5 S6 S7"), "points": 0, "clause": "X5"},
]


def test_groups_speak_the_words_of_their_game():
    """暗刻, 门牌 and 顺子 of playing cards; a run of 字牌 is 一句话."""
    seats = [{"seat": 0, "groups": PLAYING}]
    lines = sheet_lines(sheet_pb2.ScoreSheet(game="shashaer", seats=seats))
    assert [line.split()[0] for line in lines[2:5]] == ["暗刻", "门牌", "顺子"]
    assert label("hengyang_liuhuqiang", "run") == "一句话"
    assert label("jiangyan_23", "di_hu") == "底胡"
    assert label("hengyang_liuhuqiang", "di_hu") == "地胡"


def test_every_kind_of_group_has_a_word():
    """No pinyin on a sheet: whatever a finished hand of the worked cases is made of."""
    silent = set()
    for game in sorted({game for game, _ in registry()}):
        file = Path(variants.__path__[0]) / game / "cases" / "cases.jsonl"
        module = case_module(game)
        for case in read_cases(file):
            if case["kind"] != "score":
                continue
            sheet = find(registry(), game, 0).score(module.spec_of_case(case))
            kinds = {group.kind for seat in sheet.seats for group in seat.groups}
            silent |= {
                (game, kind) for kind in kinds | {sheet.win_kind} if label(game, kind) == kind
            }
    assert silent == set()
