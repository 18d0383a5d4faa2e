"""The contract every game keeps (docs: style 5), as functions over one random round.

`play` walks through a round and hands each step to every check; `finish` looks at the whole walk.
A new game is found through the registry and needs nothing here.
"""

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest

from libs.game import engine as en
from libs.game import events as ev
from libs.game.actions import PASS, PromptClass, Verb
from libs.game.cards import HIDDEN
from libs.game.codec import decode_event, decode_state, encode_event, encode_state
from libs.game.evolve import apply, begin
from libs.game.state import Outcome, Prompt, State
from libs.game.variant import Registry, Variant
from libs.game.view import Formed
from libs.wire.events import event_bytes
from tests.conformance.kit import Habit, random_input, records

MAX_STATE = 2048
MAX_STEPS = 1000
SAMPLE = 0.05
"""Share of steps at which the dear checks run."""
LEGAL = 0.4
"""Share of steps at which `legal` is asked."""


@dataclass
class Walk:
    """A round that was played: what went in, and what came out each time."""

    registry: Registry
    start: en.Start
    run_on: bool
    inputs: list[en.Input] = field(default_factory=list)
    steps: list[en.Stepped] = field(default_factory=list)

    @property
    def variant(self) -> Variant:
        """The game."""
        return en.find(self.registry, self.start.game, self.start.release)

    @property
    def last(self) -> en.Stepped:
        """The newest step."""
        return self.steps[-1]

    def begin(self) -> None:
        """Deals."""
        self.steps.append(en.start(self.registry, self.start, self.run_on))

    def put(self, what: en.Input) -> None:
        """Takes one input."""
        self.steps.append(en.step(self.registry, self.last.state, what, self.run_on))
        self.inputs.append(what)


def play(walk: Walk, habit: Habit, rng: random.Random) -> None:
    """Plays to the end, checking every step; never stuck."""
    walk.begin()
    check_step(walk, b"", rng)
    while walk.last.status != en.ENDED:
        assert len(walk.steps) < MAX_STEPS, "the round does not end"
        before = walk.last.state
        if walk.last.status == en.ADVANCE:
            walk.put(en.Input("advance"))
        else:
            walk.put(random_input(walk.last.prompts, habit, rng))
        check_step(walk, before, rng)


def check_step(walk: Walk, before: bytes, rng: random.Random) -> None:
    """Everything that must hold after each input."""
    stepped = walk.last
    state = decode_state(stepped.state)
    assert len(stepped.state) <= MAX_STATE, f"state of {len(stepped.state)} bytes"
    assert encode_state(state) == stepped.state
    check_events(walk, before)
    check_status(stepped, state)
    for prompt in stepped.prompts:
        check_prompt(walk.variant, state, prompt)
    if rng.random() < LEGAL:
        check_legal(walk, state)
    if rng.random() < SAMPLE:
        check_accepts(walk, rng)
        check_refuses(walk, state, rng)
        check_views(walk, state)


def check_events(walk: Walk, before: bytes) -> None:
    """Records read back, fold to the new state, and keep every card after every event."""
    recorded = records(walk.last)
    assert en.fold(walk.registry, before, recorded) == walk.last.state
    state = decode_state(before) if before else None
    deck = walk.variant.deck
    for formed, record in zip(walk.last.events, recorded, strict=True):
        event = decode_event(record)
        assert event == formed.event
        assert type(event) is type(formed.event)
        if isinstance(event, ev.Started):
            state = begin(event, deck.width, walk.variant.slots)
        else:
            assert state is not None
            apply(state, event)
        assert cards_of(state) == list(deck.counts), f"cards lost or made by {event}"
        check_forms(formed, state.players)


def cards_of(state: State) -> list[int]:
    """Count vector of every card of the round, wherever it lies."""
    total = [sum(column) for column in zip(*state.hands, strict=True)]
    assert min(min(hand) for hand in state.hands) >= 0, "a hand owes cards"
    places = [state.wall, state.removed, *state.piles, *state.flowers]
    places += [meld.cards for melds in state.melds for meld in melds]
    if state.open:
        places.append(bytes((state.open.card,)))
    for cards in places:
        for card in cards:
            total[card] += 1
    return total


def check_forms(formed: Formed, players: int) -> None:
    """Private forms go to seats, and are as long as the public form (M9)."""
    sizes = {len(event_bytes(seen)) for _, seen in formed.private}
    assert all(0 <= seat < players for seat, _ in formed.private)
    if formed.public is not None and sizes:
        assert sizes == {len(event_bytes(formed.public))}, "a hidden face changes the size"


