"""One match in memory, and how a change of it becomes one row of the log.

The writer of a match plans a command, changes `control` and `state`, and closes the draft: the
events are numbered per seat, the row is sealed and chained. Nobody is told before the row is
durable; if it does not become durable, the table is dropped and read again.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from services.match import frames, wire
from services.match.model import Control, Meta, Seat
from services.match.port import PromptClass
from services.match.rows import (
    LogEvent,
    Secrets,
    Told,
    pack_secrets,
    told,
    unpack,
    unpack_secrets,
)
from services.match.seal import (
    MatchKey,
    SealError,
    Stored,
    Vault,
    chain,
    same_token,
    token_hash,
)

_RECENT = 16


class Task(NamedTuple):
    """An outbox row: what must be done elsewhere, once by effect."""

    match_id: str
    version: int
    kind: str
    payload: bytes


class Known(NamedTuple):
    """A command that is in the log."""

    req_hash: bytes
    answer: bytes


class RoundSheet(NamedTuple):
    """A round's stored sheet or, later, its ledger transaction."""

    round_no: int
    sheet: bytes = b""
    tx_id: str = ""


class Created(NamedTuple):
    """What the head row gets once."""

    meta: bytes
    wrapped_key: bytes
    game: str
    reference: str
    created_at_ms: int


@dataclass(slots=True)
class Draft:
    """A change under way: one command, one row."""

    actor: str
    command_id: str
    at_ms: int
    before: list[int]
    req_hash: bytes = b""
    seat: int | None = None
    events: list[LogEvent] = field(default_factory=list)
    received: list[list[bytes]] = field(default_factory=list)
    server_seed: bytes = b""
    nonce: bytes = b""
    answer: bytes = b""
    outbox: list[tuple[str, bytes]] = field(default_factory=list)
    done: Task | None = None
    sheet: RoundSheet | None = None
    marks: bool = False
    created: Created | None = None
    extended_ms: int = 0


class Write(NamedTuple):
    """A sealed draft, ready for the store."""

    row: Stored
    hash: bytes
    old_epoch: int
    owner: str
    state: bytes
    control: bytes
    deadline_at_ms: int
    phase: int
    outbox: tuple[Task, ...] = ()
    done: Task | None = None
    sheet: RoundSheet | None = None
    created: Created | None = None


class Head(NamedTuple):
    """The head row as stored."""

    match_id: str
    epoch: int
    owner: str
    version: int
    tail_hash: bytes
    at_ms: int
    meta: bytes
    wrapped_key: bytes
    state: bytes
    control: bytes


