"""An open card and who may take it: forced claims, offers, the window (Z7–Z21, Z28)."""

from libs.families.paohuzi.chi import chi_options
from libs.families.paohuzi.play import (
    WEIS,
    completes,
    discards,
    fours,
    hand_over,
    meld_index,
    rules_of,
    takes_hu,
    win,
)
from libs.families.paohuzi.slots import Phase, Reg, Seat
from libs.families.paohuzi.split import Way
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, Verb, decode, encode
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource
from libs.game.state import Open, OpenKind, Prompt
from libs.game.window import NOTHING, Claim, best, close, key, winner

RANKS = {Verb.HU: 2, Verb.PAO: 3, Verb.PENG: 3, Verb.CHI: 4}
"""Z7; 提 and 偎 (rank 1) are laid before anybody is asked."""

# Looking a member up in its enum costs a quarter of a microsecond: hot ones are bound once.
_CLAIM, _WINDOW = PromptClass.CLAIM, Phase.WINDOW
_DRAWN, _DISCARDED = OpenKind.DRAWN, OpenKind.DISCARDED
_WAY_DISCARD, _WAY_OWN, _WAY_OTHER = Way.DISCARD, Way.OWN_DRAW, Way.OTHER_DRAW
_SI_SHOU, _BARRED, _CLOSED = int(Seat.SI_SHOU), int(Seat.BARRED), int(Seat.CLOSED)
_PENGS = (MeldKind.PENG,)
_PENG_ACTIONS = tuple(encode(Action(Verb.PENG, face)) for face in range(21))


def offer(table: Table) -> None:
    """A card lies open: finds the forced claim and asks every seat that may choose (Z8)."""
    card = table.state.open
    assert card is not None
    order = _asked_order(table, card)
    can_hu = [seat for seat in order if _may_hu(table, seat, card)]
    forced = _forced(table, card, order, can_hu)
    if forced:
        table.emit(ev.Forced(*forced))
    limit = key(table, *forced) if forced else NOTHING
    for seat in order:
        choices = _choices(table, seat, card, seat in can_hu)
        if choices and best(table, seat, choices) < limit:
            auto = 0 if seat in can_hu else len(choices)
            picks = (len(choices), auto)
            table.ask(seat, _CLAIM, (*choices, PASS), picks)
    table.go(_WINDOW)


def _asked_order(table: Table, card: Open) -> list[int]:
    """Seats in the order of Z7; a discarder has no claim on its own discard."""
    first = int(card.kind is _DISCARDED)
    players = table.state.players
    return [(card.seat + i) % players for i in range(first, players)]


def _way(card: Open, seat: int) -> Way:
    if card.kind is _DISCARDED:
        return _WAY_DISCARD
    return _WAY_OWN if seat == card.seat else _WAY_OTHER


def _may_hu(table: Table, seat: int, card: Open) -> bool:
    if card.kind is _DISCARDED and not rules_of(table).discard_wins:
        return False
    return completes(table, seat, card.card, _way(card, seat))


def _forced(
    table: Table, card: Open, order: list[int], can_hu: list[int]
) -> tuple[int, bytes] | None:
    """The claim nobody chooses: a 胡 that must be taken (Z33), else a 跑 (Z13)."""
    if can_hu and takes_hu(table, card.kind is _DISCARDED):
        return can_hu[0], encode(Action(HU, card.card))
    for seat in order:
        if _must_pao(table, seat, card):
            return seat, encode(Action(Verb.PAO, card.card))
    return None


def _must_pao(table: Table, seat: int, card: Open) -> bool:
    """Z13: (a) 坎 or own 偎 and another's card, (b) own 碰 and any drawn card."""
    state = table.state
    face = card.card
    melds = state.melds[seat]
    if seat != card.seat and (state.hands[seat][face] == 3 or meld_index(melds, face, WEIS) >= 0):
        return True
    return card.kind is _DRAWN and meld_index(melds, face, _PENGS) >= 0


def _choices(table: Table, seat: int, card: Open, may_hu: bool) -> list[bytes]:
    """What the seat may choose, best first (Z8), without 过: no 吃 or 碰 of a closed face (Z17), no
    吃 of an own discard (Z18)."""
    state = table.state
    face, origin, kind, _ = card
    choices = [encode(Action(HU, face))] if may_hu else []
    marks = state.marks[seat]
    if marks[_SI_SHOU] or marks[_BARRED] or marks[_CLOSED] >> face & 1:
        return choices
    if _may_peng(table, seat, card):
        choices.append(_PENG_ACTIONS[face])
    near = seat == (origin + 1) % state.players or (seat == origin and kind is _DRAWN)
    if near and not state.discarded[seat] >> face & 1:
        yi_wu_shi = rules_of(table).hand.yi_wu_shi
        for group, bi in chi_options(state.hands[seat], face, yi_wu_shi):
            choices.append(encode(Action(Verb.CHI, face, (group, *bi))))
    return choices


