"""Score sheets of 衡阳六胡抢: lines, groups, payments, the rule at the end of a match."""

import random
from itertools import product
from typing import Any

import pytest

from libs.families.paohuzi.cases import counts_of, meld_of, spec_of
from libs.families.paohuzi.finals import LowScores, finish
from libs.families.paohuzi.hints import hints
from libs.game.cards import show
from libs.game.options import parse
from libs.game.sheet import HandSpec, LineKind, SeatHand, Sheet, Win, WinSource
from libs.variants.hengyang_liuhuqiang.options import Options
from libs.variants.hengyang_liuhuqiang.rules import end_of_match
from libs.variants.hengyang_liuhuqiang.scoring import (
    ITEMS,
    YI_XI_FACTORS,
    score,
    scoring_for,
)
from tests.game.paohuzi_hands import deal
from tests.game.paohuzi_questions import as_case, random_options, random_question

BLACK = {
    "hand": "一一三四四四五九壹叁叁伍捌捌捌玖玖",
    "melds": [{"kind": "chi", "cards": "六陆陆"}],
}


def sheet(win: dict[str, Any], options: dict[str, Any] | None = None, **more: Any) -> Sheet:
    """The sheet of seat 0's hand `BLACK` (dealer 1, three players) with a win."""
    case = {"players": 3, "dealer": 1, "seats": [BLACK, {}, {}], "win": {"seat": 0} | win} | more
    seats = [*case["seats"], {}, {}][: case["players"]]
    return score(spec_of(case | {"seats": seats}, parse(Options, options or {})))


OWN = {"card": "五", "from": "own_draw", "by": 0}


def test_lines_add_up_to_the_amount() -> None:
    """Z31, Z32, Z34, L8: every step with its clause and running amount."""
    options = {"cap": 90, "unit": 2, "base_two": True, "xing": "sui_xing"}
    got = sheet(OWN | {"last_card": True}, options)
    lines = got.seats[0].lines
    assert [(line.code, line.kind, line.value, line.subtotal, line.clause) for line in lines] == [
        ("tun", LineKind.ADD, 2, 2, "Z32"),
        ("base_two", LineKind.ADD, 1, 3, "Z32"),
        ("xing", LineKind.ADD, 2, 5, "Z31"),
        ("zi_mo", LineKind.MULTIPLY, 2, 10, "L8"),
        ("hei_hu", LineKind.MULTIPLY, 5, 50, "L8"),
        ("hai_di", LineKind.MULTIPLY, 2, 100, "L8"),
        ("unit", LineKind.MULTIPLY, 2, 200, "Z32"),
        ("cap", LineKind.CAP, 90, 90, "Z34"),
    ]
    assert got.seats[0].amount == 90
    assert got.values == {"huxi": 9, "tun": 3, "xing": 2, "factor": 20, "payer_amount": 90}


def test_groups_are_the_split_that_counts() -> None:
    """Z26: seven 门子 with 胡息 and clause, the one with the winning card marked."""
    groups = sheet(OWN).seats[0].groups
    assert sorted((g.kind, show(g.cards), g.points) for g in groups) == sorted(
        [
            ("jiao", "六陆陆", 0),
            ("kan", "四四四", 3),
            ("kan", "捌捌捌", 6),
            ("jiao", "一一壹", 0),
            ("jiao", "三叁叁", 0),
            ("jiao", "五五伍", 0),
            ("jiao", "九玖玖", 0),
        ]
    )
    assert [show(g.cards) for g in groups if g.on_table] == ["六陆陆"]
    assert [show(g.cards) for g in groups if g.won] == ["五五伍"]


