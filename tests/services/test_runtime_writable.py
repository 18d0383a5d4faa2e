"""A database that takes no writes turns its service NOT_SERVING, and back when it does again."""

import asyncio
import json
import resource
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.runtime import clients, writable
from libs.runtime.db import Database
from libs.runtime.server import App, Service, serving
from libs.runtime.settings import Settings
from services.match import main as match
from services.match.store import Store

ENV = {"PAIJU_TOY_PORT": "0", "PAIJU_TOY_METRICS_PORT": "0", "PAIJU_TOY_DRAIN_SECONDS": "0"}
MIGRATION = """
from alembic import op
revision = down_revision = branch_labels = depends_on = None
revision = "toy0001"
def upgrade():
    op.execute("CREATE TABLE toy (filler BLOB NOT NULL) STRICT")
"""
STATES = health_pb2.HealthCheckResponse


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writable, "_PAUSE_SECONDS", 0.01)


@asynccontextmanager
async def _toy(folder: Path) -> AsyncIterator[tuple[App, Database]]:
    """A service with a database and nothing else."""
    (folder / "migrations").mkdir()
    (folder / "migrations" / "toy0001.py").write_text(MIGRATION)
    opened: list[Database] = []

    async def setup(app: App) -> None:
        database = await Database.open(f"sqlite:///{folder}/toy.db", folder / "migrations")
        app.on_close(database.close)
        app.spawn(writable.Writable(app, database).run(), "database")
        opened.append(database)

    async with serving(Service("toy", 0, 0, setup), Settings.of("toy", ENV)) as app:
        yield app, opened[0]


async def _until(app: App, status: int) -> None:
    """Follows the health service until it says so."""
    async with clients.channel(f"127.0.0.1:{app.port}") as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        async with asyncio.timeout(10):
            async for answer in watch:
                if answer.status == status:
                    break
        watch.cancel()
    assert app.serving is (status == STATES.SERVING)


def _write(size: int):
    return lambda c: c.exec_driver_sql("INSERT INTO toy VALUES (zeroblob(?))", (size,))


def _pragma(text: str):
    return lambda c: c.exec_driver_sql(f"PRAGMA {text}").scalar_one()


def _level(app: App) -> float | None:
    return app.metrics.registry.get_sample_value("paiju_database_writable")


def _tables(connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return list(connection.exec_driver_sql(query).scalars())


def _told(capfd: pytest.CaptureFixture[str]) -> list[tuple[str, str, str]]:
    """Level, event and cause of the lines about the database."""
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[0] == "{"]
    told = [line for line in lines if line["event"].startswith("database_")]
    return [(line["level"], line["event"], line.get("why", "")) for line in told]


async def test_a_full_disk_and_room_again(tmp_path: Path, capfd) -> None:
    """Full: NOT_SERVING, the gauge at 0, one line however many fail; room: all of it back."""
    async with _toy(tmp_path) as (app, database):
        assert (_level(app), app.serving) == (1, True)
        full = await database.run(_pragma("page_count"))
        await database.run(_pragma(f"max_page_count={full}"))
        for _ in range(3):
            with pytest.raises(Exception, match="full"):
                await database.run(_write(100_000))
        await _until(app, STATES.NOT_SERVING)
        assert _level(app) == 0
        failures = "paiju_database_failures_total"
        assert app.metrics.registry.get_sample_value(failures) == 3
        await database.run(_pragma("max_page_count=100000"))
        await _until(app, STATES.SERVING)
        assert _level(app) == 1
        await database.run(_write(100_000))
        assert await database.run(_tables) == ["alembic_version", "toy"]
    assert _told(capfd) == [
        ("error", "database_failed", "database or disk is full"),
        ("info", "database_back", ""),
    ]


async def test_the_fault_of_a_statement_is_no_trouble(tmp_path: Path) -> None:
    """A constraint or a statement that fails says nothing about the disk."""
    async with _toy(tmp_path) as (app, database):
        for sql in ("INSERT INTO toy VALUES (NULL)", "SELECT * FROM nowhere", "SELECT abs(-1<<63)"):
            with pytest.raises(Exception, match=r"NOT NULL|no such table|overflow"):
                await database.run(lambda c, sql=sql: c.exec_driver_sql(sql).all())
        assert app.metrics.registry.get_sample_value("paiju_database_failures_total") == 0
        assert app.serving


