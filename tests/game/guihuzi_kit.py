"""Positions of 鬼胡子 for tests of the flow. Seat 0 deals."""

from collections.abc import Mapping
from typing import Any, Self

from libs.families.guihuzi.slots import Phase, Reg, Seat
from libs.game import events as ev
from libs.game.cards import expand, show
from libs.game.state import State
from libs.game.view import faces
from libs.variants.yuanjiang_guihuzi.rules import RELEASE_1 as VARIANT
from tests.game.scene_kit import REGISTRY, Position

__all__ = ["GAME", "READY", "REGISTRY", "VARIANT", "WAITING_PAIR", "Scene"]

GAME = VARIANT.game
READY = "六六六 八八八 肆肆肆 二七十 贰柒拾 壹贰叁 玖"
"""Three 坎, both 二七十 and a run: waits for 柒, 捌, 玖 and 拾."""
WAITING_PAIR = "三三 五五五 拾拾拾 捌捌捌 贰柒拾 四五六 九九"
"""Waits for 三 and 九: three equal of either leave the other as the last 门子."""


class Scene(Position):
    """A position of three seats; the first discard has been made."""

    variant = VARIANT

    def __init__(
        self,
        hands: Mapping[int, str],
        melds: Mapping[int, str] | None = None,
        wall: str = "八 八 八",
        **options: Any,
    ) -> None:
        super().__init__(hands, melds, wall, 3, options)
        state = self.state
        state.regs[Reg.FIRST] = 1
        # Table melds keep where their card came from (G21): here the first of them, from seat 0.
        state.melds = [
            [m._replace(claimed=m.cards[0], source=0) for m in own] for own in state.melds
        ]
        self.keep(state)

    def hides(self, state: State) -> bool:
        """The pause after the deal."""
        return state.waiting == 1 and state.phase == Phase.FIRST_TURN

    def _go(self, state: State, seat: int, phase: Phase) -> Self:
        state.phase, state.regs[Reg.ACTOR] = phase, seat
        state.waiting = 2 if phase == Phase.DRAW else 0
        return self.run(state)

    def draw(self, seat: int) -> Self:
        """The seat draws the next card."""
        return self._go(self.state, seat, Phase.DRAW)

    def turn(self, seat: int) -> Self:
        """The seat is to discard."""
        return self._go(self.state, seat, Phase.DISCARD)

    def discard(self, seat: int, card: str) -> Self:
        """The seat discards a card."""
        return self.turn(seat).do(seat, f"出 {card}")

    def open_round(self) -> Self:
        """The dealer may win on the deal, then discards."""
        state = self.state
        state.regs[Reg.FIRST] = 0
        return self._go(state, 0, Phase.DEAL_HU)

    def hand(self, seat: int) -> str:
        """The seat's concealed cards, run together."""
        return show(expand(self.state.hands[seat]))

    def happened(self, kind: type) -> list[ev.Event]:
        """The last step's events of a kind."""
        return [formed.event for formed in self.events if isinstance(formed.event, kind)]

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
