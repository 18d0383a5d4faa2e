"""A draw-to-hand game that no 字牌 rule fits: it shows what the kernel alone can carry.

Three suits of four numbers, three copies each, and four flowers. Everybody holds five cards; the
seat in turn draws into its hand and discards; a flower is set aside and replaced from the tail; a
pair takes a discard as 碰 (with a card from the tail); a hand of at most two suits wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libs.game import events as ev
from libs.game.actions import PASS, Action, PromptClass, Verb, encode
from libs.game.cards import Deck
from libs.game.flow import Table, close_single
from libs.game.melds import Meld, MeldKind
from libs.game.options import choice
from libs.game.sheet import HandSpec, Payment, SeatHand, Sheet, Win, WinSource
from libs.game.state import Outcome, State
from libs.game.variant import Variant, Wait, Worth
from libs.game.window import close, winner

FLOWERS = (54, 55)
PLAIN = tuple(first + n for first in (21, 31, 41) for n in range(4))
DECK = Deck("toy_40", (*((face, 3) for face in PLAIN), *((face, 2) for face in FLOWERS)))
DRAW, OWN, OFFER, WINDOW = 1, 2, 3, 4
ACTOR, LAST = 0, 1


@dataclass(frozen=True)
class Options:
    """Options of the toy."""

    discard_wins: bool = choice(True, "点炮", "A discard may win", "T1")
    stake: int = choice(1, "底", "What a win is worth", "T2", low=1, high=9)


def complete(hand: Sequence[int], melds: Sequence[Meld], more: int = 0) -> bool:
    """At most two suits."""
    cards = [face for face, n in enumerate(hand) if n] + [m.cards[0] for m in melds]
    return len({card // 10 for card in [*cards, more] if card}) <= 2


def take(table: Table, seat: int, tail: int) -> None:
    """Draws into the hand; flowers are set aside and replaced while there is a wall."""
    state = table.state
    while state.wall:
        card = state.wall[-1 if tail else 0]
        table.emit(ev.Drew(seat, card, 1, tail, tail, 1 << seat))
        table.keep(LAST, card)
        if card not in FLOWERS:
            return
        table.emit(ev.FlowerSet(seat, card))
        table.keep(LAST, 0)
        tail = 1


def opening(table: Table) -> None:
    """Deals five to each seat; flowers are replaced in seat order."""
    state = table.state
    order = [state.seat_after(state.dealer, n) for n in range(state.players)]
    for seat in order:
        table.emit(ev.Dealt(seat, state.wall[:5]))
    for seat in order:
        for flower in [face for face in FLOWERS for _ in range(state.hands[seat][face])]:
            table.emit(ev.FlowerSet(seat, flower))
            take(table, seat, 1)
    table.keep(ACTOR, state.dealer)
    table.go(DRAW)


def draw(table: Table) -> None:
    """The seat in turn draws, or nobody wins."""
    state = table.state
    if table.paused():
        return
    if state.open:
        table.emit(ev.Unclaimed(state.open.seat, state.open.card, 0))
    if state.wall:
        take(table, state.regs[ACTOR], 0)
        table.go(OWN)
    else:
        table.emit(ev.Ended(Outcome.LIU_JU))


def own(table: Table) -> None:
    """The seat's own turn: 胡 or a discard, in one question."""
    state = table.state
    seat, last = state.regs[ACTOR], state.regs[LAST]
    prompt = table.prompt(seat)
    if prompt is None:
        table.emit(ev.Turn(seat))
        held = [face for face, n in enumerate(state.hands[seat]) if n]
        choices = [encode(Action(Verb.DISCARD, face)) for face in held]
        pick = held.index(last) if last in held else 0
        may_hu = last and complete(state.hands[seat], state.melds[seat])
        choices += [encode(Action(Verb.HU, last))] if may_hu else []
        table.ask(seat, PromptClass.DISCARD, choices, (pick, len(held) if may_hu else pick))
        table.stop()
    elif prompt.answer < 0:
        table.stop()
    else:
        verb, card = close_single(table, prompt)
        if verb == Verb.HU:
            table.emit(ev.Won(seat, card, WinSource.OWN_DRAW, seat, 0, 0))
            table.emit(ev.Ended(Outcome.WIN))
        else:
            table.emit(ev.Discarded(seat, card))
            table.go(OFFER)


