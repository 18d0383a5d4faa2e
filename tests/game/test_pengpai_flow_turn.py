"""One's own turn: 胡, 杠, discards; 直听, 报六碰 (J7, J7a, J8, J30, J31, X6, X8, M5)."""

import pytest

from libs.families.pengpai.slots import Phase, Reg, Seat, Turn
from libs.game import events as ev
from libs.game.actions import PromptClass
from libs.game.cards import parse
from libs.game.state import State
from libs.wire.events import event_bytes
from tests.game.pengpai_flow_kit import JIANGYAN, READY, SHASHAER, Scene

BOTH = pytest.mark.parametrize("game", [JIANGYAN, SHASHAER])
LOOSE = "S1 S4 S7 C1 C4 C7 H1 H4 H7"


@BOTH
def test_one_question_offers_hu_gang_and_discards(game: str) -> None:
    """Class discard; 胡 first, and a timeout discards the drawn card (J7a, M5)."""
    scene = Scene(game, {0: READY.replace("C7", "C5") + " HQ"}).turn(0, "HQ")
    assert scene.gangs(0) == ["暗杠 C5"]
    complete = Scene(game, {0: READY + " HQ"}).turn(0, "HQ")
    assert complete.gangs(0) == ["胡"]
    assert complete.state.prompts[0].cls == PromptClass.DISCARD
    assert complete.timeout(0).told[0] == "= 0 出 HQ"


@BOTH
def test_the_auto_player_takes_every_hu_and_lays_no_gang(game: str) -> None:
    """M5: 托管 wins, else discards by what the seat holds."""
    won = Scene(game, {0: READY + " HQ"}).turn(0, "HQ").timeout(0, "auto")
    assert won.told[0] == "= 0 胡 HQ, which it drew"
    played = Scene(game, {0: "S9 S9 S9 S9 S5 S6 S7 HK C2"}).turn(0, "S9").timeout(0, "auto")
    assert played.told[0] == "= 0 出 HK"


@BOTH
def test_discarding_declines_the_hu_and_closes_nothing(game: str) -> None:
    """An own draw is no discard: nothing is 弃胡 (J7a, J10)."""
    scene = Scene(game, {0: READY + " HQ", 1: "HQ"}).turn(0, "HQ").do(0, "出 HQ")
    assert scene.state.marks[0][Seat.HU_CLOSED] == 0
    assert scene.discard(1, "HQ").asked(0) == ["胡", "碰", "过"]


@BOTH
def test_a_drawn_card_joins_the_hand_unseen(game: str) -> None:
    """Drawn from the head; the others see a back (J7)."""
    scene = Scene(game, {0: LOOSE}, wall="S2 C2 H3 H5 C3 C6").draw(0)
    assert "S2" in scene.hand(0)
    assert scene.sees(1) == ["0 draws ?"]
    assert scene.state.turn == 0


def test_a_drawn_da_wang_is_replaced_at_once() -> None:
    """From the tail, again while one comes; "the drawn card" is the last (J1, J7, J7a)."""
    scene = Scene(JIANGYAN, {0: LOOSE}, wall="DJ C2 H3 H5 C3 C6 DJ").draw(0)
    assert [line.split("  ")[0] for line in scene.told] == [
        "= 0 draws DJ",
        "= 0 sets DJ aside",
        "= 0 replaces with DJ",
        "= 0 sets DJ aside",
        "= 0 replaces with C6",
    ]
    assert scene.timeout(0).told[0] == "= 0 出 C6"
    assert scene.view(-1).seats[0].flowers == bytes(parse("DJ DJ"))


def test_da_wang_is_an_ordinary_card_in_shashaer() -> None:
    """X1: it can be drawn, discarded and claimed."""
    scene = Scene(SHASHAER, {0: LOOSE, 1: "DJ DJ H9"}, wall="DJ S2").draw(0).do(0, "出 DJ")
    assert scene.asked(1) == ["碰", "过"]


@BOTH
def test_an_gang_is_possible_later(game: str) -> None:
    """Four in hand in any own turn; they lie as 后补 (J8, J16)."""
    scene = Scene(game, {0: "S9 S9 S9 S9 C5 HK"}).turn(0, "HK")
    assert scene.gangs(0) == ["暗杠 S9"]
    assert scene.do(0, "暗杠 S9").melds(0) == ["暗杠 S9 S9 S9 S9"]
    assert scene.state.turn == 0


