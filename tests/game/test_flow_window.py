"""The claim window: who is asked, in what order claims rank, what passing means (Z7-Z19)."""

import pytest

from libs.families.paohuzi.slots import Seat
from libs.game import events as ev
from tests.game.flow_kit import READY, Scene


def test_all_who_may_choose_are_asked_together_with_all_their_choices() -> None:
    """Z8: a pair and the 下家 are both asked; each question holds every choice."""
    scene = Scene({0: "三 八", 1: "一二 四 九", 2: "三三 八"}).discard(0, "三")
    assert scene.everybody() == {
        1: ["吃 一二三", "吃 二三四", "过"],
        2: ["碰", "过"],
    }


def test_a_seat_without_a_choice_is_not_asked() -> None:
    """Z8: when nobody may choose, play waits for the next draw at once (Z5)."""
    scene = Scene({0: "三 八", 1: "九", 2: "九"}).discard(0, "三")
    assert scene.everybody() == {}
    assert scene.next_draws(1)


def test_the_window_closes_as_soon_as_its_outcome_is_certain() -> None:
    """Z7, Z8: 碰 ends the window although the lower 吃 is unanswered."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三 八"}).discard(0, "三").do(2, "碰")
    assert scene.melds(2) == ["碰 三三三"]
    assert scene.discards_next(2)


def test_a_lower_claim_waits_for_a_higher_one() -> None:
    """Z7, Z8: 吃 waits until the pair has answered."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三 八"}).discard(0, "三").do(1, "吃 一二三")
    assert scene.melds(1) == []
    assert scene.told == []
    assert scene.do(2, "过").melds(1) == ["吃 一二三 (三)"]


def test_hu_outranks_peng() -> None:
    """Z7: 胡 before 碰."""
    scene = Scene({0: "三 八", 1: "三三 八", 2: READY}).discard(0, "三")
    assert scene.do(1, "碰").state.win is None
    win = scene.do(2, "胡").state.win
    assert win is not None
    assert win.seat == 2


def test_among_equals_the_seat_after_the_discarder_wins() -> None:
    """Z7, Z28: one winner per card, the first in turn order, even if it answers last."""
    scene = Scene({0: "三 八", 1: READY, 2: READY}).discard(0, "三").do(2, "胡")
    assert scene.state.win is None
    win = scene.do(1, "胡").state.win
    assert win is not None
    assert win.seat == 1


def test_of_a_draw_the_drawer_comes_first() -> None:
    """Z7: turn order begins with the drawer; its 胡 closes the window."""
    scene = Scene({0: READY, 1: READY, 2: READY}, wall="三 八").draw(2)
    assert set(scene.everybody()) == {0, 1, 2}
    win = scene.do(2, "胡").state.win
    assert win is not None
    assert win.seat == 2


def test_others_learn_only_the_claim_that_wins() -> None:
    """Z8: question, answer and pass of one seat reach no other seat."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三 八"}).discard(0, "三")
    assert scene.sees(0) == ["0 出 三"]
    assert scene.do(1, "过").sees(0) == []
    scene.do(2, "碰")
    assert scene.sees(0) == ["2 碰 三三三"]


def test_a_seat_outranked_by_a_forced_claim_is_not_asked() -> None:
    """Z8, Z8a: another seat's 跑 outranks 吃, so nobody is asked and nothing is passed."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三三 八"}).discard(0, "三")
    assert scene.asked(1) == []
    assert scene.melds(2) == ["跑 三三三三"]
    assert scene.closed(1) == ""


def test_choices_are_complete_beside_a_forced_claim() -> None:
    """Z8: who may 胡 is offered its 吃 too, though another seat's 跑 outranks that."""
    scene = Scene({0: "三 八", 1: READY, 2: "三三三 八"}).discard(0, "三")
    assert scene.asked(1) == ["胡", "吃 三四五", "过"]
    assert scene.do(1, "吃 三四五").melds(2) == ["跑 三三三三"]


