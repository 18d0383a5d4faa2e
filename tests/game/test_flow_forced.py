"""Forced claims and what follows them: 偎, 提, 跑, 重跑, 冲招, 死手, 胡 (Z9, Z28)."""

import pytest

from libs.families.paohuzi.slots import Seat
from libs.game import cards
from libs.game.options import parse
from libs.game.sheet import WinSource
from libs.game.state import Outcome
from tests.game.flow_kit import READY, VARIANT, Scene, melds_of

NEARLY = "一一一 二二二 壹壹壹 贰贰贰 柒捌玖 三四五"
"""Eighteen cards, six 门子: with a pair in hand a third one of its face completes the hand."""


def test_a_third_card_drawn_is_laid_as_wei() -> None:
    """Z9: forced and automatic; the drawer then discards (Z6)."""
    scene = Scene({0: "三三 八"}, wall="三 八").draw(0)
    assert scene.melds(0) == ["偎 三三三"]
    assert scene.discards_next(0)


def test_wei_comes_before_any_claim_of_others() -> None:
    """Z7, Z28: nobody can 胡 a card that its drawer must 偎."""
    scene = Scene({0: "三三 八", 1: READY}, wall="三 八").draw(0)
    assert scene.asked(1) == []
    assert scene.melds(0) == ["偎 三三三"]


def test_wei_is_forced_on_a_barred_seat_and_a_closed_face() -> None:
    """Z17, Z21: neither 过张 nor 冲招 blocks 偎."""
    scene = Scene({0: "三三 八"}, wall="三 八").mark(0, Seat.BARRED)
    assert scene.mark(0, Seat.CLOSED, "三").draw(0).melds(0) == ["偎 三三三"]


def test_a_declined_peng_makes_it_chou_wei() -> None:
    """Z10: 忍碰, then the own draw: 臭偎, and every seat sees its face."""
    scene = Scene({0: "三 八", 1: "九", 2: "三三 八"}, wall="三 八").discard(0, "三").do(2, "过")
    scene.draw(2)
    assert scene.melds(2) == ["臭偎 三三三"]
    assert scene.sees(0)[-2:] == ["2 draws 三", "2 臭偎 三三三"]


def test_a_timed_out_peng_makes_it_chou_wei() -> None:
    """Z10: letting the 碰 time out is declining it."""
    scene = Scene({0: "三 八", 1: "九", 2: "三三 八"}, wall="三 八").discard(0, "三").timeout(2)
    assert scene.draw(2).melds(2) == ["臭偎 三三三"]


def test_a_peng_that_was_not_offered_leaves_the_wei_plain() -> None:
    """Z10, Z19: no 碰 was offered, so there was nothing to decline."""
    scene = Scene({0: "三 八", 1: "九", 2: "三三"}, wall="三 八").discard(0, "三")
    assert scene.draw(2).melds(2) == ["偎 三三三"]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_plain_wei_shows_three_backs(seat: int) -> None:
    """Z11: the others see neither the drawn card nor the meld's face; the owner sees both."""
    scene = Scene({seat: "三三 八"}, wall="三 八").draw(seat)
    for reader in {0, 1, 2, -1} - {seat}:
        assert scene.sees(reader) == [f"{seat} draws ?", f"{seat} 偎 ???"]
        assert scene.view(reader).seats[seat].melds[0].cards == bytes([99] * 3)
    assert scene.sees(seat) == [f"{seat} draws 三", f"{seat} 偎 三三三"]
    meld = scene.view(seat).seats[seat].melds[0]
    assert (meld.cards, meld.claimed, meld.source) == (bytes([3] * 3), 3, seat)
    assert not meld.from_discard


def test_with_ming_wei_everybody_sees_it() -> None:
    """Z11: option `ming_wei`."""
    scene = Scene({0: "三三 八", 1: "九", 2: "九"}, wall="三 八", ming_wei=True).draw(0)
    assert scene.sees(1) == ["0 draws 三", "0 偎 三三三"]


@pytest.mark.parametrize(
    ("hand", "meld", "came"),
    [
        ("三三三 八", "", "提 三三三三"),
        ("八", "偎 三三三", "提 三三三三"),
        ("八", "臭偎 三三三", "提 三三三三"),
    ],
)
def test_the_fourth_drawn_oneself_is_ti(hand: str, meld: str, came: str) -> None:
    """Z12: from a 坎, 偎 or 臭偎; open to all."""
    scene = Scene({0: hand}, {0: meld}, wall="三 八").draw(0)
    assert scene.melds(0) == [came]
    assert "三三三三" in scene.sees(1)[-1]


