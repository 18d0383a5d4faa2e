"""A discard and who may take it: 胡, then 碰 and 杠; what a pass closes (J9, J10, X5, X8)."""

from libs.families.pengpai import gang
from libs.families.pengpai.own_turn import after_gang
from libs.families.pengpai.play import after_laying, hand_over, reopen, win, wins_with
from libs.families.pengpai.slots import Phase, Reg, Seat, Turn
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, Verb, encode
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource
from libs.game.state import Open, Prompt
from libs.game.window import Claim, close, winner

RANKS = {Verb.HU: 1, Verb.PENG: 2, Verb.ZHI_GANG: 2}
"""胡 > 碰, 杠 (J9)."""


def offer(table: Table) -> None:
    """Asks every other seat that may take the discard, all together (J9)."""
    state = table.state
    card = state.open
    assert card is not None
    for step in range(1, state.players):
        seat = state.seat_after(card.seat, step)
        choices = _choices(table, seat, card)
        if choices:
            last = len(choices)
            auto = 0 if choices[0][0] == HU else last
            table.ask(seat, PromptClass.CLAIM, (*choices, PASS), (last, auto))
    table.go(Phase.WINDOW)


def _choices(table: Table, seat: int, card: Open) -> list[bytes]:
    """What the seat may take, best first; without 过."""
    state = table.state
    marks, face = state.marks[seat], card.card
    choices = []
    if not marks[Seat.HU_CLOSED] and wins_with(table, seat, face, WinSource.DISCARD):
        choices.append(encode(Action(HU, face)))
    if marks[Seat.ZHI_TING] or marks[Seat.PENG_CLOSED] >> face & 1:
        return choices
    if gang.zhi_gang(table, seat):
        choices.append(encode(Action(Verb.ZHI_GANG, face)))
    if state.hands[seat][face] >= 2:
        choices.append(encode(Action(Verb.PENG, face)))
    return choices


def window(table: Table) -> None:
    """Waits until the outcome is certain, then gives the card to the claim that won (J9)."""
    certain, top = winner(table)
    if not certain:
        table.stop()
        return
    card = table.state.open
    assert card is not None
    won = top is not None and top.action[0] == HU
    for prompt, passed in close(table, top):
        if passed and not won:
            _count_pass(table, prompt, card.card)
    if top is None:
        hand_over(table, table.state.seat_after(card.seat), Phase.DRAW)
    else:
        TAKE[Verb(top.action[0])](table, top, card)


def _count_pass(table: Table, prompt: Prompt, face: int) -> None:
    """弃碰 closes the face, 弃胡 every discard, until the next own draw, 碰 or 杠 (J10)."""
    offered = {choice[0] for choice in prompt.choices}
    answer = prompt.choices[prompt.answer][0] if prompt.answer >= 0 else Verb.PASS
    marks = table.state.marks[prompt.seat]
    if offered & {Verb.PENG, Verb.ZHI_GANG} and answer not in (Verb.PENG, Verb.ZHI_GANG):
        table.note(prompt.seat, Seat.PENG_CLOSED, marks[Seat.PENG_CLOSED] | 1 << face)
    if HU in offered and answer != HU:
        table.note(prompt.seat, Seat.HU_CLOSED, 1 << face)


def _take_hu(table: Table, claim: Claim, card: Open) -> None:
    win(table, claim.seat, card.card, WinSource.DISCARD)


def _take_peng(table: Table, claim: Claim, card: Open) -> None:
    """碰: a discard without a draw, and no 杠 before it (J7)."""
    meld = Meld(MeldKind.PENG, bytes((card.card,)) * 3, card.card, card.seat, True)
    table.emit(ev.Melded(claim.seat, meld, -1, 1, ()))
    reopen(table, claim.seat)
    table.keep(Reg.TURN, Turn.CLAIMED)
    table.keep(Reg.LAST, 0)
    hand_over(table, claim.seat, after_laying(table, claim.seat))


def _take_gang(table: Table, claim: Claim, card: Open) -> None:
    """直杠, or the fifth card onto an own 杠, and its replacement (J8, X8)."""
    laid = gang.zhi_gang(table, claim.seat)
    assert laid is not None
    gang.lay(table, claim.seat, laid)
    table.keep(Reg.ACTOR, claim.seat)
    after_gang(table, claim.seat, laid.due)


TAKE = {Verb.HU: _take_hu, Verb.PENG: _take_peng, Verb.ZHI_GANG: _take_gang}
