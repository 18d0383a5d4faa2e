"""All SQL of the match service. A group of rows is one transaction of a few set statements.

`match_head` is fence and log tail in one (reliability D2): it moves by compare-and-set on
(epoch, version), so a stale owner writes nothing, whatever it believes.
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from libs.runtime.db import Database, Work, troubled
from libs.runtime.errors import PaijuError
from libs.runtime.logs import logger
from services.match.model import Phase
from services.match.schema import HEAD, LOG, OUTBOX, OWNER, ROUND
from services.match.seal import Stored
from services.match.table import Head, Known, RoundSheet, Task, Write

T = TypeVar("T")

TODO, DONE = "todo", "done"
_CHECKPOINT = "PRAGMA wal_autocheckpoint=8000"

_ROW = (*Stored._fields, "hash")
_MOVED = (
    "epoch",
    "owner",
    "version",
    "tail_hash",
    "at_ms",
    "state",
    "control",
    "deadline_at_ms",
    "phase",
)
_KEYS = ("match_id", "epoch", "version")


class Outcome(IntEnum):
    """What became of a write."""

    OK = 1
    FENCED = 2
    DUPLICATE = 3
    FAILED = 4


class Filter(NamedTuple):
    """Which matches; `before` = (created_at_ms, match_id) of the last one of the page before."""

    game: str
    phases: tuple[int, ...]
    reference: str
    before: tuple[int, str] | None
    limit: int


class Logged(NamedTuple):
    """A row of the log and its hash."""

    row: Stored
    hash: bytes


_DONE = (
    sa.update(OUTBOX)
    .where(
        OUTBOX.c.match_id == sa.bindparam("m"),
        OUTBOX.c.version == sa.bindparam("v"),
        OUTBOX.c.kind == sa.bindparam("k"),
    )
    .values(state=DONE)
)
_SETTLED = (
    sa.update(ROUND)
    .where(ROUND.c.match_id == sa.bindparam("m"), ROUND.c.round_no == sa.bindparam("r"))
    .values(tx_id=sa.bindparam("to_tx_id"))
)
_NAMES = (LOG.c.match_id, LOG.c.actor, LOG.c.command_id)
_KNOWN = sa.select(*_NAMES, LOG.c.req_hash, LOG.c.answer).where(
    sa.tuple_(*_NAMES).in_(sa.bindparam("keys", expanding=True))
)
_NEW_HEADS, _NEW_TASKS, _NEW_ROUNDS = sa.insert(HEAD), sa.insert(OUTBOX), sa.insert(ROUND)
_LOGGED = [LOG.c[name] for name in _ROW]
_HEADS = [HEAD.c[name] for name in Head._fields]


class _Fenced(Exception):
    """A head has moved: another owner, or a write of unknown outcome that did happen."""


_ERRORS = (SQLAlchemyError, _Fenced, OverflowError)


class Store:
    """The log, its heads, the outbox and the stored rounds.

    What reads raises UPSTREAM_UNAVAILABLE while the database is in trouble (`runtime.writable`).
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._failing: set[str] = set()

    async def tune(self) -> None:
        """Hot heads are rewritten all the time: rarer checkpoints copy each page once for many."""
        if self._database.dialect == "sqlite":
            await self._database.run(lambda c: c.exec_driver_sql(_CHECKPOINT).all())

    async def append(self, writes: Sequence[Write]) -> list[Outcome]:
        """One commit for all. If a row fails it, each match alone, so that one never stops others;
        what troubles the database troubles them all: a lock would be waited for once for each.
        """
        outcomes: list[Outcome] = []
        parts = [writes]
        while parts:
            part = parts.pop(0)
            try:
                await self._database.run(partial(_append, writes=part))
            except _ERRORS as error:
                if _in_trouble(error):
                    return outcomes + [Outcome.FAILED] * (len(writes) - len(outcomes))
                if len(part) == 1:
                    outcomes.append(await self._failed(part[0], error))
                else:
                    parts = [[write] for write in part]
            else:
                outcomes += [Outcome.OK] * len(part)
                if self._failing:
                    self._failing.difference_update([write.row.match_id for write in part])
        return outcomes

    async def _failed(self, write: Write, error: Exception) -> Outcome:
        """What a row's own failure means; told once until the match is written again."""
        row = write.row
        if isinstance(error, IntegrityError):
            try:
                known = await self.commands([(row.match_id, row.actor, row.command_id)])
            except PaijuError:
                return Outcome.FAILED
            if known[0]:
                return Outcome.DUPLICATE
        if row.match_id not in self._failing:
            self._failing.add(row.match_id)
            kind = type(error).__name__.lstrip("_")  # the text may show what the row holds
            logger().error("commit_failed", match=row.match_id, kind=kind)
        return Outcome.FENCED if isinstance(error, _Fenced) else Outcome.FAILED

    async def heads(self, match_ids: Sequence[str]) -> dict[str, Head]:
        """Head rows by match."""
        query = sa.select(*_HEADS).where(HEAD.c.match_id.in_(match_ids))
        rows = await self._all(query)
        return {row.match_id: Head._make(row) for row in rows}

    async def commands(self, keys: Sequence[tuple[str, str, str]]) -> list[Known | None]:
        """What the log knows of commands (match, actor, command id)."""
        rows = await self._read(lambda c: c.execute(_KNOWN, {"keys": keys}).all())
        found = {
            (match_id, actor, command_id): Known(req_hash, answer)
            for match_id, actor, command_id, req_hash, answer in rows
        }
        return [found.get(key) for key in keys]

    async def newest(self, match_id: str, below: int, limit: int) -> list[Stored]:
        """Rows before a version, newest first."""
        query = (
            sa.select(*_LOGGED[:-1])
            .where(LOG.c.match_id == match_id, LOG.c.version < below)
            .order_by(LOG.c.version.desc())
            .limit(limit)
        )
        return [Stored._make(row) for row in await self._all(query)]

    async def rows(self, match_id: str, start: int, limit: int) -> list[Logged]:
        """Rows from a version on."""
        query = (
            sa.select(*_LOGGED)
            .where(LOG.c.match_id == match_id, LOG.c.version >= start)
            .order_by(LOG.c.version)
            .limit(limit)
        )
        found = [tuple(row) for row in await self._all(query)]
        return [Logged(Stored._make(row[:-1]), row[-1]) for row in found]

    async def round(self, match_id: str, round_no: int) -> RoundSheet | None:
        """A stored round."""
        query = sa.select(ROUND.c.round_no, ROUND.c.sheet, ROUND.c.tx_id).where(
            ROUND.c.match_id == match_id, ROUND.c.round_no == round_no
        )
        rows = await self._all(query)
        return RoundSheet._make(rows[0]) if rows else None

    async def matches(self, wanted: Filter) -> list[tuple[Head, int]]:
        """Heads with their creation times, newest first."""
        made = HEAD.c.created_at_ms
        query = sa.select(*_HEADS, made).order_by(made.desc(), HEAD.c.match_id.desc())
        if wanted.game:
            query = query.where(HEAD.c.game == wanted.game)
        if wanted.phases:
            query = query.where(HEAD.c.phase.in_(wanted.phases))
        if wanted.reference:
            query = query.where(HEAD.c.reference == wanted.reference)
        if wanted.before:
            at, match_id = wanted.before
            older = sa.or_(made < at, sa.and_(made == at, HEAD.c.match_id < match_id))
            query = query.where(older)
        rows = await self._all(query.limit(wanted.limit))
        return [(Head._make(tuple(row)[:-1]), tuple(row)[-1]) for row in rows]

    async def todo(self) -> list[Task]:
        """Outbox rows that are not done, in the order of each match."""
        query = (
            sa.select(OUTBOX.c.match_id, OUTBOX.c.version, OUTBOX.c.kind, OUTBOX.c.payload)
            .where(OUTBOX.c.state == TODO)
            .order_by(OUTBOX.c.match_id, OUTBOX.c.version, OUTBOX.c.kind.desc())
        )
        return [Task._make(row) for row in await self._all(query)]

    async def some_key(self) -> tuple[str, bytes] | None:
        """The newest match and its wrapped key, None if there is no match."""
        query = sa.select(HEAD.c.match_id, HEAD.c.wrapped_key)
        rows = await self._all(query.order_by(HEAD.c.created_at_ms.desc()).limit(1))
        return (rows[0][0], rows[0][1]) if rows else None

    async def open_matches(self) -> list[str]:
        """Matches that are not closed, the earliest deadline first."""
        query = (
            sa.select(HEAD.c.match_id)
            .where(HEAD.c.phase != Phase.CLOSED)
            .order_by(HEAD.c.deadline_at_ms == 0, HEAD.c.deadline_at_ms)
        )
        return [row[0] for row in await self._all(query)]

    async def timed_matches(self) -> list[str]:
        """Matches in which something happens by itself at some time."""
        query = sa.select(HEAD.c.match_id).where(HEAD.c.deadline_at_ms != 0)
        return [row[0] for row in await self._all(query)]

    async def newest_at_ms(self) -> int:
        """The newest time of any match that is not closed."""
        query = sa.select(sa.func.max(HEAD.c.at_ms)).where(HEAD.c.phase != Phase.CLOSED)
        ((at_ms,),) = await self._all(query)
        return at_ms or 0

    async def beat(self, owner: str, now_ms: int) -> bool:
        """Notes that an owner is alive; False if the database cannot be written."""

        def work(connection: sa.Connection) -> None:
            moved = connection.execute(
                sa.update(OWNER).where(OWNER.c.owner == owner).values(beat_ms=now_ms)
            )
            if not moved.rowcount:
                connection.execute(sa.insert(OWNER).values(owner=owner, beat_ms=now_ms))

        try:
            await self._database.run(work)
        except SQLAlchemyError:
            return False
        return True

    async def beats(self) -> dict[str, int]:
        """When each owner was last known alive."""
        query = sa.select(OWNER.c.owner, OWNER.c.beat_ms)
        return {row.owner: row.beat_ms for row in await self._all(query)}

    async def _all(self, query: Any) -> Sequence[Any]:
        return await self._read(lambda c: c.execute(query).all())

    async def _read(self, work: Work[T]) -> T:
        try:
            return await self._database.run(work)
        except DBAPIError as error:
            if not troubled(error):
                raise
            raise PaijuError("UPSTREAM_UNAVAILABLE", "the database cannot be read") from None


