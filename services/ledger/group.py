"""Group commit: whatever arrives while one transaction is under way shares the next one.

A durable commit costs about the same for one command as for a hundred, and a lone command does
not wait for company.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import Protocol

from services.ledger.book import Answer, Encode
from services.ledger.checks import Refused
from services.ledger.commands import Command
from services.ledger.store import Outcome, WriteFailed

MAX_GROUP = 128
"""Commands of one transaction; keeps lists of bound values within SQLite's limit."""

MAX_WAITING = 10_000
"""Commands that may wait for their transaction: some seconds of work."""

Job = tuple[Command, Encode]
Post = Callable[[Sequence[Job]], Awaitable[list[Outcome]]]
Waiting = tuple[Job, asyncio.Future[Outcome]]


class Watch(Protocol):
    """Who is told how transactions end."""

    def commit(self, size: int, seconds: float) -> None:
        """A transaction of `size` commands became durable."""

    def failed(self, size: int, failed: WriteFailed) -> None:
        """A transaction of `size` commands was rolled back."""


class GroupCommit:
    """Collects commands of concurrent calls and posts them in groups, in the order they came."""

    def __init__(self, post: Post, watch: Watch) -> None:
        self._post = post
        self._watch = watch
        self._queue: asyncio.Queue[Waiting] = asyncio.Queue()

    async def submit(self, command: Command, encode: Encode) -> Answer:
        """The durable answer of a command; Refused or WriteFailed otherwise.

        A caller that is cancelled stops waiting; its command is carried out all the same.
        """
        if self._queue.qsize() >= MAX_WAITING:
            raise Refused("OVERLOADED", "too many commands wait")
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(((command, encode), future))
        outcome = await future
        if isinstance(outcome, Refused):
            raise outcome
        return outcome

    async def run(self) -> None:
        """Posts groups until cancelled."""
        while True:
            group = [await self._queue.get()]
            while len(group) < MAX_GROUP and not self._queue.empty():
                group.append(self._queue.get_nowait())
            await self._flush(group)

    async def _flush(self, group: list[Waiting]) -> None:
        try:
            await self._commit(group)
        except Exception as error:  # whatever one command does, it must not end the service
            failed = _failed(error)
            self._watch.failed(len(group), failed)
            if len(group) == 1 or failed.passing:
                # What troubles the database troubles each of them; a lock would be waited for
                # once for every command.
                for _, future in group:
                    _fail(future, failed)
                return
            # One bad command must not stop the others: each alone.
            for waiting in group:
                await self._flush([waiting])

    async def _commit(self, group: list[Waiting]) -> None:
        started = perf_counter()
        outcomes = await self._post([job for job, _ in group])
        self._watch.commit(len(group), perf_counter() - started)
        for (_, future), outcome in zip(group, outcomes, strict=True):
            if not future.done():
                future.set_result(outcome)


def _failed(error: Exception) -> WriteFailed:
    """The error of a group; of an unexpected one its kind only, its text may show a command."""
    if isinstance(error, WriteFailed):
        return error
    return WriteFailed(type(error).__qualname__, passing=False)


def _fail(future: asyncio.Future[Outcome], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
