"""The opening: deal, 暗杠 and 大王 seat by seat, 天胡, 直听 (J2–J6, J30, J33, X2, X3)."""

from libs.families.pengpai import gang
from libs.families.pengpai.play import (
    AN_GANGS,
    after_laying,
    draw_card,
    hand_over,
    held_by,
    play_of,
    replace,
    set_aside,
    win,
    wins_with,
)
from libs.families.pengpai.shape import ready_discards, winning_faces
from libs.families.pengpai.slots import Phase, Reg, Seat, Turn
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, Verb, decode, encode
from libs.game.flow import Table, close_single
from libs.game.sheet import WinSource

HAND = 22
"""Cards dealt to a seat; the dealer gets one more (J2)."""
ZHI_TING = encode(Action(Verb.ZHI_TING))


def opening(table: Table) -> None:
    """Deals, and remembers what was dealt in fours (J2, J5)."""
    state = table.state
    for step in range(state.players):
        seat = state.seat_after(state.dealer, step)
        table.emit(ev.Dealt(seat, state.wall[: HAND + (step == 0)]))
    for seat, hand in enumerate(state.hands):
        for slot, least in ((Seat.DEALT_FOUR, 4), (Seat.DEALT_FIVE, 5)):
            flower = play_of(table).flower
            faces = [face for face, n in enumerate(hand) if n >= least and face != flower]
            table.note(seat, slot, sum(1 << face for face in faces))
    hand_over(table, state.dealer, Phase.DEALT_GANG)


def dealt_gang(table: Table) -> None:
    """One dealt four after another is offered as 暗杠; a 大王 that comes waits (J4.1)."""
    state = table.state
    seat = state.regs[Reg.ACTOR]
    dealt = state.marks[seat][Seat.DEALT_FOUR]
    faces = [face for face in gang.fours(table, seat) if dealt >> face & 1]
    choices = [encode(Action(Verb.AN_GANG, face)) for face in faces]
    chosen = _offer(table, seat, choices)
    if chosen is None:
        return
    if chosen == PASS:
        table.go(Phase.FLOWERS)
        return
    laid = gang.an_gang(table, seat, decode(chosen).card, opening=True)
    gang.lay(table, seat, laid)
    for _ in range(laid.due):
        draw_card(table, seat, 1)
    table.keep(Reg.CAME, 1)


def _offer(table: Table, seat: int, choices: list[bytes]) -> bytes | None:
    """Asks for one of the choices or 过; None while it is open; without choices 过."""
    prompt = table.prompt(seat)
    if prompt:
        chosen = close_single(table, prompt)
        if chosen == PASS:
            table.keep(Reg.CAME, 0)
            faces = [decode(choice).card for choice in prompt.choices]
            declined = table.state.marks[seat][Seat.DECLINED]
            table.note(seat, Seat.DECLINED, declined | sum(1 << face for face in faces if face))
        return chosen
    if not choices:
        return PASS
    last = len(choices)
    table.ask(seat, PromptClass.CLAIM, (*choices, PASS), (last, last))
    table.stop()
    return None


def flowers(table: Table) -> None:
    """The seat's 大王 are set aside and replaced, again while a 大王 comes (J4.2).

    The pause before hides whether a four was offered and passed (Z8).
    """
    if table.paused():
        return
    seat = table.state.regs[Reg.ACTOR]
    while set_aside(table, seat):
        replace(table, seat)
        table.keep(Reg.CAME, 1)
    table.go(Phase.MORE_GANG)


def more_gang(table: Table) -> None:
    """暗杠 of fours now in hand, passed ones included, unless nothing has changed since the
    seat passed (J4.3); a new 大王 is set aside at once."""
    seat = table.state.regs[Reg.ACTOR]
    chosen = _offer(table, seat, _news(table, seat))
    if chosen is None:
        return
    if chosen == PASS:
        _next_seat(table, seat)
        return
    verb, face, _ = decode(chosen)
    opens = verb == Verb.AN_GANG
    laid = gang.an_gang(table, seat, face, True) if opens else gang.bu_gang(table, seat, face)
    gang.lay(table, seat, laid)
    replace(table, seat, laid.due)
    table.keep(Reg.CAME, 1)


def _news(table: Table, seat: int) -> list[bytes]:
    """What the seat may lay, if a card has come since it passed or it was never offered one of
    them: a four not dealt whole, a fifth, which (1) does not list (J4.3, X8)."""
    fours, fifths = gang.fours(table, seat), gang.fifths(table, seat, AN_GANGS)
    known = table.state.marks[seat][Seat.DECLINED]
    nothing_new = not fifths and all(known >> face & 1 for face in fours)
    if nothing_new and not table.state.regs[Reg.CAME]:
        return []
    choices = [encode(Action(Verb.AN_GANG, face)) for face in fours]
    return choices + [encode(Action(Verb.BU_GANG, face)) for face in fifths]


def _next_seat(table: Table, seat: int) -> None:
    """Each seat finishes before the next begins; then the dealer is complete or not (J4, J6)."""
    state = table.state
    after = state.seat_after(seat)
    table.keep(Reg.CAME, 0)
    table.keep(Reg.LAST, 0)
    table.keep(Reg.TURN, Turn.FIRST)
    if after != state.dealer:
        hand_over(table, after, Phase.DEALT_GANG)
        return
    table.keep(Reg.ACTOR, after)
    bao = after_laying(table, after) == Phase.BAO_LIU_PENG
    table.go(Phase.BAO_LIU_PENG if bao else Phase.DEAL_HU)


def deal_hu(table: Table) -> None:
    """The dealer may win before its first discard (J6, J33, X10)."""
    dealer = table.state.dealer
    prompt = table.prompt(dealer)
    if prompt is None:
        if wins_with(table, dealer, 0, WinSource.DEAL):
            table.ask(dealer, PromptClass.CLAIM, (encode(Action(HU)), PASS), (1, 0))
            table.stop()
            return
    elif close_single(table, prompt) != PASS:
        win(table, dealer, 0, WinSource.DEAL)
        return
    table.go(Phase.ZHI_TING if play_of(table).declarations else Phase.FIRST_TURN)


def zhi_ting(table: Table) -> None:
    """Each seat that is ready may declare 直听, the dealer first (J6, J30)."""
    state = table.state
    seat = state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    if prompt:
        if close_single(table, prompt) == ZHI_TING:
            table.emit(ev.Flagged(seat, Seat.ZHI_TING))
    elif _is_ready(table, seat):
        table.ask(seat, PromptClass.CLAIM, (ZHI_TING, PASS), (1, 1))
        table.stop()
        return
    after = state.seat_after(seat)
    table.keep(Reg.ACTOR, after)
    if after == state.dealer:
        table.go(Phase.FIRST_TURN)


def first_turn(table: Table) -> None:
    """After the pause: a turn that began at once would tell that nothing was declined (Z8)."""
    if not table.paused():
        table.go(Phase.OWN_TURN)


def _is_ready(table: Table, seat: int) -> bool:
    """Whether the hand waits for a card, the dealer's after some discard (J30)."""
    held, deck = held_by(table, seat), table.variant.deck
    found = ready_discards if seat == table.state.dealer else winning_faces
    return bool(found(held, deck))
