"""The draw, and with 暗歪溜 the question to the drawer alone (G5, G17, G27, G31)."""

from libs.families.guihuzi.claims import ask, count_pass, take
from libs.families.guihuzi.play import can_liu, can_wai, turn_up
from libs.families.guihuzi.slots import Phase, Reg, Seat
from libs.game import events as ev
from libs.game.actions import PASS, Verb
from libs.game.flow import Table, close_single
from libs.game.state import ALL_SEATS, OpenKind, Outcome
from libs.game.window import Claim, key


def draw(table: Table) -> None:
    """The open card, if any, goes to its pile; the next seat draws (G5, G27, Z8b)."""
    if table.paused():
        return
    state = table.state
    if state.open:
        drawn = int(state.open.kind == OpenKind.DRAWN)
        table.emit(ev.Unclaimed(state.open.seat, state.open.card, drawn))
    if not state.wall:
        table.emit(ev.Ended(Outcome.LIU_JU))
        return
    seat, card = state.regs[Reg.ACTOR], state.wall[0]
    table.keep(Reg.LAST_CARD, int(len(state.wall) == 1))
    alone = _asked_alone(table, seat, card)
    table.keep(Reg.ASKED_ALONE, int(alone))
    table.emit(ev.Drew(seat, card, 0, 0, 0, 1 << seat if alone else ALL_SEATS))
    table.go(Phase.DRAWER if alone else Phase.OFFER)


def _asked_alone(table: Table, seat: int, card: int) -> bool:
    """Whether the card lies face down until the drawer has answered: it could 歪 or 溜 (G17)."""
    if not table.options.an_wai_liu or table.state.marks[seat][Seat.SI_SHOU]:
        return False
    return can_wai(table, seat, card) or can_liu(table, seat, card)


def drawer(table: Table) -> None:
    """歪, 溜 and 胡 settle at once; else the card is shown, a 吃 stands, the others are asked."""
    card = table.state.open
    assert card is not None
    prompt = table.prompt(card.seat)
    if prompt is None:
        ask(table, card.seat, card)
        table.stop()
        return
    if prompt.answer < 0:
        table.stop()
        return
    choice = close_single(table, prompt)
    claim = Claim(card.seat, choice, key(table, card.seat, choice))
    if choice != PASS and choice[0] != Verb.CHI:
        take(table, claim, card)
        return
    count_pass(table, prompt, card.card)
    turn_up(table)
    if choice != PASS:
        table.emit(ev.Forced(card.seat, choice))
    table.go(Phase.OFFER)
