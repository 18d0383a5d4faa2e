"""All SQL of the ledger. A group of commands costs three reads and at most five writes.

Reading what a group can reach, deciding in memory (book.py) and writing its changes as sets is
several times cheaper than statements per command, and needs no savepoints: a refused command has
written nothing. Constraints and triggers judge the result once more.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from libs.runtime.db import Database, Work, troubled
from services.ledger.book import (
    Account,
    Answer,
    Book,
    Changes,
    Encode,
    Record,
    RoundKey,
    Stored,
)
from services.ledger.checks import Refused
from services.ledger.commands import (
    AccountKind,
    AccountSpec,
    CloseMatch,
    Command,
    OpenAccounts,
    Posted,
    SettleRound,
    Transaction,
    TransactionKind,
)
from services.ledger.schema import ACCOUNT, COMMAND, ENTRY, JOURNAL

_HALF = 32

Outcome = Answer | Refused
Row = sa.Row[Any]
T = TypeVar("T")


def _each(name: str) -> sa.BindParameter[Any]:
    return sa.bindparam(name, expanding=True)


_UPDATE = (
    sa.update(ACCOUNT)
    .where(
        ACCOUNT.c.account_id == sa.bindparam("of_account"),
        ACCOUNT.c.version == sa.bindparam("from_version"),
    )
    .values(balance=sa.bindparam("to_balance"), version=sa.bindparam("to_version"))
)

# Built once: to build a statement costs more than to run it. Of accounts two selects by index, as
# one with OR would scan.
_REACHED = sa.union_all(
    sa.select(ACCOUNT).where(ACCOUNT.c.match_id.in_(_each("matches"))),
    sa.select(ACCOUNT).where(ACCOUNT.c.account_id.in_(_each("ids"))),
)
_POSTED = sa.select(JOURNAL.c.match_id, JOURNAL.c.round_no, JOURNAL.c.kind, JOURNAL.c.tx_id).where(
    JOURNAL.c.match_id.in_(_each("matches")), JOURNAL.c.round_no.in_(_each("rounds"))
)
_CARRIED_OUT = sa.select(COMMAND).where(
    sa.tuple_(COMMAND.c.caller, COMMAND.c.command_id).in_(_each("keys"))
)
_INSERTS = {table: sa.insert(table) for table in (ACCOUNT, COMMAND, ENTRY, JOURNAL)}


class WriteFailed(Exception):
    """The database did not take a group of commands; nothing of it was kept.

    `passing`: the database's trouble (disk full, locked), not the commands'; a retry may succeed.
    """

    def __init__(self, why: str, passing: bool) -> None:
        super().__init__(why)
        self.passing = passing


class Unreadable(Exception):
    """The database cannot be read now: broken, locked, away."""


Find = Callable[[sa.Connection], Transaction | None]


class KindTotal(NamedTuple):
    """Accounts of one kind: how many, and what they hold together."""

    kind: AccountKind
    accounts: int
    balance: int


class Trial(NamedTuple):
    """Sums of one asset, all from one read; IL5: the kinds' balances sum to 0."""

    kinds: tuple[KindTotal, ...]
    transactions: int
    entries: int


class Span(NamedTuple):
    """Which entries of an account are asked for: versions `first` to `last`, at most `most`."""

    first: int
    last: int
    most: int


class Statement(NamedTuple):
    """A stretch of an account's entries; `next_version` is None after the last one."""

    opening: int
    entries: tuple[Posted, ...]
    next_version: int | None


class Store:
    """The ledger's database: groups of commands in, single reads out."""

    def __init__(self, database: Database, now_ms: Callable[[], int]) -> None:
        self._database = database
        self._now_ms = now_ms

    async def post(self, jobs: Sequence[tuple[Command, Encode]]) -> list[Outcome]:
        """Carries out a group in one transaction, in order; WriteFailed if it was not kept."""
        now_ms = self._now_ms()
        try:
            return await self._database.run(lambda connection: post(connection, jobs, now_ms))
        except DBAPIError as error:
            # The driver's text names constraints and columns; SQLAlchemy's would show values.
            raise WriteFailed(str(error.orig), troubled(error)) from error

    async def read(self, work: Work[T]) -> T:
        """One consistent read, after everything acknowledged so far; Unreadable if none now."""
        try:
            return await self._database.run(work)
        except DBAPIError as error:
            if not troubled(error):
                raise
            raise Unreadable from error


