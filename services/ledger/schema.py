"""Tables of the ledger, as the newest migration leaves them (reliability 2.5, "Schema core").

Portable types only; STRICT and the typeof checks are SQLite's, which otherwise turns an integer
that overflows into a REAL without a word.
"""

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

METADATA = sa.MetaData()

_INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

ACCOUNT = sa.Table(
    "account",
    METADATA,
    sa.Column("account_id", sa.Text, primary_key=True),
    sa.Column("kind", _INT64, nullable=False),
    sa.Column("asset", sa.Text, nullable=False),
    sa.Column("match_id", sa.Text),
    sa.Column("min_balance", _INT64),
    sa.Column("balance", _INT64, nullable=False),
    sa.Column("version", _INT64, nullable=False),
    sa.Index("account_match", "match_id", "account_id"),
    sqlite_strict=True,
)

COMMAND = sa.Table(
    "command",
    METADATA,
    sa.Column("caller", sa.Text, primary_key=True),
    sa.Column("command_id", sa.Text, primary_key=True),
    sa.Column("op", sa.Text, nullable=False),
    sa.Column("req_hash", sa.LargeBinary, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("response", sa.LargeBinary, nullable=False),
    sa.Column("recorded_at_ms", _INT64, nullable=False),
    sqlite_strict=True,
)

JOURNAL = sa.Table(
    "journal",
    METADATA,
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
    sqlite_strict=True,
)

ENTRY = sa.Table(
    "entry",
    METADATA,
    sa.Column("tx_id", sa.Text, primary_key=True),
    sa.Column("n", _INT64, primary_key=True),
    sa.Column("account_id", sa.Text, nullable=False),
    sa.Column("amount", _INT64, nullable=False),
    sa.Column("balance_after", _INT64, nullable=False),
    sa.Column("account_version", _INT64, nullable=False),
    sa.UniqueConstraint("account_id", "account_version", name="entry_of_account"),
    # Entries come before their journal row, whose trigger then sees all of them.
    sa.ForeignKeyConstraint(
        ["tx_id"],
        ["journal.tx_id"],
        name="entry_tx",
        deferrable=True,
        initially="DEFERRED",
    ),
    sa.ForeignKeyConstraint(["account_id"], ["account.account_id"], name="entry_account"),
    sqlite_strict=True,
)
