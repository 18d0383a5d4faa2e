"""How a written case of 姜堰23张 and 沙沙儿 may look, and what is refused with a clear word."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import libs.variants
from libs.families.pengpai.cases import ORDERED
from libs.variants.jiangyan_23 import case_runner as jiangyan
from tools import cases
from tools.case_runners import find_in_process

CASES = {
    case["id"]: case
    for game in ("jiangyan_23", "shashaer")
    for case in cases.read_cases(Path(libs.variants.__path__[0]) / game / "cases" / "cases.jsonl")
}
PLAIN, DEAL, LIU_JU, FIVE, TING, GANG = (
    "jy-s-001",
    "jy-s-018",
    "ss-s-061",
    "ss-s-013",
    "jy-s-070",
    "jy-s-075",
)
GONE = object()
Path_ = tuple[str | int, ...]


def changed(name: str, *changes: tuple[Path_, Any]) -> dict[str, Any]:
    """A case of the files with some values replaced (GONE: key removed)."""
    case: dict[str, Any] = json.loads(json.dumps(CASES[name]))
    for path, value in changes:
        at: Any = case
        for key in path[:-1]:
            at = at[key]
        if value is GONE:
            del at[path[-1]]
        else:
            at[path[-1]] = value
    return case


def answer(case: Mapping[str, Any]) -> Any:
    """What the game's package says."""
    return find_in_process(case["game"]).run(case)


SEAT: Path_ = ("seats", 0)
MELD: Path_ = ("seats", 0, "melds", 0)
FREE: list[tuple[str, list[tuple[Path_, Any]]]] = [
    (PLAIN, [(("a_new_key",), [1]), ((*SEAT, "a_new_key"), {}), ((*MELD, "a_new_key"), 3)]),
    (PLAIN, [(("win", "a_new_key"), "x"), (("readings",), ["R1"]), (("split",), "...")]),
    (PLAIN, [(("options",), GONE), (("dealer",), GONE), (("why",), GONE)]),
    (PLAIN, [(("options",), None), (("dealer",), None), (("win", "hai_lao"), None)]),
    (PLAIN, [((*SEAT, key), GONE) for key in ("flowers", "bao_liu_peng", "zhi_ting")]),
    (PLAIN, [((*SEAT, key), None) for key in ("flowers", "bao_liu_peng", "zhi_ting")]),
    ("jy-s-004", [((*SEAT, "melds"), GONE)]),
    ("jy-s-004", [((*SEAT, "melds"), None)]),
    ("jy-s-025", [(("win", "by"), GONE)]),
    ("jy-s-025", [(("win", "by"), 0)]),
    (DEAL, [(("win", "card"), GONE), (("dealer",), GONE)]),
    (LIU_JU, [(("win",), GONE)]),
    ("ss-s-001", [((*MELD, "steps"), ["an_gang_yuan"])]),
    ("ss-s-001", [((*MELD, "steps"), [])]),
    (TING, [(("players",), GONE), (("options",), GONE)]),
    (GANG, [(("players",), GONE), (("options",), GONE), (("melds",), [])]),
]


@pytest.mark.parametrize(("name", "changes"), FREE)
def test_what_may_be_left_out_or_added(name: str, changes: list[tuple[Path_, Any]]) -> None:
    """Unknown keys, missing and null ones: the answer is that of the whole case."""
    told = cases.differences(CASES[name]["expect"], answer(changed(name, *changes)), ORDERED)
    assert told == []


@pytest.mark.parametrize("name", [PLAIN, DEAL, LIU_JU, FIVE, TING, "jy-s-060"])
def test_no_order_of_cards_melds_or_seats_counts(name: str) -> None:
    """Hands and melds read from behind, seats by their number."""
    case = changed(name)
    for at, seat in enumerate(case["seats"]):
        seat["hand"] = " ".join(reversed(seat["hand"].split()))
        seat["melds"].reverse()
        seat.setdefault("seat", at)
    case["seats"].reverse()
    assert cases.differences(CASES[name]["expect"], answer(case), ORDERED) == []


def test_a_part_of_an_expectation_is_enough() -> None:
    """Every key alone, with its list in another order where order has no meaning."""
    got = answer(CASES["jy-s-012"])
    for key, value in CASES["jy-s-012"]["expect"].items():
        turned = value[::-1] if key in ("items", "doubles") else value
        assert cases.differences({key: turned}, got, ORDERED) == []
    assert cases.differences({"deltas": [0, 180, -180]}, got, ORDERED)
    assert cases.differences({"own_draw": ["C8", "C5", "C2"]}, answer(CASES[TING]), ORDERED) == []


