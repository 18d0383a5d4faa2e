"""Score sheets of 姜堰23张 and 沙沙儿 where a number or an order is easy to get wrong."""

from typing import Any

import pytest

from libs.families.pengpai.score import score
from libs.game.cards import show
from libs.game.options import schema
from libs.game.sheet import Sheet
from tests.game.pengpai_spec import codes, meld, room, seat, spec, win

RUNS = "S345678 C678 H12367"
"""Four runs and a gap that H8 (or H5) fills; two groups and the pair are missing."""


def sheet(game: str, text: str, card: str, source: str = "discard", **options: Any) -> Sheet:
    """Seat 0 wins; `text` is hand | melds | facts, the others hold nothing."""
    scoring = room(game, **options)
    hand, melds, facts = (part.strip() for part in (text + "||").split("|")[:3])
    known = {key: int(n) for key, _, n in (fact.partition("=") for fact in facts.split())}
    return score(spec(scoring, win(card, source), seat(scoring, hand, melds, **known)), scoring)


def jiangyan(text: str, card: str, source: str = "discard", **options: Any) -> Sheet:
    """A win in 姜堰23张."""
    return sheet("jiangyan_23", text, card, source, **options)


def shashaer(text: str, card: str, source: str = "discard", **options: Any) -> Sheet:
    """A win in 沙沙儿."""
    return sheet("shashaer", text, card, source, **options)


def test_lines_of_quan_hun_come_in_order() -> None:
    """J22, J23, J24, J25: 全荤 doubles before the rounding, the rest after it, cap, unit."""
    result = jiangyan(
        "C222333444555666 S12 H88 | a:C7777 | flowers=1 zhi_ting=1", "S3", cap=500, unit=10
    )
    assert codes(result) == [
        "pai_xing 16",
        "bian_zi 2",
        "di_hu 30",
        "da_wang 20",
        "men_pai 20",
        "quan_hun 2",
        "ceil10 180",
        "zhi_ting 2",
        "qiong_hen 2",
        "men_hun 2",
        "cap 500",
        "unit 10",
    ]
    assert result.deltas == (5000, -5000, 0)
    assert [line.subtotal for line in result.seats[0].lines][-7:] == [
        176,
        180,
        360,
        720,
        1440,
        500,
        5000,
    ]


def test_lines_without_quan_hun_round_first() -> None:
    """J17, J23, J33: 天胡 is an own draw without 边/夹; rounded up to a ten, then doubled."""
    result = jiangyan("S345678 C678 H123678 HQQ HKKK C444", "", "deal")
    assert codes(result) == ["pai_xing 18", "zi_mo 2", "di_hu 30", "ceil10 50", "tian_hu 2"]
    assert (result.win_kind, result.deltas) == ("tian_hu", (200, -100, -100))


def test_groups_tell_their_price_and_the_winning_card() -> None:
    """J15, J16: melds first; the triple that the discard completed is priced as 碰."""
    result = jiangyan("S345678 C456 C99 H123678 HQQ | p:S222", "C9")
    groups = [
        (g.kind, show(g.cards), g.points, g.clause, g.on_table, g.won)
        for g in result.seats[0].groups
    ]
    assert groups[:2] == [
        ("peng", "S2 S2 S2", 1, "J15", True, False),
        ("peng", "C9 C9 C9", 8, "J15", False, True),
    ]
    assert groups[-1] == ("jiang", "HQ HQ", 0, "J13", False, False)
    assert sum(group[5] for group in groups) == 1


@pytest.mark.parametrize(
    ("text", "card", "options", "amount", "why"),
    [
        (
            "S222333444 S567 C234567 H23 H99",
            "H1",
            {},
            200,
            "J14, J19: three runs of one kind: 全素 100 and 穷狠, not three 暗刻",
        ),
        (
            "S222333444 S567 C234567 H23 HQQ",
            "H1",
            {"quan_su": 70},
            70,
            "J14: the greedy 222 333 444 would be 40",
        ),
        ("S222333444 C345678 H23 HQQ | p:S999", "H1", {}, 50, "J14: no 全素 with a 碰: three 暗刻"),
        ("C111222333 S345 H45678 | p:H111 p:HKKK", "H9", {}, 0, "J13: no pair, no win"),
        (
            "S111222333 C345678 H45 HQQ | p:HKKK",
            "H3",
            {},
            280,
            "J14, J20: three 门牌 100 and 双门牌 beat 16 + 2 + 2",
        ),
    ],
)
def test_the_best_split_counts(
    text: str, card: str, options: dict[str, Any], amount: int, why: str
) -> None:
    """J14: not the greedy split, but the one with the highest final amount."""
    assert jiangyan(text, card, **options).deltas[0] == amount, why