def _in_trouble(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and troubled(error)


def _append(connection: sa.Connection, writes: Sequence[Write]) -> None:
    """Heads first: a head that does not move ends it all before anything is written."""
    made = [_new_head(write) for write in writes if write.created]
    if made:
        connection.execute(_NEW_HEADS, made)
    moves = [write for write in writes if not write.created]
    if _move_heads(connection, moves) != len(moves):
        raise _Fenced
    _insert_rows(connection, writes)
    _outbox(connection, writes)
    _rounds(connection, writes)


def _outbox(connection: sa.Connection, writes: Sequence[Write]) -> None:
    tasks = [{**task._asdict(), "state": TODO} for write in writes for task in write.outbox]
    if tasks:
        connection.execute(_NEW_TASKS, tasks)
    done = [
        {"m": write.done.match_id, "v": write.done.version, "k": write.done.kind}
        for write in writes
        if write.done
    ]
    if done:
        connection.execute(_DONE, done)


def _rounds(connection: sa.Connection, writes: Sequence[Write]) -> None:
    sheets = [(write.row.match_id, write.sheet) for write in writes if write.sheet]
    made = [{"match_id": m, **sheet._asdict()} for m, sheet in sheets if sheet.sheet]
    if made:
        connection.execute(_NEW_ROUNDS, made)
    settled = [
        {"m": m, "r": sheet.round_no, "to_tx_id": sheet.tx_id} for m, sheet in sheets if sheet.tx_id
    ]
    if settled:
        connection.execute(_SETTLED, settled)


# The two hot statements take all rows at once. A statement per row would give the interpreter lock
# away and wait for it again for every row, and SQLAlchemy would handle every parameter; both
# together cost more than the database does. A list has few lengths (`Limits.batch`): each is
# prepared once.


def _insert_rows(connection: sa.Connection, writes: Sequence[Write]) -> None:
    """Appends rows to the log."""
    values = chain.from_iterable([(*write.row, write.hash) for write in writes])
    connection.exec_driver_sql(_insert_sql(len(writes), _mark(connection)), tuple(values))


def _move_heads(connection: sa.Connection, writes: Sequence[Write]) -> int:
    """Moves heads by compare-and-set on (epoch, version); how many did move."""
    if not writes:
        return 0
    values = chain.from_iterable([_move(write) for write in writes])
    sql = _update_sql(len(writes), _mark(connection))
    return connection.exec_driver_sql(sql, tuple(values)).rowcount


def _moved_values(write: Write) -> tuple[object, ...]:
    """What a head holds after a write, in the order of the statement."""
    row = write.row
    return (
        row.epoch,
        write.owner,
        row.version,
        write.hash,
        row.at_ms,
        write.state,
        write.control,
        write.deadline_at_ms,
        write.phase,
    )


def _new_head(write: Write) -> dict[str, object]:
    """The first head of a match."""
    assert write.created is not None
    moved = dict(zip(_MOVED, _moved_values(write), strict=True))
    return {"match_id": write.row.match_id, **moved, **write.created._asdict()}


def _move(write: Write) -> tuple[object, ...]:
    row = write.row
    return (row.match_id, write.old_epoch, row.version - 1, *_moved_values(write))


def _mark(connection: sa.Connection) -> str:
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"


@cache
def _insert_sql(rows: int, mark: str) -> str:
    values = _values(rows, len(_ROW), mark)
    names = ", ".join(_ROW)
    return f"INSERT INTO {LOG.name} ({names}) VALUES {values}"  # noqa: S608 - the schema's names


@cache
def _update_sql(rows: int, mark: str) -> str:
    # `columnN` is what SQLite and PostgreSQL both call the columns of VALUES.
    head = HEAD.name
    where = [f"{head}.{name} = n.column{n}" for n, name in enumerate(_KEYS, 1)]
    sets = [f"{name} = n.column{n}" for n, name in enumerate(_MOVED, len(_KEYS) + 1)]
    values = _values(rows, len(_KEYS) + len(_MOVED), mark)
    return (
        f"UPDATE {head} SET {', '.join(sets)}"  # noqa: S608 - the schema's names
        f" FROM (VALUES {values}) AS n WHERE {' AND '.join(where)}"
    )


def _values(rows: int, columns: int, mark: str) -> str:
    row = f"({', '.join([mark] * columns)})"
    return ", ".join([row] * rows)
