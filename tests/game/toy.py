"""A draw-to-hand game that no 字牌 rule fits: it shows what the kernel alone can carry.

Three suits of four numbers, three copies each, and four flowers. Everybody holds five cards; the
seat in turn draws into its hand and discards; a flower is set aside and replaced from the tail; a
pair takes a discard as 碰 (with a card from the tail); a hand of at most two suits wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.game import events as ev
from libs.game.actions import PASS, Action, PromptClass, Verb, encode
from libs.game.cards import Deck
from libs.game.flow import Table, close_single
from libs.game.melds import Meld, MeldKind
from libs.game.options import choice
from libs.game.sheet import HandSpec, Payment, SeatHand, Sheet, Win, WinSource
from libs.game.state import Outcome, State
from libs.game.variant import Variant, Wait
from libs.game.window import close, winner

FLOWERS = (54, 55)
PLAIN = tuple(suit + n for suit in (21, 31, 41) for n in range(4))
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
    cards = [face for face, n in enumerate(hand) if n] + [meld.cards[0] for meld in melds]
    return len({card // 10 for card in [*cards, more] if card}) <= 2


def take(table: Table, seat: int, tail: int) -> None:
    """Draws into the hand; flowers are set aside and replaced while there is a wall."""
    while table.state.wall:
        card = table.state.wall[-1 if tail else 0]
        table.emit(ev.Drew(seat, card, 1, tail, tail, 1 << seat))
        table.keep(LAST, 0 if card in FLOWERS else card)
        if card not in FLOWERS:
            return
        table.emit(ev.FlowerSet(seat, card))
        tail = 1


def opening(table: Table) -> None:
    """Deals five to each seat; flowers are replaced in seat order."""
    order = [table.state.seat_after(table.state.dealer, n) for n in range(table.state.players)]
    for seat in order:
        table.emit(ev.Dealt(seat, table.state.wall[:5]))
    for seat in order:
        for flower in [face for face in FLOWERS for _ in range(table.state.hands[seat][face])]:
            table.emit(ev.FlowerSet(seat, flower))
            take(table, seat, 1)
    hand_over(table, table.state.dealer, DRAW)


def hand_over(table: Table, seat: int, phase: int) -> None:
    """The flow goes on with `seat`."""
    table.keep(ACTOR, seat)
    table.go(phase)


def win(table: Table, seat: int, card: int, by: int) -> None:
    """The round is won."""
    source = WinSource.OWN_DRAW if seat == by else WinSource.DISCARD
    table.emit(ev.Won(seat, card, source, by, 0, 0))
    table.emit(ev.Ended(Outcome.WIN))


def draw(table: Table) -> None:
    """The seat in turn draws, or nobody wins."""
    if table.paused():
        return
    if table.state.open:
        table.emit(ev.Unclaimed(table.state.open.seat, table.state.open.card, 0))
    if table.state.wall:
        take(table, table.state.regs[ACTOR], 0)
        table.go(OWN)
    else:
        table.emit(ev.Ended(Outcome.LIU_JU))


def own(table: Table) -> None:
    """The seat's own turn: 胡 or a discard, in one question."""
    seat, last = table.state.regs[ACTOR], table.state.regs[LAST]
    prompt, hand = table.prompt(seat), table.state.hands[seat]
    if prompt is None:
        table.emit(ev.Turn(seat))
        held = [face for face, n in enumerate(hand) if n]
        hu = [Verb.HU] if last and complete(hand, table.state.melds[seat]) else []
        choices = [encode(Action(verb, last)) for verb in hu]
        choices += [encode(Action(Verb.DISCARD, face)) for face in held]
        pick = len(hu) + (held.index(last) if last in held else 0)
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
    """Asks every other seat that may take the discard."""
    assert table.state.open is not None
    card, by = table.state.open.card, table.state.open.seat
    for seat in [table.state.seat_after(by, n) for n in range(1, table.state.players)]:
        hand = table.state.hands[seat]
        hu = table.options.discard_wins and complete(hand, table.state.melds[seat], card)
        verbs = [Verb.HU] * hu + [Verb.PENG] * (hand[card] == 2 and sum(hand) > 2)
        choices = [encode(Action(verb, card)) for verb in verbs]
        if choices:
            picks = (len(choices), 0 if hu else len(choices))
            table.ask(seat, PromptClass.CLAIM, (*choices, PASS), picks)
    table.go(WINDOW)


def window(table: Table) -> None:
    """Gives the discard to the claim that wins, or the turn to the next seat."""
    certain, top = winner(table)
    if not certain:
        table.stop()
        return
    assert table.state.open is not None
    card, by = table.state.open.card, table.state.open.seat
    close(table, top)
    if top is None:
        hand_over(table, table.state.seat_after(by), DRAW)
    elif top.action[0] == Verb.HU:
        win(table, top.seat, card, by)
    else:
        meld = Meld(MeldKind.PENG, bytes((card,)) * 3, card, by, True)
        table.emit(ev.Melded(top.seat, meld, -1, 1, ()))
        table.keep(LAST, 0)
        take(table, top.seat, 1)
        hand_over(table, top.seat, OWN)


def hand_spec(state: State, options: Options) -> HandSpec:
    """The hands as they lie (a winning card counted twice changes no suit)."""
    pairs = zip(state.hands, state.melds, strict=True)
    seats = tuple(SeatHand(tuple(hand), tuple(melds)) for hand, melds in pairs)
    won = state.win and Win(
        state.win.seat, state.win.card, WinSource(state.win.source), state.win.by
    )
    return HandSpec(options, state.players, state.dealer, seats, won)


def score(spec: HandSpec) -> Sheet:
    """Everybody pays the stake for an own draw, else the discarder alone."""
    if spec.win is None:
        return Sheet(True, "", -1, "liu_ju", (), (), (0,) * spec.players)
    seat, by, hand = spec.win.seat, spec.win.by, spec.seats[spec.win.seat]
    can_win = complete(hand.counts, hand.melds, spec.win.card)
    payers = [p for p in range(spec.players) if p != seat and by in (seat, p)]
    stake = spec.options.stake
    deltas = [
        len(payers) * stake if p == seat else -stake * (p in payers) for p in range(spec.players)
    ]
    paid = tuple(Payment(payer, seat, stake, "T2") for payer in payers)
    return Sheet(can_win, "" if can_win else "shape", seat, "hu", (), paid, tuple(deltas))


def waits(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
    """Faces that leave at most two suits."""
    hand = spec.seats[seat]
    return tuple(Wait(face, ()) for face in PLAIN if complete(hand.counts, hand.melds, face))


TOY = Variant(
    game="toy",
    zh="玩具",
    en="Toy",
    release=1,
    players=(2, 3, 4),
    deck=DECK,
    red=frozenset(),
    options=Options,
    slots=(2, 1),
    phases=(opening, draw, own, offer, window),
    ranks={Verb.HU: 1, Verb.PENG: 2},
    removed=lambda options, players: 0,
    first_dealer=lambda options: "longest",
    next_dealer=lambda state: state.win.seat if state.win else state.seat_after(state.dealer),
    meld_form=lambda table, seat, meld: meld,
    flags={},
    notes={},
    hand_spec=hand_spec,
    score=score,
    finish=lambda options, totals: (tuple(totals), ()),
    waits=waits,
    may_discard=lambda hand: [face for face, n in enumerate(hand) if n],
    limits=lambda options, players: None,
    play=None,
)
