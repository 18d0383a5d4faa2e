"""Positions of the 跑胡子 family for tests of the flow."""

from collections.abc import Mapping
from typing import Any, Self

from libs.families.paohuzi.slots import Phase, Reg, Seat
from libs.game import engine
from libs.game.cards import parse
from libs.game.state import ALL_SEATS, Open, OpenKind, State
from libs.game.view import faces
from tests.game import transcript
from tests.game.scene_kit import REGISTRY, Position, melds_of

__all__ = ["GAME", "READY", "REGISTRY", "VARIANT", "Scene", "melds_of"]

GAME = "hengyang_liuhuqiang"
VARIANT = engine.find(REGISTRY, GAME, 0)
READY = "一一一 二二二 壹壹壹 贰贰贰 陆陆陆 柒捌玖 四五"
"""Five 坎, a run and 四五: waits for 三 and 六."""
HIDING = (Phase.JOIN, Phase.FIRST_TURN, Phase.FORCED_PAO, Phase.LAID)


class Scene(Position):
    """A position of 六胡抢; the first discard has been made."""

    variant = VARIANT

    def __init__(
        self,
        hands: Mapping[int, str],
        melds: Mapping[int, str] | None = None,
        wall: str = "八 八",
        players: int = 3,
        **options: Any,
    ) -> None:
        super().__init__(hands, melds, wall, players, options)
        self.reg(Reg.FIRST, 2)

    def hides(self, state: State) -> bool:
        """The pauses before forced steps."""
        return state.waiting == 1 and state.phase in HIDING

    def _go(self, state: State, phase: Phase) -> Self:
        state.phase = phase
        return self.run(state)

    def draw(self, seat: int) -> Self:
        """The seat draws the next card."""
        state = self.state
        state.regs[Reg.ACTOR], state.waiting = seat, 2
        return self._go(state, Phase.DRAW)

    def turn(self, seat: int) -> Self:
        """The seat is to discard."""
        state = self.state
        state.regs[Reg.ACTOR] = seat
        return self._go(state, Phase.DISCARD)

    def discard(self, seat: int, card: str) -> Self:
        """The seat discards a card."""
        return self.turn(seat).do(seat, f"出 {card}")

    def first_discard(self, card: str) -> Self:
        """The dealer makes the round's first discard."""
        return self.reg(Reg.FIRST, 0).discard(0, card)

    def shown(self, card: str) -> Self:
        """The 亮张 lies open and the seats are asked (L4)."""
        state = self.state
        face = parse(card)[0]
        state.open = Open(face, state.dealer, OpenKind.SHOWN, ALL_SEATS)
        state.regs[Reg.ACTOR], state.regs[Reg.LIANG_ZHANG] = state.dealer, face
        state.regs[Reg.FIRST] = 0
        return self._go(state, Phase.LIANG_ZHANG)

    def reg(self, slot: Reg, value: int) -> Self:
        """Sets a register of the round."""
        state = self.state
        state.regs[slot] = value
        return self.keep(state)

    def has(self, seat: int, slot: Seat) -> bool:
        """Whether a flag of the seat is set."""
        return bool(self.state.marks[seat][slot])

    def closed(self, seat: int) -> str:
        """Faces closed for the seat's 吃 and 碰."""
        return transcript.cards(faces(self.state.marks[seat][Seat.CLOSED]))

    def next_draws(self, seat: int) -> bool:
        """Whether play waits for this seat to draw."""
        state = self.state
        return state.waiting == 1 and state.regs[Reg.ACTOR] == seat

    def discards_next(self, seat: int) -> bool:
        """Whether it is this seat's turn to discard."""
        return self.state.turn == seat
