"""The state of one round: everything that is needed to play on.

Only the engine reads it; between calls it travels as bytes (`codec`). Families keep what only
they know in registers: `regs` of the round and `marks` of each seat, small integers and face
masks whose meaning stands in the family's `slots` module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from libs.game.melds import Meld


class OpenKind(IntEnum):
    """How the open card came to the table."""

    DRAWN = 1
    DISCARDED = 2
    SHOWN = 3


class Outcome(IntEnum):
    """How a round ended; the numbers are those of `paiju.game.v1.RoundOutcome`."""

    RUNNING = 0
    WIN = 1
    LIU_JU = 2
    VOID = 3


class Open(NamedTuple):
    """The card that lies open and may be claimed. `seen` is a bit mask of the seats that know
    its face (all ones for everybody)."""

    card: int
    seat: int
    kind: OpenKind
    seen: int


class WinRecord(NamedTuple):
    """A win that happened: see `sheet.Win`; `xing` is the 醒 face (0: none)."""

    seat: int
    card: int
    source: int
    by: int
    last_card: int
    first_discard: int


@dataclass(slots=True)
class Prompt:
    """An open question. Choices are encoded actions; `answer` is an index, -1 while open.

    `default` is what a timeout takes, `auto` what a seat on 托管 takes; `continues` is the
    number of a prompt whose deadline this one goes on with (0: none).
    """

    seat: int
    number: int
    cls: int
    choices: tuple[bytes, ...]
    default: int
    auto: int
    continues: int = 0
    answer: int = -1

    def answered(self, choice: int) -> Prompt:
        """The same question with an answer; whoever holds the open one sees it unchanged."""
        return Prompt(
            self.seat,
            self.number,
            self.cls,
            self.choices,
            self.default,
            self.auto,
            self.continues,
            choice,
        )


@dataclass(slots=True)
class State:
    """One round. Hands are count vectors indexed by card; the wall's next card is `wall[0]`."""

    game: str
    release: int
    options: bytes
    players: int
    round_no: int
    dealer: int
    wall: bytes
    removed: bytes
    commitment: bytes
    seed: bytes
    nonce: bytes
    hands: list[list[int]]
    melds: list[list[Meld]]
    piles: list[bytes]
    flowers: list[bytes]
    discarded: list[int]
    """Per seat, mask of the faces it has discarded itself."""
    marks: list[list[int]]
    regs: list[int]
    asked: list[int]
    """Per seat, number of prompts so far."""
    phase: int = 0
    turn: int = -1
    """Seat whose turn it is to discard, -1: nobody's."""
    waiting: int = 0
    """1: the next step must be an advance; 2: an advance has come."""
    outcome: int = 0
    open: Open | None = None
    forced: tuple[int, bytes] | None = None
    """A claim nobody chooses: (seat, encoded action)."""
    win: WinRecord | None = None
    xing: int = 0
    prompts: list[Prompt] = field(default_factory=list)

    def seat_after(self, seat: int, steps: int = 1) -> int:
        """The seat `steps` places on in turn order."""
        return (seat + steps) % self.players


ALL_SEATS = 0xFF
"""Mask of everybody, spectators included."""
