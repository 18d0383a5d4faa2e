"""听牌 hints of a seat that has been asked: only what it may discard, and what that is worth."""

from libs.families.guihuzi.slots import Reg, Seat
from libs.game.cards import show
from libs.game.codec import encode_state
from services.rules_engine.hints import Hints, seated
from tests.game.guihuzi_kit import READY, REGISTRY, Scene


def _hints(scene: Scene, seat: int) -> Hints:
    return seated(REGISTRY, encode_state(scene.state), seat)


def _faces(found: Hints) -> str:
    return show([face for face, _ in found.discards])


def _amount(found: Hints) -> int:
    """What the own draw of a 柒 pays after the first discard listed."""
    (wait,) = [wait for wait in found.discards[0][1] if show([wait.card]) == "柒"]
    return wait.worth[0].amount


def test_grey_faces_are_no_discards() -> None:
    """G13: 九 would leave the hand ready, but may not be discarded."""
    hand = {1: READY + " 九"}
    free = Scene(hand).turn(1)
    assert "九" in _faces(_hints(free, 1))
    grey = Scene(hand).mark(1, Seat.GREY, "九").turn(1)
    assert _faces(_hints(grey, 1)) == _faces(_hints(free, 1)).replace("九", "")
    assert not _hints(free, 2).discards


def test_bao_ting_is_lost_by_the_discard() -> None:
    """G26: in its turn a seat is not told of a 报听 that the discard ends."""
    scene = Scene({1: READY + " 九"}).mark(1, Seat.BAO_TING).mark(1, Seat.GREY, "六八").turn(1)
    assert scene.state.regs[Reg.FIRST] == 1
    plain = _amount(_hints(scene, 1))
    assert plain > 0
    first = Scene({0: READY + " 九"}).mark(0, Seat.GREY, "六八").open_round()
    assert _amount(_hints(first, 0)) == 4 * plain