def test_outranked_is_not_passed() -> None:
    """Z8a: the 下家 said 过 to 吃, but the card went to 碰: its face stays open."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三 八"}).discard(0, "三")
    assert scene.do(1, "过").do(2, "碰").closed(1) == ""


def test_a_pass_counts_when_nothing_better_took_the_card() -> None:
    """Z8a, Z17: all pass: the face is closed for 吃 and 碰 of both."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三 八"}).discard(0, "三")
    scene.do(1, "过").do(2, "过")
    assert (scene.closed(1), scene.closed(2)) == ("三", "三")


def test_a_timeout_is_a_pass() -> None:
    """Z8a, M5: the default of a claim is 过, and it closes the face like 过."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "八"}).discard(0, "三").timeout(1)
    assert scene.closed(1) == "三"
    assert scene.next_draws(1)


def test_the_best_offer_decides_what_is_passed() -> None:
    """Z8a: offered 胡 and 吃 and declining both is a pass even if 碰 takes the card."""
    scene = Scene({0: "三 八", 1: READY, 2: "三三 八"}).discard(0, "三")
    assert scene.do(2, "碰").do(1, "过").melds(2) == ["碰 三三三"]
    assert scene.closed(1) == "三"


def test_declining_hu_alone_closes_nothing() -> None:
    """Z17: 胡 is no 吃 and no 碰."""
    scene = Scene({0: "九", 1: "九", 2: READY}, wall="三 八").draw(0)
    assert scene.asked(2) == ["胡", "过"]
    assert scene.do(2, "过").closed(2) == ""


def test_next_after_a_claim_is_the_seat_after_the_claimer() -> None:
    """Z8b: 碰 by seat 2 of seat 0's card; after its discard seat 0 draws, seat 1 is skipped."""
    scene = Scene({0: "三 八", 1: "九", 2: "三三 捌"}).discard(0, "三").do(2, "碰")
    assert scene.do(2, "出 捌").next_draws(0)


def test_a_draw_nobody_takes_goes_to_the_drawers_pile() -> None:
    """Z5: it never joins the hand, and the next seat draws."""
    scene = Scene({0: "九", 1: "九", 2: "九"}, wall="三 八").draw(1)
    assert scene.next_draws(2)
    scene.advance()
    assert ev.Unclaimed(1, 3, drawn=1) in [formed.event for formed in scene.events]
    assert scene.state.piles[1] == bytes([3])
    assert scene.hand(1) == "九"


def test_a_discard_nobody_takes_goes_to_the_discarders_pile() -> None:
    """Z5: and the next seat draws."""
    scene = Scene({0: "三 九", 1: "九", 2: "九"}, wall="八 八").discard(0, "三").advance()
    assert ev.Unclaimed(0, 3, drawn=0) in [formed.event for formed in scene.events]
    assert scene.state.piles[0] == bytes([3])


@pytest.mark.parametrize("said", ["吃 一二三", "碰"])
def test_whoever_takes_a_card_must_discard(said: str) -> None:
    """Z6: after 吃 or 碰 it is that seat's turn."""
    hand = "一二 九" if said != "碰" else "一二 三三 九"
    scene = Scene({0: "三 八", 1: hand, 2: "八"}).discard(0, "三").do(1, said)
    assert scene.discards_next(1)
    assert scene.asked(1)[-1] == "出 九"


def test_a_kan_cannot_be_discarded() -> None:
    """Z6: the list leaves the 坎 out."""
    assert Scene({0: "三三三 八 九九"}).turn(0).asked(0) == ["出 八", "出 九"]


def test_peng_needs_a_pair_and_another_seats_card() -> None:
    """Z14: from a draw or a discard, four apart from two; a 坎 would 跑, a single cannot."""
    scene = Scene({0: "九", 1: "三三 八", 2: "三 八"}, wall="三 八").draw(0)
    assert scene.everybody() == {1: ["碰", "过"]}


