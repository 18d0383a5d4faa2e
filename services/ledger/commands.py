"""What a caller may ask of the ledger: frozen commands, their canonical bytes and their ids.

The canonical bytes are an own encoding of the validated fields (reliability 2.5, "Idempotency",
point 2): protobuf bytes would not do, since they carry unknown fields and depend on the encoder.
"""

import hashlib
import struct
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar

TX_NAMESPACE = uuid.UUID("6f1d3c62-0b0e-5c5b-9a53-7a0a7c6f2a11")
"""Namespace of transaction ids; part of stored data, so it never changes."""

_TAG = b"paiju.ledger.v1\0"


class AccountKind(IntEnum):
    """Kinds of account; numbers are those of `paiju.ledger.v1.AccountKind`."""

    PLAYER = 1
    ESCROW = 2
    FEE = 3
    HOUSE = 4
    ISSUANCE = 5
    SUSPENSE = 6


class TransactionKind(IntEnum):
    """Kinds of transaction this release posts; numbers as on the wire."""

    SETTLE = 1
    CLOSE = 2


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asks and why; part of every command's fingerprint."""

    actor: str
    occurred_at_ms: int
    reason_code: str


@dataclass(frozen=True, slots=True)
class AccountSpec:
    """Terms of an account; `kind` an AccountKind once checked, `min_balance` None unbounded."""

    account_id: str
    kind: int
    asset: str
    min_balance: int | None = None


@dataclass(frozen=True, slots=True)
class Leg:
    """One movement; a positive amount is received by the account."""

    account_id: str
    amount: int


@dataclass(frozen=True, slots=True)
class Payout:
    """Where the remainder of one escrow goes when its match closes."""

    escrow_id: str
    account_id: str


@dataclass(frozen=True, slots=True)
class Head:
    """What every mutation carries; the scope of a repeat is (caller, command_id)."""

    caller: str
    command_id: str
    origin: Origin

    @property
    def key(self) -> tuple[str, str]:
        """The scope in which this command happens once."""
        return self.caller, self.command_id

    @property
    def tx_id(self) -> str:
        """Id of the transaction: from the key, so a retry can never make a second one."""
        return str(uuid.uuid5(TX_NAMESPACE, f"{self.caller}:{self.command_id}"))


@dataclass(frozen=True, slots=True)
class OpenAccounts:
    """Open accounts, all or none; idempotent by account id."""

    op: ClassVar[str] = "open_accounts"
    head: Head
    accounts: tuple[AccountSpec, ...]


@dataclass(frozen=True, slots=True)
class SettleRound:
    """Settle one round of a match, once (IL4); no legs at all is a 流局."""

    op: ClassVar[str] = "settle_round"
    head: Head
    match_id: str
    round_no: int
    rules_release: int
    log_hash: bytes
    legs: tuple[Leg, ...]


@dataclass(frozen=True, slots=True)
class CloseMatch:
    """End a match: adjustments among its escrows, then every remainder out (IL9)."""

    op: ClassVar[str] = "close_match"
    head: Head
    match_id: str
    adjustments: tuple[Leg, ...]
    payouts: tuple[Payout, ...]
    log_hash: bytes


Command = OpenAccounts | SettleRound | CloseMatch


@dataclass(frozen=True, slots=True)
class Posted:
    """One entry of a transaction, with the account's balance and version after it."""

    tx_id: str
    n: int
    account_id: str
    amount: int
    balance_after: int
    version: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """A posted transaction with its entries."""

    tx_id: str
    kind: TransactionKind
    match_id: str
    round_no: int
    log_hash: bytes
    recorded_at_ms: int
    command_id: str
    entries: tuple[Posted, ...] = field(default=())


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack(">I", len(raw)) + raw


def _int(value: int) -> bytes:
    return struct.pack(">q", value)


def _optional(value: int | None) -> bytes:
    return b"\0" if value is None else b"\1" + _int(value)


def _many(items: Iterable[bytes]) -> bytes:
    parts = list(items)
    return struct.pack(">I", len(parts)) + b"".join(parts)


def _legs(legs: Sequence[Leg]) -> bytes:
    """Legs by account: their order says nothing, so it does not count."""
    ordered = sorted(legs, key=lambda leg: leg.account_id)
    return _many(_text(leg.account_id) + _int(leg.amount) for leg in ordered)


def _spec(spec: AccountSpec) -> bytes:
    terms = _int(spec.kind) + _text(spec.asset) + _optional(spec.min_balance)
    return _text(spec.account_id) + terms


def _own_fields(command: Command) -> dict[str, bytes]:
    """Fields of one kind of command. Accounts and payouts keep their order: the answer has it."""
    match command:
        case OpenAccounts():
            return {"accounts": _many(map(_spec, command.accounts))}
        case SettleRound():
            return {
                "match_id": _text(command.match_id),
                "round_no": _int(command.round_no),
                "rules_release": _int(command.rules_release),
                "log_hash": command.log_hash,
                "legs": _legs(command.legs),
            }
        case CloseMatch():
            pairs = (_text(p.escrow_id) + _text(p.account_id) for p in command.payouts)
            return {
                "match_id": _text(command.match_id),
                "adjustments": _legs(command.adjustments),
                "payouts": _many(pairs),
                "log_hash": command.log_hash,
            }


def body_of(command: Command) -> bytes:
    """The canonical bytes of a command; stored as they are, compared and hashed."""
    origin = command.head.origin
    fields = {
        "op": command.op.encode(),
        "origin.actor": _text(origin.actor),
        "origin.occurred_at_ms": _int(origin.occurred_at_ms),
        "origin.reason_code": _text(origin.reason_code),
        **_own_fields(command),
    }
    framed = (_text(name) + struct.pack(">I", len(raw)) + raw for name, raw in fields.items())
    return _TAG + _many(framed)


def fingerprint(body: bytes) -> bytes:
    """SHA-256 of the canonical bytes."""
    return hashlib.sha256(body).digest()


def fields_of(body: bytes) -> dict[str, bytes]:
    """The framed fields of canonical bytes, by name."""
    at = len(_TAG) + 4
    (count,) = struct.unpack_from(">I", body, len(_TAG))
    values: list[bytes] = []
    for _ in range(2 * count):
        (size,) = struct.unpack_from(">I", body, at)
        values.append(body[at + 4 : at + 4 + size])
        at += 4 + size
    return {name.decode(): raw for name, raw in zip(values[::2], values[1::2], strict=True)}


def differing_fields(stored: bytes, asked: bytes) -> tuple[str, ...]:
    """Names of the fields in which two bodies differ; never their values."""
    one, two = fields_of(stored), fields_of(asked)
    return tuple(sorted(name for name in one | two if one.get(name) != two.get(name)))