@pytest.mark.parametrize("seed", range(4))
def test_any_sheet_is_consistent(seed: int) -> None:
    """On random hands: groups hold exactly the winner's cards, 胡息 and lines add up, zero sum."""
    rng = random.Random(seed)
    wins = 0
    for _ in range(700):
        hand = random_question(rng)
        case = as_case(hand)
        got = score(spec_of(case, parse(Options, hand.options)))
        assert sum(got.deltas) == 0
        for seat in got.seats:
            cards = hand.cards + [c for _, group in hand.melds for c in group]
            if not (hand.source == "deal" and cards.count(hand.card) == 4):
                cards.append(hand.card)
            assert sorted(c for g in seat.groups for c in g.cards) == sorted(cards), case
            assert sum(g.won for g in seat.groups) == (cards != hand.cards) or not got.can_win
            huxi = sum(g.points for g in seat.groups)
            assert seat.points == huxi or (huxi, seat.points) == (0, 6), case
            assert len(seat.groups) == 7
        wins += got.can_win
        if got.can_win:
            assert got.seats[0].lines[-1].subtotal == got.seats[0].amount
            paid = [0] * hand.players
            for payer, payee, amount, _ in got.payments:
                paid[payer] -= amount
                paid[payee] += amount
            assert tuple(paid) == got.deltas
    assert wins > 100


@pytest.mark.parametrize(
    ("players", "win", "pays", "deltas"),
    [
        (3, OWN, "one", (20, -10, -10)),
        (2, OWN, "all", (20, -20)),
        (3, {"card": "五", "from": "other_draw", "by": 2}, "all", (20, -10, -10)),
        (3, {"card": "五", "from": "discard", "by": 2}, "one", (10, 0, -10)),
        (3, {"card": "五", "from": "discard", "by": 2}, "all", (20, 0, -20)),
        (2, {"card": "五", "from": "discard", "by": 1}, "all", (10, -10)),
    ],
)
def test_who_pays(players: int, win: dict[str, Any], pays: str, deltas: tuple[int, ...]) -> None:
    """L10: all pay for a wall card, the discarder alone for a discard."""
    options = {"dian_pao_pays": pays, "zi_mo_double": players == 2}
    got = sheet(win, options, players=players)
    assert got.deltas == deltas
    assert {payment.clause for payment in got.payments} == {"L10"}


@pytest.mark.parametrize(
    ("win", "dealer", "kind"),
    [
        (OWN, 1, "zi_mo"),
        ({"card": "五", "from": "other_draw", "by": 2}, 1, "ping_hu"),
        ({"card": "五", "from": "discard", "by": 2}, 1, "dian_pao"),
        ({"card": "五", "from": "liang_zhang"}, 1, "ping_hu"),
        ({"card": "五", "from": "liang_zhang"}, 0, "tian_hu"),
        ({"card": "五", "from": "deal"}, 0, "tian_hu"),
    ],
)
def test_kind_of_win(win: dict[str, Any], dealer: int, kind: str) -> None:
    """Z29, L4: the dealer's 亮张 is 天胡 and never 自摸."""
    got = sheet(win, dealer=dealer)
    assert (got.can_win, got.win_kind) == (True, kind)
    codes = {line.code for line in got.seats[0].lines}
    assert ("zi_mo" in codes) == (kind == "zi_mo")
    assert ("tian_hu" in codes) == (kind == "tian_hu")


def test_others_cannot_win_on_the_deal() -> None:
    """L4: only the dealer wins with a card that has joined its hand."""
    got = sheet({"card": "五", "from": "deal"})
    assert (got.can_win, got.reason, got.deltas) == (False, "liang_zhang", (0, 0, 0))


def test_piao_hu_line() -> None:
    """L14: a hand without 胡息 has a line of its own, and at least one 囤 before `base_two`."""
    hand = {
        "hand": "三四四五五六八八九九十捌拾拾",
        "melds": [{"kind": "chi", "cards": "叁肆伍"}, {"kind": "chi", "cards": "九玖玖"}],
    }
    got = sheet(
        {"card": "玖", "from": "other_draw", "by": 1},
        {"piao_hu": True, "qi_hu": 15, "base_two": True},
        seats=[hand],
    )
    assert [(line.code, line.clause) for line in got.seats[0].lines] == [
        ("piao_hu", "L14"),
        ("base_two", "Z32"),
    ]
    assert (got.seats[0].points, got.seats[0].amount) == (6, 2)