def _may_peng(table: Table, seat: int, card: Open) -> bool:
    """A pair and another seat's card (Z14), with something left to discard (Z19)."""
    hand = table.state.hands[seat]
    if seat == card.seat or hand[card.card] != 2:
        return False
    return any(face != card.card for face in discards(hand))


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
            _count_pass(table, prompt, card.card)
    if table.state.forced and top and top.action[0] == Verb.PAO:
        table.go(Phase.FORCED_PAO)
        return
    if table.state.forced:
        table.emit(ev.Forced(-1, b""))
    if top and top.action[0] == Verb.HU:
        _take_hu(table, top, card)
        return
    if table.state.regs[Reg.FIRST] == 1:
        table.keep(Reg.FIRST, 2)
    if top:
        TAKE[Verb(top.action[0])](table, top, card)
    else:
        hand_over(table, table.state.seat_after(card.seat), Phase.DRAW)


def forced_pao(table: Table) -> None:
    """The 跑 that nobody chooses, after the pause: laid at once it would tell a 跑 after a declined
    胡 from one before which nobody was asked (Z8, Z13)."""
    if table.paused():
        return
    state = table.state
    assert state.forced is not None
    assert state.open is not None
    seat, action = state.forced
    table.emit(ev.Forced(-1, b""))
    if state.regs[Reg.FIRST] == 1:
        table.keep(Reg.FIRST, 2)
    _take_pao(table, Claim(seat, action, 0), state.open)


def _count_pass(table: Table, prompt: Prompt, card: int) -> None:
    """过张 and 忍碰 (Z10, Z17): what passing this question closes.

    Choosing 碰 or 胡 passes neither; choosing 吃 passes only a 碰 offered beside it.
    """
    offered = {choice[0] for choice in prompt.choices}
    answer = prompt.choices[prompt.answer][0] if prompt.answer >= 0 else Verb.PASS
    if answer in (Verb.PENG, Verb.HU) or not offered & {Verb.PENG, Verb.CHI}:
        return
    if answer == Verb.CHI and Verb.PENG not in offered:
        return
    marks = table.state.marks[prompt.seat]
    table.note(prompt.seat, Seat.CLOSED, marks[Seat.CLOSED] | 1 << card)
    if Verb.PENG in offered:
        table.note(prompt.seat, Seat.REN_PENG, marks[Seat.REN_PENG] | 1 << card)


def _take_hu(table: Table, claim: Claim, card: Open) -> None:
    source = WinSource.DISCARD
    if card.kind == OpenKind.DRAWN:
        source = WinSource.OWN_DRAW if claim.seat == card.seat else WinSource.OTHER_DRAW
    win(table, claim.seat, card.card, source)


def _claimed(kind: MeldKind, cards: bytes, card: Open) -> Meld:
    return Meld(kind, cards, card.card, card.seat, card.kind == OpenKind.DISCARDED)


def _take_peng(table: Table, claim: Claim, card: Open) -> None:
    meld = _claimed(MeldKind.PENG, bytes((card.card,)) * 3, card)
    table.emit(ev.Melded(claim.seat, meld, -1, 1, ()))
    hand_over(table, claim.seat, Phase.DISCARD)


def _take_chi(table: Table, claim: Claim, card: Open) -> None:
    group, *bi = decode(claim.action).groups
    beside = tuple(Meld(MeldKind.CHI, cards) for cards in bi)
    table.emit(ev.Melded(claim.seat, _claimed(MeldKind.CHI, group, card), -1, 1, beside))
    hand_over(table, claim.seat, Phase.DISCARD)


def _take_pao(table: Table, claim: Claim, card: Open) -> None:
    """跑 from a 坎, an own 偎 or an own 碰; onto a 偎 it is a 冲招 of the discarder (Z21)."""
    melds = table.state.melds[claim.seat]
    at = meld_index(melds, card.card, (*WEIS, MeldKind.PENG))
    grown = _claimed(MeldKind.PAO, bytes((card.card,)) * 4, card)
    chong = card.kind == OpenKind.DISCARDED and at >= 0
    if at >= 0:
        grown = grown._replace(steps=(*melds[at].steps, melds[at].kind))
    table.emit(ev.Melded(claim.seat, grown, at, 1, ()))
    if chong and not table.state.marks[card.seat][Seat.BARRED]:
        table.emit(ev.Flagged(card.seat, Seat.BARRED))
    after_laying(table, claim.seat, four=True)


TAKE = {Verb.PENG: _take_peng, Verb.CHI: _take_chi, Verb.PAO: _take_pao}


def after_laying(table: Table, seat: int, four: bool) -> None:
    """What follows a 偎, 提 or 跑: a discard, except after 重跑 or by a dead hand (Z20, Z22)."""
    state = table.state
    spared = four and fours(state.melds[seat]) > 1
    if spared or state.marks[seat][Seat.SI_SHOU]:
        hand_over(table, state.seat_after(seat), Phase.DRAW)
    else:
        hand_over(table, seat, Phase.DISCARD)