def post(
    connection: sa.Connection, jobs: Sequence[tuple[Command, Encode]], now_ms: int
) -> list[Outcome]:
    """Reads, decides and writes a group within the caller's transaction."""
    book = load(connection, [command for command, _ in jobs], now_ms)
    outcomes = [_outcome(book, command, encode) for command, encode in jobs]
    save(connection, book.changes)
    return outcomes


def _outcome(book: Book, command: Command, encode: Encode) -> Outcome:
    try:
        return book.post(command, encode)
    except Refused as refused:
        return refused


def load(connection: sa.Connection, commands: Sequence[Command], now_ms: int) -> Book:
    """Everything that these commands can reach."""
    matches = {c.match_id for c in commands if not isinstance(c, OpenAccounts)}
    ids: set[str] = set()
    for command in commands:
        match command:
            case OpenAccounts():
                specs = [Account.new(spec) for spec in command.accounts]
                ids.update(account.account_id for account in specs)
                matches.update(account.match_id for account in specs if account.match_id)
            case CloseMatch():
                ids.update(payout.account_id for payout in command.payouts)
            case SettleRound():
                pass  # its legs are among the escrows of its match
    return Book(
        accounts=_accounts(connection, matches, ids),
        rounds=_rounds(connection, matches, commands),
        known=_known(connection, commands),
        now_ms=now_ms,
    )


def _accounts(
    connection: sa.Connection, matches: Iterable[str], ids: Iterable[str]
) -> dict[str, Account]:
    asked = {"matches": sorted(matches), "ids": sorted(ids)}
    return {row.account_id: _account(row) for row in connection.execute(_REACHED, asked)}


def _rounds(
    connection: sa.Connection, matches: Iterable[str], commands: Sequence[Command]
) -> dict[RoundKey, str]:
    # Round 0 is the match's close: it decides whether anything may still happen.
    numbers = {0} | {c.round_no for c in commands if isinstance(c, SettleRound)}
    rows = connection.execute(_POSTED, {"matches": sorted(matches), "rounds": sorted(numbers)})
    return {(row.match_id, row.round_no, TransactionKind(row.kind)): row.tx_id for row in rows}


def _known(connection: sa.Connection, commands: Sequence[Command]) -> dict[tuple[str, str], Stored]:
    keys = sorted({command.head.key for command in commands})
    return {
        (row.caller, row.command_id): Stored(row.req_hash, row.body, row.response)
        for row in connection.execute(_CARRIED_OUT, {"keys": keys})
    }


def save(connection: sa.Connection, changes: Changes) -> None:
    """Writes a group: entries before their journal rows, balances after their entries."""
    entries = [entry for tx in changes.transactions for entry in tx.entries]
    key_of = {record.command.head.tx_id: record.command.head.key for record in changes.records}
    _insert(connection, ACCOUNT, [_account_values(account) for account in changes.opened])
    _insert(connection, COMMAND, [_command_values(record) for record in changes.records])
    _insert(connection, ENTRY, [_entry_values(entry) for entry in entries])
    journal = [_journal_values(tx, key_of[tx.tx_id][0]) for tx in changes.transactions]
    _insert(connection, JOURNAL, journal)
    _update_balances(connection, changes)


