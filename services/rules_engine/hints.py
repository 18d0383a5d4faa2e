"""听牌 hints from what one seat knows: no card it has not seen plays a part (M9)."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from libs.game.actions import Verb
from libs.game.engine import Refused, table_of, view
from libs.game.flow import Table
from libs.game.sheet import HandSpec, SeatHand
from libs.game.variant import Registry, Variant, Wait
from libs.game.view import TableView

SI_SHOU = "si_shou"
"""The public flag of a seat that cannot win any more (Z22)."""


class Hints(NamedTuple):
    """Waits of a hand as it is and after each discard that leaves any, with the copies of each
    face that the seat has not seen."""

    waits: Sequence[Wait]
    discards: Sequence[tuple[int, Sequence[Wait]]]
    unseen: Sequence[int]


class Known(NamedTuple):
    """A hand and everything its seat has seen, own cards included."""

    variant: Variant
    spec: HandSpec
    seat: int
    seen: Counter[int]


def seated(registry: Registry, state: bytes, seat: int) -> Hints:
    """Hints for a seat of a running round. Raises Refused."""
    seen = view(registry, state, seat)
    table = table_of(registry, state)
    if seen.ended:
        raise Refused("PROMPT_CLOSED", "the round has ended", field="state")
    cards = _cards(seen)
    cards.update(table.variant.known(table, seat))
    known = Known(table.variant, _spec(table, seat), seat, cards)
    if SI_SHOU in seen.seats[seat].flags:
        return Hints((), (), _unseen(known))
    return _hints(known, _discards(known, seen))


def written(variant: Variant, spec: HandSpec) -> Hints:
    """Hints for a hand written down. Raises Refused."""
    held = [seat for seat, hand in enumerate(spec.seats) if any(hand.counts)]
    if len(held) != 1 or spec.win:
        raise Refused("BAD_REQUEST", "one seat has cards, and there is no win", field="hand")
    hand = spec.seats[held[0]]
    seen = Counter(dict(enumerate(hand.counts)))
    seen.update(card for meld in hand.melds for card in meld.cards)
    return _hints(Known(variant, spec, held[0], seen), variant.may_discard(hand.counts))


def _spec(table: Table, seat: int) -> HandSpec:
    """The seat's own hand, melds and facts, and nothing else."""
    state = table.state
    seats = [SeatHand((0,) * table.variant.deck.width)] * state.players
    seats[seat] = table.variant.hand_spec(state, table.options).seats[seat]
    return HandSpec(table.options, state.players, state.dealer, tuple(seats), None)


def _cards(seen: TableView) -> Counter[int]:
    """Every face that lies before the reader."""
    cards: Counter[int] = Counter()
    for seat in seen.seats:
        for lying in (seat.hand, seat.pile, seat.flowers, *(m.cards for m in seat.melds)):
            cards.update(lying)
    if seen.open:
        cards[seen.open[0]] += 1
    return cards


def _unseen(known: Known) -> list[int]:
    copies = known.variant.deck.counts
    return [max(0, n - known.seen[face]) for face, n in enumerate(copies)]


def _discards(known: Known, seen: TableView) -> Sequence[int]:
    """Faces the seat may discard now: what its question offers, if it has been asked."""
    asked = seen.prompt.choices if seen.prompt else ()
    offered = [choice[1] for choice in asked if choice[0] == Verb.DISCARD]
    if offered:
        return offered
    mine = seen.turn == seen.reader
    return known.variant.may_discard(known.spec.seats[known.seat].counts) if mine else ()


def _hints(known: Known, discards: Sequence[int]) -> Hints:
    """A hand that waits as it is has no card to spare."""
    waits = known.variant.waits(known.spec, known.seat)
    after = () if waits else _after_discards(known, discards)
    return Hints(waits, after, _unseen(known))


def _after_discards(known: Known, faces: Sequence[int]) -> Sequence[tuple[int, Sequence[Wait]]]:
    variant, spec, seat, _ = known
    hand = spec.seats[seat]
    found = []
    for face in faces:
        counts = list(hand.counts)
        counts[face] -= 1
        seats = list(spec.seats)
        seats[seat] = SeatHand(tuple(counts), hand.melds, hand.facts)
        left = HandSpec(spec.options, spec.players, spec.dealer, tuple(seats), None)
        waits = variant.waits(left, seat)
        if waits:
            found.append((face, waits))
    return found
