"""Accounts, commands, journal and entries, guarded by constraints and triggers.

What the triggers keep even against a faulty program: a transaction sums to 0 per asset (IL1), an
account's entries are one unbroken chain and its balance is the last of it (IL2), history is
append-only, the terms of an account never change.
"""

import sqlalchemy as sa
from alembic import op
from alembic.util.exc import CommandError
from sqlalchemy.dialects import sqlite

revision = "ledger_0001"
down_revision = None

_INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_BALANCE = 2**62


def _integers(table: str, *columns: str) -> list[sa.CheckConstraint]:
    """SQLite only: each column holds an integer, or NULL where it may."""
    return [
        sa.CheckConstraint(
            f"typeof({column}) IN ('integer', 'null')", name=f"{table}_{column}_integer"
        ).ddl_if(dialect="sqlite")
        for column in columns
    ]


def _account() -> None:
    op.create_table(
        "account",
        sa.Column("account_id", sa.Text, primary_key=True),
        sa.Column("kind", _INT64, nullable=False),
        sa.Column("asset", sa.Text, nullable=False),
        sa.Column("match_id", sa.Text),
        sa.Column("min_balance", _INT64),
        sa.Column("balance", _INT64, nullable=False),
        sa.Column("version", _INT64, nullable=False),
        sa.CheckConstraint("kind BETWEEN 1 AND 6", name="account_kind"),
        sa.CheckConstraint("version >= 0", name="account_version"),
        sa.CheckConstraint("balance >= min_balance", name="account_funds"),
        sa.CheckConstraint(f"balance BETWEEN -{_BALANCE} AND {_BALANCE}", name="account_range"),
        *_integers("account", "kind", "min_balance", "balance", "version"),
        sqlite_strict=True,
    )
    op.create_index("account_match", "account", ["match_id", "account_id"])


