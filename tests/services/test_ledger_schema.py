"""The database refuses what a faulty program or a meddling hand would do to the books."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from ledger_kit import audit, closing_of, ledger, seats, settling
from sqlalchemy.dialects import postgresql

from libs.runtime.db import Database
from services.ledger.main import MIGRATIONS
from services.ledger.schema import METADATA


@pytest.fixture(scope="module")
async def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger file with two settled rounds, one match closed, one open."""
    path = tmp_path_factory.mktemp("books") / "ledger.db"
    async with ledger(path) as stub:
        for match in ("m", "n"):
            await stub.OpenAccounts(seats(match))
            await stub.SettleRound(settling(match, 1, (20, -10, -10)))
            await stub.SettleRound(settling(match, 2, (-3, 0, 3)))
        await stub.CloseMatch(closing_of("n"))
    return path


@pytest.fixture
def books(original: Path, tmp_path: Path) -> Path:
    """A copy to meddle with."""
    return Path(shutil.copy(original, tmp_path / "ledger.db"))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


REFUSED = {
    "UPDATE journal SET round_no = 9": "journal is append-only",
    "DELETE FROM journal": "journal is append-only",
    "UPDATE entry SET amount = amount + 1": "entry is append-only",
    "DELETE FROM entry": "entry is append-only",
    "UPDATE command SET response = x''": "command is append-only",
    "DELETE FROM command": "command is append-only",
    "DELETE FROM account": "accounts are never deleted",
    "UPDATE account SET min_balance = 0": "terms of an account never change",
    "UPDATE account SET asset = 'COIN'": "terms of an account never change",
    "UPDATE account SET balance = balance + 1, version = version + 1": "last entry",
    "UPDATE account SET balance = 0": "last entry",
    "INSERT OR REPLACE INTO journal SELECT * FROM journal": "journal is append-only",
    "INSERT OR REPLACE INTO entry SELECT * FROM entry": "transaction is complete",
    "INSERT OR REPLACE INTO command SELECT * FROM command": "command is append-only",
    "INSERT OR REPLACE INTO account SELECT * FROM account": "accounts are never replaced",
    "INSERT INTO account VALUES ('player:x:SCORE', 1, 'SCORE', NULL, NULL, 5, 0)": "opens empty",
    "INSERT INTO account VALUES ('player:x:SCORE', 9, 'SCORE', NULL, NULL, 0, 0)": "account_kind",
    "INSERT INTO account VALUES ('player:x:SCORE', 1, 'SCORE', NULL, 1, 0, 0)": "account_funds",
    "INSERT INTO account VALUES ('player:x:SCORE', 1, 'SCORE', NULL, 0.5, 0, 0)": "REAL",
    "INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 5, 99, 2)": "does not follow",
    "INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 5, -5, 3)": "does not follow",
    "INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 0, -10, 2)": "entry_amount",
    "INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 4611686018427387904 + 10,"
    " 4611686018427387904 + 0, 2)": None,
    "INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 4611686018427387904 + 11,"
    " 4611686018427387904 + 1, 2)": "entry_range",
    "INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 9223372036854775807 + 1, 0, 2)": "REAL",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_database_refuses(books: Path, sql: str) -> None:
    """Each statement raises with its reason (None: the one allowed at the very bound)."""
    with closing(_connect(books)) as connection:
        connection.execute("BEGIN")
        if REFUSED[sql] is None:
            assert connection.execute(sql).rowcount == 1
        else:
            with pytest.raises(sqlite3.IntegrityError, match=REFUSED[sql]):
                connection.execute(sql)
        connection.execute("ROLLBACK")
        assert audit(connection) == set()


def _command(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO command VALUES ('x', 'k', 'op', zeroblob(32), x'', x'', 1)")


def _journal(connection: sqlite3.Connection, tx_id: str, kind: int = 1, round_no: int = 7) -> None:
    connection.execute(
        "INSERT INTO journal VALUES (?, 'x', 'k', ?, 'm', ?, NULL, 1)", (tx_id, kind, round_no)
    )


def test_transaction_sums_to_zero(books: Path) -> None:
    """IL1: a journal row whose entries do not sum to 0 per asset raises; a balanced one stands."""
    with closing(_connect(books)) as connection:
        connection.execute("BEGIN")
        _command(connection)
        connection.execute("INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 5, -5, 2)")
        with pytest.raises(sqlite3.IntegrityError, match="does not sum to 0"):
            _journal(connection, "t")
        connection.execute("INSERT INTO entry VALUES ('t', 1, 'escrow:m:2:SCORE', -5, -12, 3)")
        _journal(connection, "t")
        with pytest.raises(sqlite3.IntegrityError, match="transaction is complete"):
            connection.execute("INSERT INTO entry VALUES ('t', 2, 'escrow:m:2:SCORE', 1, -11, 4)")
        connection.execute("ROLLBACK")


def test_entries_need_their_transaction(books: Path) -> None:
    """The deferred foreign key refuses the commit of entries without a journal row."""
    with closing(_connect(books)) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO entry VALUES ('t', 0, 'escrow:m:1:SCORE', 5, -5, 2)")
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            connection.execute("COMMIT")
        connection.execute("ROLLBACK")


@pytest.mark.parametrize(("kind", "round_no"), [(1, 0), (2, 1), (1, None), (6, 7), (0, 7)])
def test_journal_kinds(books: Path, kind: int, round_no: int | None) -> None:
    """A round has a number from 1, a close has 0, other kinds than the API's do not exist."""
    with closing(_connect(books)) as connection:
        connection.execute("BEGIN")
        _command(connection)
        with pytest.raises(sqlite3.IntegrityError, match="journal_kind"):
            _journal(connection, "t", kind, round_no)
        connection.execute("ROLLBACK")


def test_round_is_unique_in_the_database(books: Path) -> None:
    """IL4 even past the service: another command cannot settle the same round."""
    with closing(_connect(books)) as connection:
        connection.execute("DROP TRIGGER journal_once")
        connection.execute("BEGIN")
        _command(connection)
        with pytest.raises(sqlite3.IntegrityError, match=r"journal\.match_id"):
            _journal(connection, "t", round_no=1)
        connection.execute("ROLLBACK")


def _unguard(connection: sqlite3.Connection) -> None:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (name,) in names:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("PRAGMA ignore_check_constraints=ON")


SEEDED = {
    "UPDATE entry SET amount = amount + 1 WHERE account_id = 'escrow:m:0:SCORE' AND n = 0": "IL1",
    "UPDATE account SET balance = balance + 1 WHERE account_id = 'escrow:m:0:SCORE'": "IL2",
    "DELETE FROM entry WHERE account_id = 'escrow:m:0:SCORE' AND account_version = 1": "IL2",
    "UPDATE entry SET balance_after = balance_after + 1 WHERE account_version = 1": "IL2 chain",
    "UPDATE account SET min_balance = 1000": "IL3",
    "UPDATE account SET balance = balance + 1": "IL5",
    "UPDATE account SET balance = 1 WHERE account_id = 'escrow:n:0:SCORE'": "IL9",
    "UPDATE account SET balance = (1 << 62) + 1 WHERE account_id = 'escrow:m:0:SCORE'": "IL11",
    "DELETE FROM command WHERE op = 'settle_round'": "IL8 journal",
    "UPDATE command SET body = x'00' WHERE op = 'settle_round'": "IL8 fingerprint",
    "DELETE FROM journal WHERE round_no = 1": "entry without transaction",
}


@pytest.mark.parametrize("sql", SEEDED)
def test_audit_names_the_damage(books: Path, sql: str) -> None:
    """A checker that never fails shows nothing: each seeded fault is named by the audit."""
    with closing(_connect(books)) as connection:
        assert audit(connection) == set()
        _unguard(connection)
        assert connection.execute(sql).rowcount > 0
        assert SEEDED[sql] in audit(connection)


def test_audit_sees_a_round_settled_twice(books: Path) -> None:
    """IL4's checker, on a journal rebuilt without its unique keys."""
    with closing(_connect(books)) as connection:
        _unguard(connection)
        connection.execute("CREATE TABLE copy AS SELECT * FROM journal")
        connection.execute("DROP TABLE journal")
        connection.execute("ALTER TABLE copy RENAME TO journal")
        connection.execute("UPDATE journal SET round_no = 1 WHERE kind = 1")
        assert "IL4" in audit(connection)


async def test_migrations_make_the_tables_of_the_code(tmp_path: Path) -> None:
    """The newest revision and the tables that store.py queries are the same."""
    database = await Database.open(f"sqlite:///{tmp_path / 'ledger.db'}", MIGRATIONS)

    def differences(connection: sa.Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))

    try:
        assert await database.run(differences) == []
    finally:
        await database.close()


def test_every_table_is_strict(books: Path) -> None:
    """A plain INTEGER column would store an overflow as REAL without a word."""
    with closing(_connect(books)) as connection:
        rows = connection.execute("SELECT name, strict FROM pragma_table_list").fetchall()
    ours = {name: strict for name, strict in rows if name in METADATA.tables}
    assert ours == dict.fromkeys(METADATA.tables, 1)


def test_tables_are_portable() -> None:
    """The tables compile for PostgreSQL, with 64-bit integers and plain bytes."""
    create = [sa.schema.CreateTable(table) for table in METADATA.sorted_tables]
    text = "".join(str(ddl.compile(dialect=postgresql.dialect())) for ddl in create)
    assert "BIGINT" in text
    assert "BYTEA" in text
    assert "STRICT" not in text