@pytest.mark.parametrize(
    ("hand", "meld"),
    [
        ("三三三 八", ""),
        ("八", "偎 三三三"),
        ("八", "臭偎 三三三"),
    ],
)
def test_the_fourth_from_another_seat_is_pao(hand: str, meld: str) -> None:
    """Z13: from a 坎, 偎 or 臭偎, on another's draw as on its discard; then a discard."""
    drawn = Scene({0: "九", 2: hand}, {2: meld}, wall="三 八").draw(0)
    thrown = Scene({0: "三 九", 2: hand}, {2: meld}).discard(0, "三")
    for scene in (drawn, thrown):
        assert scene.melds(2) == ["跑 三三三三"]
        assert scene.discards_next(2)


@pytest.mark.parametrize("drawer", [0, 1])
def test_an_own_peng_meets_a_drawn_fourth(drawer: int) -> None:
    """Z13: 跑 from a 碰 on anybody's draw, the own one included."""
    scene = Scene({0: "八", 1: "九"}, {0: "碰 三三三"}, wall="三 八").draw(drawer)
    assert scene.melds(0) == ["跑 三三三三"]


def test_an_own_peng_leaves_a_discarded_fourth_alone() -> None:
    """Z13b, Z13: a discard never joins a 碰; the seat may 吃 it like any card."""
    scene = Scene({0: "三 九", 1: "一二 八"}, {1: "碰 三三三"}).discard(0, "三")
    assert scene.asked(1) == ["吃 一二三", "过"]
    assert scene.do(1, "过").melds(1) == ["碰 三三三"]


def test_the_first_four_is_followed_by_a_discard_the_second_is_not() -> None:
    """Z20: with one 提 of the start the 跑 is the second: the next seat draws."""
    one = Scene({0: "九", 2: "三三三 八"}, wall="三 八").draw(0)
    assert one.discards_next(2)
    two = Scene({0: "九", 2: "三三三 八"}, {2: "提 一一一一"}, wall="三 八").draw(0)
    assert not two.discards_next(2)
    assert two.next_draws(0)


@pytest.mark.parametrize(("meld", "drawer"), [("偎 三三三", 2), ("碰 三三三", 0)])
def test_a_meld_that_grows_counts_as_one_more_four(meld: str, drawer: int) -> None:
    """Z20: 偎 → 提 and 碰 → 跑 make the second four, as a 跑 from a 坎 does."""
    scene = Scene({0: "九", 2: "八"}, {2: f"跑 一一一一, {meld}"}, wall="三 八").draw(drawer)
    assert not scene.discards_next(2)
    assert scene.next_draws(0)


@pytest.mark.parametrize("meld", ["偎 三三三", "臭偎 三三三"])
def test_chong_zhao_bars_the_discarder(meld: str) -> None:
    """Z21: 跑 onto the 偎; from then on the discarder may not 吃 or 碰, and all see it."""
    scene = Scene({0: "三 四四", 1: "四 八", 2: "九"}, {1: meld}).discard(0, "三")
    assert scene.melds(1) == ["跑 三三三三"]
    assert scene.view(2).seats[0].flags == ("barred",)
    assert scene.do(1, "出 四").asked(0) == []


def test_barred_seats_still_hu_and_pao() -> None:
    """Z21: 跑 and 胡 stay."""
    scene = Scene({0: READY, 1: "三 八"}).mark(0, Seat.BARRED).discard(1, "三")
    assert scene.asked(0) == ["胡", "过"]
    pao = Scene({0: "三三三 八", 1: "三 八"}).mark(0, Seat.BARRED).discard(1, "三")
    assert pao.melds(0) == ["跑 三三三三"]


def test_chong_zhao_is_won_first() -> None:
    """Z21: 胡 comes before the 跑; a discard that is won bars nobody."""
    scene = Scene({0: "三 八", 1: "八", 2: READY}, {1: "偎 三三三"}).discard(0, "三")
    assert scene.asked(2)[0] == "胡"
    scene.do(2, "胡")
    assert scene.melds(1) == ["偎 三三三"]
    assert not scene.has(0, Seat.BARRED)


def test_a_discard_onto_a_kan_or_peng_is_no_chong_zhao() -> None:
    """Z21: it speaks of 偎 and 臭偎 only."""
    scene = Scene({0: "三 八", 1: "三三三 八"}).discard(0, "三")
    assert scene.melds(1) == ["跑 三三三三"]
    assert not scene.has(0, Seat.BARRED)


@pytest.mark.parametrize("hand", ["", "九九九", "九九九 捌捌捌"])
def test_a_seat_that_cannot_discard_is_a_dead_hand(hand: str) -> None:
    """Z22, Z8b: only 坎 left or no card: it is not asked, its 下家 draws."""
    scene = Scene({0: "三 八", 1: "八", 2: "三三三" + hand}).discard(0, "三")
    assert scene.view(0).seats[2].flags == ("si_shou",)
    assert scene.asked(2) == []
    assert scene.next_draws(0)


