"""Claims on a discard and what passing them closes (J8-J11, X5, X8)."""

import pytest

from libs.families.pengpai.slots import Seat
from libs.game.cards import HIDDEN, parse
from tests.game.pengpai_flow_kit import JIANGYAN, READY, SHASHAER, Scene

BOTH = pytest.mark.parametrize("game", [JIANGYAN, SHASHAER])
LOOSE = "S1 S4 S7 C1 C4 C7 H1 H4 H7"


@BOTH
def test_no_chi(game: str) -> None:
    """Two neighbours and the next seat's place give no claim (J2, X2)."""
    assert Scene(game, {0: "S3", 1: "S1 S2 S4 S5"}).discard(0, "S3").everybody() == {}


@BOTH
def test_a_pair_may_peng_and_three_may_zhi_gang(game: str) -> None:
    """J8, J9: 直杠 with three in hand, 碰 with two or three."""
    assert Scene(game, {0: "S3", 1: "S3 S3 H5"}).discard(0, "S3").asked(1) == ["碰", "过"]
    scene = Scene(game, {0: "S3", 2: "S3 S3 S3 H5"}).discard(0, "S3")
    assert scene.asked(2) == ["直杠", "碰", "过"]
    scene.do(2, "直杠")
    assert scene.melds(2) == ["明杠 S3 S3 S3 S3"]
    assert scene.state.turn == 2


@pytest.mark.parametrize(
    ("game", "hand", "melds", "claim"),
    [
        (JIANGYAN, "HT HT H5", "", "碰"),
        (JIANGYAN, "HT HT HT H5", "", "直杠"),
        (SHASHAER, "HT HT HT HT H5", "", "直杠"),
        (SHASHAER, "H5", "原起暗杠 HT HT HT HT", "直杠"),
        (SHASHAER, "H5", "明杠 HT HT HT HT", "直杠"),
    ],
)
def test_a_meld_keeps_its_card_and_who_discarded_it(
    game: str, hand: str, melds: str, claim: str
) -> None:
    """Everybody sees it (J8, X8)."""
    scene = Scene(game, {0: "HT", 2: hand}, melds={2: melds} if melds else {})
    scene.discard(0, "HT").do(2, claim)
    for reader in (1, -1):
        meld = scene.view(reader).seats[2].melds[0]
        assert (meld.claimed, meld.source, meld.from_discard) == (parse("HT")[0], 0, True)


@BOTH
def test_hu_goes_before_peng(game: str) -> None:
    """胡 > 碰/杠, whoever is nearer; the window waits for it (J9)."""
    single = READY.replace("C5 C5 C5 ", "C9 C9 C9 HK ").replace("HQ HQ", "HQ")
    scene = Scene(game, {0: "HQ", 1: "HQ HQ H5", 2: single}).discard(0, "HQ")
    assert scene.everybody() == {1: ["碰", "过"], 2: ["胡", "过"]}
    scene.do(1, "碰")
    assert scene.told == []
    assert scene.do(2, "胡").told[:2] == ["~ 1 is outranked", "= 2 胡 HQ, discarded by 0"]


@BOTH
def test_the_nearest_of_several_wins(game: str) -> None:
    """One winner: the nearest after the discarder (J9)."""
    scene = Scene(game, {1: "HQ", 0: READY, 2: READY.replace("HQ HQ", "HQ HQ")}).discard(1, "HQ")
    scene.do(0, "胡")
    assert scene.state.outcome == 0
    assert scene.do(2, "胡").told[1] == "= 2 胡 HQ, discarded by 1"


def test_two_seats_may_peng_the_fifth_copy() -> None:
    """The nearest after the discarder; the other has passed nothing (X5, J9, J10)."""
    hands = {1: "HT H1", 2: "HT HT H5", 0: "HT HT H7"}
    scene = Scene(SHASHAER, hands).discard(1, "HT").do(0, "碰")
    assert scene.told == []
    scene.do(2, "过")
    assert scene.melds(0) == ["碰 HT HT HT"]
    assert scene.state.marks[2][Seat.PENG_CLOSED] == 1 << parse("HT")[0]
    scene = Scene(SHASHAER, hands).discard(1, "HT").do(0, "碰").do(2, "碰")
    assert scene.melds(2) == ["碰 HT HT HT"]
    assert scene.told[0] == "~ 0 is outranked"
    assert scene.state.marks[0][Seat.PENG_CLOSED] == 0


@BOTH
def test_qi_peng_bars_the_face_until_the_own_draw(game: str) -> None:
    """弃碰: neither 碰 nor 直杠 on that face, others stay open (J10, X5)."""
    scene = Scene(game, {0: "S3 S5 S5", 1: "S3 C9", 2: "S3 S3 S5 S5 H5"})
    scene.discard(0, "S3").do(2, "过")
    assert scene.discard(1, "S3").asked(2) == []
    assert scene.discard(0, "S5").asked(2) == ["碰", "过"]
    assert dict(scene.do(2, "过").view(2).notes)["peng_closed"] == bytes(parse("S3 S5"))
    assert dict(scene.draw(2).view(2).notes)["peng_closed"] == b""


@BOTH
@pytest.mark.parametrize("ends", ["碰", "直杠", "暗杠"])
def test_qi_hu_and_qi_peng_end_with_a_peng_or_gang(game: str, ends: str) -> None:
    """J10: until it next draws, 碰s or 杠s."""
    hand = {"碰": "S3 S3 H5", "直杠": "S3 S3 S3 H5", "暗杠": "S3 S3 S3 S3 H5"}[ends]
    scene = Scene(game, {0: "S3 C9", 2: hand}).put(2, Seat.HU_CLOSED).put(2, Seat.PENG_CLOSED, 2)
    if ends == "暗杠":
        scene.turn(2, "H5").do(2, "暗杠 S3")
    else:
        scene.discard(0, "S3").do(2, ends)
    assert scene.state.marks[2][Seat.HU_CLOSED] == scene.state.marks[2][Seat.PENG_CLOSED] == 0