@BOTH
def test_bu_gang_onto_an_own_peng_cannot_be_robbed(game: str) -> None:
    """碰后杠 with the fourth; nobody is asked about it: no 抢杠胡 (J8, X5)."""
    scene = Scene(game, {0: "HQ C5 C6", 1: READY}, melds={0: "碰 HQ HQ HQ"}).turn(0, "C6")
    assert scene.gangs(0) == ["补杠 HQ"]
    scene.do(0, "补杠 HQ")
    assert scene.melds(0) == ["明杠 HQ HQ HQ HQ"]
    assert list(scene.everybody()) == [0]


@BOTH
def test_a_gang_keeps_where_the_card_of_its_peng_came_from(game: str) -> None:
    """A 碰 of a discard that grows still names the seat that discarded."""
    hands = {0: "HQ HQ HQ C5 C6", 1: "HQ C9"}
    scene = Scene(game, hands).discard(1, "HQ").do(0, "碰").do(0, "出 C5").turn(0, "C6")
    laid = scene.do(0, "补杠 HQ").state.melds[0][0]
    assert (laid.claimed, laid.source, laid.from_discard) == (parse("HQ")[0], 1, True)


@BOTH
def test_after_peng_no_gang_before_the_discard(game: str) -> None:
    """J7: the seat discards without drawing, without 胡 and without 杠."""
    hand = "S9 S9 C5 C5 C5 C5 HK"
    scene = Scene(game, {0: "S9 H4", 1: hand}).discard(0, "S9").do(1, "碰")
    assert scene.gangs(1) == []
    assert scene.timeout(1).told[0] == "= 1 出 HK"


def test_zhi_ting_discards_what_it_draws() -> None:
    """Without a 胡 or an allowed 暗杠 nobody is asked (J30)."""
    scene = Scene(JIANGYAN, {0: READY}, wall="S1 C2 H3 H5 C3 C6").put(0, Seat.ZHI_TING).draw(0)
    assert scene.told == ["= 0 draws S1", "= 0 出 S1"]
    assert scene.everybody() == {}


def test_zhi_ting_is_still_offered_hu() -> None:
    """Declining it is discarding the drawn card (J30)."""
    wall = "HQ C2 H3 H5 C3 C6"
    scene = Scene(JIANGYAN, {0: READY}, wall=wall).put(0, Seat.ZHI_TING).draw(0)
    assert scene.asked(0) == ["胡", "出 HQ"]
    assert scene.timeout(0).told[0] == "= 0 出 HQ"


class Paused(Scene):
    """A position that shows every pause."""

    def hides(self, state: State) -> bool:
        return False


def test_nobody_hears_that_zhi_ting_was_offered_hu() -> None:
    """J9, Z8: asked or not, the others get the same at the same time: no deadline of a discard,
    which is told to all (M4), and the card after the pause, however soon the 胡 is declined."""
    steps = []
    for first in ("HQ", "S1"):
        scene = Paused(JIANGYAN, {0: READY}, wall=f"{first} C2 H3 H5 C3 C6")
        scene.put(0, Seat.ZHI_TING).draw(0)
        if first == "HQ":
            prompt = scene.state.prompts[0]
            assert prompt.cls == PromptClass.CLAIM
            scene.timeout(0)
        assert scene.state.waiting == 1
        assert not any(isinstance(formed.event, ev.Discarded) for formed in scene.events)
        steps.append(scene.advance().told[0])
    assert steps == ["= 0 出 HQ", "= 0 出 S1"]


def test_zhi_ting_lays_only_what_keeps_its_waits() -> None:
    """555678 + 5: yes; 5556 + 5: no (J30)."""
    wall = "C5 C2 H3 H5 C3 C6"
    scene = Scene(JIANGYAN, {0: READY}, wall=wall).put(0, Seat.ZHI_TING).draw(0)
    assert scene.asked(0) == ["暗杠 C5", "出 C5"]
    other = "S1 S2 S3 S4 S5 S6 S7 S8 S9 C5 C5 C5 C6 H1 H2 H3 H4 H5 H6 H7 H8 H9"
    scene = Scene(JIANGYAN, {0: other}, wall=wall).put(0, Seat.ZHI_TING).draw(0)
    assert scene.told[1] == "= 0 出 C5"


