"""The opening of the 碰胡 family: deal, 暗杠, 大王, 天胡, 直听 (J2-J6, J30, J33, X2, X3)."""

import pytest

from libs.families.pengpai.slots import Phase, Reg, Turn
from libs.game import engine as en
from libs.game.codec import decode_state
from libs.game.deal import Seed
from libs.game.melds import MeldKind
from tests.game.pengpai_flow_kit import JIANGYAN, READY, REGISTRY, SHASHAER, Scene

PLAIN = "S1 S4 S7 C1 C4 C7 H1 H4 H7 HT HJ"


def started(game: str, players: int, **more: object) -> en.Stepped:
    variant = en.find(REGISTRY, game, 0)
    seed = Seed(bytes(32), bytes(32), "m")
    return en.start(REGISTRY, en.Start(game, variant.options(), players, 1, seed, **more), True)


@pytest.mark.parametrize(
    ("game", "players", "wall"), [(JIANGYAN, 3, 65), (SHASHAER, 3, 63), (SHASHAER, 2, 85)]
)
def test_the_dealer_has_one_card_more(game: str, players: int, wall: int) -> None:
    """23 and 22 cards; what is left is the wall (J1, J2, X1, X2)."""
    dealt = [
        f.event
        for f in started(game, players, carry=b"\x01").events
        if type(f.event).__name__ == "Dealt"
    ]
    assert [(e.seat, len(e.cards)) for e in dealt][:2] == [(1, 23), ((2 % players), 22)]
    assert en.find(REGISTRY, game, 0).deck.size - sum(len(e.cards) for e in dealt) == wall


def test_only_three_play_jiangyan() -> None:
    """J2: a room of two is refused."""
    with pytest.raises(en.Refused, match="number of players"):
        started(JIANGYAN, 2)


@pytest.mark.parametrize(("rule", "dealer"), [("creator", 2), ("first_entered", 1)])
@pytest.mark.parametrize("game", [JIANGYAN, SHASHAER])
def test_the_first_dealer(game: str, rule: str, dealer: int) -> None:
    """The creator, or the first to enter (J3)."""
    options = en.find(REGISTRY, game, 0).options(first_dealer=rule)
    seed = Seed(bytes(32), bytes(32), "m")
    start = en.Start(game, options, 3, 1, seed, joined=(1, 0, 2), creator=2)
    assert decode_state(en.start(REGISTRY, start, True).state).dealer == dealer


def test_dealt_fours_are_offered_one_by_one() -> None:
    """One question lists all fours and 过, again until none is left (J4.1)."""
    scene = Scene(JIANGYAN, {0: "S9 S9 S9 S9 C5 C5 C5 C5 " + PLAIN}).opening()
    assert scene.asked(0) == ["暗杠 S9", "暗杠 C5", "过"]
    scene.do(0, "暗杠 C5")
    assert scene.told[:2] == [
        "= 0 原起暗杠 C5 C5 C5 C5  [others: 0 原起暗杠 C5 ? ? ?]",
        "= 0 replaces with H9  [others: 0 replaces with ?]",
    ]
    assert scene.asked(0) == ["暗杠 S9", "过"]


def test_a_da_wang_drawn_for_a_dealt_four_waits() -> None:
    """A 大王 that comes in (1) is set aside in (2), after the next dealt four (J4)."""
    hand = "S9 S9 S9 S9 C5 C5 C5 C5 " + PLAIN
    scene = Scene(JIANGYAN, {0: hand}, wall="S1 S2 S3 S4 C2 C3 H5 DJ").opening()
    assert scene.do(0, "暗杠 S9").state.flowers[0] == b""
    scene.do(0, "暗杠 C5")
    assert [line for line in scene.told if "aside" in line] == ["= 0 sets DJ aside"]
    assert scene.melds(0) == ["原起暗杠 S9 S9 S9 S9", "原起暗杠 C5 C5 C5 C5"]


