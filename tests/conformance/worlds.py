"""Two worlds that one reader cannot tell apart: the same round with hidden cards re-dealt.

`World` plays a round from a deck and keeps what every reader receives. `Twin` plays the re-dealt
deck, making the same choices at the same moments; choices that only one world offers are passed.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from libs.game import engine as en
from libs.game import events as ev
from libs.game.actions import PASS
from libs.game.codec import decode_state
from libs.game.state import ALL_SEATS, Prompt
from libs.game.variant import Registry
from libs.game.view import Formed
from libs.wire.tables import table_message
from services.rules_engine import hints
from tests.conformance.heard import CARD_EVENTS, SPECTATOR, Told, heard, is_secret

Glance = tuple[Any, ...]


class Choice(NamedTuple):
    """An answer of the first world: when, who, what."""

    card_no: int
    seat: int
    action: bytes


@dataclass
class World:
    """One deck being played, stopping after every card."""

    registry: Registry
    start: en.Start
    steps: list[en.Stepped] = field(default_factory=list)
    told: dict[int, list[Told]] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)
    forced: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """By card number: the claim nobody chooses (Z8 lets it silence lesser questions)."""
    card_no: int = 0
    now: int = 0
    """Pauses that have passed; answers take no time (M4)."""
    shown: int = 0
    """When everybody was told something last, or a pause ended: the next counts from there."""
    renamed: dict[int, int] = field(default_factory=dict)
    """In a twin: faces that stand for each other in what the other seats choose."""

    @property
    def last(self) -> en.Stepped:
        """The newest step."""
        return self.steps[-1]

    @property
    def readers(self) -> range:
        """Every seat and the spectators."""
        return range(SPECTATOR, self.start.players)

    def begin(self) -> None:
        """Deals."""
        self.told = {reader: [] for reader in self.readers}
        self._take(en.start(self.registry, self.start, False))

    def put(self, what: en.Input) -> None:
        """Takes one input."""
        if what.kind == "advance":
            self.now = self.shown = self.shown + 1
        self._take(en.step(self.registry, self.last.state, what, False))

    def answer(self, prompt: Prompt, action: bytes) -> None:
        """A seat's choice."""
        self.choices.append(Choice(self.card_no, prompt.seat, action))
        self.put(en.Input("answer", prompt.seat, prompt.number, action))

    def _take(self, stepped: en.Stepped) -> None:
        self.steps.append(stepped)
        for reader in self.readers:
            told = heard(self.start.options, stepped.events, reader, self.card_no, self.now)
            self.told[reader] += told
        if any(formed.public for formed in stepped.events):
            self.shown = self.now
        for formed in stepped.events:
            if isinstance(formed.event, ev.Forced) and formed.event.seat >= 0:
                self.forced[self.card_no] = formed.event
            self.card_no += isinstance(formed.event, CARD_EVENTS)

    def moment(self, reader: int) -> tuple[int, int]:
        """What a reader's knowledge can depend on: events received and answers given."""
        own = sum(choice.seat == reader for choice in self.choices)
        return len(self.told[reader]), own

    def glance(self, reader: int) -> Glance:
        """All that a reader can ask for now: view, question, hints, refusals."""
        view = table_message(en.view(self.registry, self.last.state, reader))
        if reader == SPECTATOR:
            return (view.SerializeToString(),)
        prompt = en.legal(self.registry, self.last.state, reader)
        return view.SerializeToString(), prompt, self._hints(reader), self._refusals(reader)

    def _hints(self, reader: int) -> Any:
        """听牌; dear, so taken at every fourth moment (of both worlds alike)."""
        if sum(self.moment(reader)) % 4 or self.last.status == en.ENDED:
            return None
        return hints.seated(self.registry, self.last.state, reader)

    def _refusals(self, seat: int) -> list[Any]:
        asked = decode_state(self.last.state).asked[seat]
        wrong = [(number, 200) for number in (0, 1, asked, asked + 1)] + [(asked, b"\x02\x63")]
        return [self._refusal(en.Input("answer", seat, *what)) for what in wrong]

    def _refusal(self, what: en.Input) -> Any:
        try:
            en.step(self.registry, self.last.state, what, False)
        except en.Refused as error:
            return error.reason, error.message, error.fields
        return "accepted"


def continue_like(twin: World, first: World, reader: int, used: set[int]) -> bool:
    """One input of the twin, as the first world has it at this moment; False: none fits."""
    if twin.last.status == en.ADVANCE:
        twin.put(en.Input("advance"))
        return True
    opened = {prompt.seat: prompt for prompt in twin.last.prompts}
    for at, choice in enumerate(first.choices):
        if at in used or choice.card_no != twin.card_no or choice.seat not in opened:
            continue
        prompt = opened[choice.seat]
        for action in (choice.action, _renamed(twin, choice, reader), PASS):
            if action in prompt.choices:
                used.add(at)
                twin.answer(prompt, action)
                return True
    for prompt in twin.last.prompts:
        if prompt.seat != reader and PASS in prompt.choices:
            twin.answer(prompt, PASS)
            return True
    return False