@BOTH
def test_qi_hu_bars_any_discard(game: str) -> None:
    """弃胡: any card of anybody, but not the own draw (J10)."""
    scene = Scene(game, {0: "HQ HK", 1: "HK", 2: READY}, wall="HK C2 C3 C4 C6 C7")
    scene.discard(0, "HQ").do(2, "过")
    assert scene.discard(1, "HK").asked(2) == ["碰", "过"]
    assert scene.do(2, "过").draw(2).gangs(2) == ["胡"]


@BOTH
def test_hints_honour_qi_hu(game: str) -> None:
    """While 弃胡 holds a wait is worth something on the own draw only (J10)."""
    scene = Scene(game, {2: READY})
    for closed, sources in ((0, {1, 3}), (1, {1})):
        scene.put(2, Seat.HU_CLOSED, closed)
        spec = scene.variant.hand_spec(scene.state, scene.variant.options())
        waits = scene.variant.waits(spec, 2)
        assert {worth.source for wait in waits for worth in wait.worth} == sources
        assert [wait.card for wait in waits] == list(parse("HQ HK"))


@BOTH
def test_choosing_peng_passes_neither(game: str) -> None:
    """A 碰 taken although 胡 was offered ends every lock (J10)."""
    scene = Scene(game, {0: "HQ", 2: READY}).discard(0, "HQ").do(2, "碰")
    assert scene.state.marks[2][Seat.HU_CLOSED] == scene.state.marks[2][Seat.PENG_CLOSED] == 0


def test_a_win_below_the_minimum_was_never_offered() -> None:
    """So it is no pass, and a better one may be won later (J10, J26)."""
    scene = Scene(JIANGYAN, {0: "HQ HK", 2: READY}, min_hu=90).discard(0, "HQ")
    assert scene.asked(2) == ["碰", "过"]
    assert scene.do(2, "过").state.marks[2][Seat.HU_CLOSED] == 0


@pytest.mark.parametrize(
    ("wall", "offered"), [("S2 S2", ["直杠", "碰", "过"]), ("S2", ["碰", "过"]), ("", ["碰", "过"])]
)
def test_four_in_hand_and_the_fifth(wall: str, offered: list[str]) -> None:
    """碰, or the five-card 明杠 with two replacements (X6, X8)."""
    scene = Scene(SHASHAER, {0: "HT", 1: "HT HT HT HT H5"}, wall=wall).discard(0, "HT")
    assert scene.asked(1) == offered
    if "直杠" in offered:
        assert scene.do(1, "直杠").melds(1) == ["明杠 HT HT HT HT HT"]


@pytest.mark.parametrize("four", ["暗杠", "原起暗杠", "明杠"])
def test_the_fifth_onto_an_own_gang(four: str) -> None:
    """All shown, open from then on; one replacement; without it nothing is offered (X6, X8)."""
    laid = {1: f"{four} HT HT HT HT"}
    scene = Scene(SHASHAER, {0: "HT", 1: "H5 H6"}, melds=laid).discard(0, "HT")
    assert scene.asked(1) == ["直杠", "过"]
    scene.do(1, "直杠")
    assert scene.view(2).seats[1].melds[0].cards == bytes(parse("HT HT HT HT HT"))
    empty = Scene(SHASHAER, {0: "HT", 1: "H5 H6"}, melds=laid, wall="").discard(0, "HT")
    assert empty.asked(1) == []


def test_nothing_is_claimed_onto_an_own_peng() -> None:
    """X8, J8: a 碰 grows in one's own turn only."""
    for hand in ("H5 H6", "HT H6"):
        scene = Scene(SHASHAER, {0: "HT", 1: hand}, melds={1: "碰 HT HT HT"})
        assert scene.discard(0, "HT").asked(1) == []


@pytest.mark.parametrize(("option", "shown"), [(1, 1), (5, 5), ("all", 7)])
def test_how_much_of_a_pile_is_seen(option: int | str, shown: int) -> None:
    """The newest cards of another seat's pile; one's own whole; a spectator as a seat (J11)."""
    scene = Scene(JIANGYAN, {0: "S1 S2 S3 S4 S5 S6 S7 S8"}, visible_discards=option)
    for card in ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"]:
        scene.discard(0, card)
    pile = bytes(parse("S1 S2 S3 S4 S5 S6 S7"))
    for reader in (1, 2, -1):
        assert scene.view(reader).seats[0].pile == bytes((HIDDEN,)) * (7 - shown) + pile[-shown:]
    assert scene.view(0).seats[0].pile == pile


def test_a_claimed_card_leaves_the_pile() -> None:
    """It lies in the meld and nowhere else (J11)."""
    scene = Scene(JIANGYAN, {0: "S3 S4", 1: "S3 S3 H5"}).discard(0, "S3").do(1, "碰")
    assert scene.view(2).seats[0].pile == b""
    assert scene.melds(1) == ["碰 S3 S3 S3"]


def test_all_piles_lie_open_in_shashaer() -> None:
    """It has no such option: every discard is seen."""
    scene = Scene(SHASHAER, {0: LOOSE})
    for card in LOOSE.split()[:7]:
        scene.discard(0, card)
    assert scene.view(2).seats[0].pile == bytes(parse(LOOSE))[:6]