def test_a_four_with_a_replacement_is_offered_later_and_is_hou_bu() -> None:
    """Three dealt and one drawn: not among the dealt fours, 后补 (J4, J5)."""
    hand = "S9 S9 S9 S9 C5 C5 C5 " + PLAIN
    scene = Scene(JIANGYAN, {0: hand}, wall="S1 S2 S3 S4 C2 C3 H5 C5").opening()
    assert scene.do(0, "暗杠 S9").asked(0) == ["暗杠 C5", "过"]
    assert scene.do(0, "暗杠 C5").melds(0)[1] == "暗杠 C5 C5 C5 C5"


def test_a_passed_four_is_asked_again_only_if_a_card_has_come() -> None:
    """(3) lists passed fours too, and is skipped if no card has come since (J4)."""
    four = "S9 S9 S9 S9 "
    assert Scene(JIANGYAN, {0: four + PLAIN}).opening().do(0, "过").gangs(0) == []
    scene = Scene(JIANGYAN, {0: four + PLAIN + " DJ"}).opening().do(0, "过")
    assert scene.asked(0) == ["暗杠 S9", "过"]


@pytest.mark.parametrize("game", [JIANGYAN, SHASHAER])
def test_what_a_passed_dealt_four_is_later_in_the_opening(game: str) -> None:
    """A declined dealt four is 后补 in 姜堰 (J5); 沙沙儿 asks only for dealt cards (X3)."""
    hand = "S9 S9 S9 S9 C5 C5 C5 C5 H2 H2 H2 " + PLAIN
    scene = Scene(game, {0: hand}, wall="S1 S2 S3 S4 C2 C3 H5 H2").opening()
    scene.do(0, "暗杠 S9").do(0, "过")
    assert scene.asked(0) == ["暗杠 C5", "暗杠 H2", "过"]
    scene.do(0, "暗杠 C5")
    assert scene.melds(0)[1] == ("暗杠" if game == JIANGYAN else "原起暗杠") + " C5 C5 C5 C5"


def test_after_a_da_wang_every_gang_is_hou_bu() -> None:
    """Laid after the first 大王 was replaced (J5)."""
    scene = Scene(JIANGYAN, {0: "S9 S9 S9 S9 DJ " + PLAIN}).opening().do(0, "过")
    assert scene.do(0, "暗杠 S9").melds(0) == ["暗杠 S9 S9 S9 S9"]


def test_each_seat_finishes_before_the_next() -> None:
    """The dealer first, then in turn order (J4)."""
    scene = Scene(
        JIANGYAN,
        {0: "S9 S9 S9 S9 " + PLAIN, 1: "C9 C9 C9 C9 " + PLAIN, 2: "H9 H9 H9 H9 " + PLAIN},
        wall="S2 " * 8,
    ).opening()
    for seat, card in enumerate(("S9", "C9", "H9")):
        assert list(scene.everybody()) == [seat]
        scene.do(seat, f"暗杠 {card}")


def test_the_dealer_first_turn_offers_discards_only() -> None:
    """J7a: neither a four nor a fifth can be laid before the first discard (X5)."""
    hand = "S9 S9 S9 S9 " + PLAIN
    scene = Scene(JIANGYAN, {0: hand}).opening().do(0, "过")
    assert scene.gangs(0) == []
    assert scene.state.turn == 0
    assert scene.state.regs[Reg.TURN] == Turn.FIRST


def test_tian_hu_may_be_declined() -> None:
    """The dealer complete before its first discard is asked alone (J6, J33)."""
    scene = Scene(JIANGYAN, {0: READY + " HQ"}).opening()
    assert scene.everybody() == {0: ["胡", "过"]}
    scene.do(0, "过")
    assert scene.asked(0) == ["直听", "过"]


def test_tian_hu_is_refused_below_the_minimum() -> None:
    """J26 holds for 天胡: 30 + 2 + 2 + 16 are below 70."""
    scene = Scene(JIANGYAN, {0: READY + " HQ"}, min_hu=70).opening()
    assert scene.asked(0) == ["直听", "过"]


def test_shashaer_wins_on_the_deal() -> None:
    """X10: the dealer complete on the deal may win; there is no 直听."""
    scene = Scene(SHASHAER, {0: READY + " HQ"}).opening()
    assert scene.everybody() == {0: ["胡", "过"]}
    scene.do(0, "过")
    assert scene.gangs(0) == []
    assert "出 HQ" in scene.asked(0)


