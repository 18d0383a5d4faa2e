"""暗歪溜, 报听, 海底, 流局, deal and options of 鬼胡子 (G1, G17, G25-G27, G30, G31)."""

import random

import pytest

from libs.families.guihuzi.slots import Reg, Seat
from libs.game import engine
from libs.game import events as ev
from libs.game.cards import HIDDEN
from libs.game.codec import decode_state
from libs.game.options import OptionError, parse, schema
from libs.game.state import Outcome
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.rules import limits
from tests.game.guihuzi_kit import GAME, READY, REGISTRY, VARIANT, WAITING_PAIR, Scene


def start(players: int, **options) -> engine.Stepped:
    """A round; seat 0 deals."""
    deck = bytes(random.Random(1).sample(VARIANT.deck.cards, VARIANT.deck.size))
    wanted = engine.Start(GAME, Options(**options), players, 1, deck, carry=b"\0")
    return engine.start(REGISTRY, wanted, False)


@pytest.mark.parametrize(
    ("players", "mai_pai", "wall"), [(3, 0, 22), (2, 0, 41), (2, 10, 31), (2, 19, 22)]
)
def test_cards_dealt_and_left(players: int, mai_pai: int, wall: int) -> None:
    """G1: 20 for the dealer, 19 for each other; `mai_pai` cards leave the wall unseen."""
    state = decode_state(start(players, mai_pai=mai_pai).state)
    assert [sum(hand) for hand in state.hands] == [20] + [19] * (players - 1)
    assert (len(state.wall), len(state.removed)) == (wall, mai_pai)


def test_three_players_take_no_cards_out() -> None:
    """G1: refused with the allowed value."""
    refused = limits(Options(mai_pai=10), 3)
    assert isinstance(refused, OptionError)
    assert (refused.key, refused.allowed) == ("mai_pai", "0 with 3 players")
    assert limits(Options(mai_pai=10), 2) is None
    with pytest.raises(engine.Refused):
        start(3, mai_pai=19)


def test_the_dealer_discards_first() -> None:
    """G3: nobody draws before it."""
    dealt = start(3)
    assert dealt.status == engine.ADVANCE
    stepped = engine.step(REGISTRY, dealt.state, engine.Input("advance"), False)
    assert [(p.seat, p.cls) for p in stepped.prompts] == [(0, 1)]
    assert not any(isinstance(f.event, ev.Drew) for f in stepped.events)


def test_options_have_labels_and_clauses() -> None:
    """Every option is listed in both languages with its clause; others are refused."""
    assert [(spec.key, spec.default) for spec in schema(Options)] == [
        ("mai_pai", 0),
        ("an_wai_liu", False),
        ("fixed_five", False),
        ("wu_xi_ping", True),
        ("diao_diao", 50),
        ("cap", "none"),
        ("small_hu_extra", False),
    ]
    assert all(spec.zh and spec.en and spec.clause.startswith("G") for spec in schema(Options))
    with pytest.raises(OptionError):
        parse(Options, {"cap": 300})


def dark(hands: dict[int, str], **more) -> Scene:
    """A scene with 暗歪溜."""
    return Scene(hands, more.pop("melds", None), an_wai_liu=True, **more)


def test_a_draw_the_drawer_cannot_lay_is_shown_at_once() -> None:
    """G17: all are asked together as ever; a 飘 hides nothing."""
    scene = dark({1: "九", 2: "三三 九"}, wall="三").draw(1)
    assert scene.sees(0)[-1] == "1 draws 三"
    piao = dark({1: "九", 2: "一二"}, melds={1: "碰 三三三"}, wall="三").draw(1)
    assert piao.sees(0)[-1] == "1 draws 三"
    assert piao.everybody() == {1: ["飘", "过"], 2: ["吃 一二三", "过"]}


def test_a_draw_of_a_dead_hand_is_shown_at_once() -> None:
    """G16, G17: it can neither 歪 nor 溜, so nobody waits for it."""
    scene = dark({1: "三三三 九", 2: "四五 九"}, wall="三").mark(1, Seat.SI_SHOU).draw(1)
    assert scene.sees(2)[-1] == "1 draws 三"
    assert scene.everybody() == {2: ["吃 三四五", "过"]}


def test_a_drawer_able_to_wai_is_asked_alone() -> None:
    """G17: the others see a back, with all its own choices open to the drawer."""
    scene = dark({1: "三三 一二 九", 2: "四五 九"}, wall="三").draw(1)
    assert scene.everybody() == {1: ["歪", "吃 一二三", "过"]}
    assert scene.sees(1)[-1] == "1 draws 三"
    assert scene.sees(2)[-1] == scene.sees(-1)[-1] == "1 draws ?"
    assert scene.view(2).open == (HIDDEN, 1, False)
    assert scene.view(-1).open == (HIDDEN, 1, False)
    assert scene.view(1).open == (3, 1, False)


def test_a_declined_draw_is_shown_and_the_others_are_asked() -> None:
    """G17, G9: the drawer is not asked again, and its pass counts."""
    scene = dark({1: "三三 一二 九", 2: "四五 九"}, wall="三").draw(1).do(1, "过")
    assert scene.sees(2) == ["1 shows 三"]
    assert scene.everybody() == {2: ["吃 三四五", "过"]}
    assert scene.marked(1, Seat.WAI_CLOSED) == "三"
    assert scene.marked(1, Seat.CHI_CLOSED) == "三"
    assert scene.do(2, "吃 三四五").melds(2) == ["吃 三四五 (三)"]


