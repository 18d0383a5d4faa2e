"""What the scenes of all families share: a position that is played on, in the words of the
transcript.

Only what a test is about lies on the table, so cards are not conserved and hands are small. A
scene stops before every draw; `draw` of a family's scene goes on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from libs.game import engine
from libs.game import events as ev
from libs.game.cards import expand, parse
from libs.game.codec import decode_state, encode_state
from libs.game.evolve import begin
from libs.game.flow import Table
from libs.game.melds import Meld
from libs.game.options import pack
from libs.game.options import parse as parse_options
from libs.game.state import State
from libs.game.variant import Variant
from libs.game.view import Formed, TableView
from libs.variants import registry
from tests.game import transcript

REGISTRY = registry()
KINDS = {word: kind for kind, word in transcript.MELDS.items()}


def melds_of(text: str) -> list[Meld]:
    """Melds such as `碰 三三三, 吃 一二三` or `暗杠 HK HK HK HK`, of the seat's own cards."""
    words = [part.split(maxsplit=1) for part in text.split(",") if part.strip()]
    return [Meld(KINDS[kind], bytes(parse(cards))) for kind, cards in words]


def mask(faces: Iterable[int]) -> int:
    """The bits of some faces."""
    return sum(1 << face for face in faces)


class Position(ABC):
    """A position that is played on; `events` are those of the last step."""

    variant: Variant

    def __init__(
        self,
        hands: Mapping[int, str],
        melds: Mapping[int, str] | None,
        wall: str,
        players: int,
        options: Mapping[str, Any],
    ) -> None:
        variant = self.variant
        chosen = pack(parse_options(variant.options, options))
        deck, nobody = bytes(parse(wall)), (0,) * players
        started = ev.Started(
            variant.game, variant.release, chosen, players, 1, 0, deck, b"", b"", b"", b"", nobody
        )
        state = begin(started, variant.deck.width, variant.slots)
        for seat, cards in hands.items():
            state.hands[seat] = variant.deck.count(parse(cards))
        for seat, text in (melds or {}).items():
            state.melds[seat] = melds_of(text)
        self.events: list[Formed] = []
        self.keep(state)

    @property
    def state(self) -> State:
        """The state now."""
        return decode_state(self._bytes)

    @property
    def told(self) -> list[str]:
        """The last step's lines."""
        return [line for f in self.events for line in transcript.told(self.variant, f)]

    def keep(self, state: State) -> Self:
        """Goes on from another state."""
        self._bytes = encode_state(state)
        return self

    @abstractmethod
    def hides(self, state: State) -> bool:
        """Whether play stops in a pause that only hides a question (Z8)."""

    def run(self, state: State) -> Self:
        """Plays on from a state made up by the test."""
        table = Table(state, self.variant, False)
        table.run()
        self.events = table.events
        return self.keep(table.state)._over_pauses()

    def step(self, what: engine.Input) -> Self:
        """One input."""
        stepped = engine.step(REGISTRY, self._bytes, what, False)
        self._bytes, self.events = stepped.state, list(stepped.events)
        return self._over_pauses()

    def _over_pauses(self) -> Self:
        """Goes on over the pauses that only hide a question; that before a draw stays."""
        while self.hides(self.state):
            advanced = engine.step(REGISTRY, self._bytes, engine.Input("advance"), False)
            self._bytes = advanced.state
            self.events += advanced.events
        return self

    def _answer(self, seat: int, kind: str, pick: Callable[[list[str]], int]) -> Self:
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        assert prompt is not None, f"seat {seat} is not asked"
        choice = pick([transcript.action(c) for c in prompt.choices])
        return self.step(engine.Input(kind, seat, prompt.number, choice))

    def do(self, seat: int, said: str) -> Self:
        """The seat answers its question in the words of the transcript."""
        return self._answer(seat, "answer", lambda choices: choices.index(said))

    def timeout(self, seat: int, kind: str = "timeout") -> Self:
        """The seat's time runs out, or its auto-player answers (`auto`)."""
        return self._answer(seat, kind, lambda _: 0)

    def advance(self) -> Self:
        """The pause before the next draw is over."""
        return self.step(engine.Input("advance"))

    def put(self, seat: int, slot: int, value: int = 1) -> Self:
        """Sets a register of a seat."""
        state = self.state
        state.marks[seat][slot] = value
        return self.keep(state)

    def mark(self, seat: int, slot: int, cards: str = "") -> Self:
        """Sets a flag of a seat, or the mask of some faces."""
        return self.put(seat, slot, mask(parse(cards)) if cards else 1)

    def asked(self, seat: int) -> list[str]:
        """What the seat may choose now; empty if it is not asked."""
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        return [transcript.action(choice) for choice in prompt.choices] if prompt else []

    def everybody(self) -> dict[int, list[str]]:
        """Every seat that is asked, with its choices."""
        return {s: asked for s in range(self.state.players) if (asked := self.asked(s))}

    def melds(self, seat: int) -> list[str]:
        """The seat's melds in words."""
        return [transcript.meld(meld) for meld in self.state.melds[seat]]

    def hand(self, seat: int) -> str:
        """The seat's concealed cards."""
        return transcript.cards(expand(self.state.hands[seat]))

    def view(self, reader: int) -> TableView:
        """The table as a seat sees it."""
        return engine.view(REGISTRY, self._bytes, reader)

    def sees(self, reader: int) -> list[str]:
        """The last step's events in the form that a reader gets, in words."""
        lines = []
        for formed in self.events:
            seen = dict(formed.private).get(reader, formed.public)
            if seen is not None and type(seen.event) in transcript.SAY:
                lines.append(transcript.SAY[type(seen.event)](seen.event))
        return lines
