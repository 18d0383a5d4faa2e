"""Group commit: sharing a transaction, failing alone, a database that cannot be written."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from ledger_kit import HASH, escrow
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from libs.runtime.db import Database
from services.ledger import group as group_module
from services.ledger import messages, store
from services.ledger.book import Answer
from services.ledger.checks import Refused
from services.ledger.commands import (
    AccountSpec,
    Command,
    Head,
    Leg,
    OpenAccounts,
    Origin,
    SettleRound,
)
from services.ledger.group import MAX_GROUP, GroupCommit, Job
from services.ledger.main import MIGRATIONS
from services.ledger.store import Outcome, Store, WriteFailed


class Watcher:
    """Remembers how transactions ended."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.failures: list[tuple[int, str]] = []

    def commit(self, size: int, seconds: float) -> None:
        """A transaction became durable."""
        self.sizes.append(size)

    def failed(self, size: int, failed: WriteFailed) -> None:
        """A transaction was rolled back."""
        self.failures.append((size, str(failed)))


def _head(key: str) -> Head:
    return Head("match", key, Origin("match", 1, "test"))


def _open(match: str) -> OpenAccounts:
    specs = tuple(AccountSpec(escrow(match, seat), 2, "SCORE") for seat in (0, 1))
    return OpenAccounts(_head(f"open:{match}"), specs)


def _settle(number: int, amount: int = 1) -> SettleRound:
    legs = (Leg(escrow("m", 0), amount), Leg(escrow("m", 1), -amount))
    return SettleRound(_head(f"k{number}"), "m", number, 1, HASH, legs)


def _jobs(*commands: Command) -> list[Job]:
    return [(command, messages.encode) for command in commands]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A new ledger database."""
    database = await Database.open(f"sqlite:///{tmp_path / 'ledger.db'}", MIGRATIONS)
    yield database
    await database.close()


async def _balance(database: Database, account_id: str) -> int:
    found = await database.run(lambda connection: store.account(connection, account_id))
    assert found is not None
    return found.balance


async def _five(error: Exception) -> tuple[list[object], Watcher]:
    """What becomes of five commands when a transaction with the third one raises `error`."""

    async def post(jobs: Sequence[Job]) -> list[Outcome]:
        numbers = [command.round_no for command, _ in jobs if isinstance(command, SettleRound)]
        if 3 in numbers:
            raise error
        no, yes = Refused("MATCH_CLOSED", ""), Answer(b"", replayed=False)
        return [no if number == 4 else yes for number in numbers]

    watcher = Watcher()
    group = GroupCommit(post, watcher)
    waits = [asyncio.ensure_future(group.submit(*_jobs(_settle(n))[0])) for n in range(1, 6)]
    await asyncio.sleep(0)  # lets each call queue its command
    waits[4].cancel()  # a caller that left does not disturb the others
    runner = asyncio.create_task(group.run())
    results = await asyncio.gather(*waits, return_exceptions=True)
    assert not runner.done()
    runner.cancel()
    return [type(result) for result in results], watcher


async def test_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that hangs fills no memory: what comes later is refused, what waits is kept."""
    monkeypatch.setattr(group_module, "MAX_WAITING", 3)

    async def post(jobs: Sequence[Job]) -> list[Outcome]:
        return [Answer(b"", replayed=False)] * len(jobs)

    group = GroupCommit(post, Watcher())
    waits = [asyncio.ensure_future(group.submit(*_jobs(_settle(n))[0])) for n in range(3)]
    await asyncio.sleep(0)  # lets each call queue its command
    with pytest.raises(Refused, match="OVERLOADED"):
        await group.submit(*_jobs(_settle(4))[0])
    runner = asyncio.create_task(group.run())
    assert await asyncio.gather(*waits) == [Answer(b"", replayed=False)] * 3
    runner.cancel()


ONE_BY_ONE = [
    (WriteFailed("CHECK constraint failed", passing=False), "CHECK constraint failed"),
    (OverflowError("values of the command"), "OverflowError"),
]