async def test_a_lock_held_by_another_program(tmp_path: Path) -> None:
    """What is open elsewhere in spite of the rule: NOT_SERVING while its lock lasts."""
    async with _toy(tmp_path) as (app, database):
        await database.run(lambda c: c.exec_driver_sql("PRAGMA busy_timeout=1").all())
        other = sqlite3.connect(tmp_path / "toy.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Exception, match="locked"):
            await database.run(_write(1))
        await _until(app, STATES.NOT_SERVING)
        other.execute("ROLLBACK")
        other.close()
        await _until(app, STATES.SERVING)


def _largest(folder: Path) -> int:
    return max(path.stat().st_size for path in folder.glob("toy.db*"))


async def test_a_write_that_the_disk_broke(tmp_path: Path) -> None:
    """EIO and the like: the handle is replaced, what was durable is there, settings are kept."""
    async with _toy(tmp_path) as (app, database):
        await database.run(_pragma("wal_autocheckpoint=8000"))
        await database.run(_write(5))
        before = await database.run(lambda c: c.connection.driver_connection)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = _largest(tmp_path)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
            with pytest.raises(Exception, match="I/O"):
                await database.run(_write(1_000_000))
            await _until(app, STATES.NOT_SERVING)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await _until(app, STATES.SERVING)
        assert await database.run(lambda c: c.connection.driver_connection) is not before
        assert await database.run(_pragma("wal_autocheckpoint")) == 8000
        rows = await database.run(
            lambda c: c.exec_driver_sql("SELECT length(filler) FROM toy").scalars().all()
        )
        assert rows == [5]
        await database.run(_write(1_000_000))


async def test_the_match_service_watches_its_commits(tmp_path: Path, monkeypatch) -> None:
    """A full disk may still take the small heartbeat: the commit that it does not take decides."""
    opened: list[Database] = []

    async def remembered(url: str, migrations: Path) -> Database:
        opened.append(await really(url, migrations))
        return opened[0]

    really = Database.open
    monkeypatch.setattr(Database, "open", remembered)
    env = {
        "PAIJU_MATCH_DATABASE_URL": f"sqlite:///{tmp_path}/match.db",
        "PAIJU_MATCH_KEY_FILE": f"{tmp_path}/match.key",
        "PAIJU_MATCH_PORT": "0",
        "PAIJU_MATCH_METRICS_PORT": "0",
    }
    async with serving(match.SERVICE, Settings.of("match", env)) as app:
        (database,) = opened
        full = await database.run(_pragma("page_count"))
        await database.run(_pragma(f"max_page_count={full}"))
        row = ("x" * 100_000, 1)
        with pytest.raises(Exception, match="full"):
            await database.run(
                lambda c: c.exec_driver_sql("INSERT INTO match_owner VALUES (?, ?)", row)
            )
        await _until(app, STATES.NOT_SERVING)
        assert await Store(database).beat("owner", 1)
        assert not await database.probe()
        assert not app.serving
        await database.run(_pragma("max_page_count=100000"))
        await _until(app, STATES.SERVING)


def _spoil(path: Path) -> None:
    content = path.read_bytes()
    assert len(content) > 8 * 4096
    path.write_bytes(content[: 4 * 4096] + b"\xff" * 4096 * 3 + content[7 * 4096 :])


async def test_a_file_that_was_damaged_stays_not_serving(tmp_path: Path, capfd) -> None:
    """Pages that are none: the service lives, answers no writes, and says so until it is ended."""
    async with _toy(tmp_path) as (app, database):
        await database.run(_write(100_000))
        raw = await database.run(lambda c: c.connection.driver_connection)
        for pragma in ("wal_checkpoint(TRUNCATE)", "shrink_memory"):
            await database._call(lambda pragma=pragma: raw.execute(f"PRAGMA {pragma}").fetchall())
        _spoil(tmp_path / "toy.db")
        with pytest.raises(Exception, match="malformed"):
            await database.run(
                lambda c: c.exec_driver_sql("SELECT max(hex(filler)) FROM toy").all()
            )
        await _until(app, STATES.NOT_SERVING)
        for _ in range(3):
            assert not await database.probe()
        assert not app.failed.is_set()
        assert _level(app) == 0
    assert _told(capfd) == [("error", "database_failed", "database disk image is malformed")]
