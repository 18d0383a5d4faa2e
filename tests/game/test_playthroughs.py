"""Every playthrough of every game gives the text it is written in."""

import re
from collections import Counter
from pathlib import Path

import pytest

from libs import variants
from libs.game import engine
from libs.game.codec import decode_state
from libs.game.state import State
from libs.variants import registry
from tests.game.playthrough import play

FOLDER = Path(variants.__file__).parent
FILES = sorted(FOLDER.glob("*/playthroughs/*.txt"))
MOST_LINES = 200
RULES = Path(__file__).resolve().parents[2] / "docs/rules"
CLAUSES = {
    clause
    for page in RULES.glob("*.md")
    for clause in re.findall(r"\*\*([A-Z]\d+[a-z]?)\*\*", page.read_text("utf-8"))
}
LEAST_FILES = 8
SCENES = (
    ("qidong_shiwuhu/black_ten", "黑胡 ×3"),
    ("qidong_shiwuhu/chong_zhao", "跑 十十十十 from 偎"),
    ("qidong_shiwuhu/chong_zhao_refused", "gets 十 back: NOT_TING"),
    ("qidong_shiwuhu/xing_fan", "醒 二, turned from the wall"),
    ("qidong_shiwuhu/xing_sui", "= 醒 捌"),
    ("qidong_shiwuhu/xing_last", "last of the wall\n= 醒 六"),
    ("qidong_shiwuhu/dian_pao_one", "$ 0 pays 2 40 (Q10)"),
    ("qidong_shiwuhu/dian_pao_all", "$ 0 pays 2 60 (Q10)"),
    ("qidong_shiwuhu/start_ti", "= 0 takes 捌 into the hand\n= 0 提 一一一一\n= 0 提 捌捌捌捌"),
    ("yuanjiang_guihuzi/wai_then_liu", "= 1 溜 三三三三 from 歪"),
    ("yuanjiang_guihuzi/piao", "= 0 飘 九九九九 from 碰"),
    ("yuanjiang_guihuzi/grey", "~ 0 grey: 一 四\n"),
    ("yuanjiang_guihuzi/guo_zhang", "~ 0 closed_chi: 一 四\n"),
    ("yuanjiang_guihuzi/si_shou", "= 1 is now si_shou"),
    ("yuanjiang_guihuzi/tian_hu", "$ 天胡 +200"),
    ("yuanjiang_guihuzi/shi_dui", "$ 天胡 +200 = 200 (G24)\n$ 十对 +200 = 400"),
    ("yuanjiang_guihuzi/wai_yuan", "drawn by 1\n"),
    ("yuanjiang_guihuzi/wai_yuan", "$ 外圆 五 ×2"),
    ("yuanjiang_guihuzi/an_wai_declined", "= 0 shows 三\n> 1 吃"),
    ("jiangyan_23/two_quads_two_da_wang", "原起暗杠 S9 S9 S9 S9, 原起暗杠 C5 C5 C5 C5\n"),
    ("jiangyan_23/two_quads_two_da_wang", "$ 大王 +50"),
    ("jiangyan_23/yuan_qi_hou_bu", ", 原起暗杠 S9 S9 S9 S9, 暗杠 C5 C5 C5 C5"),
    ("jiangyan_23/bao_liu_peng_yes", "$ 全荤 ×2"),
    ("jiangyan_23/bao_liu_peng_no", "$ 底胡 +30 = 86 (J19)\n$ 逢一进十"),
    ("jiangyan_23/zhi_ting", "> 1 暗杠 C5 | 出 C5"),
    ("jiangyan_23/zhi_ting", "= 2 draws C2\n= 2 出 C2"),
    ("jiangyan_23/hai_lao", "= 2 draws H9\n= 0 draws XJ\n> 0 胡"),
    ("jiangyan_23/qi_hu", "= 2 胡 XJ, which it drew"),
    ("jiangyan_23/qi_peng", "= 2 碰 HQ HQ HQ"),
    ("jiangyan_23/hard_80", "> 2 胡 | 碰"),
    ("jiangyan_23/hard_80", "$ 2 has 71"),
    ("shashaer/two_peng", "> 1 碰 | 过  (timeout: 过)\n> 2 碰"),
    ("shashaer/fifth_claimed", "= 1 明杠 HT HT HT HT HT from 原起暗杠"),
    ("shashaer/piao_hu", "$ 漂胡 ×2"),
    ("shashaer/discarder_gains", "$ dian_pao: +28"),
    ("shashaer/liu_ju", "$ 1 pays 0 16 (X17)"),
    ("shashaer/ding_hu", "> 2 胡 | 过"),
)
"""Scenes that players ask about: the file, and the words in it that show them."""


def _name(file: Path) -> str:
    return f"{file.parent.parent.name}/{file.stem}"


def _cards(state: State) -> Counter[int]:
    """Every card of a round, wherever it lies."""
    held: Counter[int] = Counter(state.wall + state.removed)
    for seat in range(state.players):
        held.update({card: n for card, n in enumerate(state.hands[seat]) if n})
        held.update(card for meld in state.melds[seat] for card in meld.cards)
        held.update(state.piles[seat] + state.flowers[seat])
    if state.open:
        held[state.open.card] += 1
    return held


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_reads_as_it_was_written(file: Path) -> None:
    """The inputs of a file, played again, give the whole text of the file."""
    text = file.read_text(encoding="utf-8")
    assert play(text)[0] == text


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_keeps_the_contract(file: Path) -> None:
    """The round ends, its records fold to the same state, and no card is lost."""
    run = play(file.read_text(encoding="utf-8"))[1]
    assert run.at.status == engine.ENDED
    assert engine.fold(registry(), b"", run.records) == run.at.state
    assert _cards(decode_state(run.at.state)) == Counter(run.variant.deck.cards)


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_is_short_and_says_what_it_shows(file: Path) -> None:
    """A header has a title and the clauses; nobody reads more than 200 lines aloud."""
    text = file.read_text(encoding="utf-8")
    header = play(text)[1].header
    assert header.title
    assert header.shows
    assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("game", sorted({game for game, _ in registry()}))
def test_every_game_has_a_playthrough(game: str) -> None:
    """A game with few fails the suite."""
    assert sum(file.parent.parent.name == game for file in FILES) >= LEAST_FILES


@pytest.mark.parametrize(("name", "words"), SCENES)
def test_a_scene_that_players_ask_about_is_shown(name: str, words: str) -> None:
    """The file is there and holds what it is for."""
    assert words in {_name(file): file for file in FILES}[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_a_playthrough_shows_clauses_that_exist(file: Path) -> None:
    """Each clause of its header stands in the rules."""
    shown = play(file.read_text(encoding="utf-8"))[1].header.shows
    assert [clause for clause in shown if clause not in CLAUSES] == []


def test_a_changed_expectation_is_noticed() -> None:
    """The comparison is of the whole text: one other word in an output line shows."""
    text = FILES[0].read_text(encoding="utf-8")
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("= "))
    lines[at] += " and more"
    assert play("\n".join(lines) + "\n")[0] == text
