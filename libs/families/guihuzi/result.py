"""From the state of a round to what its score depends on."""

from typing import Any

from libs.families.guihuzi.slots import Reg, Seat
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.game.state import State


def _bao_ting(state: State, seat: int) -> int:
    """Whether the seat has 报听, in its turn to discard: will have it if the discard leaves it
    ready. Only the dealer's first discard does not end it (G26)."""
    if state.turn == seat:
        return int(not state.regs[Reg.FIRST])
    return state.marks[seat][Seat.BAO_TING]


def hand_spec(state: State, options: Any) -> HandSpec:
    """The hands; the winning card still lies open, so no hand holds it."""
    seats = tuple(
        SeatHand(
            tuple(state.hands[seat]),
            tuple(state.melds[seat]),
            {"bao_ting": _bao_ting(state, seat)},
        )
        for seat in range(state.players)
    )
    win = None
    if state.win:
        seat, card, source, by, last_card, _ = state.win
        win = Win(seat, card, WinSource(source), by, bool(last_card))
    wall_next = state.wall[0] if state.wall else 0
    return HandSpec(options, state.players, state.dealer, seats, win, wall_next)
