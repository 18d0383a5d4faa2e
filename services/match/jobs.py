"""What can be asked of a match; the jobs of one match run in order, one at a time."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

from libs.runtime.errors import PaijuError
from services.match.port import Choice, Finished, Input, Sheet
from services.match.table import Draft, Table, Task

if TYPE_CHECKING:
    from services.match.feed import Feed


class Reply(Protocol):
    """Where the answer of a command goes."""

    def done(self, answer: bytes, views: Sequence[bytes] = ()) -> None:
        """It happened; `answer` as stored in the log. `views` is what the seat sees of it, for a
        stream that follows the seat."""

    def refuse(self, error: PaijuError) -> None:
        """It did not."""


class Verb(IntEnum):
    """What a seat can do; numbers are part of request hashes."""

    ACT = 1
    READY = 2
    LEAVE = 3
    BACK = 4


@dataclass(slots=True)
class SeatCommand:
    """A command of a seat: of an attached one on a stream, or of the bearer of a token."""

    command_id: str
    verb: Verb
    reply: Reply
    seat: int = -1
    token: str = ""
    feed: "Feed | None" = None
    prompt_id: int = 0
    choice: Choice = Choice()  # noqa: RUF009 - an immutable value
    source: object = None
    """Who it counts for while it waits."""

    @property
    def actor(self) -> str:
        """Whose command it is."""
        return f"seat:{self.seat}"

    def req_hash(self) -> bytes:
        """Fingerprint of what is asked, over the validated fields."""
        action = self.choice.action
        what = b"i%d" % self.choice.index if action is None else b"a" + action
        return hashlib.sha256(b"%d\0%d\0" % (self.verb, self.prompt_id) + what).digest()


@dataclass(slots=True)
class Join:
    """A player takes the next free seat."""

    command_id: str
    player_id: str
    name: str
    reply: Reply
    actor: str = "platform"

    def req_hash(self) -> bytes:
        """Fingerprint."""
        return hashlib.sha256(f"join\0{self.player_id}\0{self.name}".encode()).digest()


@dataclass(slots=True)
class CloseByPlatform:
    """The platform ends the match (match.md M7)."""

    command_id: str
    reason: str
    reply: Reply
    actor: str = "platform"

    def req_hash(self) -> bytes:
        """Fingerprint."""
        return hashlib.sha256(f"close\0{self.reason}".encode()).digest()


Command = SeatCommand | Join | CloseByPlatform


@dataclass(slots=True)
class Create:
    """A new match: its table and first row are ready."""

    table: Table
    draft: Draft
    reply: Reply

    command_id: str = ""
    actor: str = "platform"

    def req_hash(self) -> bytes:
        """Fingerprint."""
        return self.draft.req_hash


@dataclass(slots=True)
class Attach:
    """A stream follows a seat from a sequence number on."""

    feed: "Feed"
    token: str
    after_seq: int
    seat: int = -1
    source: object = None


@dataclass(slots=True)
class Detach:
    """A stream stops following a seat."""

    feed: "Feed"
    seat: int


@dataclass(slots=True)
class Read:
    """Looks at the durable table, between two commands."""

    look: Callable[[Table], None]
    refused: Callable[[PaijuError], None]


@dataclass(slots=True)
class TimerDue:
    """Time may have run out somewhere; what it was is found when the job runs."""

    kind: Input = Input.TIMEOUT
    seat: int = -1


@dataclass(slots=True)
class StartRound:
    """Everybody is ready."""

    server_seed: bytes = b""
    nonce: bytes = b""


@dataclass(slots=True)
class Adopt:
    """This process takes the match over."""

    owner: str
    outage_ms: int


@dataclass(slots=True)
class Scored:
    """Scoring answered."""

    task: Task
    sheet: Sheet


@dataclass(slots=True)
class Settled:
    """The ledger posted a round."""

    task: Task
    tx_id: str


@dataclass(slots=True)
class MatchFinished:
    """Scoring applied the end rules."""

    task: Task
    result: Finished


@dataclass(slots=True)
class LedgerClosed:
    """The ledger emptied the escrows."""

    task: Task


Done = Scored | Settled | MatchFinished | LedgerClosed
Job = Command | Create | Attach | Detach | Read | TimerDue | StartRound | Adopt | Done