@pytest.mark.parametrize("drawn", [True, False])
def test_a_meld_tells_where_its_card_came_from(drawn: bool) -> None:
    """Z14, Z15: the claimed card, the seat that drew or discarded it, and which of the two."""
    scene = Scene({0: "三 九", 1: "三三 八"}, wall="三 八")
    scene = scene.draw(0) if drawn else scene.discard(0, "三")
    meld = scene.do(1, "碰").state.melds[1][0]
    assert (meld.claimed, meld.source, meld.from_discard) == (3, 0, not drawn)


def test_chi_is_for_the_drawer_and_its_next_seat() -> None:
    """Z15: on a draw both are asked, seat 0 is not; the drawer ranks first."""
    hand = "一二 九"
    scene = Scene({0: hand, 1: hand, 2: hand}, wall="三 八").draw(1)
    assert set(scene.everybody()) == {1, 2}
    scene.do(2, "吃 一二三").do(1, "吃 一二三")
    assert (scene.melds(1), scene.melds(2)) == (["吃 一二三 (三)"], [])
    assert scene.closed(2) == ""


def test_chi_of_a_discard_is_for_the_next_seat_only() -> None:
    """Z15: the discarder and the seat before it are not asked."""
    scene = Scene({0: "一二 三 九", 1: "一二 九", 2: "一二 九"}).discard(0, "三")
    assert list(scene.everybody()) == [1]


def test_groups_of_chi() -> None:
    """Z15: runs of one size, 二七十, both 绞; not 一五十 and no cards of a 坎."""
    scene = Scene({0: "二 九", 1: "一 三 七十 贰贰 五五五 九"}).discard(0, "二")
    assert scene.asked(1) == ["吃 一二三", "吃 二七十", "吃 二贰贰", "过"]


def test_yi_wu_shi_is_eaten_where_the_room_has_it() -> None:
    """L6, Z15: 一五十 only with the option."""
    hands = {0: "五 九", 1: "一 十 九"}
    assert Scene(hands).discard(0, "五").everybody() == {}
    assert Scene(hands, yi_wu_shi=True).discard(0, "五").asked(1) == ["吃 一五十", "过"]


def test_bi_lays_every_card_of_the_eaten_face() -> None:
    """Z16: with another 三 in hand the 吃 names a second group made from the hand."""
    scene = Scene({0: "三 八", 1: "一二三四五 九"}).discard(0, "三")
    assert scene.asked(1) == ["吃 一二三 比 三四五", "吃 三四五 比 一二三", "过"]
    scene.do(1, "吃 三四五 比 一二三")
    assert scene.melds(1) == ["吃 三四五 (三)", "吃 一二三"]
    assert scene.hand(1) == "九"


def test_chi_without_its_bi_is_not_offered_and_not_passed() -> None:
    """Z16, Z17: a 三 would stay in hand; nothing was offered, so nothing is closed."""
    scene = Scene({0: "三 八", 1: "一二三 九"}).discard(0, "三")
    assert scene.everybody() == {}
    assert scene.closed(1) == ""


def test_a_closed_face_is_not_offered_again() -> None:
    """Z17: passed as 吃, it cannot be 碰 later; 胡 is still offered."""
    scene = Scene({0: "三 八", 1: "三三 九", 2: "八"}).mark(1, Seat.CLOSED, "三")
    assert scene.discard(0, "三").everybody() == {}
    ready = Scene({0: "三 八", 1: READY, 2: "八"}).mark(1, Seat.CLOSED, "三")
    assert ready.discard(0, "三").asked(1) == ["胡", "过"]


def test_peng_beside_chi_is_no_pass() -> None:
    """Z17: taking 碰 where 吃 was offered closes nothing."""
    scene = Scene({0: "三 八", 1: "三三 叁叁 一二 九", 2: "八"}).discard(0, "三")
    assert scene.asked(1)[0] == "碰"
    assert len(scene.asked(1)) > 2
    assert scene.do(1, "碰").closed(1) == ""


