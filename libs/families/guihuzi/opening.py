"""The opening: the deal, and 天胡 before the dealer's first discard (G1, G3, G4)."""

from libs.families.guihuzi.play import completes, hand_over, win
from libs.families.guihuzi.slots import Phase
from libs.game import events as ev
from libs.game.actions import HU, PASS, Action, PromptClass, encode
from libs.game.flow import Table, close_single
from libs.game.sheet import WinSource

HAND = 19
"""Cards dealt to every seat; the dealer has one more (G1)."""


def opening(table: Table) -> None:
    """Deals, from the dealer on; four equal cards stay in the hand (G1, G4)."""
    state = table.state
    for step in range(state.players):
        count = HAND + (step == 0)
        table.emit(ev.Dealt(state.seat_after(state.dealer, step), state.wall[:count]))
    hand_over(table, state.dealer, Phase.DEAL_HU)


def deal_hu(table: Table) -> None:
    """The dealer may win with the cards it was dealt (G3, G24)."""
    dealer = table.state.dealer
    prompt = table.prompt(dealer)
    if prompt is None:
        if completes(table, dealer, 0, WinSource.DEAL):
            table.ask(dealer, PromptClass.CLAIM, (encode(Action(HU)), PASS), (1, 0))
            table.stop()
        else:
            table.go(Phase.FIRST_TURN)
    elif prompt.answer < 0:
        table.stop()
    elif close_single(table, prompt) == PASS:
        table.go(Phase.FIRST_TURN)
    else:
        win(table, dealer, WinSource.DEAL)


def first_turn(table: Table) -> None:
    """After the pause: a turn that began at once would tell that no 胡 was declined (Z8)."""
    if not table.paused():
        table.go(Phase.DISCARD)
