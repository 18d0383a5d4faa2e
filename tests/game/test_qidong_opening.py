"""祁东十五胡, the opening and who deals (Q1, Q2, Q3, Q4)."""

import pytest

from libs.game import engine
from libs.game.deal import Seed
from libs.game.options import parse
from libs.game.sheet import WinSource
from libs.game.state import Outcome
from tests.game.flow_kit import READY, REGISTRY
from tests.game.playthrough import Run
from tests.game.qidong_kit import GAME, VARIANT, Scene, opened

SEED = Seed(bytes(32), bytes(range(32)), "a match")
COMPLETE = "一一一 二二二 壹壹壹 贰贰贰 陆陆陆 柒捌玖 四五"
"""With 三 or 六 seven 门子 of 24 胡息."""


def lines_with(run: Run, word: str) -> list[str]:
    """Transcript lines in which a word stands."""
    return [line for line in run.lines if word in line]


@pytest.mark.parametrize("players", [2, 4])
def test_only_three_play(players: int) -> None:
    """Q1: any other number is refused."""
    with pytest.raises(engine.Refused) as refused:
        engine.start(
            REGISTRY, engine.Start(GAME, parse(VARIANT.options, {}), players, 1, SEED), True
        )
    assert refused.value.reason == "UNKNOWN_PLAYERS"


def test_the_first_dealer_is_longest_in_the_room() -> None:
    """Q2, M3: by default."""
    start = engine.Start(GAME, parse(VARIANT.options, {}), 3, 1, SEED, joined=(2, 0, 1))
    assert engine.view(REGISTRY, engine.start(REGISTRY, start, True).state, -1).dealer == 2


def test_after_a_liu_ju_the_dealer_stays() -> None:
    """Q2: unlike L2; the winner deals after a win, the same seat after a void round."""
    scene = Scene({0: "八"}, wall="八").draw(0).advance()
    assert scene.state.outcome == Outcome.LIU_JU
    assert VARIANT.next_dealer(scene.state) == 0
    won = Scene({0: "三 八", 2: READY}).discard(0, "三").do(2, "胡")
    assert VARIANT.next_dealer(won.state) == 2
    void = scene.state
    void.outcome = Outcome.VOID
    assert VARIANT.next_dealer(void) == 0


def test_the_liang_zhang_joins_before_any_ti() -> None:
    """Q3, Z3: shown, joined, then every 提 of the 21 cards in face order with its replacement."""
    run = opened({0: "一一一一 捌捌捌 四", 1: "二 九", 2: "二 九"}, "捌 柒")
    assert run.lines[3:8] == [
        "= 0 shows 捌",
        "= 0 takes 捌 into the hand",
        "= 0 提 一一一一",
        "= 0 提 捌捌捌捌",
        "= 0 replaces with 柒  [others: 0 replaces with ?]",
    ]
    assert run.lines[8].startswith("> 0 出 ")


def test_the_liang_zhang_alone_completes_a_ti() -> None:
    """Q3, Z3: the only 提 brings no replacement."""
    run = opened({0: "捌捌捌 四", 1: "一 九", 2: "一 九"}, "捌 柒")
    assert lines_with(run, "提") == ["= 0 提 捌捌捌捌"]
    assert lines_with(run, "replaces") == []


def test_a_replacement_can_complete_a_ti_of_the_liang_zhang() -> None:
    """Q3, Z3: 亮张 and replacement together make the third 提, which draws once more."""
    run = opened({0: "一一一一 三三三三 捌捌 四", 1: "九", 2: "九"}, "捌 捌 柒")
    assert lines_with(run, "提") == ["= 0 提 一一一一", "= 0 提 三三三三", "= 0 提 捌捌捌捌"]
    assert lines_with(run, "replaces") == [
        "= 0 replaces with 捌  [others: 0 replaces with ?]",
        "= 0 replaces with 柒  [others: 0 replaces with ?]",
    ]


def test_a_liang_zhang_laid_in_a_ti_is_no_longer_hinted_as_held() -> None:
    """Q3: a seat that counts cards sees the 亮张 once, in the 提."""
    run = opened({0: "捌捌捌 四", 1: "一 九", 2: "一 九"}, "捌 柒")
    seats = engine.view(REGISTRY, run.at.state, 1).seats
    assert sum(meld.cards.count(18) for meld in seats[0].melds) == 4
    assert len(seats[0].hand) == 17