def test_the_drawers_chi_stands_unless_outranked() -> None:
    """G17: its 下家 is asked as if nothing were decided, but comes after it."""
    scene = dark({1: "三三 一二 九", 2: "四五 九"}, wall="三").draw(1).do(1, "吃 一二三")
    assert scene.melds(1) == ["吃 一二三 (三)"]
    assert scene.marked(2, Seat.CHI_CLOSED) == ""
    assert scene.happened(ev.Asked)[0].seat == 2
    hand = READY.replace("玖", "三")
    better = dark({1: "三三 一二 九", 0: hand}, wall="三").draw(1).do(1, "吃 一二三")
    assert better.everybody() == {0: ["胡", "过"]}
    win = better.do(0, "胡").state.win
    assert win is not None
    assert win.seat == 0


def test_the_drawers_hu_settles_at_once() -> None:
    """G17, G18: without asking others; the card is shown with it."""
    scene = dark({1: WAITING_PAIR, 2: READY.replace("玖", "三")}, wall="三").draw(1)
    scene.do(1, "胡")
    assert scene.state.win is not None
    assert scene.sees(2)[0] == "1 shows 三"


def test_laid_wai_and_liu_show_no_face() -> None:
    """G17: at the 歪, at a 溜 by draw and at one laid later; the seat itself sees them."""
    scene = dark({1: "三三三 九"}, wall="三").draw(1).do(1, "歪")
    assert scene.sees(2) == ["1 歪 ???"]
    assert scene.sees(1) == ["1 歪 三三三"]
    assert scene.do(1, "溜 三").sees(2) == ["1 溜 ???? from 歪"]
    assert scene.view(2).seats[1].melds[0].cards == bytes((HIDDEN,)) * 4
    assert scene.view(1).seats[1].melds[0].cards == bytes((3,)) * 4
    drawn = dark({1: "九"}, melds={1: "歪 三三三"}, wall="三").draw(1).do(1, "溜 三")
    assert drawn.sees(0) == ["1 溜 ???? from 歪"]


def test_without_the_option_draws_wai_and_liu_are_open() -> None:
    """G17: a 歪 shows its face to all."""
    scene = Scene({1: "三三 九"}, wall="三").draw(1)
    assert scene.sees(2)[-1] == "1 draws 三"
    assert scene.do(1, "歪").sees(2) == ["1 歪 三三三"]


def first_discard(hands: dict[int, str]) -> Scene:
    """The dealer's first discard, 九."""
    return Scene(hands, wall="一 伍 一 九").open_round().do(0, "出 九")


def test_who_is_ready_after_the_first_discard_is_noted() -> None:
    """G26: any seat, the dealer with what it kept."""
    scene = first_discard({0: READY + "九", 1: READY, 2: "一 五 九"})
    assert [scene.state.marks[seat][Seat.BAO_TING] for seat in range(3)] == [1, 1, 0]


def test_a_discard_ends_bao_ting_and_a_liu_does_not() -> None:
    """G26: 溜 does not break it."""
    scene = Scene({1: READY}).mark(1, Seat.BAO_TING).discard(1, "玖")
    assert scene.state.marks[1][Seat.BAO_TING] == 0
    liu = Scene({1: READY}, wall="肆").mark(1, Seat.BAO_TING).draw(1).do(1, "溜 肆")
    assert liu.state.marks[1][Seat.BAO_TING] == 1


def test_bao_ting_and_hai_di_multiply_the_win() -> None:
    """G25, G26, G27: the state's facts reach the sheet."""
    for wall, ready, factor in (("玖 九", False, 1), ("玖", False, 4), ("玖", True, 16)):
        scene = Scene({1: READY}, wall=wall)
        if ready:
            scene.mark(1, Seat.BAO_TING)
        state = scene.draw(1).do(1, "胡").state
        sheet = VARIANT.score(VARIANT.hand_spec(state, Options()))
        assert sheet.values["factor"] == factor
        assert sheet.deltas[1] == 2 * sheet.values["payer_amount"] == 42 * factor


def test_bao_ting_can_be_what_a_small_hu_needs() -> None:
    """G26, G30: offered only to the seat that is ready from the start."""
    plain = "二七十二七十贰柒拾贰柒拾 三四四五六八八"
    scene = Scene({1: plain}, wall="五 九", small_hu_extra=True)
    assert "胡" not in scene.draw(2).asked(1)
    ready = Scene({1: plain}, wall="五 九", small_hu_extra=True).mark(1, Seat.BAO_TING).draw(2)
    assert "胡" in ready.asked(1)


def test_hai_di_can_be_what_a_small_hu_needs() -> None:
    """G27, G30: on the last card the same hand may win."""
    plain = "二七十二七十贰柒拾贰柒拾 三四四五六八八"
    for wall, offered in (("五 九", False), ("五", True)):
        scene = Scene({1: plain}, wall=wall, small_hu_extra=True).draw(2)
        assert ("胡" in scene.asked(1)) is offered


def test_the_last_card_may_be_claimed_then_the_round_is_drawn() -> None:
    """G27, G31: 流局 when somebody would have to draw."""
    scene = Scene({1: "一二 九"}, wall="三").draw(0)
    assert scene.state.regs[Reg.LAST_CARD] == 1
    scene = scene.do(1, "吃 一二三").do(1, "出 九").advance()
    assert scene.state.outcome == Outcome.LIU_JU
    sheet = VARIANT.score(VARIANT.hand_spec(scene.state, Options()))
    assert (sheet.win_kind, sheet.deltas) == ("liu_ju", (0, 0, 0))