@dataclass(slots=True)
class Table:
    """The live form of a match; `tail` is the chain hash of row `version`."""

    meta: Meta
    control: Control
    key: MatchKey
    owner: str
    epoch: int = 0
    version: int = 0
    tail: bytes = b""
    at_ms: int = 0
    state: bytes = b""
    recent: "OrderedDict[tuple[str, str], Known]" = field(default_factory=OrderedDict)

    @property
    def run_on(self) -> bool:
        """Whether the engine need not stop for display pauses."""
        return self.meta.pace.claim_pause_ms == 0

    @property
    def match_id(self) -> str:
        """The match."""
        return self.meta.match_id

    def open_draft(self, actor: str, command_id: str, now_ms: int) -> Draft:
        """Begins a change; the match clock never runs backwards."""
        self.at_ms = max(self.at_ms, now_ms)
        name = command_id or f"{actor}:{self.version + 1}"
        return Draft(actor, name, self.at_ms, self.control.sequences)

    def close_draft(self, draft: Draft) -> Write:
        """Numbers the events, seals and chains the row; the table is now ahead of the store."""
        laid = self._count(draft)
        old_epoch = self.epoch if draft.actor != "owner" else self.epoch - 1
        self.version += 1
        at = place(self.meta.match_id, self.version)
        row = self._row(draft, laid, at)
        self.tail = chain(self.tail, row)
        if draft.marks:
            self.control.mark = self.tail
        control = self.control
        return Write(
            row,
            self.tail,
            old_epoch,
            self.owner,
            self.key.seal(self.state, at + b"state"),
            self.key.seal(control.dump(), at + b"control"),
            control.due_ms,
            control.phase,
            tuple([Task(row.match_id, row.version, *todo) for todo in draft.outbox]),
            draft.done,
            draft.sheet,
            draft.created,
        )

    def _count(self, draft: Draft) -> Told:
        laid = told(draft.events, len(self.control.seats), draft.at_ms)
        draft.received = laid.received
        for seat, forms in zip(self.control.seats, laid.received, strict=True):
            seat.seq += len(forms)
        if draft.seat is not None and not draft.answer:
            draft.answer = accepted(self.control.seats[draft.seat])
        return laid

    def _row(self, draft: Draft, laid: Told, at: bytes) -> Stored:
        seal = self.key.seal
        records = tuple([event.record for event in draft.events if event.record])
        secrets = Secrets(draft.server_seed, draft.nonce, records)
        return Stored(
            self.meta.match_id,
            self.version,
            len(draft.events),
            self.epoch,
            draft.actor,
            draft.command_id,
            draft.req_hash,
            draft.answer,
            b"".join([frames.varint(seq) for seq in self.control.sequences]),
            draft.at_ms,
            laid.public,
            seal(laid.private, at + b"private"),
            seal(pack_secrets(secrets), at + b"sealed"),
            self.control.round_no,
        )

    def remember(self, command: tuple[str, str], known: Known) -> None:
        """Keeps the newest commands at hand, so that a quick repeat needs no query."""
        self.recent[command] = known
        if len(self.recent) > _RECENT:
            self.recent.popitem(last=False)

    def seat_of(self, token: str) -> int | None:
        """The seat a token belongs to."""
        hashed = token_hash(token)
        for number, seat in enumerate(self.control.seats):
            if seat.taken and same_token(seat.token_hash, hashed):
                return number
        return None

    def former_seat_of(self, token: str) -> int | None:
        """The seat a token belonged to before its player left (to answer a repeated Leave)."""
        hashed = token_hash(token)
        for stored, seat in self.control.left:
            if same_token(stored, hashed):
                return seat
        return None

    def dues(self) -> list[wire.Due]:
        """All open deadlines."""
        control = self.control
        found = [
            wire.Due(n, seat.asked.cls, seat.asked.budget_ms, seat.asked.deadline_ms)
            for n, seat in enumerate(control.seats)
            if seat.asked and seat.asked.deadline_ms
        ]
        if control.ready_ms:
            budget = self.meta.pace.ready_ms
            found += [
                wire.Due(n, PromptClass.READY, budget, control.ready_ms)
                for n, seat in enumerate(control.seats)
                if not seat.ready
            ]
        return found

    def dues_known_to(self, seat: int) -> list[wire.Due]:
        """The deadlines a seat may know (match.md M4)."""
        return [due for due in self.dues() if wire.is_public(due) or due.seat == seat]

    def match_bytes(self, connected: Sequence[int] | set[int] = ()) -> bytes:
        """The serialized Match."""
        return wire.match(self.meta, self.control, connected)


def accepted(seat: Seat) -> bytes:
    """The serialized Accepted of a seat's command."""
    return frames.uint(1, seat.seq) if seat.seq else b""


def place(match_id: str, version: int) -> bytes:
    """What a sealed column is bound to, before the column's name."""
    return b"%s/%d/" % (match_id.encode(), version)


def of_head(head: Head, vault: Vault) -> Table:
    """Recovery: one row is enough. Raises SealError if any part of it cannot be read."""
    try:
        return _of_head(head, vault.unwrap(head.match_id, head.wrapped_key))
    except SealError:
        raise
    except Exception as error:  # a damaged column fails anywhere in the codecs
        raise SealError(f"the head cannot be read ({type(error).__name__})") from None


def _of_head(head: Head, key: MatchKey) -> Table:
    at = place(head.match_id, head.version)
    meta = Meta.load(head.meta)
    # `meta` alone is not sealed, and its template goes into lists with those of other matches.
    if not wire.is_template(meta.template, head.match_id):
        raise SealError("the head is damaged")
    control = key.open(head.control, at + b"control")
    return Table(
        meta,
        Control.load(control),
        key,
        head.owner,
        head.epoch,
        head.version,
        head.tail_hash,
        head.at_ms,
        key.open(head.state, at + b"state"),
    )


def events_of(row: Stored, key: MatchKey) -> list[LogEvent]:
    """The events of a stored row in all their forms."""
    private = key.open(row.private, place(row.match_id, row.version) + b"private")
    return unpack(row.public, private)


def secrets_of(row: Stored, key: MatchKey) -> Secrets:
    """The secrets of a stored row."""
    return unpack_secrets(key.open(row.sealed, place(row.match_id, row.version) + b"sealed"))
