"""A match in memory with what waits for it, and what its jobs carry from stage to stage."""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from libs.runtime.errors import PaijuError
from libs.runtime.logs import Logger
from services.match import frames, lobby, rounds
from services.match.feed import Feed, Place
from services.match.gauges import Gauges
from services.match.jobs import (
    Adopt,
    Attach,
    CloseByPlatform,
    Command,
    Create,
    Detach,
    Job,
    Join,
    LedgerClosed,
    MatchFinished,
    Read,
    Scored,
    SeatCommand,
    Settled,
    StartRound,
    TimerDue,
    Verb,
)
from services.match.port import Ports, StartItem, StepItem
from services.match.seal import Vault
from services.match.store import Store
from services.match.table import Draft, Head, Known, Table, Task, Write, accepted
from services.match.timers import Wheel

_ACT = Verb.ACT
_STRANGER = -1


class Limits(NamedTuple):
    """Bounds of what waits here."""

    queue: int = 64
    waiting: int = 20_000
    batch: int = 128


class LogAhead(Exception):
    """A commit was durable though it failed: nobody was told, no task and no timer follows from it.

    It ends the process, which begins again from the log.
    """


@dataclass(slots=True)
class Slot:
    """A match and what waits for it."""

    match_id: str
    named: bytes
    table: Table | None = None
    queue: deque[Job] = field(default_factory=deque)
    busy: bool = False
    missing: bool = False
    attached: dict[int, Feed] = field(default_factory=dict)
    armed_ms: int = 0
    not_before_ms: int = 0
    failures: int = 0
    used_ms: int = 0
    owed_ms: int = 0
    """Outage by which the deadlines are still to be extended."""
    lost: bytes = b""
    """Hash of the row whose commit failed last, until the match is read again."""

    def place(self, seat: int) -> Place:
        """The name of a seat on the wire."""
        return Place(self.match_id, self.named, seat)

    def compare(self, head: Head) -> None:
        """Raises LogAhead if the row whose commit failed is stored after all."""
        if self.lost and self.lost == head.tail_hash:
            raise LogAhead
        self.lost = b""


class Ruled(NamedTuple):
    """A job that waits for the engine."""

    slot: Slot
    job: rounds.Driver
    item: StepItem | StartItem


class Sealed(NamedTuple):
    """A job that waits for its commit."""

    slot: Slot
    job: Job
    draft: Draft
    write: Write


class Failed(NamedTuple):
    """A command that was refused (no error: that changes nothing), unless the log knows it."""

    slot: Slot
    job: Command | Create
    error: PaijuError | None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a hub works with."""

    store: Store
    ports: Ports
    vault: Vault
    wheel: Wheel
    gauges: Gauges
    log: Logger
    owner: str
    limits: Limits = Limits()  # noqa: RUF009 - an immutable value


class Relay(ABC):
    """The outbox as the hub sees it."""

    @abstractmethod
    def add(self, task: Task) -> None:
        """A task is durable."""

    @abstractmethod
    def finished(self, task: Task) -> None:
        """Its result is durable."""

    @abstractmethod
    def retry(self, task: Task) -> None:
        """Its result could not be stored."""


def find_seat(slot: Slot, table: Table, job: SeatCommand) -> None:
    """Whose command it is: by token, or by being attached to the stream it came on."""
    if not job.token:
        if slot.attached.get(job.seat) is not job.feed:
            raise PaijuError("NOT_YOUR_SEAT", "the seat is not attached to this stream")
        return
    seat = table.seat_of(job.token)
    if seat is None:
        # A repeated Leave must find its answer although its token is void.
        former = table.former_seat_of(job.token)
        job.seat = -1 if former is None else former
    job.seat = seat_by_token(table, job.token)


def planned(slot: Slot, table: Table, job: Job, now: int) -> Draft | StepItem | StartItem | None:
    """What a job does now; None: nothing."""
    if isinstance(job, SeatCommand):
        acts = job.verb is _ACT
        return rounds.act(table, job) if acts else lobby.seat_command(table, job, now)
    if isinstance(job, Join):
        return lobby.join(table, job, now)
    if isinstance(job, CloseByPlatform):
        return lobby.close(table, job, now)
    if isinstance(job, Adopt):
        return rounds.adopt(table, job.owner, job.outage_ms, now)
    if isinstance(job, StartRound):
        return rounds.start_item(table, job) if table.control.may_start else None
    if isinstance(job, TimerDue):
        return _due(slot, table, job, now)
    assert isinstance(job, Scored | Settled | MatchFinished | LedgerClosed)
    return rounds.done(table, job, now)


def _due(slot: Slot, table: Table, job: TimerDue, now: int) -> Draft | StepItem | None:
    """First what the match is owed (M4), then what has run out; nothing while it backs off."""
    if slot.not_before_ms > now:
        return None
    if slot.owed_ms:
        draft = rounds.extended(table, slot.owed_ms, now)
        if draft is not None:
            return draft
        slot.owed_ms = 0
    return rounds.due_step(table, job, now)


def unchanged(failed: Failed) -> bytes:
    """The answer of a seat's command that changes nothing; a quick repeat gets the same."""
    table, job = failed.slot.table, failed.job
    assert table is not None
    assert isinstance(job, SeatCommand)
    answer = accepted(table.control.seats[job.seat])
    table.remember((job.actor, job.command_id), Known(job.req_hash(), answer))
    return answer