@pytest.mark.parametrize(("flowers", "points"), [(1, 20), (2, 50), (3, 100), (4, 200)])
def test_da_wang(flowers: int, points: int) -> None:
    """J20."""
    result = jiangyan(f"{RUNS} HQQ | p:S222 p:HKKK | flowers={flowers}", "H8")
    assert f"da_wang {points}" in codes(result)


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("S123678 C345678 H45 C222 H777", 20),
        ("S112233678 C345 H45 C222 H777", 50),
    ],
)
def test_men_pai(hand: str, points: int) -> None:
    """J20, J21: 门牌 by number, twice the amount from two on."""
    found = codes(jiangyan(f"{hand} S88", "H3"))
    assert f"men_pai {points}" in found
    assert ("shuang_men_pai 2" in found) is (points == 50)


@pytest.mark.parametrize(
    ("raw", "min_hu", "may"),
    [
        ("m:S9999 p:C111", "hard_80", False),
        ("m:S9999 p:C111 | flowers=4", "hard_80", False),
        ("m:S9999 p:C111", 70, True),
        ("m:S9999 p:C111", 80, False),
        ("m:S9999 p:C111 | flowers=1", 90, True),
    ],
)
def test_min_hu(raw: str, min_hu: Any, may: bool) -> None:
    """J26: raw 70 is too little for 硬80胡, with 大王 too; rounded minima count 大王."""
    result = jiangyan(f"{RUNS} HQQ | {raw}", "H8", min_hu=min_hu)
    assert (result.can_win, result.reason) == (may, "" if may else "below_min_hu")
    if not may:
        assert result.seats[0].lines == ()
        assert result.deltas == (0, 0, 0)


SIXTH = "p:C222 p:C333 p:C444 p:H555 p:C666 p:H777"


@pytest.mark.parametrize(
    ("hand", "card", "fact", "outcome"),
    [
        ("S2223", "S3", 1, ["quan_hun", "qiong_hen"]),
        ("S2223", "S3", 2, ["qiong_hen"]),
        ("S2223", "S3", 0, ["quan_hun", "qiong_hen"]),
        ("S2223", "S4", 1, "not_quan_hun"),
        ("S2223", "S4", 2, ["qiong_hen"]),
    ],
)
def test_bao_liu_peng(hand: str, card: str, fact: int, outcome: Any) -> None:
    """J31: announced, only 全荤 wins; declined, it counts as 平胡; never asked, nothing changes."""
    result = jiangyan(f"{hand} | {SIXTH} | bao_liu_peng={fact}", card)
    doubles = [key[7:] for key in result.values if key.startswith("double_")]
    assert (doubles if result.can_win else result.reason) == outcome


def test_hai_lao() -> None:
    """J32: doubles, 自摸 counts; a drawn 大王 is no win."""
    hand = f"{RUNS} HQQ | p:S222 p:HKKK | hai_lao=1"
    result = jiangyan(hand, "H8", "own_draw")
    assert codes(result)[1:2] + codes(result)[-1:] == ["zi_mo 2", "hai_lao 2"]
    assert jiangyan(hand, "DJ", "own_draw").reason == "da_wang"
    assert jiangyan(hand.replace("hai_lao=1", ""), "DJ", "own_draw").reason == "not_complete"


def test_liu_ju() -> None:
    """J12: nobody pays; X17: everybody's melds and triples are settled."""
    hands = ("S9999 C1 HQQQ", "C1 | a:HKKKK", "C2")
    for game, deltas in (("jiangyan_23", (0, 0, 0)), ("shashaer", (3 * 8 - 20, 3 * 12 - 20, -20))):
        scoring = room(game)
        seats = [seat(scoring, *(part.strip() for part in text.split("|"))) for text in hands]
        result = score(spec(scoring, None, *seats), scoring)
        assert (result.win_kind, result.can_win, result.winner) == ("liu_ju", False, -1)
        assert result.deltas == deltas
    assert [s.amount for s in result.seats] == [8, 12, 0]


FIVES = {
    "y:HTTTTT": 32,
    "a:HTTTTT": 24,
    "m:HTTTTT": 12,
    "yy:HTTTTT": 28,
    "aa:HTTTTT": 24,
    "my:HTTTTT": 20,
    "ma:HTTTTT": 16,
    "mm:HTTTTT": 12,
    "mp:DJJJJ": 8,
    "yy:DJJJJJ": 28,
}


