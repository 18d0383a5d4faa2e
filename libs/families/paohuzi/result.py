"""From the state of a finished round to what its score depends on (Z24, Z28)."""

from typing import Any

from libs.families.paohuzi.slots import Reg
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.game.state import State


def hand_spec(state: State, options: Any) -> HandSpec:
    """The winner's hand as it was before the winning card came."""
    seats = [SeatHand(tuple(state.hands[s]), tuple(state.melds[s])) for s in range(state.players)]
    win = None
    if state.win:
        seat, card, source, by, last_card, first = state.win
        win = Win(seat, card, WinSource(source), by, bool(last_card), bool(first))
        seats[seat] = _before(state, win)
    wall_next = state.wall[0] if state.wall else 0
    return HandSpec(options, state.players, state.dealer, tuple(seats), win, wall_next)


def _before(state: State, win: Win) -> SeatHand:
    hand, melds = list(state.hands[win.seat]), list(state.melds[win.seat])
    if win.source == WinSource.OWN_DRAW and not state.open:
        _take_back(hand, melds, state.regs[Reg.LAID] - 1)
    elif win.source == WinSource.DEAL and hand[win.card]:
        hand[win.card] -= 1
    return SeatHand(tuple(hand), tuple(melds))


def _take_back(hand: list[int], melds: list[Meld], at: int) -> None:
    """Undoes the 偎 or 提 that took the winning card: it is judged as it came (Z24)."""
    laid = melds[at]
    if laid.steps:
        before = MeldKind(laid.steps[-1])
        melds[at] = Meld(before, laid.cards[1:], laid.cards[0], laid.source, False)
    else:
        del melds[at]
        hand[laid.cards[0]] += len(laid.cards) - 1