def _insert(connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(_INSERTS[table], rows)


def _update_balances(connection: sa.Connection, changes: Changes) -> None:
    """In the order of account ids, each from the version it was read at."""
    if not changes.after:
        return
    rows = [
        {
            "of_account": account_id,
            "from_version": changes.before[account_id].version,
            "to_balance": after.balance,
            "to_version": after.version,
        }
        for account_id, after in sorted(changes.after.items())
    ]
    if connection.execute(_UPDATE, rows).rowcount != len(rows):
        raise WriteFailed("an account changed under its reader", passing=True)


def _account_values(account: Account) -> dict[str, Any]:
    spec = account.spec
    return {
        "account_id": spec.account_id,
        "kind": int(spec.kind),
        "asset": spec.asset,
        "match_id": account.match_id,
        "min_balance": spec.min_balance,
        "balance": 0,
        "version": 0,
    }


def _command_values(record: Record) -> dict[str, Any]:
    head, stored = record.command.head, record.stored
    return {
        "caller": head.caller,
        "command_id": head.command_id,
        "op": record.command.op,
        "req_hash": stored.req_hash,
        "body": stored.body,
        "response": stored.response,
        "recorded_at_ms": record.recorded_at_ms,
    }


def _entry_values(entry: Posted) -> dict[str, Any]:
    return {
        "tx_id": entry.tx_id,
        "n": entry.n,
        "account_id": entry.account_id,
        "amount": entry.amount,
        "balance_after": entry.balance_after,
        "account_version": entry.version,
    }


def _journal_values(tx: Transaction, caller: str) -> dict[str, Any]:
    return {
        "tx_id": tx.tx_id,
        "caller": caller,
        "command_id": tx.command_id,
        "kind": int(tx.kind),
        "match_id": tx.match_id,
        "round_no": tx.round_no,
        "log_hash": tx.log_hash,
        "recorded_at_ms": tx.recorded_at_ms,
    }


def _account(row: Row) -> Account:
    spec = AccountSpec(row.account_id, AccountKind(row.kind), row.asset, row.min_balance)
    return Account(spec, row.match_id, row.balance, row.version)


def _posted(row: Row) -> Posted:
    return Posted(
        row.tx_id, row.n, row.account_id, row.amount, row.balance_after, row.account_version
    )


def account(connection: sa.Connection, account_id: str) -> Account | None:
    """One account as it is."""
    found = sa.select(ACCOUNT).where(ACCOUNT.c.account_id == account_id)
    row = connection.execute(found).one_or_none()
    return None if row is None else _account(row)


def statement(connection: sa.Connection, account_id: str, span: Span) -> Statement:
    """Entries of an account by version, with the balance before them."""
    chain = sa.select(ENTRY).where(ENTRY.c.account_id == account_id)
    before = (
        chain.where(ENTRY.c.account_version < span.first)
        .order_by(ENTRY.c.account_version.desc())
        .limit(1)
    )
    opening = connection.execute(before).one_or_none()
    found = (
        chain.where(ENTRY.c.account_version.between(span.first, span.last))
        .order_by(ENTRY.c.account_version)
        .limit(span.most + 1)
    )
    entries = tuple(_posted(row) for row in connection.execute(found))
    following = entries[span.most].version if len(entries) > span.most else None
    balance = 0 if opening is None else opening.balance_after
    return Statement(balance, entries[: span.most], following)


def trial(connection: sa.Connection, asset: str) -> Trial:
    """Sums of an asset's accounts by kind, and how much history there is."""
    balance = ACCOUNT.c.balance
    # By halves: a sum of balances may pass 64 bits, where SQLite gives up.
    high = sa.func.sum(balance.bitwise_rshift(_HALF))
    low = sa.func.sum(balance.bitwise_and(2**_HALF - 1))
    per_kind = (
        sa.select(ACCOUNT.c.kind, sa.func.count(), high, low)
        .where(ACCOUNT.c.asset == asset)
        .group_by(ACCOUNT.c.kind)
        .order_by(ACCOUNT.c.kind)
    )
    kinds = tuple(
        KindTotal(AccountKind(kind), count, (int(high) << _HALF) + int(low))
        for kind, count, high, low in connection.execute(per_kind)
    )
    entries = sa.select(sa.func.count()).select_from(
        ENTRY.join(ACCOUNT, ENTRY.c.account_id == ACCOUNT.c.account_id)
    )
    return Trial(
        kinds,
        connection.execute(sa.select(sa.func.count()).select_from(JOURNAL)).scalar_one(),
        connection.execute(entries.where(ACCOUNT.c.asset == asset)).scalar_one(),
    )


def by_tx(connection: sa.Connection, tx_id: str) -> Transaction | None:
    """A transaction by its id."""
    return _transaction(connection, JOURNAL.c.tx_id == tx_id)


def by_command(connection: sa.Connection, caller: str, command_id: str) -> Transaction | None:
    """The transaction a command made."""
    return _transaction(
        connection, sa.and_(JOURNAL.c.caller == caller, JOURNAL.c.command_id == command_id)
    )


def by_round(connection: sa.Connection, match_id: str, round_no: int) -> Transaction | None:
    """The settlement of a round; round 0 is the close of the match."""
    kind = TransactionKind.SETTLE if round_no else TransactionKind.CLOSE
    row = JOURNAL.c
    which = sa.and_(row.match_id == match_id, row.round_no == round_no, row.kind == int(kind))
    return _transaction(connection, which)


def _transaction(connection: sa.Connection, which: sa.ColumnElement[bool]) -> Transaction | None:
    row = connection.execute(sa.select(JOURNAL).where(which)).one_or_none()
    if row is None:
        return None
    found = sa.select(ENTRY).where(ENTRY.c.tx_id == row.tx_id).order_by(ENTRY.c.n)
    entries = tuple(_posted(entry) for entry in connection.execute(found))
    return Transaction(
        row.tx_id,
        TransactionKind(row.kind),
        row.match_id,
        row.round_no,
        row.log_hash,
        row.recorded_at_ms,
        row.command_id,
        entries,
    )