def test_zhi_ting_in_turn_order() -> None:
    """Every ready seat, the dealer first, then the dealer discards (J6, J30)."""
    scene = Scene(JIANGYAN, {0: READY + " C1", 1: READY, 2: READY}).opening()
    for seat in range(3):
        assert scene.everybody() == {seat: ["直听", "过"]}
        scene.do(seat, "直听")
    assert scene.view(-1).seats[2].flags == ("zhi_ting",)
    assert scene.everybody() == {0: ["出 C1"]}


def test_a_seat_that_is_not_ready_is_not_asked() -> None:
    """J30: only a hand that waits."""
    scene = Scene(JIANGYAN, {0: PLAIN, 1: PLAIN, 2: PLAIN}).opening()
    assert scene.state.phase == Phase.OWN_TURN
    assert list(scene.everybody()) == [0]


def test_five_dealt_are_laid_at_once() -> None:
    """Five dealt: one 暗杠 with two replacements; all the others see are backs (X4, X8)."""
    scene = Scene(SHASHAER, {0: "HT HT HT HT HT " + PLAIN.replace("HT", "HQ")}).opening()
    scene.do(0, "暗杠 HT")
    assert scene.told[0] == "= 0 原起暗杠 HT HT HT HT HT  [others: 0 暗杠 ?????]"
    assert sum("replaces" in line for line in scene.told) == 2


@pytest.mark.parametrize(
    ("dealt", "first", "tail", "points"),
    [
        ("HT HT HT HT HT", (), "", 32),
        ("HT HT HT HT", ("暗杠 C5",), "HT", 28),
        ("HT HT HT", ("暗杠 C5", "暗杠 S3"), "HT HT", 24),
    ],
)
def test_what_five_laid_at_once_are_worth(
    dealt: str, first: tuple[str, ...], tail: str, points: int
) -> None:
    """32 if all were dealt, 28 if four were, else 24; the others cannot tell (X4, X8)."""
    hand = f"{dealt} C5 C5 C5 C5 S3 S3 S3 S3 " + PLAIN.replace("HT", "HQ")
    scene = Scene(SHASHAER, {0: hand}, wall="H9 " * 8 + tail).opening()
    for said in (*first, "暗杠 HT"):
        scene.do(0, said)
    sheet = scene.variant.score(scene.variant.hand_spec(scene.state, scene.variant.options()))
    groups = [group for seat in sheet.seats for group in seat.groups]
    assert [group.points for group in groups if len(group.cards) == 5] == [points]
    assert scene.sees(1)[0] == "0 暗杠 ?????"
    assert scene.view(1).seats[0].melds[-1].steps == (MeldKind.AN_GANG,)


def test_a_fifth_drawn_in_the_opening_goes_onto_the_four() -> None:
    """28 in all, still hidden (X8)."""
    scene = Scene(
        SHASHAER, {0: "HT HT HT HT " + PLAIN.replace("HT", "HQ")}, wall="H9 " * 8 + "HT"
    ).opening()
    assert scene.do(0, "暗杠 HT").asked(0) == ["补杠 HT", "过"]
    scene.do(0, "补杠 HT")
    assert scene.sees(1)[0] == "0 暗杠 ????? from 暗杠"


def test_a_fifth_that_was_never_offered_is_asked_about_after_a_pass() -> None:
    """The fifth comes in (1), where it is not listed; the pass there was about C5 alone, so (3)
    is not skipped and lists both (J4.3, X8)."""
    hand = "HT HT HT HT C5 C5 C5 C5 " + PLAIN.replace("HT", "HQ")
    scene = Scene(SHASHAER, {0: hand}, wall="H9 " * 8 + "HT").opening()
    assert scene.do(0, "暗杠 HT").asked(0) == ["暗杠 C5", "过"]
    assert scene.do(0, "过").asked(0) == ["暗杠 C5", "补杠 HT", "过"]
    assert scene.do(0, "过").gangs(0) == []
