"""The database of a service: durable, owned by one process, refused when it is not ours."""

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from libs.runtime.db import Database, DatabaseError, wal_reset_bug

MIGRATION = """
from alembic import op
revision, down_revision, branch_labels, depends_on = {revision!r}, {down!r}, None, None
def upgrade():
    op.execute({sql!r})
"""


def _migration(folder: Path, revision: str, down: str | None, sql: str) -> None:
    folder.mkdir(exist_ok=True)
    text = MIGRATION.format(revision=revision, down=down, sql=sql)
    (folder / f"{revision}.py").write_text(text)


@pytest.fixture
def migrations(tmp_path: Path) -> Path:
    folder = tmp_path / "migrations"
    _migration(folder, "toy0001", None, "CREATE TABLE toy (n INTEGER NOT NULL) STRICT")
    return folder


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/toy.db"


def _insert(n):
    return lambda connection: connection.exec_driver_sql("INSERT INTO toy VALUES (?)", (n,))


def _rows(connection):
    return [row[0] for row in connection.exec_driver_sql("SELECT n FROM toy ORDER BY n")]


async def test_pragmas(url, migrations):
    """WAL, synchronous FULL, foreign keys, five seconds of patience."""
    database = await Database.open(url, migrations)
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    values = await database.run(
        lambda c: [c.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names]
    )
    assert values == ["wal", 2, 1, 5000]
    await database.close()


async def test_transaction_is_all_or_nothing_and_off_the_loop(url, migrations):
    """A failing work leaves nothing behind; work never runs on the event loop's thread."""
    database = await Database.open(url, migrations)
    threads = set()

    def fails(connection):
        threads.add(threading.get_ident())
        _insert(1)(connection)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await database.run(fails)
    await asyncio.gather(*(database.run(_insert(n)) for n in range(5)))
    assert await database.run(_rows) == [0, 1, 2, 3, 4]
    assert threading.get_ident() not in threads
    await database.close()


async def test_writes_begin_immediate(url, migrations, tmp_path):
    """A transaction holds the write lock from its first moment, reads included."""
    database = await Database.open(url, migrations)

    def blocked(_connection):
        other = sqlite3.connect(tmp_path / "toy.db", timeout=0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()

    await database.run(blocked)
    await database.close()


async def test_reopening_reuses_and_upgrades(url, migrations):
    """A second start keeps the rows and applies new revisions only."""
    first = await Database.open(url, migrations)
    await first.run(_insert(7))
    await first.close()
    _migration(migrations, "toy0002", "toy0001", "INSERT INTO toy VALUES (8)")
    second = await Database.open(url, migrations)
    assert await second.run(_rows) == [7, 8]
    await second.close()


async def test_failed_upgrade_leaves_nothing_half_done(url, migrations):
    """All pending revisions apply, or none: the next start sees the old schema."""
    _migration(migrations, "toy0002", "toy0001", "INSERT INTO missing VALUES (1)")
    with pytest.raises(DatabaseError, match="no such table"):
        await Database.open(url, migrations)
    (migrations / "toy0002.py").unlink()
    database = await Database.open(url, migrations)
    assert await database.run(_rows) == []
    await database.close()


async def test_second_owner_is_refused(url, migrations):
    """One owner per file; after it closes the next may have it."""
    first = await Database.open(url, migrations)
    with pytest.raises(DatabaseError, match="owned by another running process"):
        await Database.open(url, migrations)
    await first.close()
    await (await Database.open(url, migrations)).close()


async def test_another_name_of_the_file_is_no_other_file(url, migrations, tmp_path):
    """A link to a database that is owned is refused, too."""
    first = await Database.open(url, migrations)
    (tmp_path / "other.db").symlink_to("toy.db")
    with pytest.raises(DatabaseError, match="owned by another running process"):
        await Database.open(f"sqlite:///{tmp_path}/other.db", migrations)
    await first.close()


def _damaged(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
    connection.executemany("INSERT INTO alembic_version VALUES (?)", [("x" * 900,)] * 40)
    connection.commit()
    connection.close()
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    path.write_bytes(content)


def _of_another_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (n)")


def _of_another_service(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('other0001')")


REFUSED = [
    (lambda path: path.write_bytes(b"not a database at all"), "not a SQLite database"),
    (_damaged, "damaged|malformed"),
    (_of_another_program, "belongs to another program"),
    (_of_another_service, "another service"),
    (lambda path: path.mkdir(), "directory"),
]


@pytest.mark.parametrize(("spoil", "text"), REFUSED)
async def test_broken_or_foreign_file_is_one_line_and_untouched(
    tmp_path, url, migrations, spoil, text
):
    """What is not ours is refused in one line, byte for byte as it was, and not kept owned."""
    path = tmp_path / "toy.db"
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    for _ in range(2):
        with pytest.raises(DatabaseError, match=text) as caught:
            await Database.open(url, migrations)
        assert "\n" not in str(caught.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


USELESS = [
    ("nonsense", "cannot be read"),
    ("mysql://host/db", "no support for databases of kind mysql"),
    ("postgresql+pg8000://user:hidden@host/db", "the driver pg8000 is not installed"),
    ("sqlite:////proc/nowhere/toy.db", "No such file"),
    ("sqlite://", "names no file"),
    ("sqlite:///", "names no file"),
    ("sqlite:///:memory:", "names no file"),
    ("sqlite:///file:toy?mode=memory&uri=true", "names no file"),
]


@pytest.mark.parametrize(("url", "text"), USELESS)
async def test_url_that_cannot_serve(migrations, url, text):
    """Unreadable, unsupported or unwritable addresses are one clear line without the password."""
    with pytest.raises(DatabaseError, match=text) as caught:
        await Database.open(url, migrations)
    assert "hidden" not in str(caught.value)


def test_versions_with_the_wal_reset_bug():
    """3.7.0 to 3.51.2 but for the two repaired branches."""
    bad = [(3, 7, 0), (3, 40, 1), (3, 44, 5), (3, 50, 6), (3, 51, 2)]
    assert all(wal_reset_bug(version) for version in bad)
    good = [(3, 6, 9), (3, 44, 6), (3, 50, 7), (3, 51, 3), (3, 53, 0)]
    assert not any(wal_reset_bug(version) for version in good)