def test_a_dead_hand_is_never_asked() -> None:
    """Z22: no 胡 and nothing else, on another's card or its own draw."""
    scene = Scene({0: "三 八", 1: READY}, wall="三 八").mark(1, Seat.SI_SHOU)
    assert scene.discard(0, "三").everybody() == {}
    assert scene.draw(1).everybody() == {}


def test_a_dead_hand_still_lays_pao_and_ti() -> None:
    """Z22: after its 跑 or 提 the next seat draws, whatever the count."""
    scene = Scene({0: "三 八", 2: "三三三 九九九"}, wall="九 八").mark(2, Seat.SI_SHOU)
    assert scene.discard(0, "三").melds(2) == ["跑 三三三三"]
    assert scene.next_draws(0)
    assert scene.draw(2).melds(2) == ["跑 三三三三", "提 九九九九"]
    assert scene.next_draws(0)


def test_draws_of_a_dead_hand_can_be_claimed() -> None:
    """Z22: it draws in turn and others claim the card as usual."""
    scene = Scene({0: "三三 八", 1: "", 2: "一二 八"}, wall="三 八").mark(1, Seat.SI_SHOU).draw(1)
    assert scene.everybody() == {0: ["碰", "过"], 2: ["吃 一二三", "过"]}


def test_the_drawer_is_offered_hu_after_its_wei() -> None:
    """Z28, Z25: the hand is complete with the 偎: a question of its own, then a discard."""
    scene = Scene({0: NEARLY + "伍伍"}, wall="伍 八").draw(0)
    assert scene.melds(0) == ["偎 伍伍伍"]
    assert scene.asked(0) == ["胡", "过"]
    assert scene.do(0, "过").discards_next(0)
    win = Scene({0: NEARLY + "伍伍"}, wall="伍 八").draw(0).do(0, "胡").state.win
    assert win is not None
    assert (win.seat, win.source, win.by) == (0, WinSource.OWN_DRAW, 0)


def test_the_drawer_is_offered_hu_after_its_ti() -> None:
    """Z28, Z20: declined after a second four, no discard follows."""
    hand = "二二二 壹壹壹 贰贰贰 柒捌玖 四四"
    scene = Scene({0: hand}, {0: "提 一一一一, 偎 三三三"}, wall="三 八").draw(0)
    assert scene.asked(0) == ["胡", "过"]
    assert scene.do(0, "过").next_draws(1)


def test_a_ti_grown_from_an_older_meld_is_the_one_that_counts() -> None:
    """Z28, Z20, Z24: 偎 → 提 below later melds; the win is judged as the card came."""
    hand, melds = "二二二 壹壹壹 贰贰贰 四四", "偎 三三三, 跑 一一一一, 吃 四五六"
    scene = Scene({0: hand}, {0: melds}, wall="三 八").draw(0)
    assert scene.do(0, "过").next_draws(1)
    won = Scene({0: hand}, {0: melds}, wall="三 八").draw(0).do(0, "胡").state
    spec = VARIANT.hand_spec(won, parse(VARIANT.options, {}))
    assert [meld[:2] for meld in spec.seats[0].melds] == [m[:2] for m in melds_of(melds)]
    assert spec.seats[0].counts == tuple(VARIANT.deck.count(cards.parse(hand)))
    assert VARIANT.score(spec).win_kind == "zi_mo"


def test_a_win_after_a_wei_is_judged_as_the_card_came() -> None:
    """Z24, Z28: for the score the pair is in hand again and the 偎 not yet laid."""
    hand = NEARLY + "伍伍"
    won = Scene({0: hand}, wall="伍 八").draw(0).do(0, "胡").state
    seat = VARIANT.hand_spec(won, parse(VARIANT.options, {})).seats[0]
    assert (seat.counts, seat.melds) == (tuple(VARIANT.deck.count(cards.parse(hand))), ())


def test_auto_play_takes_every_hu_and_passes_the_rest() -> None:
    """M5: on 托管 a seat takes a 胡, also the one after a 偎; a timeout passes both."""
    scenes = (
        (Scene({0: "三 八", 1: READY}).discard(0, "三"), "胡"),
        (Scene({0: "三 八", 1: "三三 八"}).discard(0, "三"), "过"),
        (Scene({1: NEARLY + "伍伍"}, wall="伍 八").draw(1), "胡"),
    )
    for scene, auto in scenes:
        prompt = scene.state.prompts[0]
        assert scene.asked(1)[prompt.auto] == auto
        assert scene.asked(1)[prompt.default] == "过"


