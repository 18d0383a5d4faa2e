"""The end of the wall: 海捞 in every corner, 流局, who deals next (J3, J12, J32, X6, X17)."""

import pytest

from libs.game import engine as en
from libs.game.cards import HIDDEN
from libs.game.state import Outcome
from tests.game.pengpai_flow_kit import JIANGYAN, READY, REGISTRY, SHASHAER, Scene

LOOSE = "S1 S4 S7 C1 C4 C7 H1 H4 H7"
THREE = "S2 C2 H2"


def test_hai_lao_begins_instead_of_a_draw_at_three() -> None:
    """The next seat and the two after it draw one card each, unseen (J32)."""
    scene = Scene(JIANGYAN, {0: LOOSE, 1: LOOSE, 2: LOOSE}, wall=THREE).draw(1)
    assert scene.told == ["= 海捞: 1 draws first"]
    for seat in (1, 2, 0):
        assert scene.waits_for_draw() == seat
        scene.advance()
        assert scene.sees((seat + 1) % 3)[0] == f"{seat} draws ?"
    assert scene.told[1] == "= the round ends: 流局"


def test_hai_lao_offers_only_hu() -> None:
    """No discard, no 杠; declining means out (J32)."""
    wall = "HQ HK S2"
    scene = Scene(JIANGYAN, {1: READY, 2: LOOSE, 0: READY}, wall=wall).draw(1).advance()
    assert scene.everybody() == {1: ["胡", "过"]}
    scene.timeout(1).advance().advance()
    assert scene.state.outcome == Outcome.LIU_JU


def test_the_first_win_of_hai_lao_ends_it() -> None:
    """海捞 counts, 自摸 too; the others draw no more (J32, J17, J22)."""
    scene = Scene(JIANGYAN, {1: LOOSE, 2: READY, 0: READY}, wall="S2 HQ HK").draw(1)
    scene.advance().advance().do(2, "胡")
    assert scene.told[0] == "= 2 胡 HQ, which it drew"
    assert len(scene.state.wall) == 1
    sheet = scene.variant.score(scene.variant.hand_spec(scene.state, scene.variant.options()))
    codes = [line.code for seat in sheet.seats for line in seat.lines]
    assert "hai_lao" in codes


def test_hai_lao_draws_are_private() -> None:
    """A complete hand that declines shows nothing to the others (J32)."""
    scene = Scene(JIANGYAN, {1: READY, 2: LOOSE, 0: LOOSE}, wall="HQ HK S2").draw(1).advance()
    assert scene.view(0).prompt is None
    assert set(scene.view(0).seats[1].hand) == {HIDDEN}
    assert scene.do(1, "过").sees(0) == []


def test_a_da_wang_in_hai_lao_is_no_win() -> None:
    """It is neither won nor replaced (J32)."""
    scene = Scene(JIANGYAN, {1: READY, 2: LOOSE, 0: LOOSE}, wall="DJ HK S2").draw(1).advance()
    assert scene.everybody() == {}
    assert scene.told == ["= 1 draws DJ"]
    assert scene.waits_for_draw() == 2


def test_a_da_wang_drawn_as_the_fourth_last_is_not_replaced() -> None:
    """Set aside, no discard; 海捞 starts with the next seat; it still counts (J32)."""
    scene = Scene(JIANGYAN, {0: LOOSE, 1: READY, 2: LOOSE}, wall="DJ S2 C2 HQ").draw(1)
    assert [line for line in scene.told if "replaces" in line] == []
    assert scene.waits_for_draw() == 2
    assert scene.advance().told[0] == "= 海捞: 2 draws first"
    scene.advance().advance().advance().do(1, "胡")
    facts = scene.variant.hand_spec(scene.state, scene.variant.options()).seats[1].facts
    assert (facts["flowers"], facts["hai_lao"]) == (1, 1)


@pytest.mark.parametrize(
    ("hand", "melds", "said"),
    [("S9 S9 S9 S9 C5 HK", "", "暗杠 S9"), ("S9 C5 HK", "碰 S9 S9 S9", "补杠 S9")],
)
def test_a_gang_at_three_has_no_replacement_and_no_discard(
    hand: str, melds: str, said: str
) -> None:
    """海捞 starts with the seat after the one that laid it (J32)."""
    scene = Scene(JIANGYAN, {1: hand}, melds={1: melds}, wall=THREE).turn(1, "HK").do(1, said)
    assert len(scene.state.wall) == 3
    assert scene.state.turn == -1
    assert scene.waits_for_draw() == 2
    assert scene.advance().told == ["= 海捞: 2 draws first"]


