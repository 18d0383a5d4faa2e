"""The fold: each event changes the state in one plain way. No rule is decided here."""

from collections.abc import Callable
from typing import Any

from libs.game import events as ev
from libs.game.state import ALL_SEATS, Open, OpenKind, Prompt, State, WinRecord


def _dealt(s: State, e: ev.Dealt) -> None:
    s.wall = s.wall[len(e.cards) :]
    hand = s.hands[e.seat]
    for card in e.cards:
        hand[card] += 1


def _shown(s: State, e: ev.Shown) -> None:
    if s.open:
        s.open = s.open._replace(seen=ALL_SEATS)
        return
    s.wall = s.wall[1:]
    s.open = Open(e.card, e.seat, OpenKind.SHOWN, ALL_SEATS)


def _joined(s: State, e: ev.Joined) -> None:
    s.hands[e.seat][e.card] += 1
    s.open = None


def _drew(s: State, e: ev.Drew) -> None:
    s.wall = s.wall[:-1] if e.tail else s.wall[1:]
    if e.to_hand:
        s.hands[e.seat][e.card] += 1
    else:
        s.open = Open(e.card, e.seat, OpenKind.DRAWN, e.seen)


def _discarded(s: State, e: ev.Discarded) -> None:
    s.hands[e.seat][e.card] -= 1
    s.discarded[e.seat] |= 1 << e.card
    s.open = Open(e.card, e.seat, OpenKind.DISCARDED, ALL_SEATS)
    s.turn = -1


def _melded(s: State, e: ev.Melded) -> None:
    hand, lies = s.hands[e.seat], s.melds[e.seat]
    for card in e.meld.cards:
        hand[card] -= 1
    if e.takes and s.open is not None:
        hand[s.open.card] += 1
        s.open = None
    if e.replaces >= 0:
        for card in lies[e.replaces].cards:
            hand[card] += 1
        lies[e.replaces] = e.meld
    else:
        lies.append(e.meld)
    for meld in e.beside:
        for card in meld.cards:
            hand[card] -= 1
        lies.append(meld)


def _unclaimed(s: State, e: ev.Unclaimed) -> None:
    s.piles[e.seat] += bytes((e.card,))
    s.open = None


def _turn(s: State, e: ev.Turn) -> None:
    s.turn = e.seat


def _asked(s: State, e: ev.Asked) -> None:
    s.asked[e.seat] += 1
    s.prompts.append(
        Prompt(e.seat, s.asked[e.seat], e.cls, e.choices, e.default, e.auto, e.continues)
    )


def _answered(s: State, e: ev.Answered) -> None:
    s.prompts = [p.answered(e.choice) if p.seat == e.seat else p for p in s.prompts]


def _closed(s: State, e: ev.Closed) -> None:
    s.prompts = [p for p in s.prompts if p.seat != e.seat]


def _noted(s: State, e: ev.Noted) -> None:
    s.marks[e.seat][e.slot] = e.value


def _flagged(s: State, e: ev.Flagged) -> None:
    s.marks[e.seat][e.slot] = 1


def _kept(s: State, e: ev.Kept) -> None:
    s.regs[e.slot] = e.value


def _moved(s: State, e: ev.Moved) -> None:
    s.phase = e.phase


def _forced(s: State, e: ev.Forced) -> None:
    s.forced = (e.seat, e.action) if e.seat >= 0 else None


def _waiting(s: State, e: ev.Waiting) -> None:
    s.waiting = e.value


def _won(s: State, e: ev.Won) -> None:
    s.win = WinRecord(*e)


def _xing(s: State, e: ev.Xing) -> None:
    s.xing = e.card


def _ended(s: State, e: ev.Ended) -> None:
    s.outcome = e.outcome
    s.turn = -1
    s.waiting = 0
    s.prompts = []  # a round ended from outside leaves no open question
    s.forced = None


def _flower_set(s: State, e: ev.FlowerSet) -> None:
    s.hands[e.seat][e.card] -= 1
    s.flowers[e.seat] += bytes((e.card,))


def _nothing(s: State, e: ev.Event) -> None:
    """A refusal or an announcement changes nothing by itself."""


APPLY: dict[type, Callable[[State, Any], None]] = {
    ev.Dealt: _dealt,
    ev.Shown: _shown,
    ev.Joined: _joined,
    ev.Drew: _drew,
    ev.Discarded: _discarded,
    ev.Melded: _melded,
    ev.Unclaimed: _unclaimed,
    ev.Turn: _turn,
    ev.Asked: _asked,
    ev.Answered: _answered,
    ev.Closed: _closed,
    ev.Returned: _nothing,
    ev.Noted: _noted,
    ev.Flagged: _flagged,
    ev.Kept: _kept,
    ev.Moved: _moved,
    ev.Forced: _forced,
    ev.Waiting: _waiting,
    ev.Won: _won,
    ev.Xing: _xing,
    ev.Ended: _ended,
    ev.FlowerSet: _flower_set,
    ev.PilesOpened: _nothing,
    ev.HaiLaoStarted: _nothing,
}


def begin(e: ev.Started, width: int, slots: tuple[int, int]) -> State:
    """The state right after a round's first event. `width` is the deck's count-vector length,
    `slots` the numbers of registers of the round and of a seat."""
    seats = range(e.players)
    wall = e.deck[: len(e.deck) - len(e.removed)]
    return State(
        game=e.game,
        release=e.release,
        options=e.options,
        players=e.players,
        round_no=e.round_no,
        dealer=e.dealer,
        wall=wall,
        removed=e.removed,
        commitment=e.commitment,
        seed=e.seed,
        nonce=e.nonce,
        hands=[[0] * width for _ in seats],
        melds=[[] for _ in seats],
        piles=[b"" for _ in seats],
        flowers=[b"" for _ in seats],
        discarded=[0 for _ in seats],
        marks=[[0] * slots[1] for _ in seats],
        regs=[0] * slots[0],
        asked=list(e.asked),
    )


def apply(state: State, event: ev.Event) -> None:
    """Applies one event (any but Started) to the state in place."""
    APPLY[type(event)](state, event)
