"""From the state of a round to what its score depends on."""

from typing import Any

from libs.families.guihuzi.slots import Seat
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.game.state import State


def hand_spec(state: State, options: Any) -> HandSpec:
    """The hands; the winning card still lies open, so no hand holds it."""
    seats = tuple(
        SeatHand(
            tuple(state.hands[seat]),
            tuple(state.melds[seat]),
            {"bao_ting": state.marks[seat][Seat.BAO_TING]},
        )
        for seat in range(state.players)
    )
    win = None
    if state.win:
        seat, card, source, by, last_card, _ = state.win
        win = Win(seat, card, WinSource(source), by, bool(last_card))
    wall_next = state.wall[0] if state.wall else 0
    return HandSpec(options, state.players, state.dealer, seats, win, wall_next)
