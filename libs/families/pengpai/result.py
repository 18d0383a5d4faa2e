"""From a state to what the score depends on: hands, melds as they are priced, facts."""

from collections.abc import Sequence
from typing import Any

from libs.families.pengpai.hand import (
    ANNOUNCED,
    BAO_LIU_PENG,
    DECLINED,
    FLOWERS,
    HAI_LAO,
    NOT_ASKED,
    ZHI_TING,
)
from libs.families.pengpai.slots import Reg, Seat
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.game.state import State

HU_CLOSED = "hu_closed"
"""Fact of a running round: 弃胡 bars the seat from winning on a discard now (J10)."""


def facts(state: State, seat: int) -> dict[str, int]:
    """The facts of `hand`, and whether 弃胡 holds (J10, J20, J30, J31, J32)."""
    marks = state.marks[seat]
    bao = NOT_ASKED
    if marks[Seat.BAO_LIU_PENG]:
        bao = ANNOUNCED
    elif marks[Seat.BAO_ASKED]:
        bao = DECLINED
    return {
        FLOWERS: len(state.flowers[seat]),
        ZHI_TING: marks[Seat.ZHI_TING],
        BAO_LIU_PENG: bao,
        HAI_LAO: int(state.regs[Reg.HAI_LAO] > 0),
        HU_CLOSED: int(marks[Seat.HU_CLOSED] > 0),
    }


def priced(melds: Sequence[Meld]) -> tuple[Meld, ...]:
    """Melds as the score names them (X8).

    On the table every five-card 暗杠 has one step, so that its hidden form has one size (X4):
    its kind tells whether all five are 原起, its step whether four are.
    """
    return tuple([_five(meld) if len(meld.cards) == 5 else meld for meld in melds])


def _five(meld: Meld) -> Meld:
    if meld.kind == MeldKind.AN_GANG_YUAN:
        return meld._replace(steps=())
    if meld.kind == MeldKind.AN_GANG and meld.steps[0] == MeldKind.AN_GANG_YUAN:
        return meld._replace(kind=MeldKind.AN_GANG_YUAN)
    return meld


def hand_spec(state: State, options: Any) -> HandSpec:
    """Every seat's cards; the winner's as they were before the winning card came."""
    win = None
    hands = [list(hand) for hand in state.hands]
    if state.win:
        seat, card, source, by, _, _ = state.win
        win = Win(seat, card, WinSource(source), by)
        hands[seat][card] -= source == WinSource.OWN_DRAW
    seats = tuple(
        SeatHand(tuple(hands[seat]), priced(state.melds[seat]), facts(state, seat))
        for seat in range(state.players)
    )
    return HandSpec(
        options, state.players, state.dealer, seats, win, state.wall[0] if state.wall else 0
    )
