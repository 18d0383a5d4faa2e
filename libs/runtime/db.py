"""One database per service: one owner process, one connection, one thread.

The event loop never waits for the disk: `await database.run(work)` runs `work(connection)` in a
transaction on the database's own thread. SQLite is the default; a postgresql:// URL is accepted
where its driver is installed, but there no lock keeps a second owner away.
"""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from libs.runtime.errors import StartupError
from libs.runtime.logs import logger

T = TypeVar("T")
Work = Callable[[sa.Connection], T]

_HEADER = b"SQLite format 3\x00"
_SCRIPTS = Path(__file__).parent / "alembic"
_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=5000",
    # Set statements collect their rows in a temporary table: on disk it costs a third of a commit.
    "PRAGMA temp_store=MEMORY",
    "PRAGMA cache_size=-32000",
)
_PREPARED = 512
"""Statements that stay prepared; a set statement is another one for each number of rows."""
_CHECKED_BYTES = 64 * 1024 * 1024
_PRIVATE = 0o600

_TROUBLES = {
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}
_ROOM = sa.Table("room_probe", sa.MetaData(), sa.Column("filler", sa.LargeBinary))
"""What a probe writes and drops; as large as a commit of some dozen commands."""
_ROOM_BYTES = 64 * 1024


class DatabaseError(StartupError):
    """A database cannot be used; nothing was started."""


def troubled(error: DBAPIError) -> bool:
    """Whether the database itself is in trouble (full, broken, locked, away), not the work."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is None:
        return isinstance(error, OperationalError | InterfaceError)
    return code & 0xFF in _TROUBLES


def _broken(error: DBAPIError) -> bool:
    """A failed read, write or fsync, or a page that is none: SQLite's handle is not used again."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT)


def _fill(connection: sa.Connection) -> None:
    _ROOM.drop(connection, checkfirst=True)  # of a probe that was cut short
    _ROOM.create(connection)
    connection.execute(sa.insert(_ROOM).values(filler=bytes(_ROOM_BYTES)))


def _nobody(_why: str) -> None:
    """Nobody watches the database."""


class Database:
    """The one connection of a service; every use goes through its thread, in order."""

    def __init__(self, engine: sa.Engine, owner: int | None) -> None:
        """Use `open`."""
        self._engine = engine
        self._owner = owner
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        self._connection: sa.Connection | None = None
        self._distrusted = False
        self.on_trouble: Callable[[str], None] = _nobody

    @classmethod
    async def open(cls, url: str, migrations: Path) -> "Database":
        """Opens and upgrades; `migrations` holds the Alembic revision files, nothing else."""
        parsed = _parsed(url)
        if parsed.get_backend_name() == "sqlite":
            _report_version()
        owner = _claim(parsed, migrations)
        try:
            database = cls(_engine(parsed), owner)
        except DatabaseError:
            _release(owner)
            raise
        try:
            await database._call(lambda: database._start(migrations, parsed))
        except DatabaseError:
            await database.close()
            raise
        return database

    async def run(self, work: Work[T]) -> T:
        """Runs `work` in one write transaction: all of it is durable, or none."""
        try:
            return await self._call(lambda: self._transaction(work))
        except DBAPIError as error:
            if troubled(error):
                self.on_trouble(_cause(error))
            raise

    async def probe(self) -> bool:
        """Whether the database takes a write again: one that needs room, made and undone."""
        return await self._call(self._probe)

    async def close(self) -> None:
        """Waits for queued work, closes, gives the ownership back."""
        await self._call(self._stop)
        self._thread.shutdown()
        _release(self._owner)
        self._owner = None

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    async def _call(self, step: Callable[[], T]) -> T:
        # A cancelled caller stops waiting; what its thread has begun is finished all the same.
        return await asyncio.get_running_loop().run_in_executor(self._thread, step)

    def _transaction(self, work: Work[T]) -> T:
        assert self._connection is not None
        try:
            with self._connection.begin():
                return work(self._connection)
        except DBAPIError as error:
            self._distrusted |= _broken(error)
            raise

    def _probe(self) -> bool:
        try:
            if self._distrusted:
                self._reopen()
            for change in (_fill, _ROOM.drop):
                self._transaction(change)
        except (DBAPIError, DatabaseError, sqlite3.Error):
            return False
        return True

    def _reopen(self) -> None:
        """After a failed write or fsync the handle is not trusted: a new one reads the disk."""
        old, old_engine = self._connection, self._engine
        assert old is not None
        fresh = _engine(old_engine.url)
        connection = fresh.connect()
        raw, spent = connection.connection.driver_connection, old.connection.driver_connection
        assert raw is not None
        assert spent is not None
        kept = spent.execute("PRAGMA wal_autocheckpoint").fetchone()[0]
        raw.execute(f"PRAGMA wal_autocheckpoint={int(kept)}")
        try:
            _check_pages(raw)
        except (DatabaseError, sqlite3.Error):
            connection.close()
            fresh.dispose()
            raise
        self._connection, self._engine, self._distrusted = connection, fresh, False
        with suppress(DBAPIError):
            old.close()
        old_engine.dispose()

    def _start(self, migrations: Path, url: sa.URL) -> None:
        try:
            self._connection = self._engine.connect()
            with self._connection.begin():
                _upgrade(self._connection, migrations)
                if self.dialect == "sqlite":
                    # Writes a page: a full disk is found here, in one line, and not at work.
                    self._connection.exec_driver_sql("PRAGMA user_version=0")
        except (DBAPIError, CommandError) as error:
            raise DatabaseError(f"{_shown(url)}: {_cause(error)}") from None

    def _stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._engine.dispose()


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise DatabaseError("DATABASE_URL cannot be read") from None
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise DatabaseError(f"no support for databases of kind {parsed.get_backend_name()}")
    if parsed.get_backend_name() == "sqlite" and (parsed.query or not _on_disk(parsed)):
        # "sqlite:///" with nothing behind it would serve, and forget everything at its end.
        raise DatabaseError("DATABASE_URL names no file")
    return parsed


