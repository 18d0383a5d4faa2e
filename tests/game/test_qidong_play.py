"""祁东十五胡, claims and 冲招: the threshold of Q5 wherever it is used, Q6, Q7."""

import pytest

from libs.families.paohuzi.slots import Seat
from libs.game import engine
from libs.game.actions import HU, Action, Verb, encode
from libs.game.cards import parse, show
from libs.game.codec import encode_state
from libs.game.sheet import HandSpec, SeatHand
from libs.game.state import Prompt
from tests.game.flow_kit import READY, REGISTRY, melds_of
from tests.game.qidong_kit import BLACK, ONE_RED, VARIANT, Scene

ONLY_FOURS = "八八 壹壹壹 贰贰贰 叁叁叁 肆肆肆"
"""With `CHIS` it holds every 八 and 捌, so only 跑 or 提 of a 坎 completes it."""
CHIS = "吃 八捌捌, 吃 八捌捌"


def question(scene: Scene, seat: int) -> Prompt:
    """The question to a seat."""
    return next(prompt for prompt in scene.state.prompts if prompt.seat == seat)


def hinted(hand: str, melds: str = "", **options: object) -> str:
    """The faces a hand waits for by the hints."""
    counts = tuple(VARIANT.deck.count(parse(hand)))
    seats = (SeatHand(counts, tuple(melds_of(melds))), SeatHand(), SeatHand())
    room = VARIANT.options(**options)
    return show([wait.card for wait in VARIANT.waits(HandSpec(room, 3, 1, seats, None), 0)])


@pytest.mark.parametrize("hong_hei_dian", [True, False])
def test_twelve_without_a_red_card_win(hong_hei_dian: bool) -> None:
    """Q5: offered on a discard and on a draw, with the option off too; with red cards never."""
    room = {"hong_hei_dian": hong_hei_dian}
    assert "胡" in Scene({0: "六 八", 1: BLACK}, **room).discard(0, "六").asked(1)
    assert "胡" in Scene({0: "八", 2: BLACK}, wall="六 八", **room).draw(0).asked(2)
    assert "胡" not in Scene({0: "六 八", 1: ONE_RED}, **room).discard(0, "六").asked(1)


def test_the_winning_card_may_be_the_red_one() -> None:
    """Q5: black cards that wait for 七 or 十 need fifteen."""
    hand = BLACK.replace("四五", "八九").replace("八八捌", "四四肆")
    assert "胡" not in Scene({0: "十 四", 1: hand}).discard(0, "十").asked(1)
    assert hinted(hand) == ""


@pytest.mark.parametrize("hong_hei_dian", [True, False])
def test_hints_know_the_threshold(hong_hei_dian: bool) -> None:
    """Q5: 听牌 of a 黑胡."""
    assert hinted(BLACK, hong_hei_dian=hong_hei_dian) == "三六"
    assert hinted(ONE_RED, hong_hei_dian=hong_hei_dian) == ""


def test_auto_play_takes_a_black_win() -> None:
    """Q5, M5, Z33: 托管 and 有胡必胡 alike."""
    scene = Scene({0: "六 八", 1: BLACK}).discard(0, "六")
    asked = question(scene, 1)
    assert asked.choices[asked.auto] == encode(Action(HU, 6))
    must = Scene({0: "六 八", 1: BLACK}, hu_policy="must_hu").discard(0, "六")
    assert must.state.win is not None
    assert Scene({0: "六 八", 1: ONE_RED}, hu_policy="must_hu").discard(0, "六").state.win is None


def test_yi_wu_shi_is_no_group() -> None:
    """Q6: not to eat and not in the hand."""
    assert Scene({0: "五 八", 1: "一十 九"}).discard(0, "五").asked(1) == []
    assert hinted(READY.replace("四五", "一五").replace("一一一", "九九九")) == ""


def test_chong_zhao_is_refused_unless_ting() -> None:
    """Q7, Z11: the card comes back, is not listed again, and nobody else is told."""
    scene = Scene({0: "三 七 八", 1: "八"}, {1: "偎 三三三"}).discard(0, "三")
    assert scene.told == ["~ 0 gets 三 back: NOT_TING", "~ 0 returned: 三"]
    assert scene.asked(0) == ["出 七", "出 八"]
    assert question(scene, 0).continues > 0
    assert (scene.sees(1), scene.sees(2)) == ([], [])
    assert (scene.hand(0), scene.melds(1)) == ("三 七 八", ["偎 三三三"])
    assert not scene.has(0, Seat.BARRED)


def test_the_returned_face_is_listed_again_in_the_next_turn() -> None:
    """Q7: for this turn only."""
    scene = Scene({0: "三 七 八"}, {1: "偎 三三三"}).discard(0, "三").do(0, "出 八")
    assert scene.turn(0).asked(0) == ["出 三", "出 七"]


def test_the_refusal_has_the_text_of_the_source() -> None:
    """Q7: and names no holder."""
    texts = {term.code: term.zh for term in VARIANT.terms}
    assert texts["NOT_TING"] == "未听牌无法打出别人偎的牌"