def test_zhi_ting_claims_nothing_but_hu() -> None:
    """No 碰, no 明杠 (J30)."""
    scene = Scene(JIANGYAN, {0: "C5", 1: READY}).put(1, Seat.ZHI_TING).discard(0, "C5")
    assert scene.asked(1) == []
    scene = Scene(JIANGYAN, {0: "HQ", 1: READY}).put(1, Seat.ZHI_TING).discard(0, "HQ")
    assert scene.asked(1) == ["胡", "过"]


FIVE = "碰 S2 S2 S2, 碰 S3 S3 S3, 碰 S4 S4 S4, 碰 S5 S5 S5, 碰 S6 S6 S6"


def test_bao_liu_peng_is_asked_after_the_sixth_meld() -> None:
    """By 碰, before its discard, once (J31)."""
    scene = Scene(JIANGYAN, {0: "HK", 1: "HK HK C9 C9 H2 H2 H5"}, melds={1: FIVE})
    scene.discard(0, "HK").do(1, "碰")
    assert scene.everybody() == {1: ["报六碰", "过"]}
    assert scene.state.turn == -1
    assert scene.timeout(1).gangs(1) == []
    assert scene.do(1, "出 H5").draw(1).gangs(1) == []


@pytest.mark.parametrize("answer", ["报六碰", "过"])
def test_bao_liu_peng_is_asked_once(answer: str) -> None:
    """A 补杠 onto one of the six melds leaves five cards again, and asks nothing (J31)."""
    hands = {0: "HK", 1: "HK HK C9 C9 H2 H2 H5"}
    scene = Scene(JIANGYAN, hands, melds={1: FIVE}, wall="HK S1 S1 S1 S1 S4")
    scene.discard(0, "HK").do(1, "碰").do(1, answer).do(1, "出 H5")
    assert scene.draw(1).gangs(1) == ["补杠 HK"]
    scene.do(1, "补杠 HK")
    assert "出 S4" in scene.asked(1)


def test_bao_liu_peng_is_asked_after_the_replacement_and_before_the_hu() -> None:
    """By 杠: first the replacement, 大王 included, then the question, then the 胡 (J31)."""
    hand = "HK HK HK HK C9 C9 H2 H2"
    scene = Scene(JIANGYAN, {1: hand}, melds={1: FIVE}, wall="S1 S1 S1 S1 H2 DJ")
    scene.turn(1, "HK").do(1, "暗杠 HK")
    assert scene.everybody() == {1: ["报六碰", "过"]}
    assert scene.do(1, "报六碰").gangs(1) == ["胡"]


@pytest.mark.parametrize("answer", ["报六碰", "过"])
def test_quan_hun_wins_after_either_answer(answer: str) -> None:
    """Announced or not, 全荤 may win (J31)."""
    scene = Scene(JIANGYAN, {0: "HK C9", 1: "HK HK C9 C9 H2 H2 H5"}, melds={1: FIVE})
    scene.discard(0, "HK").do(1, "碰").do(1, answer).do(1, "出 H5")
    assert scene.discard(0, "C9").asked(1) == ["胡", "碰", "过"]


def test_announced_only_quan_hun_wins() -> None:
    """A hand with a run waits in vain once 报六碰 is announced (J31)."""
    for answer, offered in (("报六碰", []), ("过", ["胡", "过"])):
        scene = Scene(JIANGYAN, {0: "HK H3", 1: "HK HK C9 C9 H4 H5 S1"}, melds={1: FIVE})
        scene.discard(0, "HK").do(1, "碰").do(1, answer).do(1, "出 S1")
        assert scene.discard(0, "H3").asked(1) == offered


def test_a_fourth_card_in_an_announced_hand() -> None:
    """A seat never asked is not affected, and six melds with four cards ask nothing (J31)."""
    scene = Scene(JIANGYAN, {0: "S1", 1: "C9 C9 H2 H2"}, melds={1: FIVE + ", 碰 HK HK HK"})
    scene.draw(1)
    assert scene.state.phase == Phase.OWN_TURN
    assert scene.state.marks[1][Seat.BAO_ASKED] == 0


