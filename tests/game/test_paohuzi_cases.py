"""The worked cases of 衡阳六胡抢, and the tools that run and explain hands."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import libs.variants.hengyang_liuhuqiang as game
from tools import cases, explain

FILES = sorted((Path(game.__file__).parent / "cases").glob("*.jsonl"))
CASES = [case for file in FILES for case in cases.read_cases(file)]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Mapping[str, Any]) -> None:
    """The engine says what the case expects (`score`, `ting`, `chi`)."""
    assert cases.check(case, cases.find_in_process) == []


def test_every_key_of_a_score_case_is_compared() -> None:
    """No expectation of the file is passed over because the engine has no such field."""
    runner = cases.find_in_process("hengyang_liuhuqiang")
    for case in CASES:
        if isinstance(case["expect"], dict):
            assert set(case["expect"]) <= set(runner.run(case)), case["id"]


def broken(case: Mapping[str, Any]) -> dict[str, Any]:
    """A score case with another amount and an unknown field."""
    expect = case["expect"] | {"payer_amount": 999}
    return {**case, "expect": expect, "a_new_field": [1, 2]}


def test_a_difference_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 1 and one line per differing key."""
    path = tmp_path / "some.jsonl"
    path.write_text("\n".join(json.dumps(c) for c in (CASES[0], broken(CASES[1]))), "utf-8")
    assert cases.main([str(path)]) == 1
    out = capsys.readouterr().out
    assert "payer_amount: expected 999, got 2" in out
    assert "1 as expected, 1 different, 0 not run" in out


def test_an_expected_key_counts_if_an_answer_could_have_it() -> None:
    """`split` is for people (never compared); a key of other answers is a difference."""
    case = CASES[0]
    more = {**case, "expect": case["expect"] | {"split": ["一一一"]}}
    assert cases.check(more, cases.find_in_process) == []
    wrong = {**case, "expect": case["expect"] | {"own_draw": ["一"]}}
    said = cases.check(wrong, cases.find_in_process)
    assert said == ['own_draw: expected ["一"], got nothing']
    nothing = {**case, "expect": {"split": ["一一一"]}}
    assert "nothing to compare" in cases.check(nothing, cases.find_in_process)[0]


@pytest.mark.parametrize("change", [{"kind": "grey"}, {"game": "no_such_game"}])
def test_what_is_not_served_is_named(
    change: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A kind or game without runner is no difference; if nothing ran the status is 2."""
    path = tmp_path / "some.jsonl"
    other = json.dumps({**CASES[0], **change})
    path.write_text(other, "utf-8")
    assert cases.main([str(path)]) == 2
    assert next(iter(change.values())) in capsys.readouterr().out
    path.write_text(other + "\n" + json.dumps(CASES[0]), "utf-8")
    assert cases.main([str(path)]) == 0


def test_a_broken_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that is no JSON is named with its number."""
    path = tmp_path / "some.jsonl"
    path.write_text(json.dumps(CASES[0]) + "\n{", "utf-8")
    assert cases.main([str(path)]) == 2
    assert f"{path}:2:" in capsys.readouterr().err
    assert cases.main([str(tmp_path / "none.jsonl")]) == 2


def test_order_counts_only_where_it_means_something() -> None:
    """Items and deltas are ordered, lists of ways are not."""
    ordered = frozenset({"items", "deltas"})
    assert cases.differences([{"bi": ["a", "b"]}, 1], [1, {"bi": ["b", "a"]}], ordered) == []
    assert cases.differences({"items": [1, 2]}, {"items": [2, 1]}, ordered)
    assert cases.differences({"other": 1}, {"items": []}, ordered)


HAND = ["--hand", "一一三四四四五九壹叁叁伍捌捌捌玖玖", "--melds", "chi:六陆陆", "--card", "五"]


def test_explain_prints_a_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    """Groups, lines with clauses, payments and deltas."""
    assert explain.main([*HAND, "--last-card", "--option", "cap=30"]) == 0
    out = capsys.readouterr().out
    for part in (
        "自摸: seat 0 wins",
        "坎  捌捌捌  6  Z27",
        "× 5   = 20  黑胡",
        "封顶",
        "seat 2 → seat 0  30  L10",
        "deltas: +60 -30 -30",
    ):
        assert part in out


@pytest.mark.parametrize(
    ("args", "status", "text"),
    [
        (["--option", "qi_hu=15"], 1, "too little 胡息"),
        (["--from", "discard", "--option", "hu_policy=wall_only"], 1, "discards cannot be won"),
        (["--option", "qi_hu=7"], 2, "BAD_OPTION_VALUE"),
        (["--option", "nothing=7"], 2, "UNKNOWN_OPTION"),
        (["--card", "五六"], 2, "one card"),
        (["--card", "X"], 2, "no card is written"),
        (["--melds", "gang:一一一"], 2, "no meld of 衡阳六胡抢 is called"),
        (["--melds", "peng:一一二"], 2, "no peng"),
        (["--game", "nothing"], 2, "no game"),
        (["--option", "base_two=true", "--option", "unit=10", "--from", "other_draw"], 0, "底分"),
    ],
)
def test_explain_says_what_is_wrong(
    args: list[str], status: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused hands and bad input: one clear line and a status."""
    assert explain.main([*HAND, *args]) == status
    captured = capsys.readouterr()
    assert text in captured.out + captured.err
