"""All matches of this process: a queue per match, stages for all (`protocol.md`, The log).

A match has at most one job under way. Its job is planned on arrival and goes through stages that
each take whole lists: load → step → commit → answers and views. Different matches share every
list.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from libs.runtime.errors import PaijuError
from services.match import attach, frames, rounds
from services.match.alarms import Alarms
from services.match.answers import known_answer, look_up
from services.match.jobs import (
    Adopt,
    Attach,
    CloseByPlatform,
    Command,
    Create,
    Detach,
    Done,
    Job,
    Join,
    Read,
    SeatCommand,
    TimerDue,
    Verb,
)
from services.match.model import Phase
from services.match.port import Input, StartItem, Stepped
from services.match.quarantine import Quarantine
from services.match.seal import SealError
from services.match.slots import (
    Failed,
    Parts,
    Relay,
    Ruled,
    Sealed,
    Slot,
    answer,
    crowded,
    detach,
    find_seat,
    foreign,
    let_go,
    planned,
    refuse_job,
    seat_by_token,
    tell,
)
from services.match.stage import Stage
from services.match.store import Outcome
from services.match.table import Draft, Head, Table, of_head

_SHARES = 4
_BOUNDED = (SeatCommand, Join, CloseByPlatform, Attach)
_ANSWERED = (SeatCommand, Join, CloseByPlatform, Create)


class Hub:
    """Runs the jobs of all matches."""

    def __init__(self, parts: Parts, relay: Relay) -> None:
        self.parts = parts
        self.relay = relay
        self.slots: dict[str, Slot] = {}
        self.beats: dict[str, int] = {}
        self.draining = False
        self.held: Callable[[], bool] = lambda: False
        self.waiting = 0
        self.alarms = Alarms(parts, self.submit, self.ahead)
        self.quarantine = Quarantine(parts, lambda match_id: self.submit(match_id, TimerDue()))
        batch = parts.limits.batch
        self.loading: Stage[Slot] = Stage("load", self._load, batch)
        self.stepping: Stage[Ruled] = Stage("step", self._step, batch)
        self.starting: Stage[Ruled] = Stage("start", self._start, batch)
        self.attaching: Stage[attach.Wanted] = Stage("attach", self._attach, batch)
        self.looking: Stage[Failed] = Stage("look", self._look, batch)
        self.committing: Stage[Sealed] = Stage("commit", self._commit, batch)
        self.committing.alternate(self.stepping)
        self.committing.alternate(self.starting)
        self._batch = {s.name: parts.gauges.batch.labels(s.name) for s in self.stages()}

    def stages(self) -> Sequence[Stage[Any]]:
        """All stages, in the order of a job's way."""
        return (
            self.loading,
            self.stepping,
            self.starting,
            self.attaching,
            self.looking,
            self.committing,
        )

    # Jobs come in.

    def submit(self, match_id: str, job: Job) -> None:
        """Queues a job of a match; refuses commands when too much waits."""
        if isinstance(job, Detach) and match_id not in self.slots:
            return
        slot = self.slot_of(match_id)
        error = self.quarantine.refusal(match_id, job) or self._overload(slot, job)
        if error is not None:
            let_go(self.relay, slot, job, error)
            return
        self.waiting += 1
        slot.queue.append(job)
        self.pump(slot)

    def slot_of(self, match_id: str) -> Slot:
        """The slot of a match, made if it is not in memory."""
        slot = self.slots.get(match_id)
        if slot is None:
            slot = self.slots[match_id] = Slot(match_id, frames.named(match_id))
            self.parts.gauges.live.set(len(self.slots))
        return slot

    def ahead(self, slot: Slot, job: Job) -> None:
        """Puts a job of the match's own before all that wait; the caller pumps."""
        self.waiting += 1
        slot.queue.appendleft(job)

    def _overload(self, slot: Slot, job: Job) -> PaijuError | None:
        limits = self.parts.limits
        if isinstance(job, _BOUNDED):
            if self.draining:
                return PaijuError("DRAINING", "this server is shutting down")
            if len(slot.queue) >= limits.queue or self.waiting >= limits.waiting:
                return PaijuError("OVERLOADED", "too many commands wait")
        if crowded(slot, job, max(1, limits.queue // _SHARES)):
            return PaijuError("OVERLOADED", "too many commands of one seat wait")
        return None

    def pump(self, slot: Slot) -> None:
        """Runs what can be run of a match now."""
        while slot.queue and not slot.busy:
            if slot.table is None and not slot.missing and not isinstance(slot.queue[0], Create):
                slot.busy = True
                self.loading.put(slot)
                return
            job = slot.queue.popleft()
            self.waiting -= 1
            slot.used_ms = self.parts.wheel.clock.now_ms()
            self._contained(slot, job, self._run, job)
        if slot.missing and not slot.queue and not slot.busy:
            self.forget(slot)

    def _contained(self, slot: Slot, job: Job, work: Callable[..., None], *args: Any) -> None:
        """One match that cannot be handled must not stop the others."""
        try:
            work(slot, *args)
        except Exception as error:  # whatever it is, it stays inside this match
            self._stopped(slot, job, error)

    def _stopped(self, slot: Slot, job: Job, error: Exception) -> None:
        refused = self.quarantine.stopped(slot.match_id, error)
        self.ahead(slot, job)
        self._drop_queue(slot, refused)
        for feed in set(slot.attached.values()):
            feed.refused(slot.match_id, refused)
        slot.attached.clear()
        slot.table, slot.missing, slot.busy = None, True, False

    def _drop_queue(self, slot: Slot, error: PaijuError) -> None:
        while slot.queue:
            job = slot.queue.popleft()
            self.waiting -= 1
            let_go(self.relay, slot, job, error)

    def forget(self, slot: Slot) -> None:
        """A match leaves memory; its head says all there is to know."""
        self.slots.pop(slot.match_id, None)
        self.parts.gauges.live.set(len(self.slots))

    def _run(self, slot: Slot, job: Job) -> None:
        table = slot.table
        if isinstance(job, SeatCommand) and table is not None:
            self._plan(slot, table, job)
        elif isinstance(job, Create):
            slot.table, slot.missing = job.table, False
            self._close_draft(slot, job, job.draft)
        elif isinstance(job, Detach):
            detach(slot, job)
        elif table is None:
            error = PaijuError("UNKNOWN_MATCH", "there is no such match")
            let_go(self.relay, slot, job, error)
        elif isinstance(job, Read):
            job.look(table)
        elif isinstance(job, Attach):
            self._plan_attach(slot, table, job)
        else:
            self._plan(slot, table, job)

    def _plan(self, slot: Slot, table: Table, job: Job) -> None:
        now = self.parts.wheel.clock.now_ms()
        if isinstance(job, TimerDue) and self.held():
            self.alarms.later(slot)  # players cannot act: nobody's time runs out (M4)
            return
        try:
            if isinstance(job, Command) and self._repeated(slot, table, job):
                return
            plan = planned(slot, table, job, now)
        except PaijuError as error:
            self._fail(slot, job, error)
            return
        if isinstance(plan, Draft):
            self._close_draft(slot, job, plan)
        elif plan is None and isinstance(job, Command):
            slot.busy = True
            self.looking.put(Failed(slot, job, None))
        elif plan is None:
            self.alarms.arm(slot)
        else:
            slot.busy = True
            assert isinstance(job, rounds.Driver)
            stage = self.starting if isinstance(plan, StartItem) else self.stepping
            stage.put(Ruled(slot, job, plan))

    def _repeated(self, slot: Slot, table: Table, job: Command) -> bool:
        """Finds the seat of a command; answers it at once if it was done just before."""
        if isinstance(job, SeatCommand):
            find_seat(slot, table, job)
        known = table.recent.get((job.actor, job.command_id))
        if known is None:
            return False
        known_answer(self.parts, job, known)
        return True

    def _fail(self, slot: Slot, job: Job, error: PaijuError) -> None:
        """A refusal; a command may be the repeat of one that was accepted before."""
        if isinstance(job, _ANSWERED) and job.command_id and not foreign(job, error):
            slot.busy = True
            self.looking.put(Failed(slot, job, error))
            return
        refuse_job(job, slot.match_id, error)
        slot.busy = False
        if isinstance(job, _ANSWERED):
            self.parts.gauges.refused.inc()
            return
        self.alarms.back_off(slot, error.reason)

    # Stages.

    async def _load(self, slots: list[Slot]) -> None:
        self._batch["load"].observe(len(slots))
        try:
            heads = await self.parts.store.heads([slot.match_id for slot in slots])
        except PaijuError as error:
            for slot in slots:
                slot.busy = False
                self._drop_queue(slot, error)
                self.alarms.back_off(slot, error.reason)
            return
        for slot in slots:
            slot.busy = False
            head = heads.get(slot.match_id)
            if head is None:
                slot.missing = True
            else:
                self._loaded(slot, head)
            self.pump(slot)

    def _loaded(self, slot: Slot, head: Head) -> None:
        slot.compare(head)
        try:
            table = of_head(head, self.parts.vault)
        except SealError as error:
            self.quarantine.unreadable(slot.match_id, error)
            slot.missing = True
            return
        slot.table = table
        if table.owner != self.parts.owner and table.control.phase is not Phase.CLOSED:
            alive = max(self.beats.get(table.owner, 0), table.at_ms)
            outage = max(0, self.parts.wheel.clock.now_ms() - alive)
            self.ahead(slot, Adopt(self.parts.owner, outage))
        else:
            self.alarms.arm(slot)

    async def _step(self, batch: list[Ruled]) -> None:
        await self._ruled("step", batch, self.parts.ports.rules.step)

    async def _start(self, batch: list[Ruled]) -> None:
        await self._ruled("start", batch, self.parts.ports.rules.start_rounds)

    async def _ruled(self, stage: str, batch: list[Ruled], call: Callable[..., Any]) -> None:
        self._batch[stage].observe(len(batch))
        results: Sequence[Stepped | PaijuError]
        try:
            results = await call([ruled.item for ruled in batch])
        except PaijuError as error:
            results = [error] * len(batch)
        for ruled, result in zip(batch, results, strict=True):
            self._contained(ruled.slot, ruled.job, self._after_rules, ruled.job, result)
            self.pump(ruled.slot)

    def _after_rules(self, slot: Slot, job: rounds.Driver, result: Stepped | PaijuError) -> None:
        table = slot.table
        assert table is not None
        if isinstance(result, PaijuError):
            if isinstance(job, SeatCommand):
                result = rounds.with_seq(result, table.control.seats[job.seat])
            self._fail(slot, job, result)
            return
        if isinstance(job, TimerDue) and job.kind is Input.TIMEOUT:
            self.parts.gauges.timeouts.inc()
        now = self.parts.wheel.clock.now_ms()
        self._close_draft(slot, job, rounds.stepped(table, job, result, now))

    async def _look(self, batch: list[Failed]) -> None:
        self._batch["look"].observe(len(batch))
        await look_up(self.parts, batch)
        for failed in batch:
            failed.slot.busy = False
            self.pump(failed.slot)

    def _close_draft(self, slot: Slot, job: Job, draft: Draft) -> None:
        assert slot.table is not None
        slot.busy = True
        if isinstance(job, Command):
            draft.req_hash = job.req_hash()
        self.committing.put(Sealed(slot, job, draft, slot.table.close_draft(draft)))

    async def _commit(self, batch: list[Sealed]) -> None:
        self._batch["commit"].observe(len(batch))
        began = perf_counter()
        outcomes = await self.parts.store.append([sealed.write for sealed in batch])
        self.parts.gauges.commit_seconds.observe(perf_counter() - began)
        for sealed, outcome in zip(batch, outcomes, strict=True):
            if outcome is Outcome.OK:
                self._durable(sealed)
            else:
                self._not_durable(sealed, outcome)
            self.pump(sealed.slot)

    def _durable(self, sealed: Sealed) -> None:
        slot, job, draft, write = sealed
        table = slot.table
        assert table is not None
        slot.busy, slot.failures, slot.not_before_ms = False, 0, 0
        slot.owed_ms -= draft.extended_ms
        if self.quarantine.stops:
            self.quarantine.ended(slot.match_id)
        own = -1
        if isinstance(job, _ANSWERED):
            self.parts.gauges.accepted.inc()
            own = answer(slot, table, job, draft)
        tell(slot, draft, own)
        if own < 0 and isinstance(job, SeatCommand) and job.verb is Verb.LEAVE:
            slot.attached.pop(job.seat, None)
        for task in write.outbox:
            self.relay.add(task)
        if write.done:
            self.relay.finished(write.done)
        self.alarms.arm(slot)

    def _not_durable(self, sealed: Sealed, outcome: Outcome) -> None:
        """The table is ahead of the log: it is dropped and, at once, read again."""
        slot, job = sealed.slot, sealed.job
        slot.table, slot.busy, slot.lost = None, False, sealed.write.hash
        if outcome is not Outcome.DUPLICATE:
            self.parts.gauges.commits_failed.inc()
        reason = "NOT_OWNER" if outcome is Outcome.FENCED else "UPSTREAM_UNAVAILABLE"
        error = PaijuError(reason, "the change could not be stored")
        if isinstance(job, Adopt):
            self._drop_queue(slot, error)
        else:
            self.ahead(slot, TimerDue())
        if isinstance(job, Done):
            # A result that the log has already is no result to be fetched again.
            known = outcome is Outcome.DUPLICATE
            (self.relay.finished if known else self.relay.retry)(job.task)
            if known:
                return
        self._fail(slot, job, error)

    # Attaching.

    def _plan_attach(self, slot: Slot, table: Table, job: Attach) -> None:
        try:
            job.seat = seat_by_token(table, job.token)
            wanted = attach.wanted(slot.match_id, table, job, set(slot.attached))
        except PaijuError as error:
            refuse_job(job, slot.match_id, error)
            return
        slot.busy = True
        self.attaching.put(wanted)

    async def _attach(self, batch: list[attach.Wanted]) -> None:
        self._batch["attach"].observe(len(batch))
        for wanted, views in zip(batch, await attach.missed(self.parts, batch), strict=True):
            slot = self.slots[wanted.match_id]
            slot.busy = False
            if isinstance(views, PaijuError):
                refuse_job(wanted.job, slot.match_id, views)
            else:
                attach.finish(slot, wanted, views)
            self.pump(slot)