def test_bao_liu_peng_in_the_opening_comes_before_tian_hu() -> None:
    """Six 暗杠 of the dealer leave five cards: asked before any 胡 (J31, J33)."""
    fours = " ".join(f"S{n} S{n} S{n} S{n}" for n in range(2, 7))
    wall = "H9 H9 H9 H9 H2 C9 C9 H2 H2 HK"
    scene = Scene(JIANGYAN, {0: fours + " HK HK HK"}, wall=wall).opening()
    for n in range(2, 7):
        scene.do(0, f"暗杠 S{n}")
    scene.do(0, "暗杠 HK")
    assert scene.everybody() == {0: ["报六碰", "过"]}
    assert scene.do(0, "报六碰").everybody() == {0: ["胡", "过"]}
    assert scene.do(0, "胡").state.win is not None


def test_shashaer_knows_no_bao_liu_peng() -> None:
    """J31 is 姜堰's alone."""
    scene = Scene(SHASHAER, {0: "HK", 1: "HK HK C9 C9 H2 H2 H5"}, melds={1: FIVE})
    scene.discard(0, "HK").do(1, "碰")
    assert "出 H5" in scene.asked(1)


@pytest.mark.parametrize(("wall", "size"), [("S2 S2", 5), ("S2", 4), ("", 0)])
def test_five_in_hand_need_both_replacements(wall: str, size: int) -> None:
    """Five are laid at once; four of them if the wall holds one card; none without (X6, X8)."""
    scene = Scene(SHASHAER, {0: "HT HT HT HT HT S1 C4"}, wall=wall).turn(0, "HT")
    assert scene.gangs(0) == ["暗杠 HT"] * bool(size)
    if size:
        scene.do(0, "暗杠 HT")
        assert scene.melds(0) == ["暗杠 " + " ".join(["HT"] * size)]
        assert scene.state.wall == b""


def test_a_fifth_drawn_onto_a_hidden_an_gang_stays_hidden() -> None:
    """+12, five backs (X4, X8)."""
    scene = Scene(SHASHAER, {0: "HT S1 C4"}, melds={0: "原起暗杠 HT HT HT HT"}).turn(0, "HT")
    assert scene.gangs(0) == ["补杠 HT"]
    scene.do(0, "补杠 HT")
    assert scene.sees(2)[0] == "0 暗杠 ????? from 暗杠"
    assert scene.view(2).seats[0].melds[0].cards == b"\x63" * 5


def _public(scene: Scene) -> bytes:
    """What everybody else receives of the meld just laid."""
    formed = next(f for f in scene.events if isinstance(f.event, ev.Melded))
    assert formed.public is not None
    return event_bytes(formed.public)


def test_yuan_qi_and_hou_bu_of_any_face_are_the_same_bytes() -> None:
    """Neither the face nor the points of a 暗杠 can be told from what others receive (X4)."""
    rest = " S1 S4 S7 C1 C4"
    laid = [
        Scene(SHASHAER, {0: f"{card} {card} {card} {card}{rest}"}).opening().do(0, f"暗杠 {card}")
        for card in ("HK", "S3")
    ]
    later = [
        Scene(SHASHAER, {0: f"{card} {card} {card} {card}{rest}"})
        .turn(0, "C4")
        .do(0, f"暗杠 {card}")
        for card in ("HT", "C3")
    ]
    assert len({_public(scene) for scene in (*laid, *later)}) == 1
    fives = [
        Scene(SHASHAER, {0: "HT" + rest}, melds={0: f"{kind} HT HT HT HT"})
        .turn(0, "C4")
        .do(0, "补杠 HT")
        for kind in ("原起暗杠", "暗杠")
    ]
    assert len({_public(scene) for scene in fives}) == 1


def test_a_fifth_drawn_onto_a_ming_gang() -> None:
    """Onto one's own 明杠 in one's own turn, one replacement (X8)."""
    scene = Scene(SHASHAER, {0: "HT S1 C4"}, melds={0: "明杠 HT HT HT HT"}).turn(0, "HT")
    scene.do(0, "补杠 HT")
    assert scene.melds(0) == ["明杠 HT HT HT HT HT"]
    assert sum("replaces" in line for line in scene.told) == 1


@BOTH
def test_the_turn_after_a_replacement_is_a_drawn_one(game: str) -> None:
    """A 胡 on the replacement is offered, a further 杠 too (J8, J17)."""
    hand = READY.replace("C5 C5 C5 ", "") + " S9 S9 S9 S9"
    scene = Scene(game, {0: hand}, wall="S1 S1 S1 S1 HQ").turn(0, "S9").do(0, "暗杠 S9")
    assert scene.gangs(0) == ["胡"]
    assert scene.state.regs[Reg.TURN] == Turn.DRAWN
