"""Plays the engine and the model of `model_pengpai` side by side and compares every stop."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from libs.families.pengpai.result import priced
from libs.game import engine as en
from libs.game import events as ev
from libs.game.actions import PASS, PromptClass, Verb, decode
from libs.game.cards import HIDDEN
from libs.game.codec import decode_state
from libs.game.melds import MeldKind
from libs.game.state import Outcome, Prompt
from libs.game.variant import Variant
from libs.game.view import Formed
from tests.conformance.kit import REGISTRY
from tests.game.model_pengpai import Ask, Playing, Round
from tests.game.model_pengpai_board import Choice, Laid

WORDS = {MeldKind.PENG: "peng", MeldKind.MING_GANG: "ming"}
CLOSED = {1: "taken", 2: "passed", 3: "outranked"}
FACELESS = (Verb.HU, Verb.PASS, Verb.ZHI_TING, Verb.BAO_LIU_PENG)


def plain(event: ev.Event) -> tuple[Any, ...] | None:
    """An event in the model's words; None: it says nothing."""
    match event:
        case ev.Dealt(seat, cards):
            return ("dealt", seat, *sorted(cards))
        case ev.Drew(seat, card, _, tail, replacement, _):
            assert tail == replacement
            return "drew", seat, card, bool(tail)
        case ev.Discarded(seat, card):
            return "discarded", seat, card
        case ev.Melded(seat, meld, replaces, _, _):
            word = WORDS.get(meld.kind, "an")
            return "melded", seat, word, meld.cards[0], len(meld.cards), replaces
        case ev.Unclaimed(seat, card, _):
            return "unclaimed", seat, card
        case ev.FlowerSet(seat, _):
            return "flower", seat
        case ev.PilesOpened():
            return ("piles_opened",)
        case ev.HaiLaoStarted(seat):
            return "hai_lao", seat
        case ev.Flagged(seat, slot):
            return "flag", seat, REGISTRY["jiangyan_23", 1].flags[slot]
        case ev.Won(seat, card, source, by, _, _):
            return "won", seat, card, source, by
        case ev.Ended(outcome):
            return "ended", Outcome(outcome).name.lower()
        case ev.Closed(seat, _, outcome, _):
            return "closed", seat, CLOSED[outcome]
    return None