def test_a_discard_at_three_may_be_won() -> None:
    """J32: as ever, and it is no 海捞."""
    scene = Scene(JIANGYAN, {0: "HQ", 2: READY}, wall=THREE).discard(0, "HQ").do(2, "胡")
    facts = scene.variant.hand_spec(scene.state, scene.variant.options()).seats[2].facts
    assert facts["hai_lao"] == 0


def test_a_discard_at_three_may_be_claimed() -> None:
    """After a 碰 its seat discards and the seat after it starts; after a 直杠 that seat does not
    even discard (J32)."""
    scene = Scene(JIANGYAN, {0: "S9", 1: "S9 S9 S9 C4 H5"}, wall=THREE).discard(0, "S9")
    scene.do(1, "碰").do(1, "出 C4")
    assert scene.waits_for_draw() == 2
    scene = Scene(JIANGYAN, {0: "S9", 1: "S9 S9 S9 C4 H5"}, wall=THREE).discard(0, "S9")
    scene.do(1, "直杠")
    assert scene.waits_for_draw() == 2
    assert len(scene.state.wall) == 3


def test_the_sixth_meld_without_its_replacement_asks_nothing() -> None:
    """报六碰 is asked with five cards in hand; four are left here (J31, J32)."""
    five = ", ".join(f"碰 S{n} S{n} S{n}" for n in range(2, 7))
    hand = "HK HK HK HK C9 C9 H2 H2"
    scene = Scene(JIANGYAN, {1: hand}, melds={1: five}, wall=THREE).turn(1, "HK")
    assert scene.do(1, "暗杠 HK").everybody() == {}
    assert scene.waits_for_draw() == 2


def test_shashaer_plays_on_to_the_empty_wall() -> None:
    """No 海捞: the last card is drawn in turn, claims and discards run on (X6)."""
    scene = Scene(SHASHAER, {0: "S2 H1", 1: LOOSE, 2: "S2 S2 H9 H9"}, wall="S2").draw(1)
    scene.do(1, "出 S2")
    assert scene.asked(2) == ["碰", "过"]
    assert scene.do(2, "碰").do(2, "出 H9").advance().told[1] == "= the round ends: 流局"


def test_a_gang_needs_its_replacement_in_shashaer() -> None:
    """Neither 暗杠, 补杠 nor 直杠 at an empty wall (X6)."""
    scene = Scene(SHASHAER, {0: "S9 S9 S9 S9 HK"}, melds={0: "碰 H5 H5 H5"}, wall="")
    assert scene.turn(0, "HK").gangs(0) == []
    scene = Scene(SHASHAER, {0: "S9", 1: "S9 S9 S9 HK"}, wall="").discard(0, "S9")
    assert scene.asked(1) == ["碰", "过"]


def test_liu_ju_of_shashaer_settles() -> None:
    """All as non-winners (X15, X17); in 姜堰 nobody pays (J12)."""
    for game, paid in ((SHASHAER, (-4, 8, -4)), (JIANGYAN, (0, 0, 0))):
        scene = Scene(game, {0: "S1", 1: "HK HK HK", 2: "S1"}, wall="").draw(0)
        while scene.waits_for_draw() >= 0:
            scene.advance()
        spec = scene.variant.hand_spec(scene.state, scene.variant.options())
        assert scene.variant.score(spec).deltas == paid


@pytest.mark.parametrize("game", [JIANGYAN, SHASHAER])
@pytest.mark.parametrize(
    ("outcome", "dealer"), [(Outcome.WIN, 1), (Outcome.LIU_JU, 1), (Outcome.VOID, 0)]
)
def test_the_next_seat_deals_every_round(game: str, outcome: Outcome, dealer: int) -> None:
    """Whoever wins; after a 流局 too; a void round is dealt again (J3, X2)."""
    state = Scene(game, {0: "S1"}).state
    state.outcome = outcome
    assert en.find(REGISTRY, game, 0).next_dealer(state) == dealer
