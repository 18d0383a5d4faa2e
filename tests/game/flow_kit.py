"""Positions for tests of the flow: a few cards and melds, and play from there.

Only what a test is about lies on the table, so cards are not conserved and hands are small. A
scene stops before every draw; `draw` goes on.
"""

from collections.abc import Mapping
from typing import Any

from libs.families.paohuzi.slots import Phase, Reg, Seat
from libs.game import engine
from libs.game import events as ev
from libs.game.cards import parse
from libs.game.codec import decode_state, encode_state
from libs.game.evolve import begin
from libs.game.flow import Table
from libs.game.melds import Meld
from libs.game.options import pack
from libs.game.options import parse as parse_options
from libs.game.state import ALL_SEATS, Open, OpenKind, State
from libs.game.view import Formed, TableView, faces
from libs.variants import registry
from tests.game import transcript

GAME = "hengyang_liuhuqiang"
REGISTRY = registry()
VARIANT = engine.find(REGISTRY, GAME, 0)
KINDS = {word: kind for kind, word in transcript.MELDS.items()}
READY = "一一一 二二二 壹壹壹 贰贰贰 陆陆陆 柒捌玖 四五"
"""Five 坎, a run and 四五: waits for 三 and 六."""


def melds_of(text: str) -> list[Meld]:
    """Melds such as `碰 三三三, 吃 一二三`."""
    words = [part.split() for part in text.split(",") if part.strip()]
    return [Meld(KINDS[kind], bytes(parse(cards))) for kind, cards in words]


HIDING = (Phase.JOIN, Phase.FIRST_TURN, Phase.FORCED_PAO, Phase.LAID)


class Scene:
    """A position that is played on. `told` are the transcript lines of the last step."""

    variant = VARIANT

    def __init__(
        self,
        hands: Mapping[int, str],
        melds: Mapping[int, str] | None = None,
        wall: str = "八 八",
        players: int = 3,
        **options: Any,
    ) -> None:
        variant = self.variant
        chosen = parse_options(variant.options, options)
        deck = bytes(parse(wall))
        started = ev.Started(
            variant.game,
            variant.release,
            pack(chosen),
            players,
            1,
            0,
            deck,
            b"",
            b"",
            b"",
            b"",
            (0,) * players,
        )
        state = begin(started, variant.deck.width, variant.slots)
        for seat, cards in hands.items():
            state.hands[seat] = variant.deck.count(parse(cards))
        for seat, text in (melds or {}).items():
            state.melds[seat] = melds_of(text)
        state.regs[Reg.FIRST] = 2
        self._bytes = encode_state(state)
        self.events: list[Formed] = []

    @property
    def state(self) -> State:
        """The state now."""
        return decode_state(self._bytes)

    @property
    def told(self) -> list[str]:
        """The last step's lines."""
        lines: list[str] = []
        for formed in self.events:
            lines += transcript.told(self.variant, formed)
        return lines

    def _take(self, stepped: engine.Stepped) -> "Scene":
        self._bytes, self.events = stepped.state, list(stepped.events)
        return self._over_pauses()

    def _over_pauses(self) -> "Scene":
        """Goes on over the pauses that only hide a question (Z8); that before a draw stays."""
        while self.state.waiting == 1 and self.state.phase in HIDING:
            advanced = engine.step(REGISTRY, self._bytes, engine.Input("advance"), False)
            self._bytes = advanced.state
            self.events += advanced.events
        return self

    def _go(self, state: State, phase: Phase) -> "Scene":
        state.phase = phase
        table = Table(state, self.variant, False)
        table.run()
        self._bytes, self.events = encode_state(table.state), table.events
        return self._over_pauses()

    def draw(self, seat: int) -> "Scene":
        """The seat draws the next card."""
        state = self.state
        state.regs[Reg.ACTOR], state.waiting = seat, 2
        return self._go(state, Phase.DRAW)

    def turn(self, seat: int) -> "Scene":
        """The seat is to discard."""
        state = self.state
        state.regs[Reg.ACTOR] = seat
        return self._go(state, Phase.DISCARD)

    def discard(self, seat: int, card: str) -> "Scene":
        """The seat discards a card."""
        return self.turn(seat).do(seat, f"出 {card}")

    def first_discard(self, card: str) -> "Scene":
        """The dealer makes the round's first discard."""
        return self.reg(Reg.FIRST, 0).discard(0, card)

    def shown(self, card: str) -> "Scene":
        """The 亮张 lies open and the seats are asked (L4)."""
        state = self.state
        face = parse(card)[0]
        state.open = Open(face, state.dealer, OpenKind.SHOWN, ALL_SEATS)
        state.regs[Reg.ACTOR], state.regs[Reg.LIANG_ZHANG] = state.dealer, face
        state.regs[Reg.FIRST] = 0
        return self._go(state, Phase.LIANG_ZHANG)

    def reg(self, slot: Reg, value: int) -> "Scene":
        """Sets a register of the round."""
        state = self.state
        state.regs[slot] = value
        self._bytes = encode_state(state)
        return self

    def mark(self, seat: int, slot: Seat, faces: str = "") -> "Scene":
        """Sets a flag of a seat, or the mask of some faces."""
        state = self.state
        state.marks[seat][slot] = sum(1 << face for face in parse(faces)) if faces else 1
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

    def timeout(self, seat: int) -> "Scene":
        """The seat's time runs out."""
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        assert prompt is not None, f"seat {seat} is not asked"
        what = engine.Input("timeout", seat, prompt.number)
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

    def melds(self, seat: int) -> list[str]:
        """The seat's melds in words."""
        return [transcript.meld(meld) for meld in self.state.melds[seat]]

    def hand(self, seat: int) -> str:
        """The seat's hand."""
        return transcript.cards([c for c, n in enumerate(self.state.hands[seat]) for _ in range(n)])

    def has(self, seat: int, slot: Seat) -> bool:
        """Whether a flag of the seat is set."""
        return bool(self.state.marks[seat][slot])

    def closed(self, seat: int) -> str:
        """Faces closed for the seat's 吃 and 碰."""
        mask = self.state.marks[seat][Seat.CLOSED]
        return transcript.cards(faces(mask))

    def view(self, reader: int) -> TableView:
        """The table as a seat sees it."""
        return engine.view(REGISTRY, self._bytes, reader)

    def sees(self, reader: int) -> list[str]:
        """The last step's events in the form that a seat gets, in words."""
        lines = []
        for formed in self.events:
            seen = dict(formed.private).get(reader, formed.public)
            if seen is not None and type(seen.event) in transcript.SAY:
                lines.append(transcript.SAY[type(seen.event)](seen.event))
        return lines

    def next_draws(self, seat: int) -> bool:
        """Whether play waits for this seat to draw."""
        state = self.state
        return state.waiting == 1 and state.regs[Reg.ACTOR] == seat

    def discards_next(self, seat: int) -> bool:
        """Whether it is this seat's turn to discard."""
        return self.state.turn == seat
