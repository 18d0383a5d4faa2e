"""What the match service needs from others, as plain data: match never imports games.

Production binds these ports to gRPC clients (`clients.py`); tests and tools inject in-process ones.
Bytes that come from the engine (states, event forms, carry, options) are never decoded here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

from libs.runtime.errors import PaijuError


class Status(IntEnum):
    """What a round waits for; numbers as paiju.rules.v1.RoundStatus."""

    NONE = 0
    PROMPTS = 1
    ADVANCE = 2
    ENDED = 3


class PromptClass(IntEnum):
    """Timer classes of match.md M4; numbers as paiju.game.v1.PromptClass."""

    NONE = 0
    DISCARD = 1
    CLAIM = 2
    READY = 3
    DISSOLVE = 4
    AUTO = 5


class Input(IntEnum):
    """What drives a step."""

    ANSWER = 1
    ADVANCE = 2
    TIMEOUT = 3
    AUTO = 4
    ABORT = 5


class Checked(NamedTuple):
    """Options of a new match with defaults filled in (serialized Options) and the release."""

    options: bytes
    release: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice by index or, if `action` is given, by content (serialized Action)."""

    index: int = 0
    action: bytes | None = None


@dataclass(frozen=True, slots=True)
class StartItem:
    """One round to deal."""

    game: str
    release: int
    options: bytes
    players: int
    round_no: int
    carry: bytes
    joined: tuple[int, ...]
    creator: int | None
    match_id: str
    server_seed: bytes
    nonce: bytes
    client_seed: bytes
    run_on: bool


class StepItem(NamedTuple):
    """One input to one state."""

    state: bytes
    kind: Input
    run_on: bool
    seat: int = 0
    prompt_id: int = 0
    choice: Choice = Choice()


class OpenPrompt(NamedTuple):
    """A question that is open, without its choices."""

    seat: int
    prompt_id: int
    cls: PromptClass


class TableEvent(NamedTuple):
    """An event of the engine in all its forms, undecoded; empty `public`: nothing for others."""

    public: bytes
    private: tuple[tuple[int, bytes], ...]
    record: bytes


class Stepped(NamedTuple):
    """What one input caused."""

    state: bytes
    events: Sequence[TableEvent]
    prompts: Sequence[OpenPrompt]
    status: Status
    turn: int | None = None
    carry: bytes = b""


class ViewItem(NamedTuple):
    """A reader of a table."""

    state: bytes
    seat: int | None


class FoldItem(NamedTuple):
    """Records to apply to a state."""

    state: bytes
    records: tuple[bytes, ...]


class Rules(Protocol):
    """The rules engine: lists in, lists out; an item that fails carries its refusal."""

    async def check_options(self, game: str, options: bytes, players: int) -> Checked:
        """Validates options; refusals pass through to the platform."""

    async def start_rounds(self, items: Sequence[StartItem]) -> Sequence[Stepped | PaijuError]:
        """Deals rounds."""

    async def step(self, items: Sequence[StepItem]) -> Sequence[Stepped | PaijuError]:
        """Applies one input to each state."""

    async def view(self, items: Sequence[ViewItem]) -> Sequence[bytes | PaijuError]:
        """Serialized Tables, one per reader."""

    async def fold(self, items: Sequence[FoldItem]) -> Sequence[bytes | PaijuError]:
        """States after recorded events."""


class Sheet(NamedTuple):
    """A stored score sheet (serialized ScoreSheet) and its zero-sum result per seat."""

    sheet: bytes
    deltas: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FinishItem:
    """A match whose rounds are all scored."""

    game: str
    release: int
    options: bytes
    totals: tuple[int, ...]
    rounds: int


class Finished(NamedTuple):
    """Final scores, what must still be settled, and the steps (serialized SheetLines)."""

    finals: tuple[int, ...]
    adjustments: tuple[int, ...]
    lines: tuple[bytes, ...]


class Scoring(Protocol):
    """The scoring service."""

    async def score_rounds(self, states: Sequence[bytes]) -> Sequence[Sheet | PaijuError]:
        """Scores finished rounds."""

    async def finish_match(self, item: FinishItem) -> Finished:
        """Applies end-of-match rules."""


class SeatAccount(NamedTuple):
    """Whose points a seat plays with."""

    seat: int
    player_id: str


@dataclass(frozen=True, slots=True)
class Settle:
    """One round for the ledger."""

    match_id: str
    round_no: int
    release: int
    log_hash: bytes
    deltas: tuple[int, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Close:
    """The end of a match for the ledger."""

    match_id: str
    adjustments: tuple[int, ...]
    seats: tuple[SeatAccount, ...]
    log_hash: bytes
    at_ms: int


class Ledger(Protocol):
    """The ledger; every call is idempotent by its natural key."""

    async def open_accounts(self, match_id: str, seats: Sequence[SeatAccount], at_ms: int) -> None:
        """Opens the escrow of every seat and the account of every player."""

    async def settle(self, items: Sequence[Settle]) -> Sequence[str | PaijuError]:
        """Posts rounds, each by itself; the transactions' ids."""

    async def close(self, item: Close) -> None:
        """Empties the escrows into the players' accounts."""


@dataclass(frozen=True, slots=True)
class Ports:
    """All three."""

    rules: Rules
    scoring: Scoring
    ledger: Ledger
