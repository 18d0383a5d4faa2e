"""杠 laid in one's own turn or in the opening: what may be laid and how it lies (J5, J8, X8)."""

from typing import NamedTuple

from libs.families.pengpai.play import AN_GANGS, FOUR_KINDS, gang_at, may_replace, play_of
from libs.families.pengpai.slots import Seat
from libs.game import events as ev
from libs.game.actions import Action, Verb, encode
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind


class Laid(NamedTuple):
    """A 杠 to lay: the meld, the own meld it grows from (-1: none), replacements due, and whether
    it takes the open card."""

    meld: Meld
    replaces: int
    due: int
    takes: bool = False


def fours(table: Table, seat: int) -> list[int]:
    """Faces that the seat may lay as 暗杠 (J8, X6, X8)."""
    if not may_replace(table):
        return []
    return [face for face, n in enumerate(table.state.hands[seat]) if n >= 4]


def fifths(table: Table, seat: int, kinds: tuple[MeldKind, ...] = FOUR_KINDS) -> list[int]:
    """Faces in hand that go onto an own four-card 杠 (X8)."""
    state = table.state
    if not may_replace(table):
        return []
    hand, melds = state.hands[seat], state.melds[seat]
    return [m.cards[0] for m in melds if m.kind in kinds and len(m.cards) == 4 and hand[m.cards[0]]]


def offers(table: Table, seat: int) -> list[bytes]:
    """Every 杠 the seat may lay in its own turn, 暗杠 first (J7a, J8)."""
    state = table.state
    choices = [encode(Action(Verb.AN_GANG, face)) for face in fours(table, seat)]
    grows = fifths(table, seat)
    if may_replace(table):
        grows += [
            m.cards[0]
            for m in state.melds[seat]
            if m.kind == MeldKind.PENG and state.hands[seat][m.cards[0]]
        ]
    return choices + [encode(Action(Verb.BU_GANG, face)) for face in grows]


def an_gang(table: Table, seat: int, face: int, opening: bool) -> Laid:
    """A 暗杠: all of the face in hand, five if both replacements can be drawn (X8)."""
    held = table.state.hands[seat][face]
    size = 5 if held == 5 and may_replace(table, 2) else 4
    yuan = opening and _is_yuan(table, seat, face)
    four = MeldKind.AN_GANG_YUAN if yuan else MeldKind.AN_GANG
    cards = bytes((face,)) * size
    if size == 4:
        return Laid(Meld(four, cards), -1, 1)
    all_dealt = yuan and table.state.marks[seat][Seat.DEALT_FIVE] >> face & 1
    five = MeldKind.AN_GANG_YUAN if all_dealt else MeldKind.AN_GANG
    return Laid(Meld(five, cards, steps=(four,)), -1, 2)


def _is_yuan(table: Table, seat: int, face: int) -> bool:
    """原起 by cards: four of it were dealt, no 大王 has been replaced, not passed (J5, X3)."""
    marks = table.state.marks[seat]
    if play_of(table).declined_is_later and marks[Seat.DECLINED] >> face & 1:
        return False
    return bool(marks[Seat.DEALT_FOUR] >> face & 1) and not table.state.flowers[seat]


def bu_gang(table: Table, seat: int, face: int) -> Laid:
    """The fourth onto an own 碰, or the fifth onto an own 杠 (J8, X8); where its claimed card came
    from stays on it."""
    melds = table.state.melds[seat]
    at = gang_at(melds, face, FOUR_KINDS, 4)
    if at < 0:
        at = gang_at(melds, face, (MeldKind.PENG,), 3)
    old = melds[at]
    kind = MeldKind.AN_GANG if old.kind in AN_GANGS else MeldKind.MING_GANG
    cards, steps = old.cards + bytes((face,)), (*old.steps, old.kind)
    return Laid(old._replace(kind=kind, cards=cards, steps=steps), at, 1)


def zhi_gang(table: Table, seat: int) -> Laid | None:
    """The 杠 that the open discard makes, if it may be laid (J8, X6, X8)."""
    state = table.state
    card = state.open
    assert card is not None
    face, held = card.card, state.hands[seat][card.card]
    at = gang_at(state.melds[seat], face, FOUR_KINDS, 4)
    steps: tuple[MeldKind, ...] = ()
    if at >= 0:
        four = state.melds[seat][at]
        size, due, steps = 5, 1, (*four.steps, four.kind)
    elif held >= 3:
        size, due = held + 1, held - 2
    else:
        return None
    if not may_replace(table, due):
        return None
    cards = bytes((face,)) * size
    return Laid(Meld(MeldKind.MING_GANG, cards, face, card.seat, True, steps), at, due, True)


def lay(table: Table, seat: int, laid: Laid) -> None:
    """Lays it on the table."""
    table.emit(ev.Melded(seat, laid.meld, laid.replaces, int(laid.takes), ()))
