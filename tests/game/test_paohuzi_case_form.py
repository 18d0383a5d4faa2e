"""Worked cases of 六胡抢 and 十五胡: other ways to write one, and what is said of a broken one."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from libs import variants
from tools import cases

FOLDER = Path(variants.__file__).parent
CASES = [
    case
    for game in ("hengyang_liuhuqiang", "qidong_shiwuhu")
    for file in sorted((FOLDER / game / "cases").glob("*.jsonl"))
    for case in cases.read_cases(file)
]


def hands(case: Any) -> Iterator[Any]:
    """Every object of a case that holds a hand."""
    yield from case.get("seats", (case,))


def shuffled(text: str) -> str:
    """The cards in another order, with spaces."""
    return " ".join(reversed(text))


def in_another_order(case: Any) -> None:
    """Cards, melds and expected lists; `items` and `deltas` keep theirs."""
    for hand in hands(case):
        hand["hand"] = shuffled(hand.get("hand", ""))
        hand["melds"] = [
            meld | {"cards": shuffled(meld["cards"])} for meld in reversed(hand.get("melds", ()))
        ]
    if case["kind"] == "chi":
        case["expect"] = [way | {"bi": way["bi"][::-1]} for way in case["expect"][::-1]]
    if case["kind"] == "ting":
        case["expect"] = {way: told[::-1] for way, told in case["expect"].items()}


def with_the_other_six(case: Any) -> None:
    """陸 for 陆 (docs/rules/README.md)."""
    for hand in hands(case):
        hand["hand"] = hand.get("hand", "").replace("陆", "陸")
        hand["melds"] = [
            meld | {"cards": meld["cards"].replace("陆", "陸")} for meld in hand.get("melds", ())
        ]


def with_more(case: Any) -> None:
    """Fields that no form has, everywhere."""
    for thing in (case, *hands(case), case.get("win", {})):
        thing["a_new_field"] = {"a": [1]}


def with_nulls(case: Any) -> None:
    """What is empty or has its default, written as null."""
    case["options"] = case["options"] or None
    for hand in hands(case):
        hand["melds"] = hand.get("melds") or None
    for flag in ("last_card", "first_discard"):
        if "win" in case:
            case["win"][flag] = case["win"][flag] or None


def with_less(case: Any) -> None:
    """Without what is empty, has its default or is for people."""
    for thing, key in [
        (case, "options"),
        (case, "wall_next"),
        *((h, "melds") for h in hands(case)),
    ]:
        if not thing.get(key):
            thing.pop(key, None)
    for key in ("id", "why", "split", "readings"):
        case.pop(key, None)
    if case["kind"] == "score":
        case["expect"] = dict(list(case["expect"].items())[-2:])
        win = case["win"].items()
        case["win"] = {key: value for key, value in win if value is not None and value is not False}
    else:
        case.pop("players")


@pytest.mark.parametrize(
    "change", [in_another_order, with_the_other_six, with_more, with_nulls, with_less]
)
def test_other_ways_to_write_a_case(change: Callable[[Any], None]) -> None:
    """The answer is the same."""
    for case in CASES:
        written = copy.deepcopy(dict(case))
        change(written)
        assert cases.check(written, cases.find_in_process) == [], case["id"]


def test_a_line_ends_at_a_line_feed_only(tmp_path: Path) -> None:
    """Other separators may stand in a text; a mark at the start of a file is none of it."""
    path = tmp_path / "some.jsonl"
    lines = [json.dumps({**case, "why": "a\u2028b\x85c"}, ensure_ascii=False) for case in CASES[:2]]
    path.write_text("\ufeff" + "\r\n".join(lines), "utf-8", newline="")
    assert [case["id"] for case in cases.read_cases(path)] == [case["id"] for case in CASES[:2]]


SCORE = next(case for case in CASES if case["kind"] == "score")
TING = next(case for case in CASES if case["kind"] == "ting")
CHI = next(case for case in CASES if case["kind"] == "chi")
QIDONG = next(case for case in CASES if case["game"] == "qidong_shiwuhu")
SEATS, WIN = SCORE["seats"], SCORE["win"]
OTHER = [seat for seat in range(3) if seat != WIN["seat"]]


def won(**change: Any) -> dict[str, Any]:
    """A change of the win."""
    return {"win": WIN | change}


def held(**change: Any) -> dict[str, Any]:
    """A change of the winner's hand."""
    seats = [seat | change if index == WIN["seat"] else seat for index, seat in enumerate(SEATS)]
    return {"seats": seats}