def test_too_little_huxi_shows_the_best_split() -> None:
    """L5: the sheet of a refused hand still says what it has."""
    got = sheet(OWN, {"qi_hu": 15})
    assert (got.can_win, got.reason, got.winner) == (False, "huxi", -1)
    assert (got.seats[0].points, got.seats[0].lines, got.payments) == (9, (), ())


def test_liu_ju() -> None:
    """Z30: no score, no payments."""
    got = score(HandSpec(Options(), 2, 0, (SeatHand(), SeatHand()), None))
    assert (got.win_kind, got.winner, got.deltas, got.seats) == ("liu_ju", -1, (0, 0), ())


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"win": {"card": "五", "from": "discard", "by": 0}}, "other seat"),
        ({"win": {"card": "五", "from": "discard", "by": None}}, "other seat"),
        ({"win": {"seat": 3, "card": "五", "from": "own_draw"}}, "number of players"),
        ({"seats": [{"hand": "一一一一一"}], "win": OWN}, "not five"),
        ({"seats": [{"melds": [{"kind": "peng", "cards": "一一二"}]}], "win": OWN}, "no peng"),
        ({"seats": [{"melds": [{"kind": "wai", "cards": "一一一"}]}], "win": OWN}, "no wai"),
    ],
)
def test_impossible_hands_are_refused(change: dict[str, Any], text: str) -> None:
    """A hand that cannot exist raises ValueError instead of a score."""
    with pytest.raises(ValueError, match=text):
        sheet(**change)


def test_items_are_one_table() -> None:
    """L8, L9: every item has its own code and a known option; L9 names some of them."""
    codes = [item.code for item in ITEMS]
    assert len(set(codes)) == len(codes) == 11
    assert all(hasattr(Options(), item.option) for item in ITEMS)
    assert set(YI_XI_FACTORS) < set(codes)


@pytest.mark.parametrize(
    ("limit", "factor", "totals", "after"),
    [
        ("off", 3, (5, -5), (5, -5)),
        (10, 2, (10, -10), (20, -20)),
        (10, 2, (11, -11), (11, -11)),
        (20, 3, (-20, 20), (-60, 60)),
        (30, 4, (0, 0), (0, 0)),
        ("none", 4, (500, -500), (2000, -2000)),
        ("none", 4, (5, 5, -10), (5, 5, -10)),
    ],
)
def test_low_scores_are_multiplied(
    limit: str | int, factor: int, totals: tuple[int, ...], after: tuple[int, ...]
) -> None:
    """L12: two players only, by the largest absolute final score."""
    options = parse(Options, {"low_score_limit": limit, "low_score_factor": factor})
    assert end_of_match(options, totals)[0] == after


def test_low_scores_of_three() -> None:
    """Q12: all seats alike."""
    rule = LowScores(10, 2, "Q12")
    assert finish((4, 6, -10), rule)[0] == (8, 12, -20)
    assert finish((4, 7, -11), rule) == ((4, 7, -11), ())


def test_waits_are_worth_what_a_win_brings() -> None:
    """Z24-Z28, Z33: every hint equals the sheet of that win, and nothing else wins."""
    rng = random.Random(5)
    seen = 0
    for _ in range(150):
        dealt, given = deal(rng), random_options(rng) | {"tian_di_hai": False, "xing": "none"}
        options = parse(Options, given)
        melds = tuple(meld_of(kind, show(cards)) for kind, cards in dealt.melds)
        seats = (SeatHand(tuple(counts_of(show(dealt.cards))), melds), SeatHand())
        found = {
            (wait.card, worth.source): (worth.points, worth.amount)
            for wait in hints(scoring_for)(HandSpec(options, 2, 1, seats, None), 0)
            for worth in wait.worth
        }
        for source, card in product((1, 2, 3), range(1, 21)):
            win = Win(0, card, WinSource(source), int(source != WinSource.OWN_DRAW))
            spec = HandSpec(options, 2, 1, seats, win)
            got = score(spec)
            assert got.can_win == ((card, source) in found)
            if got.can_win:
                values = got.values["huxi"], got.values["payer_amount"]
                assert found[card, source] == values
                seen += 1
    assert seen > 100