BAD: list[tuple[str, Path_, Any, str]] = [
    (PLAIN, ("options",), [1], "options is an object"),
    (PLAIN, ("options",), {"min_hu": 75}, "BAD_OPTION_VALUE: min_hu"),
    (PLAIN, ("options",), {"jokers": 1}, "UNKNOWN_OPTION: jokers"),
    (PLAIN, ("players",), GONE, "players is missing"),
    (PLAIN, ("players",), 2, "players is one of 3, not 2"),
    (PLAIN, ("players",), "3", "players is a number"),
    (FIVE, ("players",), 4, "players is one of 2, 3"),
    (PLAIN, ("dealer",), 7, "dealer is one of 0, 1, 2, not 7"),
    (PLAIN, ("seats",), GONE, "seats is missing"),
    (PLAIN, ("seats",), 5, "seats is a list"),
    (PLAIN, ("seats",), [], "seats lists nobody"),
    (TING, ("seats",), [], "seats lists nobody"),
    (PLAIN, ("seats",), ["x"], r"seats\[0\] is an object"),
    (PLAIN, (*SEAT, "seat"), 9, "win.seat is not among the seats|seat is one of 0, 1, 2"),
    (FIVE, (*SEAT, "seat"), 1, "seats lists a seat twice"),
    (PLAIN, (*SEAT, "hand"), GONE, "hand is missing"),
    (PLAIN, (*SEAT, "hand"), ["S3"], r"seats\[0\].hand is a text"),
    (PLAIN, (*SEAT, "hand"), "S3 Z9", "no card is written 'Z9'"),
    (PLAIN, (*SEAT, "hand"), "S9", "there are only 4 of S9"),
    (TING, (*SEAT, "hand"), "S9 S9", "there are only 4 of S9"),
    (PLAIN, (*SEAT, "flowers"), 5, "flowers is 0 to 4"),
    (PLAIN, (*SEAT, "flowers"), "2", "flowers is a number"),
    (PLAIN, (*SEAT, "zhi_ting"), "no", "zhi_ting is true or false"),
    (PLAIN, (*SEAT, "bao_liu_peng"), "maybe", "bao_liu_peng is one of yes, no"),
    (PLAIN, (*SEAT, "bao_liu_peng"), True, "bao_liu_peng is a text"),
    (PLAIN, (*SEAT, "melds"), {}, "melds is a list"),
    (PLAIN, MELD, "x", r"melds\[0\] is an object"),
    (PLAIN, (*MELD, "kind"), "chi", "kind is one of peng, ming_gang"),
    (PLAIN, (*MELD, "kind"), GONE, "kind is missing"),
    (PLAIN, (*MELD, "cards"), GONE, "cards is missing"),
    (PLAIN, (*MELD, "cards"), "S9 S9 S9 S8", "no an_gang_yuan is made of"),
    (PLAIN, (*MELD, "cards"), "S9 S9 S9 S9 S9", "none of five cards"),
    (FIVE, (*MELD, "steps"), GONE, "none of five cards"),
    (FIVE, (*MELD, "steps"), 5, "steps is a list"),
    (FIVE, (*MELD, "steps"), ["fifth_drawn", "an_gang_yuan"], "none of five cards"),
    (FIVE, (*MELD, "steps"), ["an_gang_yuan", "fifth_claimed"], "now an_gang_yuan"),
    (FIVE, (*MELD, "kind"), "ming_gang", "now ming_gang"),
    (PLAIN, ("win",), "x", "win is an object"),
    (PLAIN, ("win",), {}, "win.seat is missing"),
    (PLAIN, ("win", "seat"), 1, "win.seat is not among the seats"),
    (PLAIN, ("win", "from"), "other_draw", "win.from is one of own_draw, discard, deal"),
    (PLAIN, ("win", "from"), None, "win.from is missing"),
    (PLAIN, ("win", "by"), None, "`by` must be the other seat"),
    (PLAIN, ("win", "by"), "1", "win.by is a number"),
    (PLAIN, ("win", "card"), None, "win.card is missing"),
    (PLAIN, ("win", "card"), "H8 H9", "win.card is one card"),
    (PLAIN, ("win", "hai_lao"), True, "hai_lao is an own draw"),
    (GANG, ("drawn",), None, "drawn is missing"),
    (GANG, ("drawn",), "C5 C5", "drawn is one card"),
    (GANG, ("hand",), GONE, "hand is missing"),
    (GANG, ("hand",), "C5 C5 C5 C5", "there are only 4 of C5"),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), BAD)
def test_what_is_no_case_is_refused(name: str, path: Path_, value: Any, message: str) -> None:
    """A ValueError whose text says what is wrong with the case, and where."""
    with pytest.raises(ValueError, match=message):
        answer(changed(name, (path, value)))


def test_a_refused_case_does_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line for it, exit status 1, and the rest of the file is run."""
    file = tmp_path / "some.jsonl"
    written = [changed(PLAIN, (("seats",), GONE)), CASES[DEAL]]
    file.write_text("\n".join(json.dumps(case) for case in written), "utf-8")
    assert cases.main([str(file)]) == 1
    out = capsys.readouterr().out
    assert "CaseError: seats is missing" in out
    assert "1 as expected, 1 different, 0 not run" in out


def test_a_refused_win_has_no_hu() -> None:
    """X16: while no round has ended nobody's 胡 is told."""
    assert "H" not in answer(CASES["ss-s-047"])


def test_without_a_dealer_the_winner_on_the_deal_is_it() -> None:
    """J33: only the dealer can be complete before the first discard."""
    seat = (("seats", 0, "seat"), 1), (("win", "seat"), 1), (("dealer",), GONE)
    assert answer(changed(DEAL, *seat))["deltas"] == [-100, 200, -100]


def test_the_hand_of_a_ting_case_is_asked_about_whatever_its_seat() -> None:
    """A running service is asked about seat 0, so that is where the hand must lie."""
    case = changed(TING, ((*SEAT, "seat"), 2))
    hands = jiangyan.spec_of_case(case).seats
    assert hands[0].melds
    assert not any(hand.melds for hand in hands[1:])
    assert cases.differences(CASES[TING]["expect"], answer(case), ORDERED) == []
