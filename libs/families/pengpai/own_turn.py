"""A seat's own turn: 胡, 杠 and discards in one question; 直听 plays itself (J7, J8, J30, J31)."""

from libs.families.pengpai import gang
from libs.families.pengpai.auto import pick_discard
from libs.families.pengpai.play import (
    after_laying,
    hand_over,
    held_by,
    reopen,
    replace,
    win,
    wins_with,
)
from libs.families.pengpai.shape import gang_keeps_waits, ready_discards
from libs.families.pengpai.slots import Phase, Reg, Seat, Turn
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, Verb, decode, encode
from libs.game.flow import Table, close_single
from libs.game.sheet import WinSource

BAO_LIU_PENG = encode(Action(Verb.BAO_LIU_PENG))
DISCARDS = tuple(encode(Action(Verb.DISCARD, card)) for card in range(56))


def bao_liu_peng(table: Table) -> None:
    """The sixth meld has left five cards: all piles open and only 全荤 wins, or not (J31)."""
    state = table.state
    seat = state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    if prompt is None:
        table.ask(seat, PromptClass.CLAIM, (BAO_LIU_PENG, PASS), (1, 1))
        table.stop()
        return
    announced = close_single(table, prompt) == BAO_LIU_PENG
    table.note(seat, Seat.BAO_ASKED, 1)
    if announced:
        table.emit(ev.Flagged(seat, Seat.BAO_LIU_PENG))
        table.emit(ev.PilesOpened())
    table.go(Phase.DEAL_HU if state.regs[Reg.TURN] == Turn.FIRST else Phase.OWN_TURN)


def own_turn(table: Table) -> None:
    """Asks the seat whose turn it is, and does what it chose (J7a)."""
    seat = table.state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    if prompt is None:
        if table.state.turn != seat:
            table.emit(ev.Turn(seat))
        _ask(table, seat)
        return
    verb, card, _ = decode(close_single(table, prompt))
    if verb == HU:
        win(table, seat, card, WinSource.OWN_DRAW)
    elif verb == Verb.DISCARD and _plays_itself(table, seat):
        table.go(Phase.PLAYS_ITSELF)
    elif verb == Verb.DISCARD:
        _discard(table, seat, card)
    else:
        _lay_gang(table, seat, verb, card)


def _ask(table: Table, seat: int) -> None:
    """One question: 胡, 杠, discards; a 直听 seat with nothing but its drawn card plays it.

    What a 直听 seat may choose beside that card is its secret, so its question is a claim: the
    deadline of a discard is told to all, and there is none when it is not asked (M4, Z8).
    """
    state = table.state
    turn, last = state.regs[Reg.TURN], state.regs[Reg.LAST]
    listening, alone = state.marks[seat][Seat.ZHI_TING], _plays_itself(table, seat)
    choices = []
    if turn == Turn.DRAWN:
        if wins_with(table, seat, last, WinSource.OWN_DRAW):
            choices.append(encode(Action(HU, last)))
        choices += _kept_gang(table, seat, last) if listening else gang.offers(table, seat)
    faces = _discards(table, seat)
    if alone and not choices:
        table.go(Phase.PLAYS_ITSELF)
        return
    pick = faces.index(pick_discard(state.hands[seat], faces))
    default = len(choices) + (faces.index(last) if last in faces else pick)
    hu = bool(choices) and choices[0][0] == HU
    auto = 0 if hu else len(choices) + pick
    choices += [DISCARDS[face] for face in faces]
    cls = PromptClass.CLAIM if alone else PromptClass.DISCARD
    table.ask(seat, cls, choices, (default, auto))
    table.stop()


def _plays_itself(table: Table, seat: int) -> bool:
    """Whether the seat's drawn card is discarded unless it wins with it or lays it (J30)."""
    state = table.state
    return state.regs[Reg.TURN] == Turn.DRAWN and bool(state.marks[seat][Seat.ZHI_TING])


def plays_itself(table: Table) -> None:
    """The drawn card of a 直听 seat, after the pause: at once would tell that it was not asked, or
    how soon it has declined (Z8, J30)."""
    if not table.paused():
        _discard(table, table.state.regs[Reg.ACTOR], table.state.regs[Reg.LAST])


def _kept_gang(table: Table, seat: int, last: int) -> list[bytes]:
    """The 暗杠 of the drawn card, if the winning faces stay the same (J30)."""
    if table.state.hands[seat][last] != 4:
        return []
    keeps = gang_keeps_waits(held_by(table, seat, last), last, table.variant.deck)
    return [encode(Action(Verb.AN_GANG, last))] if keeps else []


def _discards(table: Table, seat: int) -> list[int]:
    """Faces that may be discarded: with 直听 the drawn card only, or what keeps the dealer's
    hand ready (J30)."""
    state = table.state
    if state.marks[seat][Seat.ZHI_TING]:
        if state.regs[Reg.TURN] == Turn.FIRST:
            return list(ready_discards(held_by(table, seat), table.variant.deck))
        return [state.regs[Reg.LAST]]
    return [face for face, n in enumerate(state.hands[seat]) if n]


def _discard(table: Table, seat: int, card: int) -> None:
    table.emit(ev.Discarded(seat, card))
    table.go(Phase.OFFER)


def _lay_gang(table: Table, seat: int, verb: Verb, face: int) -> None:
    """A 杠 in one's own turn and its replacement (J8)."""
    an = verb == Verb.AN_GANG
    laid = gang.an_gang(table, seat, face, False) if an else gang.bu_gang(table, seat, face)
    gang.lay(table, seat, laid)
    after_gang(table, seat, laid.due)


def after_gang(table: Table, seat: int, due: int) -> None:
    """Draws what is due; the turn goes on with it, or ends because it cannot be drawn (J32)."""
    reopen(table, seat)
    if replace(table, seat, due):
        table.keep(Reg.TURN, Turn.DRAWN)
        hand_over(table, seat, after_laying(table, seat))
    else:
        no_turn(table, seat)


def no_turn(table: Table, seat: int) -> None:
    """No discard: the next seat begins 海捞 (J32)."""
    if table.state.turn >= 0:
        table.emit(ev.Turn(-1))
    hand_over(table, table.state.seat_after(seat), Phase.DRAW)
