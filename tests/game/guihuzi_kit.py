"""Positions of 鬼胡子 for tests of the flow: a few cards and melds, and play from there.

Only what a test is about lies on the table, so cards are not conserved. A scene stops before every
draw; `draw` goes on. Seat 0 deals.
"""

from collections.abc import Mapping
from typing import Any

from libs.families.guihuzi.slots import Phase, Reg, Seat
from libs.game import engine
from libs.game import events as ev
from libs.game.cards import expand, parse, show
from libs.game.codec import decode_state, encode_state
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.options import parse as parse_options
from libs.game.state import State
from libs.game.view import Formed, TableView, faces
from libs.variants.yuanjiang_guihuzi.rules import RELEASE_1 as VARIANT
from tests.game import transcript

GAME = VARIANT.game
REGISTRY = {(GAME, VARIANT.release): VARIANT}
KINDS = {word: kind for kind, word in transcript.MELDS.items()}
READY = "六六六 八八八 肆肆肆 二七十 贰柒拾 壹贰叁 玖"
"""Three 坎, both 二七十 and a run: waits for 柒, 捌, 玖 and 拾."""
WAITING_PAIR = "三三 五五五 拾拾拾 捌捌捌 贰柒拾 四五六 九九"
"""Waits for 三 and 九: three equal of either leave the other as the last 门子."""


def melds_of(text: str) -> list[Meld]:
    """Melds such as `碰 三三三, 吃 一二三`."""
    words = [part.split() for part in text.split(",") if part.strip()]
    return [Meld(KINDS[kind], bytes(parse(cards)), parse(cards)[0], 0) for kind, cards in words]


class Scene:
    """A position that is played on."""

    def __init__(
        self,
        hands: Mapping[int, str],
        melds: Mapping[int, str] | None = None,
        wall: str = "八 八 八",
        **options: Any,
    ) -> None:
        chosen = parse_options(VARIANT.options, options)
        start = engine.Start(GAME, chosen, 3, 1, VARIANT.deck.cards, carry=b"\0")
        state = decode_state(engine.start(REGISTRY, start, False).state)
        state.prompts, state.turn, state.wall = [], -1, bytes(parse(wall))
        state.regs[Reg.FIRST] = 1
        for seat in range(3):
            state.hands[seat] = VARIANT.deck.count(parse(hands.get(seat, "")))
            state.melds[seat] = melds_of((melds or {}).get(seat, ""))
            state.marks[seat] = [0] * len(Seat)
        self._bytes = encode_state(state)
        self.events: list[Formed] = []

    @property
    def state(self) -> State:
        """The state now."""
        return decode_state(self._bytes)

    def _take(self, stepped: engine.Stepped) -> "Scene":
        self._bytes, self.events = stepped.state, list(stepped.events)
        return self._over_pauses()

    def _over_pauses(self) -> "Scene":
        """Goes on over the pause that only hides a question (Z8); that before a draw stays."""
        if self.state.waiting == 1 and self.state.phase == Phase.FIRST_TURN:
            advanced = engine.step(REGISTRY, self._bytes, engine.Input("advance"), False)
            self._bytes = advanced.state
            self.events += advanced.events
        return self

    def _go(self, state: State, seat: int, phase: Phase) -> "Scene":
        state.phase, state.regs[Reg.ACTOR], state.waiting = phase, seat, 2
        table = Table(state, VARIANT, False)
        if phase != Phase.DRAW:
            state.waiting = 0
        table.run()
        self._bytes, self.events = encode_state(table.state), table.events
        return self._over_pauses()

    def draw(self, seat: int) -> "Scene":
        """The seat draws the next card."""
        return self._go(self.state, seat, Phase.DRAW)

    def turn(self, seat: int) -> "Scene":
        """The seat is to discard."""
        return self._go(self.state, seat, Phase.DISCARD)

    def discard(self, seat: int, card: str) -> "Scene":
        """The seat discards a card."""
        return self.turn(seat).do(seat, f"出 {card}")

    def open_round(self) -> "Scene":
        """The dealer may win on the deal, then discards."""
        state = self.state
        state.regs[Reg.FIRST] = 0
        return self._go(state, 0, Phase.DEAL_HU)

    def mark(self, seat: int, slot: Seat, cards: str = "") -> "Scene":
        """Sets a flag of a seat, or the mask of some faces."""
        state = self.state
        state.marks[seat][slot] = sum(1 << face for face in parse(cards)) if cards else 1
        self._bytes = encode_state(state)
        return self

    def do(self, seat: int, said: str) -> "Scene":
        """The seat answers its question in the words of the transcript."""
        prompt = engine.legal(REGISTRY, self._bytes, seat)
        assert prompt is not None, f"seat {seat} is not asked"
        choice = [transcript.action(c) for c in prompt.choices].index(said)
        what = engine.Input("answer", seat, prompt.number, choice)
        return self._take(engine.step(REGISTRY, self._bytes, what, False))

    def by_itself(self, kind: str, seat: int) -> "Scene":
        """A `timeout` or an `auto` of the seat."""
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
        return {seat: asked for seat in range(3) if (asked := self.asked(seat))}

    def hand(self, seat: int) -> str:
        """The seat's concealed cards."""
        return show(expand(self.state.hands[seat]))

    def melds(self, seat: int) -> list[str]:
        """The seat's melds."""
        return [transcript.meld(meld) for meld in self.state.melds[seat]]

    def marked(self, seat: int, slot: Seat) -> str:
        """The faces of a mask of the seat."""
        return show(faces(self.state.marks[seat][slot]))

    def next_draws(self, seat: int) -> bool:
        """Nobody is asked and the seat is the next to draw."""
        state = self.state
        ready = state.waiting == 1 and state.phase == Phase.DRAW and not state.prompts
        return ready and state.regs[Reg.ACTOR] == seat

    def discards_next(self, seat: int) -> bool:
        """It is the seat's turn to discard."""
        return self.state.turn == seat and self.asked(seat) != []

    def view(self, reader: int) -> TableView:
        """The table as one reader sees it."""
        return engine.view(REGISTRY, self._bytes, reader)

    def heard(self, reader: int) -> list[str]:
        """The lines of the last step in the form that one reader receives."""
        lines = []
        for formed in self.events:
            seen = dict(formed.private).get(reader, formed.public)
            if seen is not None and type(seen.event) in transcript.SAY:
                lines.append(transcript.SAY[type(seen.event)](seen.event))
        return lines

    def told(self, kind: type) -> list[ev.Event]:
        """The last step's events of a kind."""
        return [formed.event for formed in self.events if isinstance(formed.event, kind)]


def kinds(scene: Scene, seat: int) -> list[MeldKind]:
    """Kinds of the seat's melds."""
    return [meld.kind for meld in scene.state.melds[seat]]