def _command() -> None:
    op.create_table(
        "command",
        sa.Column("caller", sa.Text, primary_key=True),
        sa.Column("command_id", sa.Text, primary_key=True),
        sa.Column("op", sa.Text, nullable=False),
        sa.Column("req_hash", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("response", sa.LargeBinary, nullable=False),
        sa.Column("recorded_at_ms", _INT64, nullable=False),
        sa.CheckConstraint("length(req_hash) = 32", name="command_hash"),
        *_integers("command", "recorded_at_ms"),
        sqlite_strict=True,
    )


def _journal() -> None:
    op.create_table(
        "journal",
        sa.Column("tx_id", sa.Text, primary_key=True),
        sa.Column("caller", sa.Text, nullable=False),
        sa.Column("command_id", sa.Text, nullable=False),
        sa.Column("kind", _INT64, nullable=False),
        sa.Column("match_id", sa.Text),
        sa.Column("round_no", _INT64),
        sa.Column("log_hash", sa.LargeBinary),
        sa.Column("recorded_at_ms", _INT64, nullable=False),
        sa.UniqueConstraint("caller", "command_id", name="journal_command"),
        sa.UniqueConstraint("match_id", "round_no", "kind", name="journal_round"),
        sa.ForeignKeyConstraint(
            ["caller", "command_id"], ["command.caller", "command.command_id"], name="journal_of"
        ),
        # A round and a close name their match and round: UNIQUE holds only among values.
        sa.CheckConstraint(
            "CASE kind WHEN 1 THEN match_id IS NOT NULL AND round_no IS NOT NULL AND round_no > 0"
            " WHEN 2 THEN match_id IS NOT NULL AND round_no IS NOT NULL AND round_no = 0"
            " ELSE kind BETWEEN 3 AND 5 END",
            name="journal_kind",
        ),
        *_integers("journal", "kind", "round_no", "recorded_at_ms"),
        sqlite_strict=True,
    )


def _entry() -> None:
    op.create_table(
        "entry",
        sa.Column("tx_id", sa.Text, primary_key=True),
        sa.Column("n", _INT64, primary_key=True),
        sa.Column("account_id", sa.Text, nullable=False),
        sa.Column("amount", _INT64, nullable=False),
        sa.Column("balance_after", _INT64, nullable=False),
        sa.Column("account_version", _INT64, nullable=False),
        sa.UniqueConstraint("account_id", "account_version", name="entry_of_account"),
        sa.ForeignKeyConstraint(
            ["tx_id"], ["journal.tx_id"], name="entry_tx", deferrable=True, initially="DEFERRED"
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.account_id"], name="entry_account"),
        sa.CheckConstraint("amount <> 0", name="entry_amount"),
        sa.CheckConstraint(f"balance_after BETWEEN -{_BALANCE} AND {_BALANCE}", name="entry_range"),
        *_integers("entry", "n", "amount", "balance_after", "account_version"),
        sqlite_strict=True,
    )


def _refuse(name: str, event: str, text: str, when: str = "1") -> str:
    return (
        f"CREATE TRIGGER {name} BEFORE {event}\n"
        f"WHEN {when}\nBEGIN SELECT RAISE(ABORT, '{text}'); END"
    )


_TERMS = "account_id, kind, asset, match_id, min_balance"

_SQLITE_TRIGGERS = (
    _refuse(
        "journal_zero_sum",
        "INSERT ON journal",
        "transaction does not sum to 0",
        "EXISTS (SELECT 1 FROM entry JOIN account USING (account_id)"
        " WHERE entry.tx_id = NEW.tx_id GROUP BY account.asset HAVING SUM(entry.amount) <> 0)",
    ),
    _refuse(
        "entry_late",
        "INSERT ON entry",
        "transaction is complete",
        "EXISTS (SELECT 1 FROM journal WHERE tx_id = NEW.tx_id)",
    ),
    _refuse(
        "entry_chain",
        "INSERT ON entry",
        "entry does not follow the last one of its account",
        "NEW.account_version < 1 OR NEW.balance_after - NEW.amount IS NOT CASE"
        " WHEN NEW.account_version = 1 THEN 0 ELSE (SELECT balance_after FROM entry"
        " WHERE account_id = NEW.account_id AND account_version = NEW.account_version - 1) END",
    ),
    _refuse(
        "account_opening",
        "INSERT ON account",
        "an account opens empty",
        "NEW.balance <> 0 OR NEW.version <> 0",
    ),
    _refuse("account_terms", f"UPDATE OF {_TERMS} ON account", "terms of an account never change"),
    _refuse(
        "account_balance",
        "UPDATE OF balance, version ON account",
        "balance is not that of the last entry",
        "NEW.version <= OLD.version OR NEW.balance IS NOT (SELECT balance_after FROM entry"
        " WHERE account_id = NEW.account_id AND account_version = NEW.version)",
    ),
    # INSERT OR REPLACE would remove the old row without any DELETE trigger.
    _refuse(
        "account_once",
        "INSERT ON account",
        "accounts are never replaced",
        "EXISTS (SELECT 1 FROM account WHERE account_id = NEW.account_id)",
    ),
    _refuse(
        "command_once",
        "INSERT ON command",
        "command is append-only",
        "EXISTS (SELECT 1 FROM command WHERE caller = NEW.caller AND command_id = NEW.command_id)",
    ),
    _refuse(
        "journal_once",
        "INSERT ON journal",
        "journal is append-only",
        "EXISTS (SELECT 1 FROM journal WHERE tx_id = NEW.tx_id"
        " OR (caller = NEW.caller AND command_id = NEW.command_id)"
        " OR (match_id = NEW.match_id AND round_no = NEW.round_no AND kind = NEW.kind))",
    ),
    _refuse("account_delete", "DELETE ON account", "accounts are never deleted"),
    *(
        _refuse(f"{table}_{event.lower()}", f"{event} ON {table}", f"{table} is append-only")
        for table in ("command", "journal", "entry")
        for event in ("UPDATE", "DELETE")
    ),
)


def upgrade() -> None:
    """Creates everything; other databases need their own triggers first (docs/ledger.md)."""
    dialect = op.get_bind().dialect.name
    if dialect != "sqlite":
        raise CommandError(f"the ledger has no zero-sum triggers for {dialect} yet")
    for create in (_account, _command, _journal, _entry):
        create()
    for trigger in _SQLITE_TRIGGERS:
        op.execute(trigger)


def downgrade() -> None:
    """Refused: a ledger is not thrown away by a command."""
    raise CommandError("the journal is append-only; restore a backup instead")