@pytest.mark.parametrize(("error", "told"), ONE_BY_ONE)
async def test_failed_group_is_posted_one_by_one(error: Exception, told: str) -> None:
    """A group that the database or the driver refuses: each goes alone, only the bad one fails."""
    kinds, watcher = await _five(error)
    assert kinds == [Answer, Answer, WriteFailed, Refused, asyncio.CancelledError]
    assert watcher.failures == [(5, told), (1, told)]
    assert watcher.sizes == [1, 1, 1, 1]


async def test_a_database_in_trouble_is_tried_once_for_a_group() -> None:
    """Locked for five seconds: a group waits once, not once more for each of its commands."""
    kinds, watcher = await _five(WriteFailed("database is locked", passing=True))
    assert kinds == [WriteFailed] * 4 + [asyncio.CancelledError]
    assert (watcher.failures, watcher.sizes) == ([(5, "database is locked")], [])


async def test_waiting_commands_share_a_transaction(database: Database) -> None:
    """What waits goes together, in order, up to the most that one transaction takes."""
    watcher = Watcher()
    group = GroupCommit(Store(database, lambda: 7).post, watcher)
    commands: list[Command] = [_open("m"), *(_settle(n) for n in range(1, MAX_GROUP + 10))]
    waits = [asyncio.ensure_future(group.submit(*job)) for job in _jobs(*commands)]
    await asyncio.sleep(0)  # lets each call queue its command
    runner = asyncio.create_task(group.run())
    answers = await asyncio.gather(*waits)
    runner.cancel()
    assert not any(answer.replayed for answer in answers)
    assert watcher.sizes == [MAX_GROUP, 10]
    assert await _balance(database, escrow("m", 0)) == MAX_GROUP + 9


async def test_a_full_disk_keeps_nothing_and_passes(database: Database) -> None:
    """A write that the disk refuses leaves no trace; the same command succeeds later."""
    posts = Store(database, lambda: 7)
    await posts.post(_jobs(_open("m")))

    def pages(connection: Connection) -> int:
        return int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())

    full = await database.run(pages)
    await database.run(lambda c: c.exec_driver_sql(f"PRAGMA max_page_count={full}").all())
    many = _jobs(*(_settle(number) for number in range(1, 100)))
    with pytest.raises(WriteFailed, match="full") as failed:
        await posts.post(many)
    assert failed.value.passing
    assert await _balance(database, escrow("m", 0)) == 0
    await database.run(lambda c: c.exec_driver_sql("PRAGMA max_page_count=100000").all())
    outcomes = await posts.post(many)
    assert outcomes == [Answer(o.response, replayed=False) for o in outcomes]
    assert await _balance(database, escrow("m", 0)) == 99


async def test_constraints_judge_once_more(database: Database) -> None:
    """IL3 by CHECK: should the program forget the least balance, the database does not."""
    poor = AccountSpec(escrow("m", 1), 2, "SCORE", -5)
    opened = OpenAccounts(_head("o"), (AccountSpec(escrow("m", 0), 2, "SCORE"), poor))
    await Store(database, lambda: 7).post(_jobs(opened))

    def forgetful(connection: Connection) -> None:
        book = store.load(connection, [_settle(1, 6)], 7)
        account = book.accounts[escrow("m", 1)]
        unbounded = AccountSpec(account.account_id, 2, "SCORE")
        book.accounts[account.account_id] = type(account)(unbounded, "m")
        book.post(_settle(1, 6), messages.encode)
        store.save(connection, book.changes)

    with pytest.raises(IntegrityError, match="account_funds"):
        await database.run(forgetful)
    assert await _balance(database, escrow("m", 1)) == 0


async def test_a_stale_balance_is_not_written(database: Database) -> None:
    """An account that moved since it was read is not overwritten, nothing is kept."""
    posts = Store(database, lambda: 7)
    await posts.post(_jobs(_open("m")))
    stale = await database.run(lambda connection: store.load(connection, [_settle(1)], 7))
    stale.post(_settle(1), messages.encode)
    await posts.post(_jobs(_settle(2)))
    with pytest.raises(IntegrityError, match=r"entry\.account_version"):
        await database.run(lambda connection: store.save(connection, stale.changes))
    assert await _balance(database, escrow("m", 0)) == 1
