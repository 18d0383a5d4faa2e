"""What a case line of 沅江鬼胡子 may leave out or write otherwise, and what it must say."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from libs.variants import yuanjiang_guihuzi as game
from tools import cases

FILES = sorted((Path(game.__file__).parent / "cases").glob("*.jsonl"))
CASES = [case for file in FILES for case in cases.read_cases(file)]
PLAIN = CASES[0]
"""yj-s001: seat 0 wins by its own draw; melds 碰, 碰, 吃, 吃."""


def _cards(text: str) -> str:
    """The same cards from the last to the first, spaced, with the other face for 陆."""
    return " ".join(reversed(text.replace("陆", "陸")))


def _seat(seat: Mapping[str, Any]) -> dict[str, Any]:
    """A seat in other words; no melds are left out."""
    said = {**seat, "note": "x"}
    if "hand" in seat:
        said["hand"] = _cards(seat["hand"])
    melds = [{**meld, "cards": _cards(meld["cards"]), "note": 1} for meld in seat.get("melds", ())]
    said.pop("melds", None)
    return {**said, "melds": melds[::-1]} if melds else said


def _expect(expect: Any) -> Any:
    """The expectation with its free lists turned round and its cards written otherwise."""
    if isinstance(expect, list):
        return [_cards(face) for face in reversed(expect)]
    free = {key: _expect(value) for key, value in expect.items() if key.endswith("_draw")}
    if "split" in expect:
        free["split"] = [[kind, _cards(cards)] for kind, cards in reversed(expect["split"])]
    return {**expect, **free}


def reworded(case: cases.Case) -> dict[str, Any]:
    """The same case, told otherwise."""
    said = _seat(case)
    for key in ("eaten", "passed", "with"):
        if key in case:
            said[key] = _cards(case[key])
    if "seats" in case:
        said["seats"] = [_seat(seat) for seat in case["seats"]]
        said["win"] = {**case["win"], "note": None}
    if not case.get("options"):
        said.pop("options", None)
    return {**said, "expect": _expect(case["expect"])}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_other_words_same_answer(case: cases.Case) -> None:
    """Order, spaces, 陸, unknown fields, no `options` and no `melds` change nothing."""
    assert cases.check(reworded(case), cases.find_in_process) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_part_of_an_expectation_stands_alone(case: cases.Case) -> None:
    """A case may expect less than all."""
    if isinstance(case["expect"], dict):
        for key, value in case["expect"].items():
            assert cases.check({**case, "expect": {key: value}}, cases.find_in_process) == []


@pytest.mark.parametrize(("key", "wrong"), [
    ("split", [["peng", "三三三"]]), ("split", [["juhua", "壹壹叁"]]), ("items", [["十三红", 50]]),
])  # fmt: skip
def test_cards_in_any_order_are_still_compared(key: str, wrong: list[Any]) -> None:
    """One spelling for all is not one answer for all."""
    said = {**PLAIN, "expect": {key: wrong}}
    assert len(cases.check(said, cases.find_in_process)) == 1


def _score(**changes: Any) -> dict[str, Any]:
    return {**PLAIN, **changes}


def _hand(**changes: Any) -> dict[str, Any]:
    """The plain case with another hand of the winner."""
    winner, *others = PLAIN["seats"]
    return _score(seats=[{**winner, **changes}, *others])


def _won(**changes: Any) -> dict[str, Any]:
    return _score(win={**PLAIN["win"], **changes})


def _meld(at: int, **changes: Any) -> dict[str, Any]:
    """The plain case with one meld changed; 0 is a 碰, 2 a 吃."""
    melds = deepcopy(PLAIN["seats"][0]["melds"])
    melds[at].update(changes)
    return _hand(melds=melds)


def _other(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": kind, "game": PLAIN["game"], "kind": kind, "expect": [], **fields}


def _without(*path: Any) -> dict[str, Any]:
    """The plain case without one of its fields."""
    case: dict[str, Any] = json.loads(json.dumps(PLAIN))
    part: Any = case
    for step in path[:-1]:
        part = part[step]
    del part[path[-1]]
    return case


EATEN = {"eaten": "七", "from": "other"}

MALFORMED: list[tuple[dict[str, Any], str]] = [
    *((_without(key), key) for key in ("win", "seats", "players", "dealer", "bao_ting")),
    *((_without("win", key), key) for key in ("seat", "card", "from", "by", "last_card")),
    *((_without("seats", 0, "melds", 0, key), key) for key in ("kind", "cards", "taken")),
    (_without("seats", 0, "melds", 2, "taken", "eaten"), "eaten"),
    (_hand(hand=None), "a hand is a string of faces"),
    (_hand(hand=["玖"]), "a hand is a string of faces"),
    (_hand(hand="玖玖玖捌捌壹Z"), "no card is written"),
    (_hand(hand="S1 S2"), "no card is written 'S1'"),
    (_hand(hand="玖玖玖玖玖壹叁"), "there are four 玖, not five"),
    (_meld(0, kind="gang"), "no gang is made of 三三三"),
    (_meld(0, kind="pao"), "no pao is made of 三三三"),
    (_meld(0, cards=""), "no peng is made of no cards"),
    (_meld(0, taken="own"), "the card of a peng is taken from other"),
    (_meld(2, taken={**EATEN, "eaten": "五"}), "`eaten` must be a card of 二七十"),
    (_meld(2, taken={**EATEN, "from": "moon"}), "`from` own or other"),
    (_won(**{"from": "moon"}), "no card comes from moon"),
    (_won(card="贰贰"), "one card must be named"),
    (_won(card=""), "one card must be named"),
    (_won(card=None), "a win names its card"),
    (_won(by=1), "`by` must be the winner"),
    (_won(**{"from": "other_draw"}), "`by` must be the other seat"),
    (_won(seat=9, by=9), "must fit the number of players"),
    (_score(dealer=9), "must fit the number of players"),
    (_score(seats=PLAIN["seats"][:2]), "must fit the number of players"),
    (_score(seats=[None, {}, {}]), "cannot be answered"),
    (_score(players=4), "two or three play"),
    (_score(players="3"), "two or three play"),
    (_score(options={"moon": 1}), "UNKNOWN_OPTION: moon"),
    (_score(options={"cap": 150}), "BAD_OPTION_VALUE: cap"),
    (_other("ting"), "hand"),
    (_other("ting", hand=3), "a hand is a string of faces"),
    (_other("grey", hand="一一二三", eaten="一"), "with"),
    (_other("grey", hand="一一二三", eaten="", **{"with": "二三"}), "one card must be named"),
    (_other("grey", hand="一一二", eaten="一", **{"with": "二三"}), "does not hold 二三"),
    (_other("grey", hand="一一二五", eaten="一", **{"with": "二五"}), "nothing is made of 一二五"),
    (_other("grey", hand="一二三四", eaten="一", **{"with": "二三四"}), "nothing is made of"),
    (_other("closed", hand="一一"), "passed"),
    (_other("closed", hand="一一", passed=None), "one card must be named"),
    (_other("closed", hand="一一一一", passed="一"), "there are four 一, not five"),
]


@pytest.mark.parametrize(("case", "said"), MALFORMED)
def test_a_malformed_case_is_one_difference(case: cases.Case, said: str) -> None:
    """It is said in one line."""
    (line,) = cases.check(case, cases.find_in_process)
    assert said in line
    assert "\n" not in line


def test_malformed_cases_do_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every case is run, and the status is that of a difference."""
    wrong = [case for case, _ in MALFORMED]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, [*wrong, PLAIN])), encoding="utf-8")
    assert cases.main([str(file)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == f"1 as expected, {len(wrong)} different, 0 not run"
    assert len(said) == 2 * len(wrong) + 1
