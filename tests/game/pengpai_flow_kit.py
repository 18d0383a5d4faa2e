"""Positions of the 碰胡 family for tests of the flow."""

from collections.abc import Mapping
from typing import Any, Self

from libs.families.pengpai.slots import Phase, Reg, Seat, Turn
from libs.game import engine
from libs.game.cards import parse
from libs.game.state import State
from tests.game.scene_kit import REGISTRY, Position, mask, melds_of

__all__ = ["JIANGYAN", "LONG_WALL", "READY", "REGISTRY", "SHASHAER", "Scene", "melds_of"]

JIANGYAN, SHASHAER = "jiangyan_23", "shashaer"
LONG_WALL = "S1 C2 H3 " * 4 + "H9 H9 H9"
READY = "S3 S4 S5 S6 S7 S8 C5 C5 C5 C6 C7 C8 H1 H2 H3 H6 H7 H8 HQ HQ HK HK"
"""Waits for HQ and HK."""


class Scene(Position):
    """A position of either game."""

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
        super().__init__(hands, melds, wall, players, options)

    def hides(self, state: State) -> bool:
        """The pauses before forced steps; 海捞's while it may still end the round."""
        if state.waiting != 1 or state.outcome:
            return False
        if state.phase == Phase.HAI_LAO:
            return not state.wall
        return state.phase in (Phase.FLOWERS, Phase.FIRST_TURN, Phase.PLAYS_ITSELF)

    def go(self, phase: Phase, seat: int, **regs: int) -> Self:
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
        return self.run(state)

    def draw(self, seat: int) -> Self:
        """The seat draws the next card."""
        return self.go(Phase.DRAW, seat)

    def turn(self, seat: int, last: str = "", kind: Turn = Turn.DRAWN) -> Self:
        """It is the seat's own turn; `last` is what it drew."""
        return self.go(Phase.OWN_TURN, seat, last=parse(last)[0] if last else 0, turn=kind)

    def discard(self, seat: int, card: str) -> Self:
        """The seat discards a card."""
        return self.turn(seat, card, Turn.CLAIMED).do(seat, f"出 {card}")

    def opening(self, seat: int = 0) -> Self:
        """The hands are as dealt, and this seat begins its opening."""
        for other in range(self.state.players):
            for slot, least in ((Seat.DEALT_FOUR, 4), (Seat.DEALT_FIVE, 5)):
                hand = self.state.hands[other]
                self.put(other, slot, mask(face for face, n in enumerate(hand) if n >= least))
        return self.go(Phase.DEALT_GANG, seat)

    def gangs(self, seat: int) -> list[str]:
        """What the seat may choose beside discards."""
        return [said for said in self.asked(seat) if not said.startswith("出")]

    def waits_for_draw(self) -> int:
        """The seat that draws after the pause; -1: play does not wait for a draw."""
        state = self.state
        return state.regs[Reg.ACTOR] if state.waiting == 1 else -1
