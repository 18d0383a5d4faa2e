"""The relay: takes what rounds leave to be done to scoring and the ledger, until it is done.

Each row is done once by effect: the work is idempotent by its natural key, and its result is a row
of the log that closes the outbox row in the same commit (`protocol.md`, Round end). Rows of one
match go in order, scoring and ledger each in their own lane: a ledger that is down does not stop
the next round.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from libs.runtime.errors import PaijuError
from services.match.answers import read_table
from services.match.hub import Hub
from services.match.jobs import Job, LedgerClosed, MatchFinished, Scored, Settled
from services.match.port import Close, FinishItem, SeatAccount, Settle
from services.match.slots import Parts, Relay
from services.match.stage import Stage
from services.match.table import Table, Task

_FIRST_MS, _MOST_MS = 100, 10_000
_LEDGER_PAUSE_SECONDS = 0.05
"""Between two lists of settlements: no player waits for one, and a list costs as much as many."""
_SCORING = frozenset({"score", "finish"})


@dataclass(slots=True)
class Lane:
    """The rows of one match for one service; only the first is under way."""

    tasks: deque[Task] = field(default_factory=deque)
    attempts: int = 0
    reason: str = ""


class Outbox(Relay):
    """Lanes by match; two stages."""

    def __init__(self, parts: Parts, batch: int = 64) -> None:
        self._parts = parts
        self._lanes: dict[tuple[str, bool], Lane] = {}
        self._opened: set[str] = set()
        self.hub: Hub | None = None
        self.scoring: Stage[Task] = Stage("score", self._score, batch)
        self.ledger: Stage[Task] = Stage("ledger", self._post, batch, _LEDGER_PAUSE_SECONDS)

    def stages(self) -> Sequence[Stage[Any]]:
        """All its stages."""
        return self.scoring, self.ledger

    @property
    def idle(self) -> bool:
        """Nothing is to be done."""
        return not self._lanes

    def add(self, task: Task) -> None:
        """A row is durable."""
        key = (task.match_id, task.kind in _SCORING)
        lane = self._lanes.setdefault(key, Lane())
        lane.tasks.append(task)
        self._parts.gauges.outbox.inc()
        if len(lane.tasks) == 1:
            self._send(task)

    def finished(self, task: Task) -> None:
        """Its result is durable: on to the next of its lane."""
        key = (task.match_id, task.kind in _SCORING)
        lane = self._lanes.get(key)
        if lane is None or lane.tasks[0] != task:
            return
        lane.tasks.popleft()
        lane.attempts, lane.reason = 0, ""
        self._parts.gauges.outbox.dec()
        if lane.tasks:
            self._send(lane.tasks[0])
            return
        del self._lanes[key]
        if task.kind == "close":
            self._opened.discard(task.match_id)

    def retry(self, task: Task) -> None:
        """Again later; pauses grow to a bound and never run in step."""
        lane = self._lanes.get((task.match_id, task.kind in _SCORING))
        if lane is None or lane.tasks[0] != task:
            return
        lane.attempts += 1
        bound = min(_MOST_MS, _FIRST_MS * 2 ** min(lane.attempts, 10))
        wait = random.randint(bound // 2, bound)  # noqa: S311 - jitter is no secret
        wheel = self._parts.wheel
        wheel.at(wheel.clock.now_ms() + wait, lambda: self._send(task))

    def _send(self, task: Task) -> None:
        (self.scoring if task.kind in _SCORING else self.ledger).put(task)

    async def _look(self, match_id: str, look: Callable[[Table], Any]) -> Any:
        """Reads a table, at once if it is in memory: what an open row needs (the state of an ended
        round, totals, seats) stays as it is until the row is done, and a match that waits for the
        engine must not hold up the settlements of others."""
        assert self.hub is not None
        slot = self.hub.slots.get(match_id)
        if slot is not None and slot.table is not None:
            return look(slot.table)
        return await read_table(self.hub.submit, match_id, look)

    def _submit(self, task: Task, job: Job) -> None:
        assert self.hub is not None
        self.hub.submit(task.match_id, job)

    def _again(self, task: Task, error: BaseException) -> None:
        reason = error.reason if isinstance(error, PaijuError) else type(error).__name__
        lane = self._lanes.get((task.match_id, task.kind in _SCORING))
        if lane is not None and lane.reason != reason:  # each reason once, not each attempt
            lane.reason = reason
            self._parts.log.warning("outbox", match=task.match_id, kind=task.kind, reason=reason)
        self.retry(task)

    async def _score(self, batch: list[Task]) -> None:
        await asyncio.gather(
            self._score_rounds([task for task in batch if task.kind == "score"]),
            *[self._finish(task) for task in batch if task.kind == "finish"],
        )

    async def _score_rounds(self, tasks: list[Task]) -> None:
        if not tasks:
            return
        reads = [self._look(task.match_id, lambda table: table.state) for task in tasks]
        states = await asyncio.gather(*reads, return_exceptions=True)
        readable = [(t, s) for t, s in zip(tasks, states, strict=True) if isinstance(s, bytes)]
        for task, state in zip(tasks, states, strict=True):
            if not isinstance(state, bytes):
                self._again(task, state)
        try:
            results = await self._parts.ports.scoring.score_rounds([s for _, s in readable])
        except PaijuError as error:
            results = [error] * len(readable)
        for (task, _), result in zip(readable, results, strict=True):
            if isinstance(result, PaijuError):
                self._again(task, result)
            else:
                self._submit(task, Scored(task, result))

    async def _finish(self, task: Task) -> None:
        try:
            item = await self._look(task.match_id, _finish_item)
            result = await self._parts.ports.scoring.finish_match(item)
        except Exception as error:  # whatever it is, it stays inside this match
            self._again(task, error)
        else:
            self._submit(task, MatchFinished(task, result))

    async def _post(self, batch: list[Task]) -> None:
        await asyncio.gather(
            self._settle_rounds([task for task in batch if task.kind == "settle"]),
            *[self._close(task) for task in batch if task.kind != "settle"],
        )

    async def _settle_rounds(self, tasks: list[Task]) -> None:
        found = await asyncio.gather(*map(self._settlement, tasks))
        ready = [(t, item) for t, item in zip(tasks, found, strict=True) if item is not None]
        if not ready:
            return
        results: Sequence[str | PaijuError]
        try:
            results = await self._parts.ports.ledger.settle([item for _, item in ready])
        except PaijuError as error:
            results = [error] * len(ready)
        for (task, _), result in zip(ready, results, strict=True):
            if isinstance(result, PaijuError):
                self._again(task, result)
            else:
                self._submit(task, Settled(task, result))

    async def _settlement(self, task: Task) -> Settle | None:
        """What is to be posted; None: not now."""
        try:
            await self._open_accounts(task.match_id)
            item: Settle = await self._look(task.match_id, lambda table: _settle(table, task))
        except Exception as error:  # a damaged row, say: it stays inside this match
            self._again(task, error)
            return None
        return item

    async def _close(self, task: Task) -> None:
        try:
            await self._open_accounts(task.match_id)
            close = await self._look(task.match_id, lambda table: _close(table, task))
            await self._parts.ports.ledger.close(close)
        except Exception as error:  # a damaged row, say: it stays inside this match
            self._again(task, error)
        else:
            self._submit(task, LedgerClosed(task))

    async def _open_accounts(self, match_id: str) -> None:
        """Before the first settlement of a match; a repeat after a restart changes nothing."""
        if match_id in self._opened:
            return
        seats, at_ms = await self._look(match_id, lambda t: (_accounts(t), t.meta.created_at_ms))
        await self._parts.ports.ledger.open_accounts(match_id, seats, at_ms)
        self._opened.add(match_id)


def _accounts(table: Table) -> tuple[SeatAccount, ...]:
    return tuple(SeatAccount(n, seat.player_id) for n, seat in enumerate(table.control.seats))


def _finish_item(table: Table) -> FinishItem:
    meta, control = table.meta, table.control
    return FinishItem(meta.game, meta.release, meta.options, tuple(control.totals), control.scored)


def _settle(table: Table, task: Task) -> Settle:
    """From the stored row alone: the body of a settlement is the same at every attempt."""
    stored = orjson.loads(task.payload)
    return Settle(
        task.match_id,
        stored["round_no"],
        table.meta.release,
        bytes.fromhex(stored["log_hash"]),
        tuple(stored["deltas"]),
        stored["at_ms"],
    )


def _close(table: Table, task: Task) -> Close:
    stored = orjson.loads(task.payload)
    return Close(
        task.match_id,
        tuple(stored["adjustments"]),
        _accounts(table),
        table.control.mark,
        stored["at_ms"],
    )
