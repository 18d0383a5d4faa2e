"""Claims of 鬼胡子: who is asked what, how claims rank, what a claim leads to (G5-G12, G18)."""

import pytest

from libs.families.guihuzi.play import next_dealer
from libs.families.guihuzi.slots import Seat
from libs.game.sheet import WinSource
from tests.game.guihuzi_kit import READY, WAITING_PAIR, Scene


def test_a_drawn_card_nobody_takes_goes_to_the_drawers_pile() -> None:
    """G5: it never joins the hand; the next seat draws."""
    scene = Scene({1: "二 九"}, wall="六 五").draw(1)
    assert scene.next_draws(2)
    assert scene.advance().state.piles[1] == bytes((6,))
    assert scene.hand(1) == "二九"


def test_chi_peng_and_wai_are_followed_by_a_discard() -> None:
    """G5, G12: of 吃, 碰 and 歪 alike."""
    assert Scene({1: "一二 九"}, wall="三").draw(1).do(1, "吃 一二三").discards_next(1)
    assert Scene({2: "三三 九"}, wall="三").draw(0).do(2, "碰").discards_next(2)
    assert Scene({1: "三三 九"}, wall="三").draw(1).do(1, "歪").discards_next(1)


def test_liu_and_piao_are_not() -> None:
    """G5, G10, G11: the next seat draws."""
    scene = Scene({1: "三三三 九"}, wall="三").draw(1).do(1, "溜 三")
    assert scene.next_draws(2)
    scene = Scene({1: "九"}, {1: "碰 三三三"}, wall="三").draw(1).do(1, "飘")
    assert scene.next_draws(2)
    assert scene.melds(1) == ["飘 三三三三"]


def test_all_who_may_choose_are_asked_together() -> None:
    """G6, Z8: the drawer with all its choices, its 下家 with 吃, any pair with 碰."""
    scene = Scene({0: "一二 三三 九", 1: "四五 九", 2: "三 九"}, wall="三").draw(0)
    assert scene.everybody() == {0: ["歪", "吃 一二三", "过"], 1: ["吃 三四五", "过"]}


@pytest.mark.parametrize(
    ("hand", "melds", "claim", "laid"),
    [
        ("捌捌 九", "", "歪", "歪 捌捌捌"),
        ("捌捌捌 九", "", "溜 捌", "溜 捌捌捌捌"),
        ("九", "碰 捌捌捌", "飘", "飘 捌捌捌捌"),
    ],
)
def test_the_drawers_own_claims_outrank_hu_of_another(
    hand: str, melds: str, claim: str, laid: str
) -> None:
    """G6: 溜/歪/飘 > 胡, even if the 胡 was chosen first."""
    scene = Scene({0: hand, 2: READY}, {0: melds} if melds else {}, wall="捌").draw(0)
    scene.do(2, "胡")
    assert scene.state.win is None
    assert scene.do(0, claim).melds(0) == [laid]
    assert scene.state.win is None


def test_hu_outranks_peng_and_peng_outranks_chi() -> None:
    """G6: the window waits for whoever could do better, and not longer."""
    scene = Scene({1: "柒捌 九", 2: READY}, wall="玖 九").draw(0).do(1, "吃 柒捌玖")
    assert scene.melds(1) == []
    assert scene.do(2, "过").melds(1) == ["吃 柒捌玖 (玖)"]
    scene = Scene({1: "四五 九", 2: "三三 九"}, wall="三").draw(0).do(1, "吃 三四五")
    assert scene.do(2, "碰").melds(2) == ["碰 三三三"]
    assert scene.melds(1) == []


def test_a_declined_hu_is_not_offered_after_the_wai() -> None:
    """G6: choosing 歪 declines the 胡 of the same card; a discard follows."""
    scene = Scene({1: WAITING_PAIR}, wall="三").draw(1)
    assert scene.asked(1) == ["胡", "歪", "吃 三四五", "过"]
    assert scene.do(1, "歪").discards_next(1)
    assert "胡" not in scene.asked(1)


def test_of_equal_claims_the_drawer_comes_first_then_turn_order() -> None:
    """G6, Z7, G18: one winner; both could eat, the drawer does."""
    scene = Scene({0: "一二 九", 1: "四五 九"}, wall="三").draw(0).do(1, "吃 三四五")
    assert scene.do(0, "吃 一二三").melds(0) == ["吃 一二三 (三)"]
    assert scene.melds(1) == []
    scene = Scene({1: READY, 2: READY}, wall="玖").draw(0).do(2, "胡").do(1, "胡")
    assert scene.state.win is not None
    assert scene.state.win.seat == 1


