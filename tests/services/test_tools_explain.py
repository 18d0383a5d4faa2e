"""`tools.explain`: what no game has is refused with the list of what it has."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from libs import variants
from libs.game.engine import find
from libs.variants import registry
from tools import cases, explain
from tools.case_runners import case_module

HAND = ["--hand", "一一三四四四五九壹叁叁伍捌捌捌玖玖", "--melds", "chi:六陆陆", "--card", "五"]
JIANGYAN = [
    *("--game", "jiangyan_23"),
    *("--hand", "S3 S4 S5 S6 S7 S8 C6 C7 C8 H1 H2 H3 H6 H7 HQ HQ"),
    *("--melds", "an_gang_yuan:S9 S9 S9 S9,an_gang_yuan:C5 C5 C5 C5"),
    *("--card", "H8", "--from", "discard"),
]
ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted({game for game, _ in registry()})


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (
            [*HAND, "--fact", "bao_ting=1"],
            "no fact of 衡阳六胡抢 is called 'bao_ting'; there are: ",
        ),
        ([*JIANGYAN, "--fact", "flower=1"], "'flower'; there are: flowers (0 to 4), zhi_ting "),
        ([*JIANGYAN, "--fact", "flowers=5"], "the fact flowers is 0 to 4, not '5'"),
        ([*JIANGYAN, "--fact", "flowers"], "the fact flowers is 0 to 4, not ''"),
        ([*HAND, "--players", "7"], "衡阳六胡抢 is for 2 or 3 players, not 7"),
        ([*JIANGYAN, "--players", "2"], "姜堰23张 is for 3 players, not 2"),
        ([*HAND, "--seat", "3"], "--seat: the seats are 0 to 2, not 3"),
        ([*HAND, "--dealer", "3"], "--dealer: the seats are 0 to 2, not 3"),
        ([*HAND, "--from", "discard", "--by", "3"], "--by: the seats are 0 to 2, not 3"),
        (
            [*HAND, "--from", "discard", "--by", "0"],
            "--by: a card --from discard came from another",
        ),
        ([*HAND, "--by", "1"], "--by goes with --from other_draw or discard, not with own_draw"),
        ([*HAND, "--melds", "gang:一一一一"], "there are: chi, peng, pao, wei, chou_wei, ti"),
        (
            [*JIANGYAN, "--melds", "chi:S1 S2 S3"],
            "there are: peng, an_gang, an_gang_yuan, ming_gang",
        ),
        ([*HAND, "--melds", "chi"], "a meld is KIND:CARDS, not 'chi'"),
        ([*HAND, "--game", "liuhuqiang"], "there are: " + ", ".join(GAMES)),
        ([*HAND, "--hand", "S1"], "衡阳六胡抢 has no card 'S1'"),
        ([*HAND, "--card", ""], "--card: name the winning card, --from own_draw"),
    ],
)
def test_refused_with_what_is_allowed(args, text, capsys):
    """One line, exit status 2, nothing on stdout."""
    assert explain.main(args) == 2
    out, told = capsys.readouterr()
    assert text in told
    assert (out, told.count("\n")) == ("", 1)


@pytest.mark.parametrize("args", [["--by", "-1"], ["--players", "0"], ["--seat", "two"]])
def test_numbers_are_checked(args, capsys):
    """Numbers that no hand can have."""
    with pytest.raises(SystemExit) as ended:
        explain.main([*HAND, *args])
    assert ended.value.code == 2
    assert f"argument {args[0]}: a whole number" in capsys.readouterr().err


def test_a_sheet_of_playing_cards_speaks_the_words_of_its_game(capsys):
    """顺子, 原起暗杠 and 胡, where 字牌 have 一句话 and 胡息."""
    assert explain.main(JIANGYAN) == 0
    out = capsys.readouterr().out
    assert "门子 (胡 102)" in out
    assert "  顺子      S3 S4 S5 " in out
    assert "  原起暗杠  S9 S9 S9 S9 " in out
    assert "一句话" not in out


@pytest.mark.parametrize("game", GAMES)
def test_every_fact_of_the_worked_cases_can_be_written(game):
    """The facts a game's cases use are among those the tool knows, within their bounds."""
    module = case_module(game)
    told = cases.read_cases(Path(variants.__path__[0]) / game / "cases" / "cases.jsonl")
    specs = [module.spec_of_case(case) for case in told if case["kind"] == "score"]
    facts = {fact for spec in specs for seat in spec.seats for fact in seat.facts.items()}
    used = {(key, value) for key, value in facts if value}
    known = find(registry(), game, 0).facts
    assert [(key, value) for key, value in used if value > known.get(key, 0)] == []
    assert {key for key, _ in used} == set(known)


def test_a_reader_that_went_away_is_no_traceback():
    """`… | head -1`: exit status 1, nothing on stderr."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "tools.explain", *HAND]
    try:
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_readme_shows_a_command_that_runs(capsys):
    """Word for word: copied from the page it explains a win."""
    page = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r"`python -m tools\.explain ([^`]+)`", page)
    assert len(shown) == 1
    assert explain.main(shlex.split(shown[0])) == 0
    assert "seat 0 wins" in capsys.readouterr().out
