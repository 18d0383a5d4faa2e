"""The claim window against Z7, Z8 and Z8a said once more, by trying out everything."""

import itertools
import random
from dataclasses import dataclass

from libs.game import events as ev
from libs.game.actions import PASS, Action, PromptClass, Verb, encode
from libs.game.evolve import begin
from libs.game.flow import OUTRANKED, PASSED, TAKEN, Table
from libs.game.options import pack
from libs.game.state import ALL_SEATS
from libs.game.window import Claim, close, winner
from libs.variants import registry

CARD = 5
GAME = registry()["hengyang_liuhuqiang", 1]
STRENGTH = [{Verb.HU}, {Verb.PAO, Verb.PENG}, {Verb.CHI}, {Verb.PASS}]
"""Z7 below 提 and 偎, strongest first; 过 takes nothing."""


@dataclass(frozen=True)
class Case:
    """A card, what each seat is offered, and what it will answer."""

    players: int
    origin: int
    discarded: bool
    offers: dict[int, tuple[Verb, ...]]
    answers: dict[int, Verb]
    forced: tuple[int, Verb] | None


def random_case(rng: random.Random) -> Case:
    """Any offers at all, not only those that a game could make."""
    players, origin, discarded = rng.randint(2, 4), rng.randrange(2), rng.random() < 0.5
    seats = [seat for seat in range(players) if not (discarded and seat == origin)]
    offers, answers = {}, {}
    for seat in seats:
        verbs = tuple(v for v in (Verb.HU, Verb.PENG, Verb.CHI) if rng.random() < 0.45)
        if verbs:
            offers[seat] = (*verbs, Verb.PASS)
            answers[seat] = rng.choice(offers[seat])
    kind = rng.choice((Verb.PAO, Verb.PAO, Verb.HU))
    free = [seat for seat in seats if not (set(offers.get(seat, ())) & {kind, Verb.PENG})]
    forced = (rng.choice(free), kind) if free and rng.random() < 0.4 else None
    return Case(players, origin, discarded, offers, answers, forced)


def rank(verb: Verb) -> int:
    """Place in Z7."""
    return next(place for place, verbs in enumerate(STRENGTH) if verb in verbs)


def turn_order(case: Case) -> list[int]:
    """From the drawer, or from the seat after the discarder (Z7)."""
    first = case.origin + 1 if case.discarded else case.origin
    return [(first + n) % case.players for n in range(case.players)]


def takes(case: Case, answers: dict[int, Verb]) -> tuple[int, Verb] | None:
    """Who gets the card if these are all the answers (Z7)."""
    claims: list[tuple[int, Verb]] = [
        (seat, verb) for seat, verb in answers.items() if verb != Verb.PASS
    ]
    if case.forced:
        claims.append(case.forced)
    order = turn_order(case)
    return min(claims, key=lambda c: (rank(c[1]), order.index(c[0])), default=None)


def is_certain(case: Case, given: dict[int, Verb]) -> bool:
    """Whether every way to go on ends the same (Z8)."""
    open_seats = [seat for seat in case.offers if seat not in given]
    endings = {
        takes(case, given | dict(zip(open_seats, rest, strict=True)))
        for rest in itertools.product(*(case.offers[seat] for seat in open_seats))
    }
    return len(endings) == 1


def outcome_of(case: Case, seat: int, given: dict[int, Verb]) -> int:
    """How a seat's question closes (Z8a): what it answered does not matter if it was outranked."""
    top = takes(case, given)
    if top and top == (seat, given.get(seat)):
        return TAKEN
    if top is None:
        return PASSED
    order = turn_order(case)
    best = min((rank(verb), order.index(seat)) for verb in case.offers[seat] if verb != Verb.PASS)
    return OUTRANKED if (rank(top[1]), order.index(top[0])) < best else PASSED


def action(verb: Verb) -> bytes:
    """The encoded choice."""
    return PASS if verb == Verb.PASS else encode(Action(verb, CARD))


def table_of(case: Case) -> Table:
    """A table where the card lies open and everybody has been asked."""
    deck = GAME.deck.cards
    started = ev.Started(
        GAME.game,
        1,
        pack(GAME.options()),
        case.players,
        1,
        0,
        deck,
        b"",
        b"",
        b"",
        b"",
        (0,) * case.players,
    )
    table = Table(begin(started, GAME.deck.width, GAME.slots), GAME, True)
    if case.discarded:
        table.emit(ev.Discarded(case.origin, CARD))
    else:
        table.emit(ev.Drew(case.origin, CARD, 0, 0, 0, ALL_SEATS))
    if case.forced:
        table.emit(ev.Forced(case.forced[0], action(case.forced[1])))
    for seat, verbs in case.offers.items():
        last = len(verbs) - 1
        table.ask(seat, PromptClass.CLAIM, [action(verb) for verb in verbs], (last, last))
    return table


def put_in_order(case: Case, order: tuple[int, ...]) -> tuple[Claim | None, dict[int, int]]:
    """Answers one by one; the window must be open exactly while something can still change."""
    table = table_of(case)
    given: dict[int, Verb] = {}
    waiting = list(order)
    while True:
        certain, top = winner(table)
        assert certain == is_certain(case, given), (case, given)
        if certain:
            break
        seat = waiting.pop(0)
        given[seat] = case.answers[seat]
        table.emit(ev.Answered(seat, case.offers[seat].index(given[seat])))
    counted = {prompt.seat: passed for prompt, passed in close(table, top)}
    closed = {f.event.seat: f.event.outcome for f in table.events if isinstance(f.event, ev.Closed)}
    assert closed == {seat: outcome_of(case, seat, given) for seat in case.offers}
    assert counted == {seat: outcome != OUTRANKED for seat, outcome in closed.items()}
    assert not table.state.prompts
    return top, closed


def test_the_window_is_the_pages_words() -> None:
    """Z7, Z8, Z8a on 1,500 windows: closes when certain and not before or after; the same winner
    and the same passes for every order of answers."""
    rng = random.Random(5)
    early = outranked = 0
    for _ in range(1500):
        case = random_case(rng)
        expected = takes(case, case.answers)
        results = []
        for order in itertools.permutations(case.offers):
            top, closed = put_in_order(case, order)
            assert (top and (top.seat, top.action)) == (
                expected and (expected[0], action(expected[1]))
            )
            results.append(closed)
        assert all(result == results[0] for result in results)
        outranked += OUTRANKED in results[0].values()
        early += len(case.offers) > 1 and is_certain(case, {})
    assert min(early, outranked) > 50


def test_a_lower_choice_waits_only_for_better_ones() -> None:
    """Z8: 吃 waits for an unanswered 碰, 胡 of the first seat waits for nobody."""
    case = Case(
        3,
        0,
        False,
        {0: (Verb.HU, Verb.PASS), 1: (Verb.CHI, Verb.PASS), 2: (Verb.PENG, Verb.PASS)},
        {},
        None,
    )
    table = table_of(case)
    table.emit(ev.Answered(1, 0))
    assert winner(table)[0] is False
    table.emit(ev.Answered(2, 1))
    assert winner(table)[0] is False
    table.emit(ev.Answered(0, 1))
    assert winner(table)[1] == Claim(1, action(Verb.CHI), 4 * 16 + 1)
    table = table_of(case)
    table.emit(ev.Answered(0, 0))
    assert winner(table)[0] is True
