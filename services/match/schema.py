"""Tables of the match service, as the newest migration leaves them (`protocol.md`, The log).

Every key begins with `match_id`, so that the same schema can be split over many databases.
"""

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

METADATA = sa.MetaData()

_INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def _int(name: str, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, _INT64, nullable=False, primary_key=key, autoincrement=False)


def _text(name: str, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, primary_key=key)


def _blob(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False)


HEAD = sa.Table(
    "match_head",
    METADATA,
    _text("match_id", key=True),
    _int("epoch"),
    _text("owner"),
    _int("version"),
    _blob("tail_hash"),
    _int("at_ms"),
    _blob("meta"),
    _blob("wrapped_key"),
    _blob("state"),
    _blob("control"),
    _int("deadline_at_ms"),
    _int("phase"),
    _text("game"),
    _text("reference"),
    _int("created_at_ms"),
    sa.Index("match_head_created", "created_at_ms", "match_id"),
    sa.Index("match_head_reference", "reference", "created_at_ms"),
    sqlite_strict=True,
)

LOG = sa.Table(
    "match_log",
    METADATA,
    _text("match_id", key=True),
    _int("version", key=True),
    _int("n_events"),
    _int("epoch"),
    _text("actor"),
    _text("command_id"),
    _blob("req_hash"),
    _blob("answer"),
    _blob("seat_seq"),
    _int("at_ms"),
    _blob("public"),
    _blob("private"),
    _blob("sealed"),
    _int("round_no"),
    _blob("hash"),
    sa.UniqueConstraint("match_id", "actor", "command_id", name="match_log_command"),
    sqlite_strict=True,
)

OUTBOX = sa.Table(
    "match_outbox",
    METADATA,
    _text("match_id", key=True),
    _int("version", key=True),
    _text("kind", key=True),
    _blob("payload"),
    _text("state"),
    sa.Index("match_outbox_todo", "state", "match_id", "version"),
    sqlite_strict=True,
)

ROUND = sa.Table(
    "match_round",
    METADATA,
    _text("match_id", key=True),
    _int("round_no", key=True),
    _blob("sheet"),
    _text("tx_id"),
    sqlite_strict=True,
)

OWNER = sa.Table(
    "match_owner",
    METADATA,
    _text("owner", key=True),
    _int("beat_ms"),
    sqlite_strict=True,
)