def check_status(stepped: en.Stepped, state: State) -> None:
    """What the round waits for is what the state says; there is always something."""
    asked = [prompt.seat for prompt in stepped.prompts]
    assert len(set(asked)) == len(asked)
    assert (stepped.status == en.ENDED) == bool(state.outcome) == bool(stepped.carry)
    assert (stepped.status == en.ADVANCE) == (state.waiting == 1)
    assert bool(asked) == (stepped.status == en.PROMPTS), "stuck, or asked while not waiting"
    discarding = [p.seat for p in stepped.prompts if p.cls == PromptClass.DISCARD]
    assert stepped.turn == state.turn
    assert not discarding or discarding == [stepped.turn]
    if stepped.carry:
        assert 0 <= stepped.carry[0] < state.players


def check_prompt(variant: Variant, state: State, prompt: Prompt) -> None:
    """Choices are distinct, default and auto are among them, a claim's default is 过 (M5)."""
    choices = prompt.choices
    assert len(set(choices)) == len(choices) > 0
    assert 0 <= prompt.default < len(choices) > prompt.auto >= 0
    assert prompt.number == state.asked[prompt.seat] > prompt.continues >= 0
    dead = [slot for slot, name in variant.flags.items() if name == "si_shou"]
    assert not any(state.marks[prompt.seat][slot] for slot in dead), "a dead hand is asked (Z22)"
    if prompt.cls == PromptClass.CLAIM:
        assert choices[prompt.default] == PASS, "a timeout passes"
        assert len(choices) > 1, "a question without a choice"
    else:
        held = state.hands[prompt.seat]
        assert all(held[c[1]] for c in choices if c[0] == Verb.DISCARD)
        assert PASS not in choices


def check_legal(walk: Walk, state: State) -> None:
    """`legal` lists exactly the open questions."""
    listed = [en.legal(walk.registry, walk.last.state, seat) for seat in range(state.players)]
    opened = {prompt.seat: prompt for prompt in walk.last.prompts}
    assert listed == [opened.get(seat) for seat in range(state.players)]


def check_accepts(walk: Walk, rng: random.Random) -> None:
    """Each listed choice is accepted, by index and by action alike; so are timeout and auto."""
    for prompt in walk.last.prompts:
        at = (prompt.seat, prompt.number)
        by_index = []
        for index, action in enumerate(prompt.choices):
            stepped = _step(walk, en.Input("answer", *at, index))
            assert stepped == _step(walk, en.Input("answer", *at, action))
            assert stepped.state != walk.last.state
            by_index.append(stepped)
        assert _step(walk, en.Input("timeout", *at)) == by_index[prompt.default]
        assert _step(walk, en.Input("auto", *at)) == by_index[prompt.auto]


def _step(walk: Walk, what: en.Input) -> en.Stepped:
    return en.step(walk.registry, walk.last.state, what, walk.run_on)


def check_refuses(walk: Walk, state: State, rng: random.Random) -> None:
    """Nothing but the listed choices is accepted, and each refusal has its reason."""
    ended = "PROMPT_CLOSED" if state.outcome else ""
    opened = {prompt.seat: prompt for prompt in walk.last.prompts}
    for seat in range(state.players):
        number = state.asked[seat]
        closed = ended or "PROMPT_CLOSED"
        for kind in ("answer", "timeout", "auto"):
            if number and seat not in opened:
                refused(walk, en.Input(kind, seat, number), closed)
            if number > 1:
                refused(walk, en.Input(kind, seat, rng.randint(1, number - 1)), closed)
            for stale in (0, -1, number + 1, 1 << 20):
                refused(walk, en.Input(kind, seat, stale), ended or "STALE_PROMPT")
    for prompt in opened.values():
        for choice in unlisted(walk.variant, prompt, rng):
            refused(walk, en.Input("answer", prompt.seat, prompt.number, choice), "NOT_A_CHOICE")
    for seat in (-1, state.players, 99):
        refused(walk, en.Input("answer", seat, 1), ended or "BAD_REQUEST")
    if walk.last.status != en.ADVANCE:
        refused(walk, en.Input("advance"), ended or "BAD_REQUEST")
    if ended:
        refused(walk, en.Input("abort"), ended)