def test_peng_takes_another_seats_draw_or_discard_never_the_own() -> None:
    """G7: a pair is enough, from any other seat."""
    assert Scene({2: "三三 九"}, wall="三").draw(0).asked(2) == ["碰", "过"]
    assert Scene({0: "三 九", 2: "三三 九"}).discard(0, "三").asked(2) == ["碰", "过"]
    assert "碰" not in Scene({0: "三三 九"}, wall="三").draw(0).asked(0)


def test_peng_with_three_in_hand_leaves_a_grey_card() -> None:
    """G7, G13: the fourth stays and may not be discarded."""
    scene = Scene({2: "三三三 九"}, wall="三").draw(0).do(2, "碰")
    assert scene.marked(2, Seat.GREY) == "三"
    assert scene.asked(2) == ["出 九"]


def test_peng_with_a_pair_leaves_nothing_grey() -> None:
    """G13: grey is what is still in hand."""
    scene = Scene({2: "三三 九"}, wall="三").draw(0).do(2, "碰")
    assert scene.marked(2, Seat.GREY) == ""


def test_wai_needs_a_pair_and_the_own_draw() -> None:
    """G9: three on the table, from the own draw."""
    scene = Scene({1: "三三 九"}, wall="三").draw(1).do(1, "歪")
    meld = scene.state.melds[1][0]
    assert (meld.claimed, meld.source, meld.from_discard) == (3, 1, False)
    assert "歪" not in Scene({1: "三 九"}, wall="三").draw(1).asked(1)


@pytest.mark.parametrize(
    ("seat", "hand", "melds", "claim"),
    [
        (2, "三三 九", "", "碰"),
        (1, "一二 九", "", "吃 一二三"),
        (0, "一二 九", "", "吃 一二三"),
        (0, "三三三 九", "", "溜 三"),
        (0, "九", "碰 三三三", "飘"),
    ],
)
def test_a_meld_keeps_its_card_and_where_it_came_from(
    seat: int, hand: str, melds: str, claim: str
) -> None:
    """G29: of a draw by seat 0; everybody sees it."""
    scene = Scene({seat: hand}, {seat: melds} if melds else {}, wall="三").draw(0).do(seat, claim)
    for reader in (1, -1):
        meld = scene.view(reader).seats[seat].melds[0]
        assert (meld.claimed, meld.source, meld.from_discard) == (3, 0, False)


@pytest.mark.parametrize(("hand", "claim"), [("三三 九", "碰"), ("一二 九", "吃 一二三")])
def test_a_meld_of_a_discard_says_so(hand: str, claim: str) -> None:
    """G29, G7, G12: of a discard by seat 0."""
    scene = Scene({0: "三 九", 1: hand}).discard(0, "三").do(1, claim)
    meld = scene.state.melds[1][0]
    assert (meld.claimed, meld.source, meld.from_discard) == (3, 0, True)


def test_with_three_in_hand_it_may_liu_or_wai() -> None:
    """G9, G10: 歪 keeps one card, which is not grey."""
    scene = Scene({1: "三三三 九"}, wall="三").draw(1)
    assert scene.asked(1) == ["溜 三", "歪", "过"]
    scene.do(1, "歪")
    assert scene.asked(1) == ["出 三", "出 九", "溜 三"]
    assert scene.marked(1, Seat.GREY) == ""


def test_the_kept_card_is_laid_as_liu_instead_of_a_discard() -> None:
    """G10: in that very turn; then the next seat draws."""
    scene = Scene({1: "三三三 九"}, wall="三").draw(1).do(1, "歪").do(1, "溜 三")
    assert scene.melds(1) == ["溜 三三三三"]
    assert scene.hand(1) == "九"
    assert scene.state.turn == -1
    assert scene.next_draws(2)


def test_the_kept_card_can_be_laid_in_any_later_turn() -> None:
    """G10: also after a 碰 in between, for each 歪 of its own."""
    hands = {1: "三 四 八八 九 五"}
    scene = Scene(hands, {1: "歪 三三三, 歪 四四四"}, wall="八").draw(0).do(1, "碰")
    assert scene.asked(1)[-2:] == ["溜 三", "溜 四"]
    assert scene.do(1, "溜 四").melds(1) == ["歪 三三三", "溜 四四四四", "碰 八八八"]


def test_liu_from_an_own_wai_by_the_own_draw() -> None:
    """G10: the fourth card drawn by the seat itself, not by another."""
    scene = Scene({1: "九"}, {1: "歪 三三三"}, wall="三").draw(1)
    assert scene.asked(1) == ["溜 三", "过"]
    assert scene.do(1, "溜 三").melds(1) == ["溜 三三三三"]
    assert Scene({1: "九"}, {1: "歪 三三三"}, wall="三").draw(0).asked(1) == []


