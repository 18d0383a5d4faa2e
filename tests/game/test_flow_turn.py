"""A turn to discard, the refused 冲招, the end of the wall, 醒 (Z5, Z6, L7, Z21, Z29-Z31)."""

from typing import Any

import pytest

from libs.families.paohuzi.slots import Seat
from libs.game import engine
from libs.game import events as ev
from libs.game.options import parse
from libs.game.sheet import WinSource
from libs.game.state import Outcome
from tests.game.flow_kit import READY, REGISTRY, VARIANT, Scene

OFF: dict[str, Any] = {"chong_zhao": False}


def test_the_list_of_discards_holds_barred_faces_too() -> None:
    """L7: with 冲招 off the list is the same as with it on; nobody's 偎 is looked at."""
    hands, melds = {0: "三 八 九", 1: "八"}, {1: "偎 三三三"}
    assert Scene(hands, melds, **OFF).turn(0).asked(0) == Scene(hands, melds).turn(0).asked(0)


@pytest.mark.parametrize("meld", ["偎 三三三", "臭偎 三三三"])
def test_a_barred_discard_is_returned_to_its_seat_alone(meld: str) -> None:
    """L7: the card stays, the reason names nobody, the face is not listed again."""
    scene = Scene({0: "三 八 九", 1: "八"}, {1: meld}, **OFF).discard(0, "三")
    assert scene.hand(0) == "三 八 九"
    assert scene.asked(0) == ["出 八", "出 九"]
    assert scene.sees(0) == ["0 gets 三 back: CHONG_ZHAO_OFF"]
    assert scene.sees(1) == scene.sees(2) == scene.sees(-1) == []
    assert scene.state.discarded[0] == 0


def test_the_new_question_goes_on_with_the_deadline() -> None:
    """L7, M6: the answer was final; a new question continues the old one's time."""
    scene = Scene({0: "三 八 九", 1: "八"}, {1: "偎 三三三"}, **OFF).discard(0, "三")
    prompt = scene.state.prompts[0]
    assert (prompt.number, prompt.continues) == (2, 1)


def test_a_returned_face_is_listed_again_in_the_next_turn() -> None:
    """L7: it is left out in this turn only."""
    scene = Scene({0: "三 八 九", 1: "八"}, {1: "偎 三三三"}, **OFF).discard(0, "三")
    assert scene.do(0, "出 八").turn(0).asked(0) == ["出 三", "出 九"]


def test_the_last_face_on_the_list_is_allowed() -> None:
    """L7: nothing else is left; 跑 and its mark follow as in Z21."""
    scene = Scene({0: "三 八", 1: "九"}, {1: "偎 三三三, 偎 八八八"}, **OFF).discard(0, "八")
    assert scene.asked(0) == ["出 三"]
    scene.do(0, "出 三")
    assert scene.melds(1) == ["跑 三三三三", "偎 八八八"]
    assert scene.has(0, Seat.BARRED)


def test_when_every_face_is_barred_the_order_of_choosing_decides() -> None:
    """L7: each is returned once, the last one goes; nothing is looked up beforehand."""
    melds = {1: "偎 三三三, 偎 八八八", 2: "臭偎 九九九"}
    scene = Scene({0: "三 八 九", 1: "十", 2: "十"}, melds, **OFF)
    scene.discard(0, "九")
    assert scene.asked(0) == ["出 三", "出 八"]
    assert scene.do(0, "出 三").asked(0) == ["出 八"]
    assert scene.do(0, "出 八").melds(1) == ["偎 三三三", "跑 八八八八"]


def test_defaults_never_look_at_hidden_melds() -> None:
    """L7, M5: a timeout picks the same face whether or not another holds its 偎."""
    hands = {0: "三 四四 五五 八", 1: "十"}
    with_wei = Scene(hands, {1: "偎 八八八"}, **OFF).turn(0).state.prompts[0]
    without = Scene(hands, {1: "偎 九九九"}, **OFF).turn(0).state.prompts[0]
    assert (with_wei.default, with_wei.choices) == (without.default, without.choices)
    scene = Scene(hands, {1: "偎 八八八"}, **OFF).turn(0).timeout(0)
    assert scene.sees(0) == ["0 gets 八 back: CHONG_ZHAO_OFF"]
    assert scene.timeout(0).sees(1)[0] == "0 出 三"


def test_dead_hands_are_judged_without_looking_at_others() -> None:
    """L7, Z22: a seat whose only discard is barred is no dead hand: it is allowed."""
    scene = Scene({0: "三 九九九", 1: "八"}, {1: "偎 三三三"}, **OFF).turn(0)
    assert scene.asked(0) == ["出 三"]
    assert not scene.has(0, Seat.SI_SHOU)


def test_peng_is_offered_though_only_a_barred_discard_would_be_left() -> None:
    """L7, Z19: whether a discard remains is judged by the own hand alone."""
    scene = Scene({0: "三 八", 1: "九", 2: "三三 五"}, {1: "偎 五五五"}, **OFF).discard(0, "三")
    assert scene.asked(2) == ["碰", "过"]


def test_with_chong_zhao_on_nothing_is_returned() -> None:
    """L7: the default; the discard goes through the ordinary window."""
    scene = Scene({0: "三 八 九", 1: "八"}, {1: "偎 三三三"}).discard(0, "三")
    assert scene.melds(1) == ["跑 三三三三"]