def _renamed(twin: World, choice: Choice, reader: int) -> bytes:
    """The choice about the face that the seat holds in its place (an unseen 暗杠, X4)."""
    verb, card = choice.action[:2]
    if choice.seat == reader or card not in twin.renamed:
        return choice.action
    return bytes((verb, twin.renamed[card])) + choice.action[2:]


def swapped_faces(deck: bytes, other: bytes) -> dict[int, int]:
    """The two faces that changed places between two decks."""
    return {a: b for a, b in zip(deck, other, strict=True) if a != b}


def all_events(world: World) -> list[Formed]:
    """Everything that happened."""
    return [formed for step in world.steps for formed in step.events]


def places(world: World) -> dict[int, list[int]]:
    """Deck positions of the cards each seat got into its hand unseen, -1: wall and removed."""
    events = [formed.event for formed in all_events(world)]
    deck = world.start.source
    assert isinstance(deck, bytes)
    found: dict[int, list[int]] = {seat: [] for seat in world.readers}
    removed = len(decode_state(world.last.state).removed)
    head, tail, face_down = 0, len(deck) - removed, False
    for at, event in enumerate(events):
        if isinstance(event, ev.Dealt):
            found[event.seat] += range(head, head + len(event.cards))
            head += len(event.cards)
        elif isinstance(event, ev.Shown):
            head += not face_down  # else a drawn card is turned up (G17)
        elif isinstance(event, ev.Drew):
            face_down = event.seen != ALL_SEATS
            tail -= event.tail
            if event.to_hand or _stays_hidden(world, events[at:]):
                found[event.seat].append(tail if event.tail else head)
            head += not event.tail
    found[SPECTATOR] = [*range(head, tail), *range(len(deck) - removed, len(deck))]
    return found


def _stays_hidden(world: World, events: Sequence[ev.Event]) -> bool:
    laid = next((e for e in events if isinstance(e, ev.Melded)), None)
    drew = events[0]
    assert isinstance(drew, ev.Drew)
    return (
        laid is not None
        and laid.seat == drew.seat
        and bool(laid.takes)
        and is_secret(world.start.options, laid.meld)
    )


def never_seen(world: World, reader: int) -> tuple[list[int], list[int]]:
    """(positions whose faces the reader never learned before the end, those in hidden melds)."""
    deck, found = world.start.source, places(world)
    assert isinstance(deck, bytes)
    state = decode_state(world.last.state)
    secret, melded = list(found[SPECTATOR]), []
    for seat in range(state.players):
        if seat == reader:
            continue
        left = found[seat]
        for meld in state.melds[seat]:
            if is_secret(world.start.options, meld):
                melded += _pick(deck, left, meld.cards)
        in_hand = [card for card, n in enumerate(state.hands[seat]) for _ in range(n)]
        secret += _pick(deck, left, in_hand)
    return secret + melded, melded


def _pick(deck: bytes, places: list[int], cards: Iterable[int]) -> list[int]:
    """Takes a place of each of the cards out of `places`, latest first; shown cards have none."""
    picked = []
    for card in cards:
        at = [place for place in places if deck[place] == card]
        if at:
            picked.append(at[-1])
            places.remove(at[-1])
    return picked


def redeal(world: World, reader: int, rng: random.Random) -> bytes | None:
    """The deck with hidden cards changed: single swaps, or two faces for each other."""
    deck = world.start.source
    assert isinstance(deck, bytes)
    secret, melded = never_seen(world, reader)
    if rng.random() < 0.2:
        own = set(places(world)[reader]) if reader >= 0 else set()
        secret = [place for place in range(len(deck)) if place not in own]
    if len({deck[place] for place in secret}) < 2:
        return None
    one, other = _two_faces(deck, secret, melded, rng)
    these = sorted((p for p in secret if deck[p] == one), key=lambda p: p not in melded)
    those = rng.sample(others := [p for p in secret if deck[p] == other], len(others))
    if rng.random() < 0.5:
        these = [rng.choice(these)]
    changed = bytearray(deck)
    for a, b in zip(these, those, strict=False):
        changed[a], changed[b] = other, one
    return bytes(changed)


def _two_faces(
    deck: bytes, secret: list[int], melded: list[int], rng: random.Random
) -> tuple[int, int]:
    """Two hidden faces to change for each other; a hidden triple, four or five if possible for
    another of the size."""
    one = deck[rng.choice(melded if melded and rng.random() < 0.6 else secret)]
    others = [deck[place] for place in secret if deck[place] != one]
    size = max(3, sum(deck[place] == one for place in melded))
    triples = [face for face in set(others) if others.count(face) == size]
    if triples and one in {deck[place] for place in melded} and rng.random() < 0.8:
        return one, rng.choice(sorted(triples))
    return one, rng.choice(others)
