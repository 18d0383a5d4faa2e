"""Plays rounds with the engine and with a model of play side by side and compares every stop."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from libs.game import engine as en
from libs.game import events as ev
from libs.game.actions import PromptClass, decode
from libs.game.settle import settle
from libs.game.state import Outcome, Prompt
from libs.game.variant import Variant
from libs.game.view import Formed, snapshot
from libs.variants import registry
from tests.conformance.kit import hardly_shuffled
from tests.game.model_guihuzi import Guihuzi
from tests.game.model_paohuzi import Paohuzi
from tests.game.model_table import Claim, Model, Setting

REGISTRY = registry()
MODELS: dict[str, type[Model]] = {
    "hengyang_liuhuqiang": Paohuzi,
    "qidong_shiwuhu": Paohuzi,
    "yuanjiang_guihuzi": Guihuzi,
}
TELLING = {"meld": 2, "flag": 2, "closed": 2, "won": 3, "xing": 2, "ended": 1, "returned": 0}
"""Which word of an entry tells what kind of thing happened."""
CLASSES = {PromptClass.DISCARD: "discard", PromptClass.CLAIM: "claim"}


def words(action: bytes) -> Claim:
    """An action as a model names it; the order in a group, or of 比 groups, is no difference."""
    verb, card, groups = decode(action)
    word = verb.name.lower()
    if word in ("pass", "hu"):
        return (word,)
    if word != "chi":
        return (word, card)
    eaten, *bi = [tuple(sorted(group)) for group in groups]
    return (word, card, eaten, tuple(sorted(bi)))


def _melded(e: ev.Melded, formed: Formed) -> list[tuple[Any, ...]]:
    assert formed.public
    meld, shown = e.meld, formed.public.event.meld.cards
    bi = tuple(sorted(tuple(sorted(group.cards)) for group in e.beside))
    kind, cards = meld.kind.name, tuple(sorted(meld.cards))
    return [
        ("meld", e.seat, kind, cards, bool(e.takes), e.replaces >= 0, bi),
        ("seen", tuple(sorted(shown))),
    ]


def happened(formed: Formed) -> list[tuple[Any, ...]]:
    """An event as a model writes it to its log; empty if it writes none."""
    match formed.event:
        case ev.Dealt(seat, cards):
            return [("dealt", seat, tuple(sorted(cards)))]
        case ev.Shown(_, card):
            return [("shown", card)]
        case ev.Joined(seat, card):
            return [("joined", seat, card)]
        case ev.Drew() as e:
            assert (e.to_hand, e.tail) == (e.replacement, 0)
            return [("drew", e.seat, e.card, bool(e.to_hand), e.seen)]
        case ev.Discarded(seat, card):
            return [("discard", seat, card)]
        case ev.Melded() as e:
            return _melded(e, formed)
        case ev.Unclaimed(seat, card, drawn):
            return [("pile", seat, card, bool(drawn))]
        case ev.Closed() as e:
            return [("closed", e.seat, e.outcome)]
        case ev.Returned(seat, card):
            return [("returned", seat, card)]
        case ev.Flagged(seat):
            assert formed.public
            return [("flag", seat, formed.public.extra)]
        case ev.Won(seat, card, source, by, last, first):
            return [("won", seat, card, int(source), by, bool(last), bool(first))]
        case ev.Xing(card, turned):
            return [("xing", card, bool(turned))]
        case ev.Ended(outcome):
            return [("ended", int(outcome))]
    return []


def in_order(log: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The log with questions that close together in the order of seats."""
    ordered: list[tuple[Any, ...]] = []
    at = 0
    while at < len(log):
        end = at + 1
        while log[at][0] == "closed" and end < len(log) and log[end][0] == "closed":
            end += 1
        ordered += sorted(log[at:end])
        at = end
    return ordered


