"""The draw in turn, 海捞 and 流局 (J7, J12, J32, X6, X17)."""

from libs.families.pengpai.own_turn import no_turn
from libs.families.pengpai.play import (
    draw_card,
    hand_over,
    play_of,
    replace,
    set_aside,
    win,
    wins_with,
)
from libs.families.pengpai.slots import Phase, Reg, Turn
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, encode
from libs.game.flow import Table, close_single
from libs.game.sheet import WinSource
from libs.game.state import Outcome


def draw(table: Table) -> None:
    """The discard, if any, goes to its pile; the next seat draws and a 大王 is replaced (J7)."""
    if table.paused():
        return
    state = table.state
    seat = state.regs[Reg.ACTOR]
    if state.open:
        table.emit(ev.Unclaimed(state.open.seat, state.open.card, 0))
    if len(state.wall) <= play_of(table).reserve:
        _last_cards(table, seat)
        return
    draw_card(table, seat, 0)
    if set_aside(table, seat) and not replace(table, seat):
        no_turn(table, seat)
        return
    table.keep(Reg.TURN, Turn.DRAWN)
    table.go(Phase.OWN_TURN)


def _last_cards(table: Table, seat: int) -> None:
    """海捞 begins with the last three cards, or the empty wall ends the round (J32, X6)."""
    if play_of(table).reserve:
        table.emit(ev.HaiLaoStarted(seat))
        table.go(Phase.HAI_LAO)
    else:
        table.emit(ev.Ended(Outcome.LIU_JU))


def hai_lao(table: Table) -> None:
    """Everybody draws one card unseen and wins with it or is out (J32)."""
    state = table.state
    seat = state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    if prompt:
        if close_single(table, prompt) != PASS:
            win(table, seat, state.regs[Reg.LAST], WinSource.OWN_DRAW)
            return
    elif table.paused():
        return
    elif not state.wall:
        table.emit(ev.Ended(Outcome.LIU_JU))
        return
    else:
        table.keep(Reg.HAI_LAO, state.regs[Reg.HAI_LAO] + 1)
        draw_card(table, seat, 0)
        last = state.regs[Reg.LAST]
        if wins_with(table, seat, last, WinSource.OWN_DRAW):
            table.ask(seat, PromptClass.CLAIM, (encode(Action(HU, last)), PASS), (1, 0))
            table.stop()
            return
    hand_over(table, state.seat_after(seat), Phase.HAI_LAO)