@pytest.mark.parametrize(("word", "points"), FIVES.items())
def test_five_cards(word: str, points: int) -> None:
    """X8: by what the five are and what they grew from; for a winner and for the others (X15)."""
    assert room("shashaer").prices.meld(meld(word)) == points
    result = shashaer(f"S345678 C123456777 H67 HQQ | {word}", "H8")
    assert result.seats[0].groups[0].points == points
    scoring = room("shashaer")
    other = score(spec(scoring, None, seat(scoring, "S1", word)), scoring)
    assert other.seats[0].amount == points


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("HTTTTT", 4),
        ("HTTTT DJJJJJ", 8),
        ("HTT", 0),
        ("S333 H444 HTTT", 8),
        ("S3333", 2),
        ("S345345345", 8),
        ("", 0),
    ],
)
def test_others_count_each_face_held_three_times(hand: str, points: int) -> None:
    """X15: one 暗刻 a face, five copies too; no runs, no 底胡, no doubling."""
    scoring = room("shashaer")
    result = score(spec(scoring, None, seat(scoring, "S1"), seat(scoring, hand)), scoring)
    assert result.seats[1].amount == points


def test_five_in_a_winning_hand() -> None:
    """X8, X7: five HT in hand are a 暗刻 and the pair; the fifth from a discard may be the pair."""
    own = shashaer("S345678 C123456 H678 HTTTT | p:C777", "HT", "own_draw")
    claimed = shashaer("S345678 C123456 H678 HTTTT | p:C777", "HT")
    for result in (own, claimed):
        assert "pai_xing 5" in codes(result)
    assert [g.kind for g in claimed.seats[0].groups if g.won] == ["jiang"]


def test_piao_hu_of_five_copies() -> None:
    """X12, J14: HT HT HT HT and the fifth: two pairs waiting for a 碰 are worth more (漂胡)."""
    melds = "p:C222 p:C333 p:C444 p:H555 p:C666 p:H777"
    result = shashaer(f"HTTTT | {melds}", "HT")
    assert codes(result)[-2:] == ["quan_hun 2", "piao_hu 2"]
    assert [g.kind for g in result.seats[0].groups if g.won] == ["peng"]


@pytest.mark.parametrize(
    ("hand", "card", "source", "doubles"),
    [
        ("S99 C99", "S9", "discard", ["quan_hun", "piao_hu"]),
        ("S99 C99", "S9", "own_draw", ["quan_hun"]),
        ("H12 C99", "H3", "discard", ["quan_hun", "piao_hu"]),
        ("H1123", "H1", "discard", ["quan_hun", "piao_hu"]),
        ("S999 C9", "C9", "discard", ["quan_hun"]),
        ("H123 C9", "C9", "discard", ["quan_hun"]),
        ("H45 C99", "H3", "discard", []),
    ],
)
def test_piao_hu(hand: str, card: str, source: str, doubles: list[str]) -> None:
    """X11, X12: the last 门子 or the pair is completed by the discard, all else is 碰."""
    result = shashaer(f"{hand} | p:S222 p:C555 p:S666 p:HTTT p:C777 p:HKKK", card, source)
    assert [key[7:] for key in result.values if key.startswith("double_")] == doubles


def test_quan_su_is_not_doubled() -> None:
    """X9, X10, X11: seven runs count 50 and 10 a 门牌, whatever options would double a 平胡."""
    result = shashaer("S345678 C123456789 H1244678", "H3", "own_draw", zi_mo_10=True, ya_zi_10=True)
    assert codes(result) == ["pai_xing 0", "di_hu 50", "men_pai 10", "zi_mo_10 10", "ya_zi_10 10"]


def test_men_qing_and_stack() -> None:
    """X11, X13: hidden 杠 keep 门清; with `once` two doublings are one."""
    text = "S333 C666 C88 H444 HJJJ HQQQ DJJ | a:S9999"
    assert codes(shashaer(text, "C8"))[-2:] == ["quan_hun 2", "men_qing 2"]
    once = shashaer(text, "C8", stack="once")
    assert codes(once)[-1] == "fan 2"
    assert once.seats[0].amount * 2 == shashaer(text, "C8").seats[0].amount
    assert "men_qing 2" not in codes(shashaer(text.replace("a:", "m:"), "C8"))