@dataclass(frozen=True)
class Habits:
    """How a seat plays: what it looks for first, and how often it does."""

    wanted: tuple[str, ...]
    often: float

    def pick(self, prompt: Prompt, rng: random.Random) -> int:
        """Index of a choice."""
        named = [words(choice)[0] for choice in prompt.choices]
        for word in self.wanted:
            if word in named and rng.random() < self.often:
                return rng.choice([at for at, name in enumerate(named) if name == word])
        wise = rng.random() < 0.5 and len(set(named)) == 1
        return prompt.auto if wise else rng.randrange(len(named))


LAYING = ("liu", "piao", "wai", "peng", "chi")
HABITS = (
    Habits((), 0),
    Habits(("hu", *LAYING), 0.9),
    Habits((*LAYING, "pass"), 0.9),
    Habits(("chi", "wai", "peng"), 0.8),
    Habits(("hu", "pass"), 0.85),
    Habits(("pass",), 0.9),
)


@dataclass
class Round:
    """A round played by both; every `AssertionError` shows how to play it again."""

    game: str
    options: Any
    players: int
    deck: bytes
    dealer: int = 0
    run_on: bool = True
    answers: list[tuple[int, Claim]] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    """What happened, and what was offered."""

    def play(self, rng: random.Random) -> None:
        """To its end, by habits drawn anew."""
        variant = REGISTRY[self.game, 1]
        setting = Setting(variant, self.options, self.players, self.dealer, self.deck)
        model = MODELS[self.game](setting)
        talk = model.play()
        habits = [rng.choice(HABITS) for _ in range(self.players)]
        wanted = en.Start(
            self.game, self.options, self.players, 1, self.deck, carry=bytes((self.dealer,))
        )
        stepped, events = self.go_on(en.start(REGISTRY, wanted, self.run_on))
        questions = next(talk, {})
        while True:
            self.compare(model, questions, stepped, events)
            if stepped.status == en.ENDED:
                return
            prompt = rng.choice(stepped.prompts)
            at = habits[prompt.seat].pick(prompt, rng)
            answer = (prompt.seat, words(prompt.choices[at]))
            self.answers.append(answer)
            given = en.Input("answer", prompt.seat, prompt.number, at)
            stepped, events = self.go_on(self.step(stepped, given))
            try:
                questions = talk.send(answer)
            except StopIteration:
                questions = {}

    def step(self, stepped: en.Stepped, given: en.Input) -> en.Stepped:
        """A step, taken twice: the bytes of a state are all that it depends on."""
        once = en.step(REGISTRY, stepped.state, given, self.run_on)
        again = en.step(REGISTRY, stepped.state, given, self.run_on)
        assert again.state == once.state, self
        assert [f.event for f in again.events] == [f.event for f in once.events], self
        return again if len(self.answers) % 2 else once

    def go_on(self, stepped: en.Stepped) -> tuple[en.Stepped, list[Formed]]:
        """Through the pauses, in which nobody may be asked; with all events."""
        events = list(stepped.events)
        while stepped.status == en.ADVANCE:
            assert not stepped.prompts
            stepped = self.step(stepped, en.Input("advance"))
            events += stepped.events
        return stepped, events

    def compare(
        self, model: Model, questions: Any, stepped: en.Stepped, events: list[Formed]
    ) -> None:
        """All that happened since the last stop, who is asked what, and how the table lies."""
        log = in_order([entry for formed in events for entry in happened(formed)])
        assert log == in_order(model.log), self
        self.met.update(
            f"{entry[0]} {entry[TELLING[entry[0]]]}" for entry in log if entry[0] in TELLING
        )
        model.log.clear()
        asked = {
            p.seat: (CLASSES[PromptClass(p.cls)], frozenset(map(words, p.choices)))
            for p in stepped.prompts
        }
        assert asked == questions, self
        for prompt in stepped.prompts:
            self.check_picks(prompt)
        table = en.table_of(REGISTRY, stepped.state)
        state = table.state
        assert (state.turn, state.outcome) == (model.turn, model.outcome), self
        assert (state.hands, list(state.wall)) == (model.hands, model.wall), self
        assert list(map(list, state.piles)) == model.piles, self
        for seat in range(self.players):
            laid = [(meld.kind, bytes(sorted(meld.cards))) for meld in state.melds[seat]]
            assert laid == [(meld.kind, meld.cards) for meld in model.melds[seat]], self
            for code, faces in snapshot(table, seat).notes:
                if code != "returned":
                    assert set(faces) == model.notes(seat)[code], (self, code)
        if state.outcome:
            self.compare_ends(model, stepped)

    def check_picks(self, prompt: Prompt) -> None:
        """M5: a timeout passes, 托管 wins where it can and passes else; both can discard."""
        named = [words(choice) for choice in prompt.choices]
        assert len(set(named)) == len(named), self
        self.met.update({"offer " + name[0] for name in named})
        default, auto = named[prompt.default][0], named[prompt.auto][0]
        if prompt.cls == PromptClass.CLAIM:
            assert default == "pass", self
            assert auto == ("hu" if ("hu",) in named else "pass"), self
        elif any(name[0] == "discard" for name in named):
            assert default == auto == "discard", self

    def compare_ends(self, model: Model, stepped: en.Stepped) -> None:
        """Who deals next, and that the score is made from the hands of the model."""
        assert stepped.carry[0] == model.next_dealer, self
        settled = settle(REGISTRY, stepped.state)
        if model.win_spec:
            assert settled.sheet.can_win, self
            assert settled.sheet == model.variant.score(model.win_spec), self
        else:
            assert model.outcome == Outcome.LIU_JU, self


