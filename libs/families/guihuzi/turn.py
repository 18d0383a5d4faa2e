"""A seat's turn to discard: the choices, delayed 溜, grey cards, 死手 (G3, G10, G13, G16, G26)."""

from libs.families.guihuzi.auto import pick_discard
from libs.families.guihuzi.play import hand_of, hand_over, meld_index, scoring_of
from libs.families.guihuzi.slots import Phase, Reg, Seat
from libs.families.guihuzi.waits import is_ting
from libs.game import events as ev
from libs.game.actions import Action, PromptClass, Verb, encode
from libs.game.flow import TAKEN, Table
from libs.game.melds import Meld, MeldKind
from libs.game.state import Prompt

DISCARD_ACTIONS = tuple(encode(Action(Verb.DISCARD, card)) for card in range(21))


def discard(table: Table) -> None:
    """Asks the seat whose turn it is, and does what it answers."""
    seat = table.state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    if prompt is None:
        _begin_turn(table, seat)
    elif prompt.answer < 0:
        table.stop()
    else:
        _answer(table, prompt)


def discards(table: Table, seat: int) -> list[int]:
    """Faces that may be discarded: those that are not grey (G13)."""
    state = table.state
    grey = state.marks[seat][Seat.GREY]
    return [face for face, n in enumerate(state.hands[seat]) if n and not grey >> face & 1]


def kept_cards(table: Table, seat: int) -> list[int]:
    """Faces of an own 歪 whose fourth card is still in hand (G10)."""
    state = table.state
    return [
        meld.cards[0]
        for meld in state.melds[seat]
        if meld.kind == MeldKind.WAI and state.hands[seat][meld.cards[0]]
    ]


def _begin_turn(table: Table, seat: int) -> None:
    """The seat discards or lays a kept card; it is a dead hand if it can do neither (G16)."""
    faces, kept = discards(table, seat), kept_cards(table, seat)
    if not faces and not kept:
        table.emit(ev.Flagged(seat, Seat.SI_SHOU))
        hand_over(table, table.state.seat_after(seat), Phase.DRAW)
        return
    pick = faces.index(pick_discard(table.state.hands[seat], faces)) if faces else 0
    choices = [DISCARD_ACTIONS[face] for face in faces]
    choices += [encode(Action(Verb.LIU, face)) for face in kept]
    table.emit(ev.Turn(seat))
    table.ask(seat, PromptClass.DISCARD, choices, (pick, pick))
    table.stop()


def _answer(table: Table, prompt: Prompt) -> None:
    verb, card = prompt.choices[prompt.answer][:2]
    table.close(prompt, TAKEN)
    if verb == Verb.LIU:
        _lay_kept(table, prompt.seat, card)
        return
    table.emit(ev.Discarded(prompt.seat, card))
    if table.state.regs[Reg.FIRST]:
        table.note(prompt.seat, Seat.BAO_TING, 0)
    else:
        table.keep(Reg.FIRST, 1)
        _note_ready(table)
    table.go(Phase.OFFER)


def _lay_kept(table: Table, seat: int, card: int) -> None:
    """溜 instead of a discard: the kept card joins its 歪, and the next seat draws (G10)."""
    state = table.state
    at = meld_index(state.melds[seat], card, MeldKind.WAI)
    liu = Meld(MeldKind.LIU, bytes((card,)) * 4, 0, -1, False, (MeldKind.WAI,))
    table.emit(ev.Melded(seat, liu, at, 0, ()))
    table.emit(ev.Turn(-1))
    hand_over(table, state.seat_after(seat), Phase.DRAW)


def _note_ready(table: Table) -> None:
    """After the dealer's first discard: which seats are ready (G26)."""
    rules = scoring_of(table).hand
    for seat in range(table.state.players):
        table.note(seat, Seat.BAO_TING, int(is_ting(hand_of(table, seat), rules)))
