"""A seat's turn to discard: the choices, 冲招, 死手 (Z6, Z21, Z22, L7, Q7)."""

from libs.families.paohuzi.auto import pick_discard
from libs.families.paohuzi.play import WEIS, discards, hand_over, meld_index, play_of
from libs.families.paohuzi.slots import Phase, Reg, Seat
from libs.game import events as ev
from libs.game.actions import Action, PromptClass, Verb, encode
from libs.game.flow import TAKEN, Table
from libs.game.state import Prompt

DISCARD_ACTIONS = tuple(encode(Action(Verb.DISCARD, card)) for card in range(21))


def discard(table: Table) -> None:
    """Asks the seat whose turn it is for a discard, and makes it when it is answered."""
    seat = table.state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    if prompt is None:
        _begin_turn(table, seat)
    elif prompt.answer < 0:
        table.stop()
    else:
        _answer(table, prompt)


def _begin_turn(table: Table, seat: int) -> None:
    """The seat discards, or is a dead hand if it has nothing to discard (Z22)."""
    state = table.state
    if discards(state.hands[seat]):
        table.note(seat, Seat.RETURNED, 0)
        table.emit(ev.Turn(seat))
        _ask(table, seat, 0)
        return
    table.emit(ev.Flagged(seat, Seat.SI_SHOU))
    first = state.regs[Reg.FIRST] == 0
    hand_over(table, state.seat_after(seat), Phase.OTHERS_TI if first else Phase.DRAW)


def _listed(table: Table, seat: int) -> list[int]:
    """Faces on the list: all that are no 坎, without those returned in this turn (L7, Q7)."""
    returned = table.state.marks[seat][Seat.RETURNED]
    return [face for face in discards(table.state.hands[seat]) if not returned >> face & 1]


def _ask(table: Table, seat: int, continues: int) -> None:
    """The default is chosen by what the seat knows; nobody's hidden 偎 is looked at (L7)."""
    faces = _listed(table, seat)
    pick = faces.index(pick_discard(table.state.hands[seat], faces))
    choices = [DISCARD_ACTIONS[face] for face in faces]
    table.ask(seat, PromptClass.DISCARD, choices, (pick, pick), continues)
    table.stop()


def _answer(table: Table, prompt: Prompt) -> None:
    """Makes the discard, or returns the card (L7, Q7)."""
    state = table.state
    seat = prompt.seat
    card = prompt.choices[prompt.answer][1]
    last_listed = len(prompt.choices) == 1
    table.close(prompt, TAKEN)
    if not last_listed and _is_barred(table, seat, card):
        table.emit(ev.Returned(seat, card, play_of(table).chong_reason))
        table.note(seat, Seat.RETURNED, state.marks[seat][Seat.RETURNED] | 1 << card)
        _ask(table, seat, prompt.number)
        return
    table.emit(ev.Discarded(seat, card))
    if state.regs[Reg.FIRST] == 0:
        table.keep(Reg.FIRST, 1)
        table.go(Phase.OTHERS_TI)
    else:
        table.go(Phase.OFFER)


def _is_barred(table: Table, seat: int, card: int) -> bool:
    """Whether this discard is a 冲招 the seat may not make (L7, Q7)."""
    state = table.state
    held = any(
        other != seat and meld_index(state.melds[other], card, WEIS) >= 0
        for other in range(state.players)
    )
    return held and not play_of(table).chong_allowed(table, seat, card)
