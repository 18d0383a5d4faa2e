"""A draw-to-hand game unlike any 字牌 game: the least that a game on the kernel needs.

Three suits of four numbers, three copies each. Everybody holds five cards; the seat in turn draws
into its hand and discards; a hand of at most two suits wins, by a discard too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.game import events as ev
from libs.game.actions import PASS, Action, PromptClass, Verb, encode
from libs.game.cards import Deck
from libs.game.flow import Table, close_single
from libs.game.options import choice
from libs.game.sheet import HandSpec, Payment, SeatHand, Sheet, Win, WinSource
from libs.game.state import Outcome, State
from libs.game.variant import Variant, Wait
from libs.game.window import close, winner

DECK = Deck("toy_36", tuple((suit + n, 3) for suit in (21, 31, 41) for n in range(4)))
DRAW, OWN, OFFER, WINDOW = 1, 2, 3, 4
ACTOR, LAST = 0, 1


@dataclass(frozen=True)
class Options:
    """Options of the toy."""

    discard_wins: bool = choice(True, "点炮", "A discard may win", "T1")
    stake: int = choice(1, "底", "What a win is worth", "T2", low=1, high=9)


def complete(hand: Sequence[int], more: int = 0) -> bool:
    """At most two suits."""
    return len({face // 10 for face, n in enumerate(hand) if n or 0 < face == more}) <= 2


def opening(table: Table) -> None:
    """Deals five to each seat; the dealer begins."""
    for n in range(table.state.players):
        table.emit(ev.Dealt(table.state.seat_after(table.state.dealer, n), table.state.wall[:5]))
    table.keep(ACTOR, table.state.dealer)
    table.go(DRAW)


def draw(table: Table) -> None:
    """The seat in turn draws, or nobody wins."""
    seat, wall, opened = table.state.regs[ACTOR], table.state.wall, table.state.open
    if table.paused():
        return
    if opened:
        table.emit(ev.Unclaimed(opened.seat, opened.card, 0))
    if wall:
        table.emit(ev.Drew(seat, wall[0], 1, 0, 0, 1 << seat))
        table.keep(LAST, wall[0])
    table.go(OWN) if wall else table.emit(ev.Ended(Outcome.LIU_JU))


def own(table: Table) -> None:
    """The seat's own turn: 胡 or a discard, in one question."""
    seat, last = table.state.regs[ACTOR], table.state.regs[LAST]
    prompt, hand = table.prompt(seat), table.state.hands[seat]
    if prompt is None:
        table.emit(ev.Turn(seat))
        held = [face for face, n in enumerate(hand) if n]
        hu = [encode(Action(Verb.HU, last))] * complete(hand)
        choices = [*hu, *(encode(Action(Verb.DISCARD, face)) for face in held)]
        pick = len(hu) + held.index(last)
        table.ask(seat, PromptClass.DISCARD, choices, (pick, 0 if hu else pick))
    if prompt is None or prompt.answer < 0:
        table.stop()
        return
    verb, card = close_single(table, prompt)
    if verb == Verb.HU:
        win(table, seat, card, seat)
    else:
        table.emit(ev.Discarded(seat, card))
        table.go(OFFER)


def offer(table: Table) -> None:
    """Asks every other seat that may win."""
    _, by, *_ = opened = table.state.open
    for seat in [table.state.seat_after(by, n) for n in range(1, table.state.players)]:
        if table.options.discard_wins and complete(table.state.hands[seat], opened.card):
            hu = encode(Action(Verb.HU, opened.card))
            table.ask(seat, PromptClass.CLAIM, (hu, PASS), (1, 0))
    table.go(WINDOW)


def window(table: Table) -> None:
    """The discard goes to the claim that wins, or the turn to the next seat."""
    certain, top = winner(table)
    if not certain:
        table.stop()
        return
    card, by, *_ = table.state.open
    close(table, top)
    if top:
        win(table, top.seat, card, by)
    else:
        table.keep(ACTOR, table.state.seat_after(by))
        table.go(DRAW)


def win(table: Table, seat: int, card: int, by: int) -> None:
    """The round is won."""
    source = WinSource.OWN_DRAW if seat == by else WinSource.DISCARD
    table.emit(ev.Won(seat, card, source, by, 0, 0))
    table.emit(ev.Ended(Outcome.WIN))


def hand_spec(state: State, options: Options) -> HandSpec:
    """The hands as they lie (a winning card counted twice changes no suit)."""
    seats = tuple(SeatHand(tuple(hand)) for hand in state.hands)
    won = state.win and Win(*state.win[:2], WinSource(state.win.source), state.win.by)
    return HandSpec(options, state.players, state.dealer, seats, won)


def score(spec: HandSpec) -> Sheet:
    """Everybody pays the stake for an own draw, else the discarder alone."""
    if spec.win is None:
        return Sheet(True, "", -1, "liu_ju", (), (), (0,) * spec.players)
    seat, by, stake = spec.win.seat, spec.win.by, spec.options.stake
    payers = [p for p in range(spec.players) if p != seat and by in (seat, p)]
    deltas = [-stake * (p in payers) for p in range(spec.players)]
    deltas[seat] = stake * len(payers)
    paid = tuple(Payment(payer, seat, stake, "T2") for payer in payers)
    return Sheet(True, "", seat, "hu", (), paid, tuple(deltas))


def waits(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
    """Faces that leave at most two suits."""
    return tuple(
        Wait(face, ()) for face, _ in DECK.copies if complete(spec.seats[seat].counts, face)
    )


TOY = Variant(
    game="toy", zh="玩具", en="Toy", release=1, players=(2, 3, 4), deck=DECK, options=Options,
    slots=(2, 1), phases=(opening, draw, own, offer, window), ranks={Verb.HU: 1},
    next_dealer=lambda state: state.win.seat if state.win else state.dealer,
    hand_spec=hand_spec, score=score, waits=waits,
)  # fmt: skip
