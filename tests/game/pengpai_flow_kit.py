"""Positions of the 碰胡 family for tests of the flow: a few cards and melds, and play from there.

Only what a test is about lies on the table, so cards are not conserved. A scene stops before
every draw; `draw` goes on.
"""

from collections.abc import Mapping
from typing import Any

from libs.families.pengpai.slots import Phase, Reg, Seat, Turn
from libs.game import engine
from libs.game import events as ev
from libs.game.cards import parse
from libs.game.codec import decode_state, encode_state
from libs.game.evolve import begin
from libs.game.flow import Table
from libs.game.melds import Meld
from libs.game.options import pack
from libs.game.options import parse as parse_options
from libs.game.state import State
from libs.game.view import Formed, TableView
from libs.variants import registry
from tests.game import transcript

REGISTRY = registry()
JIANGYAN, SHASHAER = "jiangyan_23", "shashaer"
KINDS = {word: kind for kind, word in transcript.MELDS.items()}
LONG_WALL = "S1 C2 H3 " * 4 + "H9 H9 H9"
READY = "S3 S4 S5 S6 S7 S8 C5 C5 C5 C6 C7 C8 H1 H2 H3 H6 H7 H8 HQ HQ HK HK"
"""Waits for HQ and HK."""


def melds_of(text: str) -> list[Meld]:
    """Melds such as `碰 S9 S9 S9, 暗杠 HK HK HK HK`."""
    words = [part.split(maxsplit=1) for part in text.split(",") if part.strip()]
    return [Meld(KINDS[kind], bytes(parse(cards))) for kind, cards in words]


def _hides(state: State) -> bool:
    if state.waiting != 1 or state.outcome:
        return False
    if state.phase == Phase.HAI_LAO:
        return not state.wall
    return state.phase in (Phase.FLOWERS, Phase.FIRST_TURN, Phase.OWN_TURN)