def test_a_dead_hand_is_not_offered_hu_after_its_ti() -> None:
    """Z22, Z28: Z22 bars the offer."""
    hand = "二二二 壹壹壹 贰贰贰 柒捌玖 四四"
    scene = Scene({0: hand}, {0: "偎 三三三"}, wall="三 八").mark(0, Seat.SI_SHOU).draw(0)
    assert scene.everybody() == {}


def test_a_complete_hand_of_kan_only_is_asked_before_it_is_dead() -> None:
    """Z28, Z22: the offer comes before the duty to discard; then the hand is dead."""
    hand = "一一一 二二二 壹壹壹 贰贰贰 柒柒柒 三三"
    scene = Scene({0: hand}, {0: "吃 四五六"}, wall="三 八").draw(0)
    assert scene.asked(0) == ["胡", "过"]
    scene.do(0, "过")
    assert scene.has(0, Seat.SI_SHOU)
    assert scene.next_draws(1)


def test_hu_is_offered_before_the_own_pao() -> None:
    """Z13, Z28: declined, the 跑 follows without a second offer."""
    hand = "一一一 二二二 壹壹壹 柒捌玖 四四 六七八"
    scene = Scene({0: "九", 1: hand}, {1: "偎 三三三"}, wall="三 八").draw(0)
    assert scene.asked(1)[0] == "胡"
    scene.do(1, "过")
    assert scene.melds(1) == ["跑 三三三三"]
    assert scene.discards_next(1)


def test_a_triple_is_priced_by_where_the_card_came_from() -> None:
    """Z25, L5: an own third 六 is a 偎 and makes 6 胡息; another's is a 碰 and makes 4."""
    hand = "三三三 六六 一壹壹 二贰贰 八八捌 九玖玖 肆伍陆"
    assert Scene({0: "九", 1: hand}, wall="六 八").draw(0).asked(1)[0] == "碰"
    assert Scene({0: "六 九", 1: hand}).discard(0, "六").asked(1)[0] == "碰"
    assert Scene({1: hand}, wall="六 八").draw(1).asked(1) == ["胡", "过"]


def test_a_discard_never_completes_a_pao_of_the_own_peng() -> None:
    """Z24, Z13b: the fourth wins as 跑 when drawn, not when discarded."""
    hand = "一一一 二二二 壹壹壹 柒捌玖 四四 六七八"
    peng = {1: "碰 三三三"}
    assert Scene({0: "九", 1: hand}, peng, wall="三 八").draw(0).asked(1) == ["胡", "过"]
    assert Scene({0: "三 九", 1: hand}, peng).discard(0, "三").asked(1) == []


def test_a_face_held_four_times_is_no_wait() -> None:
    """Z28: a fifth 三 would fit 四五, but the seat holds all four; 六 is one of its waits."""
    hands = {0: "三六 八", 1: "四五 壹壹壹 叁叁叁 六六陆 柒捌玖 拾拾"}
    scene = Scene(hands, {1: "提 三三三三"})
    assert "胡" in Scene(hands, {1: "提 三三三三"}).discard(0, "六").asked(1)
    assert "胡" not in scene.discard(0, "三").asked(1)


@pytest.mark.parametrize(
    ("policy", "drawn", "thrown"),
    [
        ("free", True, True),
        ("must_hu", False, False),
        ("must_hu_discard", True, False),
        ("wall_only", True, None),
    ],
)
def test_hu_policy(policy: str, drawn: bool, thrown: bool | None) -> None:
    """Z33: True: the seat is asked; False: 胡 is taken for it; None: it cannot win."""
    for way, asked in (("drawn", drawn), ("thrown", thrown)):
        scene = Scene({0: "六 八", 1: READY}, wall="六 八", hu_policy=policy)
        scene = scene.draw(0) if way == "drawn" else scene.discard(0, "六")
        won = scene.state.outcome == Outcome.WIN
        assert ("胡" in scene.asked(1), won) == (asked is True, asked is False)


def test_must_hu_takes_the_first_in_turn_order() -> None:
    """Z33, Z28: two could win; nobody is asked."""
    scene = Scene({0: "三 八", 1: READY, 2: READY}, hu_policy="must_hu").discard(0, "三")
    win = scene.state.win
    assert win is not None
    assert win.seat == 1


def test_must_hu_takes_the_win_after_a_wei() -> None:
    """Z33, Z28: the 胡 after a 偎 is no discard: `must_hu` takes it."""
    scene = Scene({0: NEARLY + "伍伍"}, wall="伍 八", hu_policy="must_hu").draw(0)
    assert scene.state.outcome == Outcome.WIN
    free = Scene({0: NEARLY + "伍伍"}, wall="伍 八", hu_policy="must_hu_discard").draw(0)
    assert free.asked(0) == ["胡", "过"]
