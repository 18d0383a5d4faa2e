"""What a variant of the family decides about play, and questions that several phases ask."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from libs.families.paohuzi.score import Scoring
from libs.families.paohuzi.slots import Phase, Reg, Seat
from libs.families.paohuzi.split import Arrival, Way, can_win
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, encode
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource
from libs.game.state import Outcome, State

FOURS = (MeldKind.PAO, MeldKind.TI)
WEIS = (MeldKind.WEI, MeldKind.CHOU_WEI)
# Looking a member up in its enum costs a quarter of a microsecond: hot ones are bound once.
_SI_SHOU = int(Seat.SI_SHOU)


@dataclass(frozen=True)
class Play:
    """A variant's differences in play; all its other numbers are in `scoring`."""

    scoring: Callable[[Any], Scoring]
    """options → how the room scores, legality included."""
    join_first: bool
    """The 亮张 joins the hand before the dealer's start 提 (Q3), else after (L3)."""
    chong_allowed: Callable[[Table, int, int], bool]
    """(table, seat, card) → the seat may discard a face another holds as 偎 (L7, Q7)."""
    chong_reason: str
    """Reason code of a refused 冲招; names no holder."""
    draws_again: bool
    """After a 流局 the same seat deals (Q2), else its 下家 (L2)."""


def play_of(table: Table) -> Play:
    """The variant's record."""
    play: Play = table.variant.play
    return play


def rules_of(table: Table) -> Scoring:
    """How this room scores; looked up once for each input."""
    scoring: Scoring | None = table.kept
    if scoring is None:
        scoring = table.kept = play_of(table).scoring(table.options)
    return scoring


def meld_index(melds: Sequence[Meld], card: int, kinds: Sequence[MeldKind]) -> int:
    """Index of the meld of `card` that is one of `kinds`; -1: none."""
    for at, (kind, cards, *_) in enumerate(melds):
        if cards[0] == card and kind in kinds:
            return at
    return -1


def fours(melds: Sequence[Meld]) -> int:
    """Number of 跑 and 提 (Z20)."""
    return sum(meld.kind in FOURS for meld in melds)


def discards(hand: Sequence[int]) -> list[int]:
    """Faces that may be discarded: no 坎 (Z6)."""
    return [face for face, n in enumerate(hand) if 0 < n < 3]


def completes(table: Table, seat: int, card: int, way: Way) -> bool:
    """Whether the seat could 胡 with the card (Z22, Z23, L5, Q5)."""
    state = table.state
    if state.marks[seat][_SI_SHOU]:
        return False
    hand = bytes(state.hands[seat])
    return can_win(hand, state.melds[seat], Arrival(card, way), rules_of(table).hand)


def takes_hu(table: Table, discard: bool) -> bool:
    """Whether every 胡 of this kind is taken automatically (Z33)."""
    policy = table.options.hu_policy
    return policy == "must_hu" or (discard and policy == "must_hu_discard")


def ask_hu(table: Table, seat: int, card: int) -> None:
    """Offers a 胡 by itself (L4, Q4, Z28)."""
    hu = encode(Action(HU, card))
    table.ask(seat, PromptClass.CLAIM, (hu, PASS), (1, 0))
    table.stop()


def hand_over(table: Table, seat: int, phase: Phase) -> None:
    """The flow goes on with `seat` in `phase`."""
    table.keep(Reg.ACTOR, seat)
    table.go(phase)


def win(table: Table, seat: int, card: int, source: WinSource) -> None:
    """The seat wins: the 醒 face is found (Z31, Q11) and the round ends."""
    state = table.state
    by = state.open.seat if state.open else seat
    on_deal = source in (WinSource.LIANG_ZHANG, WinSource.DEAL)
    drawn = source in (WinSource.OWN_DRAW, WinSource.OTHER_DRAW)
    last = int(drawn and state.regs[Reg.LAST_CARD] == 1)
    first = int(source == WinSource.DISCARD and state.regs[Reg.FIRST] == 1)
    table.emit(ev.Won(seat, card, source, state.dealer if on_deal else by, last, first))
    xing = table.options.xing
    if xing == "fan_xing" and state.wall:
        table.emit(ev.Xing(state.wall[0], 1))
    elif xing != "none":
        table.emit(ev.Xing(card, 0))
    table.emit(ev.Ended(Outcome.WIN))


def next_dealer(play: Play) -> Callable[[State], int]:
    """Who deals next: the winner; after a 流局 as `draws_again` says; after a void round the
    same seat (L2, Q2)."""

    def of(state: State) -> int:
        if state.win:
            return state.win.seat
        if state.outcome == Outcome.LIU_JU and not play.draws_again:
            return state.seat_after(state.dealer)
        return state.dealer

    return of
