"""What passing and taking close, grey cards, dead hands (G8, G9, G13-G16, Z8a)."""

import pytest

from libs.families.guihuzi.slots import Seat
from libs.game import events as ev
from libs.variants.yuanjiang_guihuzi.case_runner import run_case
from tests.game.guihuzi_kit import READY, Scene


def test_a_passed_peng_is_gone_for_the_round() -> None:
    """G8, G14: no 碰 and no 吃 of the face any more."""
    scene = Scene({2: "三三 一二 九"}, wall="三 九").draw(0).do(2, "过")
    assert scene.marked(2, Seat.PENG_CLOSED) == "三"
    assert scene.marked(2, Seat.CHI_CLOSED) == "三"
    again = Scene({1: "三三 九"}, wall="三").mark(1, Seat.PENG_CLOSED, "三").draw(0)
    assert again.asked(1) == []


def test_chi_taken_where_peng_was_offered_passes_the_peng() -> None:
    """G8: only the 碰 is closed."""
    scene = Scene({1: "三三 一二 九"}, wall="三").draw(0).do(1, "吃 一二三")
    assert scene.marked(1, Seat.PENG_CLOSED) == "三"
    assert scene.marked(1, Seat.CHI_CLOSED) == ""


def test_peng_taken_where_chi_was_offered_is_no_pass() -> None:
    """G8: nothing is closed."""
    scene = Scene({1: "三三 一二 九"}, wall="三").draw(0).do(1, "碰")
    assert scene.state.marks[1][: Seat.GREY] == [0, 0, 0]


def test_a_declined_wai_is_gone_for_the_face() -> None:
    """G9: by passing and by 吃 alike; 溜 with three is still offered."""
    scene = Scene({1: "三三 九"}, wall="三").draw(1).do(1, "过")
    assert scene.marked(1, Seat.WAI_CLOSED) == "三"
    assert scene.marked(1, Seat.CHI_CLOSED) == ""
    eaten = Scene({1: "三三 一二 九"}, wall="三").draw(1).do(1, "吃 一二三")
    assert eaten.marked(1, Seat.WAI_CLOSED) == "三"
    assert eaten.marked(1, Seat.CHI_CLOSED) == ""
    closed = Scene({1: "三三 九"}, wall="三").mark(1, Seat.WAI_CLOSED, "三").draw(1)
    assert closed.asked(1) == []
    three = Scene({1: "三三三 九"}, wall="三").mark(1, Seat.WAI_CLOSED, "三").draw(1)
    assert three.asked(1) == ["溜 三", "过"]


@pytest.mark.parametrize("answer", ["歪", "飘", "溜 三"])
def test_the_drawers_own_claims_are_no_pass_of_chi(answer: str) -> None:
    """G9: 歪, 溜, 飘 close nothing."""
    melds = {1: "碰 三三三"} if answer == "飘" else {}
    hand = "一二 九" if answer == "飘" else "三三三 一二 九"
    scene = Scene({1: hand}, melds, wall="三").draw(1).do(1, answer)
    assert scene.state.marks[1][: Seat.GREY] == [0, 0, 0]


def test_passing_chi_closes_the_face_and_the_other_ends() -> None:
    """G14: every pair that would have eaten it; the face itself for 碰 too."""
    scene = Scene({1: "二三 五六 九"}, wall="四").draw(0).do(1, "过")
    assert scene.marked(1, Seat.CHI_CLOSED) == "一四七"
    assert scene.marked(1, Seat.PENG_CLOSED) == "四"


def test_the_closed_other_end_may_still_be_penged() -> None:
    """G14: 23过1 closes 4 for 吃, not for 碰."""
    scene = Scene({1: "二三 四四 九"}, wall="四").mark(1, Seat.CHI_CLOSED, "一四").draw(0)
    assert scene.asked(1) == ["碰", "过"]


def test_what_was_outranked_is_no_pass() -> None:
    """Z8a, G14: the card went to a better claim than the seat was offered."""
    scene = Scene({1: "一二 九", 2: "三三 九"}, wall="三").draw(0).do(1, "过").do(2, "碰")
    assert scene.marked(1, Seat.CHI_CLOSED) == ""


def test_a_pass_counts_when_a_lower_claim_takes_the_card() -> None:
    """Z8a, G8: 碰 passed, another seat eats."""
    scene = Scene({1: "一二 九", 2: "三三 九"}, wall="三").draw(0).do(2, "过").do(1, "吃 一二三")
    assert scene.marked(2, Seat.PENG_CLOSED) == "三"