def test_an_answer_that_is_not_listed_changes_nothing() -> None:
    """Z6: a 坎 is no choice; the question stays open."""
    scene = Scene({0: "三三三 八 九"}).turn(0)
    prompt = scene.state.prompts[0]
    what = engine.Input("answer", 0, prompt.number, bytes((2, 3)))
    with pytest.raises(engine.Refused) as refused:
        engine.step(REGISTRY, scene._bytes, what, False)
    assert refused.value.reason == "NOT_A_CHOICE"


def test_whose_turn_it_is_is_public() -> None:
    """M4, Z8: the turn to discard is told to all, its list to that seat alone."""
    scene = Scene({0: "三 八", 1: "九"}).turn(0)
    assert (scene.view(1).turn, scene.view(1).prompt) == (0, None)
    assert scene.view(0).prompt is not None


def test_liu_ju_when_a_seat_would_have_to_draw() -> None:
    """Z30: claims on the last card and the discards after them run on until then."""
    scene = Scene({0: "八", 1: "三三 九 五"}, wall="三").draw(0)
    assert scene.asked(1) == ["碰", "过"]
    assert scene.do(1, "碰").discards_next(1)
    assert scene.do(1, "出 九").state.outcome == Outcome.RUNNING
    assert scene.advance().state.outcome == Outcome.LIU_JU
    assert scene.state.piles[1] == bytes([9])


def test_a_discard_after_the_last_draw_can_be_won() -> None:
    """Z30, L8: it is no 海底: the winning card was not drawn."""
    scene = Scene({0: "八", 1: "九九 三 五", 2: READY}, wall="九").draw(0).do(1, "碰")
    win = scene.do(1, "出 三").do(2, "胡").state.win
    assert win is not None
    assert (win.source, win.last_card) == (WinSource.DISCARD, 0)


@pytest.mark.parametrize(("wall", "last"), [("三", 1), ("三 八", 0)])
def test_hai_di(wall: str, last: int) -> None:
    """L8: the winning card is the last of the wall, own draw or another's."""
    for drawer in (0, 1):
        win = Scene({0: "八", 1: READY}, wall=wall).draw(drawer).do(1, "胡").state.win
        assert win is not None
        assert win.last_card == last


def test_hai_di_after_a_wei_on_the_last_card() -> None:
    """L8, Z28: the last card was laid as 偎 and then wins."""
    hand = "一一一 二二二 壹壹壹 贰贰贰 柒捌玖 三四五 伍伍"
    win = Scene({0: hand}, wall="伍").draw(0).do(0, "胡").state.win
    assert win is not None
    assert (win.source, win.last_card) == (WinSource.OWN_DRAW, 1)


@pytest.mark.parametrize(
    ("drawer", "source"),
    [
        (1, WinSource.OWN_DRAW),
        (0, WinSource.OTHER_DRAW),
        (2, WinSource.OTHER_DRAW),
    ],
)
def test_sources_of_a_drawn_win(drawer: int, source: WinSource) -> None:
    """Z29: 自摸 is the winner's own draw, 平胡 another's."""
    win = Scene({1: READY}, wall="三 八").draw(drawer).do(1, "胡").state.win
    assert win is not None
    assert (win.source, win.by) == (source, drawer)


def test_a_pao_of_the_own_draw_is_an_own_draw() -> None:
    """Z29, Z13: the own 碰 meets the own draw; 胡 is offered first and is 自摸."""
    hand = "一一一 二二二 壹壹壹 柒捌玖 四四 六七八"
    win = Scene({0: hand}, {0: "碰 三三三"}, wall="三 八").draw(0).do(0, "胡").state.win
    assert win is not None
    assert win.source == WinSource.OWN_DRAW


def xing_of(scene: Scene) -> list[tuple[int, int]]:
    """The 醒 events of the last step: (card, turned)."""
    return [(f.event.card, f.event.turned) for f in scene.events if isinstance(f.event, ev.Xing)]


@pytest.mark.parametrize(
    ("xing", "wall", "told"),
    [
        ("none", "三 八", []),
        ("fan_xing", "三 八", [(8, 1)]),
        ("fan_xing", "三", [(3, 0)]),
        ("sui_xing", "三 八", [(3, 0)]),
    ],
)
def test_xing(xing: str, wall: str, told: list[tuple[int, int]]) -> None:
    """Z31: 翻醒 turns the next card, with an empty wall the winning card; 随醒 the winning card."""
    scene = Scene({1: READY}, wall=wall, xing=xing).draw(0).do(1, "胡")
    assert xing_of(scene) == told
    spec = VARIANT.hand_spec(scene.state, parse(VARIANT.options, {"xing": xing}))
    assert spec.wall_next == (8 if "八" in wall else 0)


def test_xing_on_the_deal() -> None:
    """Z31: 随醒 takes the 亮张."""
    scene = Scene({0: READY}, wall="八", xing="sui_xing").shown("三").do(0, "胡")
    assert xing_of(scene) == [(3, 0)]


def test_everything_is_shown_at_the_end() -> None:
    """Z30a, Z11: hands and hidden 偎 of all, to every seat and to spectators."""
    scene = Scene({0: "三 八", 1: "九", 2: READY}, {1: "偎 五五五"}).discard(0, "三")
    assert scene.view(0).seats[1].melds[0].cards == bytes([99] * 3)
    scene.do(2, "胡")
    for reader in (0, -1):
        seen = scene.view(reader).seats[1]
        assert (seen.hand, seen.melds[0].cards) == (bytes([9]), bytes([5] * 3))