@pytest.mark.parametrize(
    ("options", "may"),
    [
        ({"ding_hu": 11}, False),
        ({"ding_hu": 9}, True),
        ({"ding_hu": 9, "ding_hu_scope": "open"}, False),
        ({"ding_hu": 11, "zi_mo_10": True}, True),
    ],
)
def test_ding_hu(options: dict[str, Any], may: bool) -> None:
    """X14, X18: ten points of a 平胡; on the table only eight; `zi_mo_10` counts."""
    source = "own_draw" if "zi_mo_10" in options else "discard"
    result = shashaer("S345678 C123456777 H67 HQQ | m:HKKKK", "H8", source, **options)
    assert (result.can_win, result.reason) == (may, "" if may else "below_ding_hu")


def test_every_pair_settles_the_difference() -> None:
    """X16: 50/60/40 → 0/+30/−30 in the source; the discarder gains; zero in all, times unit."""
    scoring = room("shashaer", unit=3)
    hands = (
        seat(scoring, "S345678 C345 H67 HTT", "p:C222 p:C666 p:HQQQ"),
        seat(scoring, "S1", "y:DJJJJJ"),
        seat(scoring, "C9"),
    )
    result = score(spec(scoring, win("H8"), *hands), scoring)
    hu = [s.amount for s in result.seats]
    assert hu == [25, 32, 0]
    assert result.deltas == tuple(3 * (3 * h - sum(hu)) for h in hu)
    assert result.deltas[1] > 0
    assert {p.clause for p in result.payments} == {"X16"}


OPTIONS: dict[str, dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "jiangyan_23": {
        "first_dealer": ("creator", ("creator", "first_entered")),
        "visible_discards": (5, (1, 5, "all")),
        "lao_ken": (False, (False, True)),
        "fa_zhang": ("replace", ("replace", "add")),
        "edge_rule": ("sole_wait", ("sole_wait", "shape")),
        "quan_su": (100, (70, 100, 120, 150)),
        "cap": (1000, (500, 1000, 2000, "none")),
        "unit": (1, ()),
        "min_hu": ("none", ("none", "hard_80", 70, 80, 90)),
    },
    "shashaer": {
        "first_dealer": ("creator", ("creator", "first_entered")),
        "stack": ("multiply", ("multiply", "once")),
        "zi_mo_10": (False, (False, True)),
        "ya_zi_10": (False, (False, True)),
        "unit": (1, ()),
        "ding_hu": ("off", ("off", 11, 9)),
        "ding_hu_scope": ("all", ("all", "open")),
    },
}


@pytest.mark.parametrize("game", OPTIONS)
def test_options(game: str) -> None:
    """Keys, defaults and choices (J3, J11, J15, J17, J18, J19, J24, J25, J26, X11, X14, X18)."""
    specs = schema(type(room(game).options))
    assert {s.key: (s.default, s.choices) for s in specs} == OPTIONS[game]
    assert all(s.zh and s.en and s.clause for s in specs)
    assert all(set(s.labels) <= set(s.choices) for s in specs)


@pytest.mark.parametrize(
    ("edge_rule", "card", "item"),
    [
        ("sole_wait", "C3", ""),
        ("shape", "C3", "bian_zi 2"),
        ("shape", "C6", ""),
    ],
)
def test_edges_with_two_waits(edge_rule: str, card: str, item: str) -> None:
    """J18: 12345 waits for 3 and 6; only `shape` counts the 3 as 边子."""
    result = jiangyan("S678 C12345 H123678 HQQ | p:HKKK p:S222", card, edge_rule=edge_rule)
    assert [code for code in codes(result) if "_zi" in code] == ([item] if item else [])


@pytest.mark.parametrize(
    ("options", "items"),
    [
        ({}, ["fa_zhang 4"]),
        ({"lao_ken": True}, ["fa_zhang 2"]),
        ({"fa_zhang": "add"}, ["zi_mo 2", "fa_zhang 4"]),
        ({"fa_zhang": "add", "lao_ken": True}, ["zi_mo 2", "fa_zhang 2"]),
    ],
)
def test_fa_zhang_of_a_big_card(options: dict[str, Any], items: list[str]) -> None:
    """J15, J17: the third 大张 of a pair, drawn; `lao_ken` halves what 大张 count."""
    result = jiangyan("S345678 C45699 H678 HQQ | p:S222 p:S111", "C9", "own_draw", **options)
    assert [code for code in codes(result) if code.startswith(("zi_mo", "fa_zhang"))] == items
    table = 1 + 8 + 16
    assert codes(result)[0] == f"pai_xing {1 + 12 if 'lao_ken' in options else table}"
