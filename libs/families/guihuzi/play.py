"""What a variant of the family decides about play, and questions that several phases ask."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from libs.families.guihuzi.score import Occasion, Scoring, judge
from libs.families.guihuzi.slots import Phase, Reg, Seat
from libs.families.guihuzi.split import Concealed, can_win
from libs.game import events as ev
from libs.game.actions import Action, Verb, encode
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import Win, WinSource
from libs.game.state import ALL_SEATS, Open, OpenKind, Outcome, State


@dataclass(frozen=True)
class Play:
    """A variant's differences in play."""

    scoring: Callable[[Any], Scoring]
    """options → how the room scores, legality included."""


def scoring_of(table: Table) -> Scoring:
    """How this room scores; looked up once for each input."""
    scoring: Scoring | None = table.kept
    if scoring is None:
        play: Play = table.variant.play
        scoring = table.kept = play.scoring(table.options)
    return scoring


def hand_of(table: Table, seat: int) -> Concealed:
    """What a seat holds."""
    return Concealed(bytes(table.state.hands[seat]), table.state.melds[seat])


def meld_index(melds: Sequence[Meld], card: int, kind: MeldKind) -> int:
    """Index of the meld of that kind and card; -1: none."""
    for at, meld in enumerate(melds):
        if meld.kind == kind and meld.cards[0] == card:
            return at
    return -1


def source_of(card: Open, seat: int) -> WinSource:
    """Where the open card comes from for this seat."""
    if card.kind == OpenKind.DISCARDED:
        return WinSource.DISCARD
    return WinSource.OWN_DRAW if seat == card.seat else WinSource.OTHER_DRAW


def completes(table: Table, seat: int, card: int, source: WinSource) -> bool:
    """Whether the seat could 胡 with the card; 0 is its whole deal (G16, G18, G19, G21, G30)."""
    state = table.state
    marks = state.marks[seat]
    if source is WinSource.DISCARD or marks[Seat.SI_SHOU]:
        return False
    scoring, hand = scoring_of(table), hand_of(table, seat)
    if not can_win(hand, card, scoring.hand):
        return False
    if not scoring.extra_up_to:
        return True
    win = Win(seat, card, source, last_card=state.regs[Reg.LAST_CARD] == 1)
    occasion = Occasion(hand, win, seat == state.dealer, marks[Seat.BAO_TING] == 1)
    return not judge(occasion, scoring).reason


def can_wai(table: Table, seat: int, card: int) -> bool:
    """A pair or three in hand and the own draw, not declined before (G9)."""
    state = table.state
    closed = state.marks[seat][Seat.WAI_CLOSED] >> card & 1
    return state.hands[seat][card] >= 2 and not closed


def can_liu(table: Table, seat: int, card: int) -> bool:
    """Three in hand, or an own 歪, and the own draw (G10)."""
    state = table.state
    return state.hands[seat][card] == 3 or meld_index(state.melds[seat], card, MeldKind.WAI) >= 0


def drawer_choices(table: Table, seat: int, card: int) -> list[bytes]:
    """溜, 歪 and 飘: the drawer's alone (G6, G9, G10, G11)."""
    choices = []
    if can_liu(table, seat, card):
        choices.append(encode(Action(Verb.LIU, card)))
    if can_wai(table, seat, card):
        choices.append(encode(Action(Verb.WAI, card)))
    if meld_index(table.state.melds[seat], card, MeldKind.PENG) >= 0:
        choices.append(encode(Action(Verb.PIAO, card)))
    return choices


def hand_over(table: Table, seat: int, phase: Phase) -> None:
    """The flow goes on with `seat` in `phase`."""
    table.keep(Reg.ACTOR, seat)
    table.go(phase)


def turn_up(table: Table) -> None:
    """A card that lies face down is shown to all (G17)."""
    card = table.state.open
    if card and card.seen != ALL_SEATS:
        table.emit(ev.Shown(card.seat, card.card))


def win(table: Table, seat: int, source: WinSource) -> None:
    """The seat wins with the open card, or on the deal, and the round ends."""
    state = table.state
    turn_up(table)
    card, by = (state.open.card, state.open.seat) if state.open else (0, -1)
    last = int(state.open is not None and state.regs[Reg.LAST_CARD] == 1)
    table.emit(ev.Won(seat, card, source, by, last, 0))
    table.emit(ev.Ended(Outcome.WIN))


def next_dealer(state: State) -> int:
    """Who deals next: the winner; after a 流局 the next seat; after a void round the same (G2,
    G31)."""
    if state.win:
        return state.win.seat
    return state.seat_after(state.dealer) if state.outcome == Outcome.LIU_JU else state.dealer