def test_onto_a_peng_only_piao_or_chi() -> None:
    """G11: no 溜; the card may be eaten instead."""
    scene = Scene({1: "一二 九"}, {1: "碰 三三三"}, wall="三").draw(1)
    assert scene.asked(1) == ["飘", "吃 一二三", "过"]
    assert scene.do(1, "吃 一二三").melds(1) == ["碰 三三三", "吃 一二三 (三)"]
    assert Scene({1: "九"}, {1: "碰 三三三"}, wall="三").draw(0).asked(1) == []


def test_chi_takes_the_own_draw_and_cards_of_the_shang_jia() -> None:
    """G12: drawn or discarded by it; of nobody else."""
    assert Scene({1: "一二 九"}, wall="三").draw(0).asked(1) == ["吃 一二三", "过"]
    assert Scene({0: "三 九", 1: "一二"}).discard(0, "三").asked(1) == ["吃 一二三", "过"]
    assert Scene({2: "一二 九"}, wall="三").draw(0).asked(2) == []
    assert Scene({0: "三 九", 2: "一二"}).discard(0, "三").asked(2) == []


def test_chi_groups_are_runs_and_er_qi_shi_of_one_size() -> None:
    """G12: no 绞, no 一五十, sizes do not mix."""
    asked = Scene({1: "二十 五六 八九 一五 柒柒 贰"}, wall="七").draw(0).asked(1)
    assert asked == ["吃 五六七", "吃 六七八", "吃 七八九", "吃 二七十", "过"]


def test_discards_cannot_be_won() -> None:
    """G18: only wall cards."""
    assert Scene({0: "玖 九", 1: READY, 2: READY}).discard(0, "玖").everybody() == {}


def test_own_and_other_draws_can_be_won() -> None:
    """G18: the record says where the card came from."""
    for seat, source in ((1, WinSource.OWN_DRAW), (2, WinSource.OTHER_DRAW)):
        win = Scene({seat: READY}, wall="玖 九").draw(1).do(seat, "胡").state.win
        assert win is not None
        assert (win.seat, win.by, win.source) == (seat, 1, source)


def test_the_dealer_may_win_its_deal_or_go_on() -> None:
    """G3, G18: 天胡 is a choice before the first discard; a timeout declines it."""
    scene = Scene({0: READY + "玖"}).open_round()
    assert scene.everybody() == {0: ["胡", "过"]}
    win = Scene({0: READY + "玖"}).open_round().do(0, "胡").state.win
    assert win is not None
    assert (win.card, win.source) == (0, WinSource.DEAL)
    assert scene.timeout(0).discards_next(0)


def test_four_equal_cards_of_the_deal_stay_in_hand() -> None:
    """G4: nothing is laid, and one of them may be discarded."""
    scene = Scene({0: "三三三三 九"}).open_round()
    assert scene.melds(0) == []
    assert scene.asked(0) == ["出 三", "出 九"]


def test_tuo_guan_takes_every_hu_and_nothing_else() -> None:
    """M5: `auto` wins, and passes a 歪."""
    assert Scene({1: READY}, wall="玖").draw(1).timeout(1, "auto").state.win is not None
    assert Scene({1: "三三 九"}, wall="三").draw(1).timeout(1, "auto").next_draws(2)


def test_a_timeout_passes_and_counts_as_a_pass() -> None:
    """M5, G14: as an answer would."""
    scene = Scene({1: "一二 九"}, wall="三").draw(0).timeout(1)
    assert scene.marked(1, Seat.CHI_CLOSED) == "三"


def test_a_timeout_never_discards_a_grey_card() -> None:
    """M5, G13: the auto-player's choice is one of the legal ones."""
    scene = Scene({1: "一 四 五五五"}).mark(1, Seat.GREY, "一四").turn(1)
    before = scene.hand(1)
    scene.timeout(1)
    assert before == "一四五五五"
    assert scene.hand(1) == "一四五五"


def test_the_carry_of_a_round_names_the_next_dealer() -> None:
    """G2, G31: the winner; after a 流局 the next seat; after a void round the same."""
    won = Scene({2: READY}, wall="玖").draw(1).do(2, "胡").state
    assert next_dealer(won) == 2
    drawn = Scene({}, wall="").draw(1).state
    assert drawn.outcome == 2
    assert next_dealer(drawn) == 1
    drawn.outcome = 3
    assert next_dealer(drawn) == 0