def offer(table: Table) -> None:
    """Asks every other seat that may take the discard."""
    state = table.state
    assert state.open is not None
    card, by = state.open.card, state.open.seat
    for seat in [state.seat_after(by, n) for n in range(1, state.players)]:
        hand, choices = state.hands[seat], []
        if table.options.discard_wins and complete(hand, state.melds[seat], card):
            choices.append(encode(Action(Verb.HU, card)))
        if hand[card] == 2 and sum(hand) > 2:
            choices.append(encode(Action(Verb.PENG, card)))
        if choices:
            picks = (len(choices), 0 if choices[0][0] == Verb.HU else len(choices))
            table.ask(seat, PromptClass.CLAIM, (*choices, PASS), picks)
    table.go(WINDOW)


def window(table: Table) -> None:
    """Gives the discard to the claim that wins, or the turn to the next seat."""
    state = table.state
    certain, top = winner(table)
    if not certain:
        table.stop()
        return
    assert state.open is not None
    card, by = state.open.card, state.open.seat
    close(table, top)
    if top is None:
        table.keep(ACTOR, state.seat_after(by))
        table.go(DRAW)
    elif top.action[0] == Verb.HU:
        table.emit(ev.Won(top.seat, card, WinSource.DISCARD, by, 0, 0))
        table.emit(ev.Ended(Outcome.WIN))
    else:
        meld = Meld(MeldKind.PENG, bytes((card,)) * 3, card, by, True)
        table.emit(ev.Melded(top.seat, meld, -1, 1, ()))
        table.keep(ACTOR, top.seat)
        table.keep(LAST, 0)
        take(table, top.seat, 1)
        table.go(OWN)


def hand_spec(state: State, options: Options) -> HandSpec:
    """The hands as they lie; the winning card apart."""
    hands = [list(hand) for hand in state.hands]
    win = None
    if state.win:
        seat, card, source, by, _, _ = state.win
        win = Win(seat, card, WinSource(source), by)
        hands[seat][card] -= source == WinSource.OWN_DRAW
    seats = [SeatHand(tuple(h), tuple(m)) for h, m in zip(hands, state.melds, strict=True)]
    return HandSpec(options, state.players, state.dealer, tuple(seats), win)


def score(spec: HandSpec) -> Sheet:
    """Everybody pays the stake for an own draw, else the discarder alone."""
    if spec.win is None:
        return Sheet(True, "", -1, "liu_ju", (), (), (0,) * spec.players)
    win, hand = spec.win, spec.seats[spec.win.seat]
    if not complete(hand.counts, hand.melds, win.card):
        return Sheet(False, "shape", win.seat, "", (), (), (0,) * spec.players)
    payers = [win.by] if win.source == WinSource.DISCARD else range(spec.players)
    paid = [Payment(p, win.seat, spec.options.stake, "T2") for p in payers if p != win.seat]
    deltas = [0] * spec.players
    for payment in paid:
        deltas[payment.payer] -= payment.amount
        deltas[payment.payee] += payment.amount
    return Sheet(True, "", win.seat, "hu", (), tuple(paid), tuple(deltas))


def waits(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
    """Faces that leave at most two suits."""
    hand, worth = spec.seats[seat], (Worth(WinSource.OWN_DRAW, 0, spec.options.stake),)
    return tuple(Wait(f, worth) for f in PLAIN if complete(hand.counts, hand.melds, f))


def next_dealer(state: State) -> int:
    """The winner, else the next seat."""
    return state.win.seat if state.win else state.seat_after(state.dealer)


def _all_faces(table: Table, seat: int, meld: Meld) -> Meld:
    return meld


def _nothing_removed(options: Any, players: int) -> int:
    return 0


TOY = Variant(
    game="toy", zh="玩具", en="Toy", release=1, players=(2, 3, 4), deck=DECK, red=frozenset(),
    options=Options, slots=(2, 1), phases=(opening, draw, own, offer, window),
    ranks={Verb.HU: 1, Verb.PENG: 2}, removed=_nothing_removed,
    first_dealer=lambda options: "longest", next_dealer=next_dealer, meld_form=_all_faces,
    flags={}, notes={}, hand_spec=hand_spec, score=score,
    finish=lambda options, totals: (tuple(totals), ()), waits=waits,
    may_discard=lambda hand: [face for face, n in enumerate(hand) if n],
    limits=lambda options, players: None, play=None,
)