@pytest.mark.parametrize(
    ("hand", "melds", "card"),
    [
        (READY, "", "九"),
        (BLACK, "", "二"),
        (ONLY_FOURS, CHIS, "十"),
    ],
)
def test_chong_zhao_is_allowed_when_ting(hand: str, melds: str, card: str) -> None:
    """Q7, Q5, Z21: with fifteen, as 黑胡 after a red discard, or by 跑 and 提 alone; the 偎 becomes
    跑 and the discarder may no longer 吃 or 碰."""
    scene = Scene({0: f"{hand} {card}", 1: "八"}, {0: melds, 1: f"偎 {card * 3}"}).discard(0, card)
    assert scene.melds(1) == [f"跑 {card * 4}"]
    assert scene.has(0, Seat.BARRED)
    assert scene.discards_next(1)


def test_only_fours_are_a_wait() -> None:
    """Q7: what the hand above waits for."""
    assert hinted(ONLY_FOURS, CHIS) == "壹贰叁肆"


@pytest.mark.parametrize(("hand", "card"), [(ONE_RED, "九"), (BLACK.replace("四五", "四"), "二")])
def test_chong_zhao_with_too_little_is_refused(hand: str, card: str) -> None:
    """Q7, Q5: twelve with a red card, or no shape at all."""
    scene = Scene({0: f"{hand} {card}"}, {1: f"偎 {card * 3}"}).discard(0, card)
    assert scene.told[0] == f"~ 0 gets {card} back: NOT_TING"


def test_what_the_hand_is_before_the_discard_does_not_count() -> None:
    """Q7: 听牌 with 九 gone, but it is 四 that leaves."""
    scene = Scene({0: f"{READY} 九"}, {1: "偎 四四四"}).discard(0, "四")
    assert scene.told[0] == "~ 0 gets 四 back: NOT_TING"


@pytest.mark.parametrize(
    ("meld", "ming_wei"),
    [
        ("偎 三三三", False),
        ("偎 三三三", True),
        ("臭偎 三三三", False),
    ],
)
def test_seen_and_unseen_wei_are_alike(meld: str, ming_wei: bool) -> None:
    """Q7: listed in either case, refused in either case."""
    scene = Scene({0: "三 八"}, {2: meld}, ming_wei=ming_wei).turn(0)
    assert scene.asked(0) == ["出 三", "出 八"]
    assert scene.do(0, "出 三").told[0] == "~ 0 gets 三 back: NOT_TING"


def test_the_last_listed_card_may_be_discarded() -> None:
    """Q7: when nothing else is left; beside a 坎, or after all others came back."""
    alone = Scene({0: "三 九九九"}, {1: "偎 三三三"}).discard(0, "三")
    assert alone.melds(1) == ["跑 三三三三"]
    both = Scene({0: "三 四"}, {1: "偎 三三三, 偎 四四四"}).discard(0, "三").do(0, "出 四")
    assert both.melds(1) == ["偎 三三三", "跑 四四四四"]
    assert both.has(0, Seat.BARRED)


def test_timeouts_run_through_the_returned_cards() -> None:
    """Q7, M5: each new question goes on with the same deadline until a discard is allowed."""
    scene = Scene({0: "三 四"}, {1: "偎 三三三, 偎 四四四"}).turn(0).timeout(0)
    assert question(scene, 0).continues > 0
    assert scene.timeout(0).melds(1)[-1].startswith("跑")


def test_a_default_does_not_look_at_hidden_wei() -> None:
    """Q7: the question is the same whatever others hold."""
    plain = Scene({0: "三 七 八"}, {1: "偎 九九九"}).turn(0)
    held = Scene({0: "三 七 八"}, {1: "偎 三三三, 偎 七七七"}).turn(0)
    assert question(plain, 0) == question(held, 0)


def test_a_kan_in_another_hand_bars_nothing() -> None:
    """Q7, Z21: it is no 偎; the 跑 follows and marks nobody."""
    scene = Scene({0: "三 八", 1: "三三三 八"}).discard(0, "三")
    assert scene.melds(1) == ["跑 三三三三"]
    assert not scene.has(0, Seat.BARRED)


def test_hu_comes_before_the_pao_of_a_chong_zhao() -> None:
    """Q7, Z21: who can win the card is asked first; a win leaves no mark."""
    hand = READY.replace("四五", "八九")
    scene = Scene({0: f"{hand} 三", 1: READY, 2: "八"}, {2: "偎 三三三"}).discard(0, "三")
    assert scene.asked(1) == ["胡", "吃 三四五", "过"]
    won = scene.do(1, "胡")
    assert won.state.win is not None
    assert not won.has(0, Seat.BARRED)


def test_a_refused_answer_names_no_holder() -> None:
    """Q7, M6: a face not listed any more is refused like any other."""
    scene = Scene({0: "三 七 八"}, {1: "偎 三三三"}).discard(0, "三")
    number = question(scene, 0).number
    gone = engine.Input("answer", 0, number, encode(Action(Verb.DISCARD, 3)))
    with pytest.raises(engine.Refused) as refused:
        engine.step(REGISTRY, encode_state(scene.state), gone, False)
    assert refused.value.reason == "NOT_A_CHOICE"
