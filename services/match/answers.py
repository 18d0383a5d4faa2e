"""Answers: of commands that the log knows or that were refused unless it does, and of reads."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from libs.runtime.errors import PaijuError
from services.match.jobs import Command, Create, Job, Read
from services.match.slots import Failed, Parts, unchanged
from services.match.table import Known, Table

T = TypeVar("T")


def known_answer(parts: Parts, job: Command | Create, known: Known) -> None:
    """The stored answer again, if the same was asked."""
    if known.req_hash == job.req_hash():
        parts.gauges.repeated.inc()
        job.reply.done(known.answer)
    else:
        error = PaijuError("COMMAND_ID_REUSED", "this command id was used for something else")
        job.reply.refuse(error)


async def look_up(parts: Parts, batch: list[Failed]) -> None:
    """Answers commands from the log if it has them, else as was found before."""
    keys = [(f.slot.match_id, f.job.actor, f.job.command_id) for f in batch]
    try:
        found = await parts.store.commands(keys)
    except PaijuError as error:
        for failed in batch:
            failed.job.reply.refuse(error)
        return
    for failed, known in zip(batch, found, strict=True):
        if known is not None:
            known_answer(parts, failed.job, known)
        elif failed.error is None:
            parts.gauges.accepted.inc()
            failed.job.reply.done(unchanged(failed))
        else:
            parts.gauges.refused.inc()
            failed.job.reply.refuse(failed.error)


async def read_table(
    submit: Callable[[str, Job], None], match_id: str, look: Callable[[Table], T]
) -> T:
    """What is seen of a durable table, between two of its jobs; PaijuError if it cannot be read."""
    found: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def read(table: Table) -> None:
        if not found.done():
            found.set_result(look(table))

    def refused(error: PaijuError) -> None:
        if not found.done():
            found.set_exception(error)

    submit(match_id, Read(read, refused))
    return await found