def test_declining_hu_closes_nothing() -> None:
    """G21: a face passed for 胡 may be won the next time."""
    scene = Scene({1: READY}, wall="玖 九").draw(2).do(1, "过")
    assert scene.state.marks[1][: Seat.GREY] == [0, 0, 0]


def test_closed_and_grey_faces_may_be_won() -> None:
    """G21: neither limits how the winning card is used."""
    scene = Scene({1: READY}, wall="玖")
    for slot in (Seat.CHI_CLOSED, Seat.PENG_CLOSED, Seat.WAI_CLOSED, Seat.GREY):
        scene.mark(1, slot, "玖")
    assert scene.draw(1).asked(1) == ["胡", "过"]


def test_own_discards_cannot_be_eaten_but_penged() -> None:
    """G15: 吃 alone is barred."""
    scene = Scene({1: "三三三 一二 九"}, wall="玖 三").discard(1, "三").advance().advance()
    assert scene.asked(1) == ["碰", "过"]


def test_grey_after_chi_from_both_ends() -> None:
    """G13: 四 eaten with 二三 greys 一 and 四, if they are in hand."""
    scene = Scene({1: "一 二三 四 九"}, wall="四").draw(0).do(1, "吃 二三四")
    assert scene.marked(1, Seat.GREY) == "一四"
    assert scene.asked(1) == ["出 九"]
    scene = Scene({1: "二三 九"}, wall="四").draw(0).do(1, "吃 二三四")
    assert scene.marked(1, Seat.GREY) == ""


def test_grey_cards_may_still_be_used() -> None:
    """G13: in 吃, 碰 and 歪."""
    scene = Scene({1: "三三 一 九"}, wall="三").mark(1, Seat.GREY, "一三").draw(1)
    assert scene.asked(1) == ["歪", "过"]
    scene = Scene({1: "三 一 九"}, wall="二").mark(1, Seat.GREY, "一三").draw(0)
    assert scene.asked(1) == ["吃 一二三", "过"]


def test_a_seat_with_only_grey_cards_is_dead() -> None:
    """G16, Z8b: all are told, it does not discard, its 下家 draws."""
    scene = Scene({1: "一 二三 四"}, wall="四 九").draw(0).do(1, "吃 二三四")
    assert scene.happened(ev.Flagged) == [ev.Flagged(1, Seat.SI_SHOU)]
    assert scene.state.turn == -1
    assert scene.next_draws(2)
    assert scene.view(2).seats[1].flags == ("si_shou",)


def test_a_dead_hand_is_asked_nothing_but_draws_for_the_others() -> None:
    """G16: no claim and no 胡; others may claim its draws."""
    dead = Scene({1: READY, 2: "捌捌 九"}, wall="捌 捌").mark(1, Seat.SI_SHOU).draw(1)
    assert dead.everybody() == {2: ["碰", "过"]}
    assert dead.do(2, "过").next_draws(2)


def test_a_kept_card_saves_from_being_dead() -> None:
    """G16, G10: with only grey cards it may still lay the 溜."""
    scene = Scene({1: "三 五"}, {1: "歪 三三三"}).mark(1, Seat.GREY, "三五").turn(1)
    assert scene.asked(1) == ["溜 三"]
    assert scene.timeout(1).melds(1) == ["溜 三三三三"]


def test_the_seat_alone_is_told_what_is_closed_and_grey() -> None:
    """M9, G13, G14: notes of its own view."""
    scene = Scene({1: "一 二三 四 六 九"}, wall="四").mark(1, Seat.PENG_CLOSED, "六")
    scene.draw(0).do(1, "吃 二三四")
    assert dict(scene.view(1).notes)["grey"] == bytes((1, 4))
    assert dict(scene.view(1).notes)["closed_peng"] == bytes((6,))
    assert not any(cards for _, cards in scene.view(2).notes)


@pytest.mark.parametrize(("hand", "eaten", "pair", "grey"), [
    ("伍伍伍九", "伍", "伍伍", ["伍"]), ("伍伍九", "伍", "伍伍", []),
    ("二二七十", "二", "七十", ["二"]),
])  # fmt: skip
def test_what_taking_a_card_leaves_grey(hand: str, eaten: str, pair: str, grey: list[str]) -> None:
    """G13: of 碰 the card left in hand, of 吃 the face itself."""
    case = {"kind": "grey", "hand": hand, "eaten": eaten, "with": pair}
    assert run_case(case) == grey