def test_chi_where_peng_was_offered_closes_the_face() -> None:
    """Z17, Z10: the face is closed for both, and the 碰 counts as declined."""
    scene = Scene({0: "三 八", 1: "三三 一二 四五 叁 九", 2: "八"}).discard(0, "三")
    chi = next(choice for choice in scene.asked(1) if choice.startswith("吃"))
    assert scene.do(1, chi).closed(1) == "三"
    assert scene.has(1, Seat.REN_PENG)


def test_a_lost_chi_still_declined_the_peng() -> None:
    """Z17, Z8a: the 下家 chose 吃 over 碰 and the drawer ate the card: the 碰 was passed."""
    scene = Scene({0: "九", 1: "一二 九", 2: "三三 叁 一一二二 四四 五五 九"}, wall="三 八").draw(1)
    assert scene.asked(2)[0] == "碰"
    chi = next(choice for choice in scene.asked(2) if choice.startswith("吃"))
    scene.do(2, chi).do(1, "吃 一二三")
    assert scene.melds(1) == ["吃 一二三 (三)"]
    assert scene.closed(2) == "三"


def test_a_lost_chi_beside_a_declined_hu_is_no_pass() -> None:
    """Z17, Z8a: it chose the 吃 it was offered; the 碰 of another seat took the card."""
    scene = Scene({0: "三 八", 1: READY, 2: "三三 八"}).discard(0, "三")
    assert scene.do(2, "碰").do(1, "吃 三四五").melds(2) == ["碰 三三三"]
    assert scene.closed(1) == ""


def test_a_question_that_is_withdrawn_is_no_pass() -> None:
    """Z8, Z8a: the window closed over the unanswered 吃."""
    scene = Scene({0: "三 八", 1: "一二 九", 2: "三三 八"}).discard(0, "三").do(2, "碰")
    assert scene.asked(1) == []
    assert scene.told[0] == "~ 1 is outranked"
    assert scene.closed(1) == ""


def test_two_players_take_turns() -> None:
    """L1, Z5, Z15: each is the 下家 of the other."""
    scene = Scene({0: "三 八", 1: "一二 九"}, players=2).discard(0, "三")
    assert scene.asked(1) == ["吃 一二三", "过"]
    assert scene.do(1, "吃 一二三").do(1, "出 九").next_draws(0)


def test_own_discards_cannot_be_eaten() -> None:
    """Z18: 吃 is barred, 碰 is not; that is no pass."""
    scene = Scene({0: "三 八", 1: "三 一二 九", 2: "八"}).discard(1, "三")
    assert scene.discard(0, "三").everybody() == {}
    assert scene.closed(1) == ""


def test_a_drawn_card_nobody_took_is_no_own_discard() -> None:
    """Z18: an own draw left lying does not bar the face."""
    scene = Scene({0: "三 九", 1: "九", 2: "九"}, wall="三 八 八").draw(1).advance()
    assert scene.state.discarded[1] == 0


def test_peng_that_leaves_no_discard_is_not_offered() -> None:
    """Z19: only the pair, or the pair and a 坎: 碰 is not offered and not passed."""
    for hand in ("三三", "三三 九九九"):
        scene = Scene({0: "三 八", 1: "九", 2: hand}).discard(0, "三")
        assert scene.everybody() == {}
        assert (scene.closed(2), scene.has(2, Seat.REN_PENG)) == ("", False)


def test_chi_that_leaves_no_discard_is_not_offered() -> None:
    """Z19: nothing but a 坎 would be left."""
    assert Scene({0: "三 八", 1: "一二 九九九"}).discard(0, "三").everybody() == {}
    assert Scene({0: "三 八", 1: "一二 九九"}).discard(0, "三").asked(1) == ["吃 一二三", "过"]


def test_chi_and_its_bi_that_use_the_last_cards_are_not_offered() -> None:
    """Z16, Z19: 吃 with its 比 would leave an empty hand."""
    assert Scene({0: "三 八", 1: "一二三四五"}).discard(0, "三").everybody() == {}