class Scene:
    """A position that is played on. `told` are the transcript lines of the last step."""

    def __init__(
        self,
        game: str,
        hands: Mapping[int, str],
        *,
        wall: str = LONG_WALL,
        melds: Mapping[int, str] | None = None,
        players: int = 3,
        **options: Any,
    ) -> None:
        self.variant = engine.find(REGISTRY, game, 0)
        chosen = parse_options(self.variant.options, options)
        started = ev.Started(
            game,
            self.variant.release,
            pack(chosen),
            players,
            1,
            0,
            bytes(parse(wall)),
            b"",
            b"",
            b"",
            b"",
            (0,) * players,
        )
        state = begin(started, self.variant.deck.width, self.variant.slots)
        for seat, cards in hands.items():
            state.hands[seat] = self.variant.deck.count(parse(cards))
        for seat, text in (melds or {}).items():
            state.melds[seat] = melds_of(text)
        self._bytes = encode_state(state)
        self.events: list[Formed] = []

    @property
    def state(self) -> State:
        """The state now."""
        return decode_state(self._bytes)

    @property
    def told(self) -> list[str]:
        """The last step's lines."""
        return [line for f in self.events for line in transcript.told(self.variant, f)]

    def _take(self, stepped: engine.Stepped) -> "Scene":
        self._bytes, self.events = stepped.state, list(stepped.events)
        return self._over_pauses()

    def _over_pauses(self) -> "Scene":
        """Goes on over the pauses that only hide a question (Z8); that before a draw stays."""
        while _hides(self.state):
            advanced = engine.step(REGISTRY, self._bytes, engine.Input("advance"), False)
            self._bytes = advanced.state
            self.events += advanced.events
        return self

    def go(self, phase: Phase, seat: int, **regs: int) -> "Scene":
        """Plays on from a phase, all open questions dropped; registers by name."""
        state = self.state
        state.prompts, state.turn, state.waiting = [], -1, 0
        if state.open and phase is Phase.OWN_TURN:
            state.piles[state.open.seat] += bytes((state.open.card,))
            state.open = None
        state.phase, state.regs[Reg.ACTOR] = phase, seat
        for name, value in regs.items():
            state.regs[Reg[name.upper()]] = value
        if phase in (Phase.DRAW, Phase.HAI_LAO):
            state.waiting = 2
        table = Table(state, self.variant, False)
        table.run()
        self._bytes, self.events = encode_state(table.state), table.events
        return self._over_pauses()

    def draw(self, seat: int) -> "Scene":
        """The seat draws the next card."""
        return self.go(Phase.DRAW, seat)

    def turn(self, seat: int, last: str = "", kind: Turn = Turn.DRAWN) -> "Scene":
        """It is the seat's own turn; `last` is what it drew."""
        return self.go(Phase.OWN_TURN, seat, last=parse(last)[0] if last else 0, turn=kind)

    def discard(self, seat: int, card: str) -> "Scene":
        """The seat discards a card."""
        return self.turn(seat, card, Turn.CLAIMED).do(seat, f"出 {card}")

    def opening(self, seat: int = 0) -> "Scene":
        """The hands are as dealt, and this seat begins its opening."""
        for other in range(self.state.players):
            for slot, least in ((Seat.DEALT_FOUR, 4), (Seat.DEALT_FIVE, 5)):
                hand = self.state.hands[other]
                self.mark(other, slot, *(face for face, n in enumerate(hand) if n >= least))
        return self.go(Phase.DEALT_GANG, seat)

    def mark(self, seat: int, slot: Seat, *faces: int) -> "Scene":
        """Sets the mask of some faces; without faces clears it."""
        return self.put(seat, slot, sum(1 << face for face in faces))

    def put(self, seat: int, slot: Seat, value: int = 1) -> "Scene":
        """Sets a register of a seat."""
        state = self.state
        state.marks[seat][slot] = value
        self._bytes = encode_state(state)
        return self

    def do(self, seat: int, said: str) -> "Scene":
        """The seat answers its question in the words of the transcript."""
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        assert prompt is not None, f"seat {seat} is not asked"
        choice = [transcript.action(c) for c in prompt.choices].index(said)
        return self._take(
            engine.step(
                REGISTRY, self._bytes, engine.Input("answer", seat, prompt.number, choice), False
            )
        )

    def timeout(self, seat: int, kind: str = "timeout") -> "Scene":
        """The seat's time runs out, or its auto-player answers (`auto`)."""
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        assert prompt is not None, f"seat {seat} is not asked"
        what = engine.Input(kind, seat, prompt.number)
        return self._take(engine.step(REGISTRY, self._bytes, what, False))

    def advance(self) -> "Scene":
        """The pause before the next draw is over."""
        return self._take(engine.step(REGISTRY, self._bytes, engine.Input("advance"), False))

    def asked(self, seat: int) -> list[str]:
        """What the seat may choose now; empty if it is not asked."""
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        return [transcript.action(choice) for choice in prompt.choices] if prompt else []

    def everybody(self) -> dict[int, list[str]]:
        """Every seat that is asked, with its choices."""
        seats = range(self.state.players)
        return {seat: self.asked(seat) for seat in seats if self.asked(seat)}

    def gangs(self, seat: int) -> list[str]:
        """What the seat may choose beside discards."""
        return [said for said in self.asked(seat) if not said.startswith("出")]

    def melds(self, seat: int) -> list[str]:
        """The seat's melds in words."""
        return [transcript.meld(meld) for meld in self.state.melds[seat]]

    def hand(self, seat: int) -> str:
        """The seat's hand."""
        hand = self.state.hands[seat]
        return transcript.cards([c for c, n in enumerate(hand) for _ in range(n)])

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

    def waits_for_draw(self) -> int:
        """The seat that draws after the pause; -1: play does not wait for a draw."""
        state = self.state
        return state.regs[Reg.ACTOR] if state.waiting == 1 else -1
