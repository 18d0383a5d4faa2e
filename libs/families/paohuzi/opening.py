"""The opening: deal, 亮张, start 提, 胡 on the deal (Z2–Z4, L3, L4, Q3, Q4)."""

from libs.families.paohuzi.play import (
    ask_hu,
    completes,
    hand_over,
    play_of,
    rules_of,
    takes_hu,
    win,
)
from libs.families.paohuzi.slots import Phase, Reg
from libs.families.paohuzi.split import Way
from libs.game import events as ev
from libs.game.actions import PASS
from libs.game.flow import Table, close_single
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource

HAND = 20
"""Cards dealt to every seat (Z2)."""


def lay_start_ti(table: Table, seat: int) -> int:
    """Lays every start 提 of the seat, in face order, with the replacements of Z3.

    Returns the number of replacements drawn.
    """
    state = table.state
    hand = state.hands[seat]
    drawn = 0
    while 4 in hand:
        face = hand.index(4)
        table.emit(ev.Melded(seat, Meld(MeldKind.TI, bytes((face,)) * 4), -1, 0, ()))
        if len(state.melds[seat]) > 1:
            table.emit(ev.Drew(seat, state.wall[0], 1, 0, 1, 1 << seat))
            drawn += 1
    return drawn


def opening(table: Table) -> None:
    """Deals 20 cards to each seat from the dealer on, then shows the 亮张 (Z2, L3, Q3)."""
    state = table.state
    for step in range(state.players):
        table.emit(ev.Dealt(state.seat_after(state.dealer, step), state.wall[:HAND]))
    table.emit(ev.Shown(state.dealer, state.wall[0]))
    assert state.open is not None
    table.keep(Reg.LIANG_ZHANG, state.open.card)
    if play_of(table).join_first:
        hand_over(table, state.dealer, Phase.JOIN)
    else:
        lay_start_ti(table, state.dealer)
        hand_over(table, state.dealer, Phase.LIANG_ZHANG)


def liang_zhang(table: Table) -> None:
    """Asks one seat after another, the dealer first, whether it wins the 亮张 (L4)."""
    state = table.state
    seat, card = state.regs[Reg.ACTOR], state.regs[Reg.LIANG_ZHANG]
    prompt = table.prompt(seat)
    if prompt:
        if close_single(table, prompt) != PASS:
            win(table, seat, card, WinSource.LIANG_ZHANG)
        else:
            _next_asked(table, seat)
    elif not completes(table, seat, card, Way.FREE if seat == state.dealer else Way.OTHER_DRAW):
        _next_asked(table, seat)
    elif takes_hu(table, discard=False):
        win(table, seat, card, WinSource.LIANG_ZHANG)
    else:
        ask_hu(table, seat, card)


def _next_asked(table: Table, seat: int) -> None:
    """The seat to ask after this one; when all have been asked the card joins the hand."""
    state = table.state
    after = state.seat_after(seat)
    if after == state.dealer or not rules_of(table).idle_liang_zhang:
        hand_over(table, state.dealer, Phase.JOIN)
    else:
        table.keep(Reg.ACTOR, after)


def join(table: Table) -> None:
    """The 亮张 joins the dealer's hand as an ordinary card and may make a 提 (Z4, Q3).

    The dealer is offered 胡 if a replacement has changed its hand since it was asked (L4), or if
    it has not been asked at all (Q4). The pause before hides whether the 亮张 was declined (Z8).
    """
    if not play_of(table).join_first and table.paused():
        return
    state = table.state
    table.emit(ev.Joined(state.dealer, state.regs[Reg.LIANG_ZHANG]))
    drawn = lay_start_ti(table, state.dealer)
    again = drawn or play_of(table).join_first
    hand_over(table, state.dealer, Phase.DEAL_HU if again else Phase.DISCARD)


def deal_hu(table: Table) -> None:
    """The dealer may win with all it holds before its first discard (L4, Q4)."""
    state = table.state
    dealer, card = state.dealer, state.regs[Reg.LIANG_ZHANG]
    prompt = table.prompt(dealer)
    if prompt:
        took = close_single(table, prompt) != PASS
    elif not _complete_on_deal(table, card):
        took = False
    elif takes_hu(table, discard=False):
        took = True
    else:
        ask_hu(table, dealer, card)
        return
    if took:
        win(table, dealer, card, WinSource.DEAL)
    else:
        table.go(Phase.FIRST_TURN)


def first_turn(table: Table) -> None:
    """After the pause, as behind every question that others do not hear of (Z8)."""
    if not table.paused():
        table.go(Phase.DISCARD)


def _complete_on_deal(table: Table, card: int) -> bool:
    """Whether the dealer's hand is complete; the 亮张 is judged as the card that came last."""
    hand = table.state.hands[table.state.dealer]
    held = hand[card] > 0
    hand[card] -= held
    complete = completes(table, table.state.dealer, card, Way.DEAL)
    hand[card] += held
    return complete


def others_ti(table: Table) -> None:
    """After the dealer's first discard the other seats lay their start 提, in seat order (Z3)."""
    state = table.state
    for step in range(1, state.players):
        lay_start_ti(table, state.seat_after(state.dealer, step))
    if state.open:
        table.go(Phase.OFFER)
    else:
        table.keep(Reg.FIRST, 2)
        table.go(Phase.DRAW)
