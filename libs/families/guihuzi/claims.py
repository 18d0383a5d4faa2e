"""An open card and who may take it: offers, the window, taking, passing (G5-G15, G18)."""

from collections.abc import Callable

from libs.families.guihuzi.closing import (
    chi_groups,
    closed_by_pass,
    grey_after_chi,
    grey_after_peng,
)
from libs.families.guihuzi.play import (
    completes,
    drawer_choices,
    hand_over,
    meld_index,
    source_of,
    win,
)
from libs.families.guihuzi.slots import Phase, Reg, Seat
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, Verb, decode, encode
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.state import Open, OpenKind, Prompt
from libs.game.window import Claim, close, winner

Take = Callable[[Table, Claim, Open], None]

RANKS = {Verb.LIU: 1, Verb.WAI: 1, Verb.PIAO: 1, Verb.HU: 2, Verb.PENG: 3, Verb.CHI: 4}
"""G6."""


def offer(table: Table) -> None:
    """A card lies open for all: asks every seat that may choose (G6, Z8).

    A 吃 that the drawer has answered already (G17) takes nothing out of the others' questions, so
    that they do not tell of it.
    """
    state = table.state
    card = state.open
    assert card is not None
    skipped = card.kind == OpenKind.DISCARDED or state.regs[Reg.ASKED_ALONE]
    for step in range(int(skipped), state.players):
        ask(table, state.seat_after(card.seat, step), card)
    table.go(Phase.WINDOW)


def ask(table: Table, seat: int, card: Open) -> None:
    """Asks one seat, if it may choose anything; a timeout passes, 托管 takes a 胡 (M5)."""
    choices = _choices(table, seat, card)
    if choices:
        passing = len(choices)
        auto = 0 if choices[0][0] == Verb.HU else passing
        table.ask(seat, PromptClass.CLAIM, (*choices, PASS), (passing, auto))


def _choices(table: Table, seat: int, card: Open) -> list[bytes]:
    """What the seat may choose, 胡 first; without 过. A dead hand has no choice (G16)."""
    marks = table.state.marks[seat]
    if marks[Seat.SI_SHOU]:
        return []
    hu = completes(table, seat, card.card, source_of(card, seat))
    choices = [encode(Action(HU, card.card))] if hu else []
    own_draw = seat == card.seat
    if own_draw:
        choices += drawer_choices(table, seat, card.card)
    elif _may_peng(table, seat, card.card):
        choices.append(encode(Action(Verb.PENG, card.card)))
    if (own_draw or seat == table.state.seat_after(card.seat)) and _may_chi(table, seat, card.card):
        groups = chi_groups(table.state.hands[seat], card.card)
        choices += [encode(Action(Verb.CHI, card.card, (group,))) for group in groups]
    return choices


def _may_peng(table: Table, seat: int, card: int) -> bool:
    """A pair or three in hand and another seat's card (G7), not passed before (G8, G14)."""
    state = table.state
    return state.hands[seat][card] >= 2 and not state.marks[seat][Seat.PENG_CLOSED] >> card & 1


def _may_chi(table: Table, seat: int, card: int) -> bool:
    """The face is not closed (G14) and was not discarded by the seat itself (G15)."""
    state = table.state
    barred = state.marks[seat][Seat.CHI_CLOSED] | state.discarded[seat]
    return not barred >> card & 1


def window(table: Table) -> None:
    """Waits until the outcome is certain, then gives the card to the claim that won (Z8)."""
    certain, top = winner(table)
    if not certain:
        table.stop()
        return
    card = table.state.open
    assert card is not None
    for prompt, passed in close(table, top):
        if passed:
            count_pass(table, prompt, card.card)
    if table.state.forced:
        table.emit(ev.Forced(-1, b""))
    if top:
        take(table, top, card)
    else:
        hand_over(table, table.state.seat_after(card.seat), Phase.DRAW)


