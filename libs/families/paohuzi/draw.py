"""The draw: forced 偎 and 提 of the drawer, and the 胡 that may follow (Z5, Z9–Z12, Z28, Z30)."""

from libs.families.paohuzi.claims import after_laying
from libs.families.paohuzi.play import WEIS, ask_hu, completes, meld_index, takes_hu, win
from libs.families.paohuzi.slots import Phase, Reg, Seat
from libs.families.paohuzi.split import Way
from libs.game import events as ev
from libs.game.actions import PASS
from libs.game.flow import Table, close_single
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import WinSource
from libs.game.state import ALL_SEATS, OpenKind, Outcome


def draw(table: Table) -> None:
    """The open card, if any, goes to its pile; the next seat draws (Z5, Z8b, Z30)."""
    if table.paused():
        return
    state = table.state
    if state.open:
        drawn = int(state.open.kind == OpenKind.DRAWN)
        table.emit(ev.Unclaimed(state.open.seat, state.open.card, drawn))
    if not state.wall:
        table.emit(ev.Ended(Outcome.LIU_JU))
        return
    seat, card = state.regs[Reg.ACTOR], state.wall[0]
    table.keep(Reg.LAST_CARD, int(len(state.wall) == 1))
    table.keep(Reg.LAID, 0)
    kind = _forced_meld(table, seat, card)
    hidden = kind == MeldKind.WEI and not table.options.ming_wei
    table.emit(ev.Drew(seat, card, 0, 0, 0, 1 << seat if hidden else ALL_SEATS))
    if kind is None:
        table.go(Phase.OFFER)
    else:
        _lay(table, seat, card, kind)


def _forced_meld(table: Table, seat: int, card: int) -> MeldKind | None:
    """The 偎, 臭偎 or 提 that the drawer must lay (Z9, Z10, Z12)."""
    state = table.state
    held = state.hands[seat][card]
    if held == 3 or meld_index(state.melds[seat], card, WEIS) >= 0:
        return MeldKind.TI
    if held == 2:
        declined = state.marks[seat][Seat.REN_PENG] >> card & 1
        return MeldKind.CHOU_WEI if declined else MeldKind.WEI
    return None


def _lay(table: Table, seat: int, card: int, kind: MeldKind) -> None:
    """Lays it; then the drawer itself may win if its hand is complete (Z28)."""
    state = table.state
    complete = completes(table, seat, card, Way.OWN_DRAW)
    at = meld_index(state.melds[seat], card, WEIS) if kind == MeldKind.TI else -1
    steps = (*state.melds[seat][at].steps, state.melds[seat][at].kind) if at >= 0 else ()
    cards = bytes((card,)) * (4 if kind == MeldKind.TI else 3)
    table.emit(ev.Melded(seat, Meld(kind, cards, card, seat, False, steps), at, 1, ()))
    table.keep(Reg.LAID, (at if at >= 0 else len(state.melds[seat]) - 1) + 1)
    if not complete:
        table.go(Phase.LAID)
    elif takes_hu(table, discard=False):
        win(table, seat, card, WinSource.OWN_DRAW)
    else:
        table.go(Phase.LAID_HU)
        ask_hu(table, seat, card)


def laid_hu(table: Table) -> None:
    """The drawer's answer to the 胡 offered after its 偎 or 提 (Z28)."""
    seat = table.state.regs[Reg.ACTOR]
    prompt = table.prompt(seat)
    assert prompt is not None
    card = prompt.choices[0][1]
    if close_single(table, prompt) != PASS:
        win(table, seat, card, WinSource.OWN_DRAW)
    else:
        table.go(Phase.LAID)


def laid(table: Table) -> None:
    """After the pause: a turn that began at once would tell that no 胡 was declined (Z8, Z28)."""
    if table.paused():
        return
    seat = table.state.regs[Reg.ACTOR]
    meld = table.state.melds[seat][table.state.regs[Reg.LAID] - 1]
    after_laying(table, seat, meld.kind == MeldKind.TI)