def _on_disk(url: sa.URL) -> bool:
    return url.database not in (None, "", ":memory:")


def _file(url: sa.URL) -> Path | None:
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def _shown(url: sa.URL) -> str:
    path = _file(url)
    return f"database {path}" if path else f"database {url.render_as_string(hide_password=True)}"


def _cause(error: DBAPIError | CommandError) -> str:
    # The driver's own words; SQLAlchemy's would show the statement and its values.
    text = str(error.orig) if isinstance(error, DBAPIError) else str(error)
    if "Can't locate revision" in text:
        return "made by a newer release or by another service"
    return text.splitlines()[0] if text else "cannot be opened"


def _claim(url: sa.URL, migrations: Path) -> int | None:
    """One owner process per file; the lock is checked before the file is looked at or made."""
    path = _file(url)
    if path is None:
        return None
    path = path.resolve()  # another name of the same file has the same lock
    handle: int | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(f"{path}.owner", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _check_file(path, migrations)
        _keep_private(path)
    except BlockingIOError:
        _release(handle)
        raise DatabaseError(f"database {path}: owned by another running process") from None
    except OSError as error:
        _release(handle)
        raise DatabaseError(f"database {path}: {error.strerror}") from None
    except DatabaseError:
        _release(handle)
        raise
    return handle


def _keep_private(path: Path) -> None:
    """The file, made if it is not there, and its WAL are their owner's only.

    SQLite gives the WAL the mode of the database.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE))
    for file in (path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))):
        if file.exists() and file.stat().st_mode & 0o077:
            file.chmod(_PRIVATE)


def _release(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _check_file(path: Path, migrations: Path) -> None:
    """Refuses what is not ours before a single byte of it changes."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        if file.read(len(_HEADER)) != _HEADER:
            raise DatabaseError(f"database {path}: not a SQLite database")
    try:
        _check_content(path, migrations)
    except sqlite3.DatabaseError as error:
        raise DatabaseError(f"database {path}: {error}") from None


def _check_content(path: Path, migrations: Path) -> None:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        names = {str(row[0]) for row in rows}
        if names and "alembic_version" not in names:
            raise DatabaseError(f"database {path}: belongs to another program")
        if names:
            stored = connection.execute("SELECT version_num FROM alembic_version").fetchall()
            if not {str(row[0]) for row in stored} <= _revisions(migrations):
                raise DatabaseError(
                    f"database {path}: made by a newer release or by another service"
                )
        if path.stat().st_size <= _CHECKED_BYTES:
            _check_pages(connection, f"database {path}: ")
    finally:
        connection.close()


def _check_pages(connection: Any, where: str = "") -> None:
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise DatabaseError(f"{where}damaged ({str(found).splitlines()[-1]})")


def _engine(url: sa.URL) -> sa.Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return sa.create_engine(url, pool_size=1, max_overflow=0)
        engine = sa.create_engine(
            url, poolclass=sa.StaticPool, connect_args={"cached_statements": _PREPARED}
        )
    except ModuleNotFoundError as error:
        raise DatabaseError(f"{_shown(url)}: the driver {error.name} is not installed") from None
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN would be a deferred one
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: sa.Connection) -> None:
    # A deferred transaction that writes after reading can fail at once, without busy_timeout.
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this SQLite can damage a WAL file used by two connections (fixed in 3.51.3)."""
    if version[:2] == (3, 44):
        return version < (3, 44, 6)
    if version[:2] == (3, 50):
        return version < (3, 50, 7)
    return (3, 7, 0) <= version < (3, 51, 3)


def _report_version() -> None:
    log, version = logger(), sqlite3.sqlite_version
    if wal_reset_bug(sqlite3.sqlite_version_info):
        # Harmless here: one owner process, one connection, checkpoints from it only.
        log.warning("sqlite", version=version, note="WAL-reset bug; open the file nowhere else")
    else:
        log.info("sqlite", version=version)


def _config(migrations: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    config.set_main_option("path_separator", "os")
    config.set_main_option("version_locations", str(migrations))
    return config


def _revisions(migrations: Path) -> set[str]:
    script = ScriptDirectory.from_config(_config(migrations))
    return {revision.revision for revision in script.walk_revisions()}


def _upgrade(connection: sa.Connection, migrations: Path) -> None:
    config = _config(migrations)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