def count_pass(table: Table, prompt: Prompt, card: int) -> None:
    """What a question closes whose answer counts as a pass of something (G8, G9, G14, Z8a)."""
    offered = {choice[0] for choice in prompt.choices}
    answer = prompt.choices[prompt.answer][0] if prompt.answer >= 0 else Verb.PASS
    if answer not in (Verb.CHI, Verb.PASS):
        return
    if Verb.WAI in offered:
        _close(table, prompt.seat, Seat.WAI_CLOSED, 1 << card)
    if Verb.PENG in offered or (answer == Verb.PASS and Verb.CHI in offered):
        _close(table, prompt.seat, Seat.PENG_CLOSED, 1 << card)
    if answer == Verb.PASS and Verb.CHI in offered:
        mask = closed_by_pass(table.state.hands[prompt.seat], card)
        _close(table, prompt.seat, Seat.CHI_CLOSED, mask)
    elif answer == Verb.PASS and Verb.PENG in offered:
        _close(table, prompt.seat, Seat.CHI_CLOSED, 1 << card)


def _close(table: Table, seat: int, slot: Seat, mask: int) -> None:
    table.note(seat, slot, table.state.marks[seat][slot] | mask)


def take(table: Table, claim: Claim, card: Open) -> None:
    """The claim that won happens."""
    if claim.action[0] == Verb.HU:
        win(table, claim.seat, source_of(card, claim.seat))
    else:
        _TAKE[Verb(claim.action[0])](table, claim, card)


def _claimed(kind: MeldKind, cards: bytes, card: Open) -> Meld:
    return Meld(kind, cards, card.card, card.seat, card.kind == OpenKind.DISCARDED)


def _take_peng(table: Table, claim: Claim, card: Open) -> None:
    """碰; a card of the face left in hand goes grey (G7, G13)."""
    meld = _claimed(MeldKind.PENG, bytes((card.card,)) * 3, card)
    table.emit(ev.Melded(claim.seat, meld, -1, 1, ()))
    grey = grey_after_peng(table.state.hands[claim.seat], card.card)
    _close(table, claim.seat, Seat.GREY, grey)
    hand_over(table, claim.seat, Phase.DISCARD)


def _take_chi(table: Table, claim: Claim, card: Open) -> None:
    """吃; faces at either end go grey (G12, G13)."""
    group = decode(claim.action).groups[0]
    table.emit(ev.Melded(claim.seat, _claimed(MeldKind.CHI, group, card), -1, 1, ()))
    grey = grey_after_chi(table.state.hands[claim.seat], card.card, group)
    _close(table, claim.seat, Seat.GREY, grey)
    hand_over(table, claim.seat, Phase.DISCARD)


def _take_wai(table: Table, claim: Claim, card: Open) -> None:
    """歪, then a discard; with three in hand one card is kept (G9)."""
    meld = _claimed(MeldKind.WAI, bytes((card.card,)) * 3, card)
    table.emit(ev.Melded(claim.seat, meld, -1, 1, ()))
    hand_over(table, claim.seat, Phase.DISCARD)


def _take_four(kind: MeldKind, from_kind: MeldKind) -> Take:
    """溜 or 飘, from the hand or an own meld; no discard follows (G5, G10, G11)."""

    def laying(table: Table, claim: Claim, card: Open) -> None:
        melds = table.state.melds[claim.seat]
        at = meld_index(melds, card.card, from_kind)
        four = _claimed(kind, bytes((card.card,)) * 4, card)
        if at >= 0:
            four = four._replace(steps=(from_kind,))
        table.emit(ev.Melded(claim.seat, four, at, 1, ()))
        hand_over(table, table.state.seat_after(claim.seat), Phase.DRAW)

    return laying


_TAKE: dict[Verb, Take] = {
    Verb.PENG: _take_peng, Verb.CHI: _take_chi, Verb.WAI: _take_wai,
    Verb.LIU: _take_four(MeldKind.LIU, MeldKind.WAI),
    Verb.PIAO: _take_four(MeldKind.PIAO, MeldKind.PENG),
}  # fmt: skip