def unlisted(variant: Variant, prompt: Prompt, rng: random.Random) -> list[int | bytes]:
    """Indices and actions that a question does not offer."""
    actions = [bytes((verb, card)) for verb in Verb for card in (0, *range(variant.deck.width))]
    wrong = [action for action in actions if action not in prompt.choices]
    odd: list[int | bytes] = [-1, len(prompt.choices), 1 << 16, b"", b"\xff"]
    return [*odd, prompt.choices[0] + b"\0", *rng.sample(wrong, 12)]


def refused(walk: Walk, what: en.Input, reason: str) -> None:
    """The input is refused for that reason."""
    with pytest.raises(en.Refused) as caught:
        _step(walk, what)
    assert caught.value.reason == reason, what


def check_views(walk: Walk, state: State) -> None:
    """Each reader sees its own hand and backs of the others until the end (M9, Z30a)."""
    for reader in range(-1, state.players):
        view = en.view(walk.registry, walk.last.state, reader)
        assert (view.wall_left, view.turn) == (len(state.wall), state.turn)
        for seat, shown in enumerate(view.seats):
            backs = bytes((HIDDEN,)) * sum(state.hands[seat])
            hidden = seat != reader and not state.outcome
            assert (shown.hand == backs) == (hidden or not backs)
        own = en.legal(walk.registry, walk.last.state, reader) if reader >= 0 else None
        assert view.prompt == own


def finish(walk: Walk) -> Counter[str]:
    """What must hold of a whole round; returns what kinds of things happened in it."""
    recorded = [record for step in walk.steps for record in records(step)]
    assert en.fold(walk.registry, b"", recorded) == walk.last.state
    if len(walk.inputs) % 3 == 0:  # a third of the rounds is enough
        check_again(walk)
    if len(walk.inputs) % 3:  # the other two thirds
        check_other_mode(walk)
    state = decode_state(walk.last.state)
    check_score(walk.variant, walk, state)
    seen = Counter(type(f.event).__name__ for s in walk.steps for f in s.events)
    seen[Outcome(state.outcome).name] = 1
    return seen


def check_again(walk: Walk) -> None:
    """The same seed and inputs give the same bytes."""
    again = Walk(walk.registry, walk.start, walk.run_on)
    again.begin()
    for what in walk.inputs:
        again.put(what)
    assert again.steps == walk.steps


def check_other_mode(walk: Walk) -> None:
    """Stopping after each card or running on is the same game."""
    other = Walk(walk.registry, walk.start, not walk.run_on)
    other.begin()
    for what in [i for i in walk.inputs if i.kind != "advance"]:
        while other.last.status == en.ADVANCE and what.kind != "abort":
            other.put(en.Input("advance"))
        other.put(what)
    while other.last.status == en.ADVANCE:
        other.put(en.Input("advance"))
    if any(what.kind == "abort" for what in walk.inputs):
        return  # an abort may fall before or after an advance
    assert other.last.state == walk.last.state
    assert _told(other) == _told(walk)


def _told(walk: Walk) -> list[bytes]:
    """All records but the pauses, and the phase at which each input came to rest."""
    rests = (ev.Waiting, ev.Moved)
    told = [f.event for s in walk.steps for f in s.events if not isinstance(f.event, rests)]
    return [encode_event(event) for event in told]


def check_score(variant: Variant, walk: Walk, state: State) -> None:
    """Whole numbers that sum to zero, each paid by somebody to somebody; a win counts, nothing
    else pays unless every seat settles (M10, Z30, X16, X17)."""
    if state.outcome == Outcome.VOID:
        return
    sheet = variant.score(variant.hand_spec(state, walk.start.options))
    assert sum(sheet.deltas) == 0
    assert len(sheet.deltas) == state.players
    assert all(type(delta) is int for delta in sheet.deltas)
    paid = [
        sum(p.amount * ((p.payee == s) - (p.payer == s)) for p in sheet.payments)
        for s in range(state.players)
    ]
    assert tuple(paid) == sheet.deltas
    all_settle = len(sheet.seats) == state.players  # every seat's points count (X15, X17)
    if state.win is None:
        assert state.outcome == Outcome.LIU_JU
        assert all_settle or not any(sheet.deltas)
        return
    assert sheet.can_win, sheet.reason
    assert sheet.winner == state.win.seat
    others = [delta for seat, delta in enumerate(sheet.deltas) if seat != sheet.winner]
    assert all_settle or sheet.deltas[sheet.winner] > 0 >= max(others)