def test_others_lay_theirs_after_the_first_discard() -> None:
    """Q3: and claims on that discard wait for it."""
    run = opened({0: "玖 四", 1: "一一一一 玖玖 四六八 十", 2: "三三三三 五五五五"}, "捌 柒")
    assert lines_with(run, "提") == []
    run.lines = []
    run.take("0 出 玖")
    assert run.lines[1:5] == [
        "= 1 提 一一一一",
        "= 2 提 三三三三",
        "= 2 提 五五五五",
        "= 2 replaces with 柒  [others: 2 replaces with ?]",
    ]
    assert run.lines[5].startswith("> 1 碰")


def test_other_seats_cannot_win_the_liang_zhang() -> None:
    """Q4: complete with it, they are not asked; the dealer discards."""
    run = opened({0: "四 八", 1: COMPLETE}, "三 柒")
    assert run.lines[-1].startswith("> 0 出 ")


def test_a_dealer_complete_on_the_deal_is_offered_hu_as_zi_mo() -> None:
    """Q4, Q10: both others pay, 自摸 doubles, and there is no 天胡."""
    run = opened({0: COMPLETE}, "三 柒")
    assert run.lines[-1] == "> 0 胡 | 过  (timeout: 过)"
    run.take("0 胡")
    assert "= 0 胡 三, on the deal" in run.lines
    assert lines_with(run, "×") == ["$ 自摸 ×2 = 8 (Q9)"]
    assert run.lines[-4:] == [
        "$ 1 pays 0 8 (Q10)",
        "$ 2 pays 0 8 (Q10)",
        "$ zi_mo: +16 -8 -8",
        "$ next dealer 0",
    ]


def test_a_dealer_that_declines_discards() -> None:
    """Q4: and is not asked again."""
    run = opened({0: COMPLETE}, "三 柒")
    run.take("0 过")
    assert run.lines[-1].startswith("> 0 出 ")


def test_a_hand_completed_by_ti_and_replacement_is_offered() -> None:
    """Q3, Q4: the 亮张 makes the second 提, the replacement the rest."""
    run = opened({0: "一一一一 捌捌捌 二二二 壹壹壹 四五六 肆伍 玖玖"}, "捌 陆")
    run.take("0 胡")
    assert lines_with(run, "ti 捌捌捌捌 12")
    assert "$ zi_mo: " in run.lines[-2]


def test_thirteen_huxi_with_a_red_card_are_not_offered() -> None:
    """Q4, Q5: the deal asks for fifteen too."""
    few = "壹壹壹 叁叁叁 二三四 肆伍陆 八八捌 九玖玖 四五"
    assert opened({0: few}, "三 柒").lines[-1].startswith("> 0 出 ")
    assert opened({0: few.replace("二三四", "三四五")}, "三 柒").lines[-1].startswith("> 0 胡")


@pytest.mark.parametrize(
    ("policy", "asked"),
    [
        ("free", True),
        ("must_hu", False),
        ("must_hu_discard", True),
        ("wall_only", True),
    ],
)
def test_must_win_on_the_deal(policy: str, asked: bool) -> None:
    """Q4, Q12, Z33: only 有胡必胡 takes it; it is no discard."""
    run = opened({0: COMPLETE}, "三 柒", hu_policy=policy)
    assert bool(lines_with(run, "> 0 胡 | 过")) == asked
    assert bool(lines_with(run, "= 0 胡 三, on the deal")) != asked


def test_no_multiplier_for_the_first_discard_or_the_last_card() -> None:
    """Q4: no 地胡 and no 海底."""
    first = Scene({0: "三 八", 1: READY}).first_discard("三").do(1, "胡")
    assert first.state.win is not None
    assert first.state.win.first_discard == 1
    last = Scene({0: "九", 1: "九", 2: READY}, wall="三").draw(0).do(2, "胡")
    assert last.state.win is not None
    assert (last.state.win.last_card, last.state.win.source) == (1, WinSource.OTHER_DRAW)
    for scene in (first, last):
        spec = VARIANT.hand_spec(scene.state, VARIANT.options())
        assert VARIANT.score(spec).values["factor"] == 1