def melds(kind: Any, cards: Any) -> dict[str, Any]:
    """One meld in the winner's hand."""
    return held(melds=[{"kind": kind, "cards": cards}])


BROKEN: list[tuple[Mapping[str, Any], dict[str, Any], str]] = [
    (SCORE, {"win": None}, "win is missing"),
    (SCORE, {"seats": None}, "seats is missing"),
    (SCORE, {"seats": SEATS[:2]}, "seats are 3, not 2"),
    (SCORE, {"seats": [1, 2, 3]}, "seats[0] is an object, not 1"),
    (SCORE, {"players": None}, "players is missing"),
    (SCORE, {"players": "3"}, "players is a number, not '3'"),
    (SCORE, {"players": 4}, "players is one of 2, 3, not 4"),
    (QIDONG, {"players": 2}, "players is one of 3, not 2"),
    (SCORE, {"dealer": 3}, "dealer is one of 0, 1, 2, not 3"),
    (SCORE, {"dealer": None} | won(**{"from": "liang_zhang"}), "dealer is missing"),
    (SCORE, {"options": [1]}, "options is an object, not [1]"),
    (SCORE, {"options": {"qi_hu": 7}}, "BAD_OPTION_VALUE: qi_hu"),
    (SCORE, {"wall_next": "一二"}, "wall_next is one card, not '一二'"),
    (SCORE, won(seat=None), "win.seat is missing"),
    (SCORE, won(seat=True), "win.seat is a number, not True"),
    (SCORE, won(seat=-1), "win.seat is one of 0, 1, 2, not -1"),
    (SCORE, won(card=None), "win.card is missing"),
    (SCORE, won(card="五六"), "win.card is one card, not '五六'"),
    (SCORE, won(card="X"), "no card is written 'X'"),
    (SCORE, won(**{"from": "sky"}), "win.from is one of own_draw, other_draw, discard,"),
    (SCORE, won(by=None), "win.by is another seat than the winner with other_draw"),
    (SCORE, won(by=9), "win.by is one of 0, 1, 2, not 9"),
    (SCORE, won(**{"from": "own_draw", "by": OTHER[0]}), "win.by is the winner with own_draw"),
    (SCORE, won(last_card=1), "win.last_card is true or false, not 1"),
    (SCORE, held(hand=["三"]), ".hand is a text, not ['三']"),
    (SCORE, held(hand="三三Q"), "no card is written '三三Q'"),
    (SCORE, held(hand="三三三三三"), "there are four 三, not five"),
    (SCORE, held(melds="peng"), ".melds is a list, not 'peng'"),
    (SCORE, held(melds=["peng"]), ".melds[0] is an object, not 'peng'"),
    (SCORE, melds("gang", "四四四四"), ".kind is one of chi, peng, wei, chou_wei, pao, ti"),
    (SCORE, melds("ti", None), ".cards is missing"),
    (SCORE, melds("ti", "四四四"), "no ti is made of 四四四"),
    (TING, {"hand": None}, "hand is missing"),
    (TING, {"hand": "三三三三三"}, "there are four 三, not five"),
    (TING, {"melds": [{"kind": "peng", "cards": "一一二"}]}, "no peng is made of 一一二"),
    (CHI, {"card": None}, "card is missing"),
    (CHI, {"card": "一二"}, "card is one card, not '一二'"),
    (CHI, {"hand": "三三三三一二", "card": "三"}, "there are four 三, not five"),
]


@pytest.mark.parametrize(("case", "change", "text"), BROKEN, ids=[row[2] for row in BROKEN])
def test_a_broken_case_is_one_line(
    case: Mapping[str, Any],
    change: dict[str, Any],
    text: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is wrong is named, the other cases are still run, and the status is 1."""
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(map(json.dumps, ({**case, **change}, CASES[1]))), "utf-8")
    assert cases.main([str(path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3
    assert text in told[1]
    assert told[2] == "1 as expected, 1 different, 0 not run"