def blocks(rng: random.Random) -> bytes:
    """A deck in which equal cards lie together: hands of pairs, 坎 and fours."""
    cuts = [(3, 1), (2, 2), (2, 1, 1), (4,), (1, 1, 1, 1)]
    parts = [[face] * n for face in range(1, 21) for n in rng.choice(cuts)]
    rng.shuffle(parts)
    return bytes(card for part in parts for card in part)


def nearly_complete(rng: random.Random) -> bytes:
    """A deck of whole groups, some fours among them, with a few cards changed."""
    left = [0] + [4] * 20
    deck: list[int] = []
    while any(left):
        face = rng.choice([face for face in range(1, 21) if left[face]])
        base, number = (0, face) if face <= 10 else (10, face - 10)
        shapes = [[face] * 3, [face] * 4, [face, face + 1, face + 2]]
        shapes = shapes[:2] if number > 8 else shapes
        shapes += [[base + 2, base + 7, base + 10]] if number in (2, 7, 10) else []
        group = rng.choice(shapes)
        if any(group.count(card) > left[card] for card in group):
            group = [face]
        for card in group:
            left[card] -= 1
        deck += group
    for _ in range(rng.randrange(4)):
        a, b = rng.randrange(80), rng.randrange(80)
        deck[a], deck[b] = deck[b], deck[a]
    return bytes(deck)


def kans(rng: random.Random) -> bytes:
    """A deck that deals 坎 and pairs: 跑 on the first discard, dead hands, many who can win."""
    left, deck = [0] + [4] * 20, []
    for _ in range(3):
        hand: list[int] = []
        for count in (*[3] * rng.choice((5, 6, 6)), 2, 2, 2, 1, 1):
            faces = [face for face in range(1, 21) if left[face] >= count and face not in hand]
            if faces and len(hand) + count <= 20:
                face = rng.choice(faces)
                hand += [face] * count
                left[face] -= count
        rest = [face for face in range(1, 21) for _ in range(left[face])]
        for face in rng.sample(rest, 20 - len(hand)):
            hand.append(face)
            left[face] -= 1
        deck += hand
    rest = [face for face in range(1, 21) for _ in range(left[face])]
    rng.shuffle(rest)
    return bytes(deck + rest)


def decks(variant: Variant, rng: random.Random) -> Iterator[bytes]:
    """Endless decks of every kind."""
    while True:
        yield bytes(rng.sample(variant.deck.cards, variant.deck.size))
        yield hardly_shuffled(variant, rng)
        yield blocks(rng)
        yield nearly_complete(rng)
        yield kans(rng)