def seat_by_token(table: Table, token: str) -> int:
    """The seat of a token, or BAD_TOKEN."""
    seat = table.seat_of(token)
    if seat is None:
        raise PaijuError("BAD_TOKEN", "this is not a token of a seat of this match")
    return seat


def detach(slot: Slot, job: Detach) -> None:
    """A stream does not follow a seat any more, if it did."""
    if slot.attached.get(job.seat) is job.feed:
        del slot.attached[job.seat]


def let_go(relay: Relay, slot: Slot, job: Job, error: PaijuError) -> None:
    """A job that is not done; what must be done some time is tried again."""
    if isinstance(job, Scored | Settled | MatchFinished | LedgerClosed):
        relay.retry(job.task)
    elif isinstance(job, Detach):
        detach(slot, job)
    else:
        refuse_job(job, slot.match_id, error)


def refuse_job(job: Job, match_id: str, error: PaijuError) -> None:
    """Tells whoever waits for a job that it did not happen."""
    if isinstance(job, Attach):
        job.feed.refused(match_id, error)
        job.feed.answered()
    elif isinstance(job, Command | Create):
        job.reply.refuse(error)
    elif isinstance(job, Read):
        job.refused(error)


def crowded(slot: Slot, job: Job, share: int) -> bool:
    """Whether whoever fills the queue with a job has had its share of it: no player may take the
    places of the others."""
    if isinstance(job, Detach):
        return _is_idle(slot, job)
    if not isinstance(job, SeatCommand | Attach) or not (slot.busy or slot.queue):
        return False
    job.source = _source_of(slot, job)
    queued = [j for j in slot.queue if isinstance(j, SeatCommand | Attach)]
    return sum(j.source == job.source for j in queued) >= share


def _source_of(slot: Slot, job: SeatCommand | Attach) -> object:
    """The seat; all who hold none have one share together, whatever they call themselves."""
    if isinstance(job, SeatCommand) and not job.token:
        return job.seat if slot.attached.get(job.seat) is job.feed else _STRANGER
    if slot.table is None:
        return job.token  # whose it is will be known when the match is read
    seat = slot.table.seat_of(job.token)
    return _STRANGER if seat is None else seat


def _is_idle(slot: Slot, job: Detach) -> bool:
    """Whether a stream that lets go of a seat has none there, or lets go of it already."""
    if slot.table and job.seat >= len(slot.table.control.seats):
        return True
    for queued in reversed(slot.queue):
        if isinstance(queued, Attach) and queued.feed is job.feed:
            return False
        if queued == job:
            return True
    return slot.attached.get(job.seat) is not job.feed and not job.feed.pending


def foreign(job: Job, error: PaijuError) -> bool:
    """Whether a command speaks for a seat that its sender does not hold: what that seat has asked
    before is not told. A Leave alone may be repeated after its seat is gone."""
    return (
        error.reason in ("NOT_YOUR_SEAT", "BAD_TOKEN")
        and isinstance(job, SeatCommand)
        and job.verb is not Verb.LEAVE
    )


def answer(slot: Slot, table: Table, job: Command | Create, draft: Draft) -> int:
    """Answers a durable command; the seat whose views went with the answer, -1: none."""
    table.remember((draft.actor, draft.command_id), Known(draft.req_hash, draft.answer))
    if isinstance(job, SeatCommand) and job.verb is _ACT and job.feed is not None:
        seat = job.seat
        if slot.attached.get(seat) is job.feed:
            views = frames.numbered_on(draft.before[seat], draft.received[seat])
            job.reply.done(draft.answer, views)
            return seat
    job.reply.done(draft.answer)
    return -1


def tell(slot: Slot, draft: Draft, told: int) -> None:
    """Gives every followed seat its views, but for the one told with its answer."""
    for seat, feed in slot.attached.items():
        received = draft.received[seat]
        if received and seat != told:
            views = frames.numbered_on(draft.before[seat], received)
            feed.views(slot.place(seat), views)
