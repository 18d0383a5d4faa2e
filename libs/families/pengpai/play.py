"""What a variant of the family decides about play, and questions that several phases ask."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from libs.families.pengpai.hand import Held
from libs.families.pengpai.judge import Scoring, may_win
from libs.families.pengpai.result import facts, priced
from libs.families.pengpai.slots import Phase, Reg, Seat
from libs.game import events as ev
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource
from libs.game.state import Outcome, State

FOUR_KINDS = (MeldKind.AN_GANG, MeldKind.AN_GANG_YUAN, MeldKind.MING_GANG)
AN_GANGS = (MeldKind.AN_GANG, MeldKind.AN_GANG_YUAN)


@dataclass(frozen=True)
class Play:
    """A variant's differences in play; all its other numbers are in `scoring`."""

    scoring: Callable[[Any], Scoring]
    """options → how the room scores, legality included."""
    flower: int
    """The card that is set aside and replaced (J1); 0: none."""
    reserve: int
    """Cards that stay in the wall for 海捞 (J32); 0: no 海捞."""
    declarations: bool
    """直听 and 报六碰 exist (J30, J31)."""
    declined_is_later: bool
    """A dealt four that was passed once is 后补 from then on (J5)."""
    hidden_an_gang: bool
    """A 暗杠 shows no face to the others (X4), else one (J8)."""
    visible_discards: Callable[[Any], int]
    """options → newest cards of another seat's pile that a seat sees (J11); 0: all."""


def play_of(table: Table) -> Play:
    """The variant's record."""
    play: Play = table.variant.play
    return play


def hand_over(table: Table, seat: int, phase: Phase) -> None:
    """The flow goes on with `seat` in `phase`."""
    table.keep(Reg.ACTOR, seat)
    table.go(phase)


def held_by(table: Table, seat: int, less: int = 0) -> Held:
    """The seat's hand, without one card of the face `less`."""
    state = table.state
    counts = bytearray(state.hands[seat])
    if less:
        counts[less] -= 1
    return Held(bytes(counts), priced(state.melds[seat]), facts(state, seat))


def wins_with(table: Table, seat: int, card: int, source: WinSource) -> bool:
    """Whether the seat could 胡 with a card (0: with what it was dealt); its own draw lies in
    its hand already (J13, J26, J31, X18)."""
    held = held_by(table, seat, card if source is WinSource.OWN_DRAW else 0)
    return may_win(held, card, source, play_of(table).scoring(table.options))


def win(table: Table, seat: int, card: int, source: WinSource) -> None:
    """The seat wins and the round ends."""
    by = -1 if source is WinSource.DEAL else seat
    if source is WinSource.DISCARD:
        assert table.state.open is not None
        by = table.state.open.seat
    table.emit(ev.Won(seat, card, source, by, 0, 0))
    table.emit(ev.Ended(Outcome.WIN))


def reopen(table: Table, seat: int) -> None:
    """An own draw, 碰 or 杠 ends 弃碰 and 弃胡 (J10)."""
    table.note(seat, Seat.PENG_CLOSED, 0)
    table.note(seat, Seat.HU_CLOSED, 0)


def set_aside(table: Table, seat: int) -> bool:
    """Sets one 大王 aside if the seat has one (J1, J4)."""
    flower = play_of(table).flower
    if not table.state.hands[seat][flower]:
        return False
    table.emit(ev.FlowerSet(seat, flower))
    table.keep(Reg.LAST, 0)
    return True


def draw_card(table: Table, seat: int, tail: int) -> None:
    """One card into the hand: from the head in turn, from the tail as a replacement (J4)."""
    card = table.state.wall[-1 if tail else 0]
    table.emit(ev.Drew(seat, card, 1, tail, tail, 1 << seat))
    table.keep(Reg.LAST, card)
    reopen(table, seat)


def replace(table: Table, seat: int, cards: int = 1) -> bool:
    """Draws what is due after a 杠 or a 大王; a 大王 that comes is replaced too (J7, J8, X8).

    False: the wall holds no more than the reserve and something due was not drawn (J32).
    """
    state, reserve = table.state, play_of(table).reserve
    while cards:
        if len(state.wall) <= reserve:
            return False
        draw_card(table, seat, 1)
        cards -= not set_aside(table, seat)
    return True


def gang_at(melds: list[Meld], face: int, kinds: tuple[MeldKind, ...], size: int) -> int:
    """Index of the own meld of so many cards of the face; -1: none."""
    for at, meld in enumerate(melds):
        if meld.kind in kinds and len(meld.cards) == size and meld.cards[0] == face:
            return at
    return -1


def may_replace(table: Table, cards: int = 1) -> bool:
    """Whether a 杠 that needs so many replacements may be laid (X6); with a reserve the ones
    that cannot be drawn are left out (J32)."""
    return play_of(table).reserve > 0 or len(table.state.wall) >= cards


def after_laying(table: Table, seat: int) -> Phase:
    """The phase after a meld with a discard due: 报六碰 is asked first, once (J31)."""
    state = table.state
    if not play_of(table).declarations or state.marks[seat][Seat.BAO_ASKED]:
        return Phase.OWN_TURN
    asked = len(state.melds[seat]) == SIX and sum(state.hands[seat]) == FIVE
    return Phase.BAO_LIU_PENG if asked else Phase.OWN_TURN


SIX, FIVE = 6, 5
"""Melds laid and cards held when 报六碰 is asked (J31)."""


def next_dealer(state: State) -> int:
    """The next seat deals every round, after a 流局 too; a void round is dealt again (J3)."""
    if state.outcome == Outcome.VOID:
        return state.dealer
    return state.seat_after(state.dealer)
