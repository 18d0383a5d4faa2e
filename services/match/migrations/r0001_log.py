"""The log of matches, its heads, the outbox, stored rounds and the owners' beats."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "match_0001"
down_revision = None
branch_labels = None
depends_on = None

INT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _columns(kind: Any, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def upgrade() -> None:
    """Makes everything."""
    op.create_table(
        "match_head",
        *_columns(sa.Text, "match_id"),
        *_columns(INT, "epoch"),
        *_columns(sa.Text, "owner"),
        *_columns(INT, "version"),
        *_columns(sa.LargeBinary, "tail_hash"),
        *_columns(INT, "at_ms"),
        *_columns(sa.LargeBinary, "meta", "wrapped_key", "state", "control"),
        *_columns(INT, "deadline_at_ms", "phase"),
        *_columns(sa.Text, "game", "reference"),
        *_columns(INT, "created_at_ms"),
        sa.PrimaryKeyConstraint("match_id"),
        sqlite_strict=True,
    )
    op.create_index("match_head_created", "match_head", ["created_at_ms", "match_id"])
    op.create_index("match_head_reference", "match_head", ["reference", "created_at_ms"])
    op.create_table(
        "match_log",
        *_columns(sa.Text, "match_id"),
        *_columns(INT, "version", "n_events", "epoch"),
        *_columns(sa.Text, "actor", "command_id"),
        *_columns(sa.LargeBinary, "req_hash", "answer", "seat_seq"),
        *_columns(INT, "at_ms"),
        *_columns(sa.LargeBinary, "public", "private", "sealed"),
        *_columns(INT, "round_no"),
        *_columns(sa.LargeBinary, "hash"),
        sa.PrimaryKeyConstraint("match_id", "version"),
        sa.UniqueConstraint("match_id", "actor", "command_id", name="match_log_command"),
        sqlite_strict=True,
    )
    op.create_table(
        "match_outbox",
        *_columns(sa.Text, "match_id"),
        *_columns(INT, "version"),
        *_columns(sa.Text, "kind"),
        *_columns(sa.LargeBinary, "payload"),
        *_columns(sa.Text, "state"),
        sa.PrimaryKeyConstraint("match_id", "version", "kind"),
        sqlite_strict=True,
    )
    op.create_index("match_outbox_todo", "match_outbox", ["state", "match_id", "version"])
    op.create_table(
        "match_round",
        *_columns(sa.Text, "match_id"),
        *_columns(INT, "round_no"),
        *_columns(sa.LargeBinary, "sheet"),
        *_columns(sa.Text, "tx_id"),
        sa.PrimaryKeyConstraint("match_id", "round_no"),
        sqlite_strict=True,
    )
    op.create_table(
        "match_owner",
        *_columns(sa.Text, "owner"),
        *_columns(INT, "beat_ms"),
        sa.PrimaryKeyConstraint("owner"),
        sqlite_strict=True,
    )


def downgrade() -> None:
    """Removes everything."""
    for table in ("match_owner", "match_round", "match_outbox", "match_log", "match_head"):
        op.drop_table(table)
