"""What the models of play of the 字牌 games share: the table, the window, the talk with a driver.

A model is a second opinion on play, written from the clauses alone: no code of the families, and
none of the kernel but the records that a score asks for. Whether a hand can win it asks the
variant's scorer, which has second opinions of its own (`bruteforce_*`).

A model is a generator: it yields the questions that are open, `{seat: (class, choices)}`, and is
sent `(seat, choice)`. A choice is a tuple of words, e.g. ("peng", card); what happens is written
to `log` in the same way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.game.variant import Variant

Claim = tuple[Any, ...]
PASS: Claim = ("pass",)
HU: Claim = ("hu",)
TAKEN, PASSED, OUTRANKED = 1, 2, 3
EVERYBODY = 255
BACK = 99
"""A card that the others see from behind."""


@dataclass(frozen=True)
class Setting:
    """What a round begins with."""

    variant: Variant
    options: Any
    players: int
    dealer: int
    deck: bytes


@dataclass
class Question:
    """What a seat is offered on the open card, and what it answers (None: nothing yet)."""

    seat: int
    claims: list[Claim]
    answer: Claim | None = None
    outcome: int = 0
    alone: bool = False
    """It was asked, and its question closed, before the others were (G17)."""


@dataclass(frozen=True)
class Card:
    """The card that lies open: who drew or discarded it."""

    face: int
    seat: int
    drawn: bool

    def source(self, seat: int) -> WinSource:
        """Where it comes from for this seat."""
        if not self.drawn:
            return WinSource.DISCARD
        return WinSource.OWN_DRAW if seat == self.seat else WinSource.OTHER_DRAW


def size(face: int) -> int:
    """0 for small, 10 for big: what a number is added to."""
    return (face - 1) // 10 * 10


def runs_with(face: int, red: tuple[set[int], ...]) -> set[tuple[int, int]]:
    """Pairs that make a run or one of the `red` sets with the face."""
    base, number = size(face), face - size(face)
    ends = [(number - 2, number - 1), (number - 1, number + 1), (number + 1, number + 2)]
    pairs = {(base + a, base + b) for a, b in ends if a >= 1 and b <= 10}
    for numbers in red:
        if number in numbers:
            a, b = sorted(numbers - {number})
            pairs.add((base + a, base + b))
    return pairs


class Model:
    """The table of a round."""

    ranks: dict[str, int]
    """Rank of each claim, lower is stronger."""

    def __init__(self, setting: Setting) -> None:
        self.variant, self.options = setting.variant, setting.options
        self.players, self.dealer = setting.players, setting.dealer
        removed = setting.variant.removed(setting.options, setting.players)
        self.wall = list(setting.deck[: len(setting.deck) - removed])
        seats = range(self.players)
        self.hands = [[0] * 21 for _ in seats]
        self.melds: list[list[Meld]] = [[] for _ in seats]
        self.piles: list[list[int]] = [[] for _ in seats]
        self.discarded: list[set[int]] = [set() for _ in seats]
        self.dead = [False for _ in seats]
        self.log: list[tuple[Any, ...]] = []
        self.turn = -1
        self.outcome = 0
        self.next_dealer = -1
        self.win_spec: HandSpec | None = None

    def seat_after(self, seat: int, steps: int = 1) -> int:
        return (seat + steps) % self.players

    def from_seat(self, seat: int) -> list[int]:
        """All seats in turn order, this one first."""
        return [self.seat_after(seat, steps) for steps in range(self.players)]

    def facts(self, seat: int) -> dict[str, int]:
        """What a score asks about the seat beside its cards."""
        return {}

    def spec(self, win: Win | None, options: Any = None) -> HandSpec:
        """The hands as they are now."""
        seats = tuple(
            SeatHand(tuple(self.hands[seat]), tuple(self.melds[seat]), self.facts(seat))
            for seat in range(self.players)
        )
        following = self.wall[0] if self.wall else 0
        return HandSpec(options or self.options, self.players, self.dealer, seats, win, following)

    def completes(self, win: Win) -> bool:
        """Whether that would be a win; a dead hand has none (Z22, G16)."""
        return not self.dead[win.seat] and self.variant.score(self.spec(win)).can_win

    def meld_at(self, seat: int, face: int, *kinds: MeldKind) -> int:
        """Index of the seat's meld of that face; -1: none."""
        for at, meld in enumerate(self.melds[seat]):
            if meld.kind in kinds and meld.cards[0] == face:
                return at
        return -1

    def deal(self, seat: int, count: int) -> None:
        cards = [self.wall.pop(0) for _ in range(count)]
        for card in cards:
            self.hands[seat][card] += 1
        self.log.append(("dealt", seat, tuple(sorted(cards))))

    def pile(self, card: Card) -> int:
        """Nobody took the card; the next seat draws."""
        self.piles[card.seat].append(card.face)
        self.log.append(("pile", card.seat, card.face, card.drawn))
        return self.seat_after(card.seat)

    def lay(
        self, seat: int, kind: MeldKind, cards: list[int], card: Card | None, **how: Any
    ) -> None:
        """Lays a meld with the open card, or from the hand; `at` is the own meld it grows from,
        `hidden` tells that the others see backs, `bi` are the groups laid beside it."""
        at, bi = how.get("at", -1), how.get("bi", ())
        old = self.melds[seat][at] if at >= 0 else None
        there = [*([card.face] if card else []), *(old.cards if old else ())]
        hand = self.hands[seat]
        for face in cards:
            if face in there:
                there.remove(face)
            else:
                hand[face] -= 1
        meld = Meld(kind, bytes(sorted(cards)))
        if card:
            meld = meld._replace(claimed=card.face, source=card.seat, from_discard=not card.drawn)
        if old:
            self.melds[seat][at] = meld._replace(steps=(*old.steps, old.kind))
        else:
            self.melds[seat].append(meld)
        for group in bi:
            self.melds[seat].append(Meld(MeldKind.CHI, bytes(group)))
            for face in group:
                hand[face] -= 1
        assert min(hand) >= 0
        shown = (BACK,) * len(cards) if how.get("hidden") else tuple(sorted(cards))
        grown = old is not None
        self.log.append(
            ("meld", seat, kind.name, tuple(sorted(cards)), card is not None, grown, bi)
        )
        self.log.append(("seen", shown))

    def ask(self, seat: int, claims: list[Claim]) -> Iterator[Any]:
        """Asks one seat by itself; returns its answer."""
        _, answer = yield {seat: ("claim", frozenset((*claims, PASS)))}
        self.log.append(("closed", seat, PASSED if answer == PASS else TAKEN))
        return answer

    def window(
        self, asked: list[Question], forced: list[tuple[int, Claim]], first: int
    ) -> Iterator[Any]:
        """Z7, Z8, Z8a: asks everybody that could still get the card, until it is certain who does.

        `forced` are claims nobody chooses; among equals the seats rank in turn order from `first`.
        Returns the claim that won, (seat, claim) or None, and the questions with their outcomes.
        """

        def key(seat: int, claim: Claim) -> tuple[int, int]:
            return self.ranks[claim[0]], (seat - first) % self.players

        def best(question: Question) -> tuple[int, int]:
            return min(key(question.seat, claim) for claim in question.claims)

        due = min(forced, key=lambda made: key(*made), default=None)
        asked = [q for q in asked if q.claims and (due is None or best(q) < key(*due))]
        while True:
            made = [(q.seat, q.answer) for q in asked if q.answer not in (None, PASS)]
            made += [due] if due else []
            top = min(made, key=lambda claim: key(*claim), default=None)
            waiting = [q for q in asked if q.answer is None]
            if not any(top is None or best(q) < key(*top) for q in waiting):
                break
            seat, answer = yield {q.seat: ("claim", frozenset((*q.claims, PASS))) for q in waiting}
            next(q for q in waiting if q.seat == seat).answer = answer
        for q in asked:
            q.outcome = OUTRANKED if top and key(*top) < best(q) else PASSED
            if top == (q.seat, q.answer):
                q.outcome = TAKEN
            if not q.alone:
                self.log.append(("closed", q.seat, q.outcome))
        return top, asked

    def won(self, win: Win, spec: HandSpec) -> None:
        """The round ends; `spec` is what the score is made from."""
        self.win_spec = spec
        last, first = win.last_card, win.first_discard
        self.log.append(("won", win.seat, win.card, int(win.source), win.by, last, first))
        self.next_dealer = win.seat

    def end(self, outcome: int) -> None:
        self.outcome = outcome
        self.log.append(("ended", outcome))