def in_order(events: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Questions of one window close together: their order tells nothing."""
    ordered: list[tuple[Any, ...]] = []
    for at, event in enumerate(events):
        if event[0] == "closed" and at and ordered[-1][0] == "closed" and event < ordered[-1]:
            ordered.insert(len(ordered) - 1, event)
        else:
            ordered.append(event)
    return ordered


def choice(action: bytes) -> Choice:
    """An offered action in the model's words."""
    verb, card, _ = decode(action)
    return verb, 0 if verb in FACELESS else card


def worth(variant: Variant, options: Any, laid: Laid) -> int:
    """胡 of a meld by the tables of J15, X7 and X8."""
    big = laid.face in variant.play.scoring(options).prices.big
    if laid.size == 5:
        if laid.kind == MeldKind.MING_GANG:
            return {MeldKind.AN_GANG_YUAN: 20, MeldKind.AN_GANG: 16}.get(laid.four, 12)
        if laid.kind == MeldKind.AN_GANG_YUAN:
            return 28 if laid.four else 32
        return 24
    rows = [MeldKind.PENG, MeldKind.MING_GANG, MeldKind.AN_GANG, MeldKind.AN_GANG_YUAN]
    small = (1, 4, 6, 8)[rows.index(laid.kind)]
    if variant.game == "shashaer":
        return small * (2 if big else 1)
    return small * (1 if not big else 4 if options.lao_ken else 8)


@dataclass
class Player:
    """How often it claims and lays what it can, in the opening, late and between; how often it
    wins. `late` is what the wall holds at most when it is late."""

    opening: float
    between: float
    at_end: float
    wins: float
    late: int

    def pick(self, prompt: Prompt, wall: int, rng: random.Random) -> int:
        """Index of a choice."""
        verbs = [action[0] for action in prompt.choices]
        other = (Verb.DISCARD, Verb.PASS, Verb.HU)
        acts = [at for at, verb in enumerate(verbs) if verb not in other]
        if Verb.HU in verbs and rng.random() < self.wins:
            return verbs.index(Verb.HU)
        opening = prompt.cls == PromptClass.CLAIM and Verb.PENG not in verbs
        claims = self.at_end if wall <= self.late else self.opening if opening else self.between
        if acts and rng.random() < claims:
            return rng.choice(acts)
        if PASS in prompt.choices:
            return prompt.choices.index(PASS)
        if verbs[prompt.auto] == Verb.DISCARD and rng.random() < 0.8:
            return prompt.auto
        return rng.choice([at for at, verb in enumerate(verbs) if verb == Verb.DISCARD])


def random_player(rng: random.Random) -> Player:
    """From eager to passive, some of them only at the ends."""
    opening, between = rng.choice((0.0, 0.6, 0.8, 1.0)), rng.choice((0.0, 0.0, 0.3, 1.0))
    return Player(opening, between, 1.0, rng.choice((0.0, 0.0, 0.5, 1.0)), rng.choice((0, 3, 5)))


@dataclass
class Referee:
    """One round of both; `met` counts the kinds of question and event that came."""

    variant: Variant
    start: en.Start
    rng: random.Random
    met: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        scoring = self.variant.play.scoring(self.start.options)
        dealer = self.start.carry[0]
        self.model = Round(self.variant.game, scoring, dealer, self.start.players)
        self.told = 0

    def run(self) -> None:
        """Plays to the end."""
        assert isinstance(self.start.source, bytes)
        play = self.model.play(self.start.source)
        players = [random_player(self.rng) for _ in range(self.start.players)]
        ask: Ask | None = next(play)
        stepped = self._on(en.start(REGISTRY, self.start, False), ask)
        while ask:
            prompt = self.rng.choice(stepped.prompts)
            pick = players[prompt.seat].pick(prompt, len(self.model.wall), self.rng)
            what = en.Input("answer", prompt.seat, prompt.number, pick)
            ask = _send(play, prompt.seat, choice(prompt.choices[pick]))
            stepped = self._on(en.step(REGISTRY, stepped.state, what, False), ask)
        assert stepped.carry[0] == (self.model.dealer + 1) % self.start.players  # J3

    def _on(self, stepped: en.Stepped, ask: Ask | None) -> en.Stepped:
        """Goes on over the pauses and compares."""
        events: list[Formed] = list(stepped.events)
        while stepped.status == en.ADVANCE:
            stepped = en.step(REGISTRY, stepped.state, en.Input("advance"), False)
            events += stepped.events
        got = [said for formed in events if (said := plain(formed.event))]
        want = self.model.events[self.told :]
        assert in_order(got) == in_order(want)
        self.told = len(self.model.events)
        self.met.update(said[1] if said[0] == "ended" else said[0] for said in want)
        self._same_questions(stepped, ask)
        self._same_table(stepped.state, ask is None)
        return stepped

    def _same_questions(self, stepped: en.Stepped, ask: Ask | None) -> None:
        """Who is asked what, and what a timeout takes (J7a, J9, M5)."""
        asked = {p.seat: frozenset(map(choice, p.choices)) for p in stepped.prompts}
        assert asked == (ask.offers if ask else {})
        assert (stepped.status == en.ENDED) == (ask is None)
        for prompt in stepped.prompts:
            assert ask is not None
            own = ask.turn == prompt.seat
            self.met.update(Verb(verb).name for verb in {c[0] for c in prompt.choices})
            # What a 直听 seat that plays itself may choose is its secret (J30, J9).
            public = own and not (self.model.ting[prompt.seat] and ask.drawn)
            assert prompt.cls == (PromptClass.DISCARD if public else PromptClass.CLAIM)
            default, auto = (decode(prompt.choices[at]) for at in (prompt.default, prompt.auto))
            assert default.verb == (Verb.DISCARD if own else Verb.PASS)
            assert not own or ask.drawn in (0, default.card)
            hu = any(action[0] == Verb.HU for action in prompt.choices)
            assert auto.verb == (Verb.HU if hu else default.verb)
            declares = any(action[0] == Verb.BAO_LIU_PENG for action in prompt.choices)
            assert declares or stepped.turn == ask.turn  # a turn may have begun before 报六碰

    def _same_table(self, state: bytes, ended: bool) -> None:
        """What each seat and a spectator sees (J8, J11, J31, X4, Z30a)."""
        model, melds = self.model, decode_state(state).melds
        for seat, laid in enumerate(model.melds):
            prices = [model.scoring.prices.meld(meld) for meld in priced(melds[seat])]
            assert prices == [worth(self.variant, self.start.options, one) for one in laid]
        for reader in range(-1, model.players):
            view = en.view(REGISTRY, state, reader)
            assert view.wall_left == len(model.wall)
            for seat, seen in enumerate(view.seats):
                open_to = ended or seat == reader
                hand = sorted((+model.hands[seat]).elements())
                assert list(seen.hand) == (hand if open_to else [HIDDEN] * len(hand))
                assert list(seen.pile) == self._pile(seat, open_to)
                shown = [sorted(meld.cards) for meld in seen.melds]
                assert shown == [self._meld(one, open_to) for one in model.melds[seat]]
                assert len(seen.flowers) == model.flowers[seat]
            notes = dict(view.notes) if reader >= 0 else {}
            if notes and not ended:
                assert set(notes["peng_closed"]) == model.closed_faces[reader]
                assert bool(notes["hu_closed"]) == model.closed_hu[reader]

    def _pile(self, seat: int, open_to: bool) -> list[int]:
        pile = self.model.piles[seat]
        most = getattr(self.start.options, "visible_discards", "all")
        if open_to or most == "all" or 1 in self.model.bao:
            return pile
        return [HIDDEN] * (len(pile) - most) + pile[-most:]

    def _meld(self, laid: Laid, open_to: bool) -> list[int]:
        cards = [laid.face] * laid.size
        if open_to or laid.kind not in (MeldKind.AN_GANG, MeldKind.AN_GANG_YUAN):
            return cards
        return [HIDDEN] * laid.size if not self.model.jiangyan else [laid.face, *[HIDDEN] * 3]


def _send(play: Playing, seat: int, answer: Choice) -> Ask | None:
    try:
        return play.send((seat, answer))
    except StopIteration:
        return None
