"""Validation of commands before any account is read: ranges, names, zero-sum.

Statuses have a fixed order: what a command alone shows is refused first, then repeats are
answered, then the books decide (docs/ledger.md, "Order of answers").
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from services.ledger.commands import (
    AccountKind,
    AccountSpec,
    CloseMatch,
    Command,
    Head,
    Leg,
    OpenAccounts,
    SettleRound,
)

MAX_AMOUNT = 2**53 - 1
"""Largest |amount| at the API: exact in every JSON client (reliability 2.5)."""

MAX_LEGS = 64
MAX_ACCOUNTS = 100
MAX_ROUND = 2**31 - 1

# No control characters, line ends or marks that turn the direction of what follows.
_ODD = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_PLAIN = rf"[^{_ODD}]{{1,64}}"
_ID = re.compile(_PLAIN)
_COMMAND_ID = re.compile(rf"[^\s{_ODD}]{{1,200}}")
_WORD = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_ASSET = re.compile(r"[A-Z][A-Z0-9_]{0,15}")
_PATTERNS = {
    AccountKind.PLAYER: re.compile(rf"player:(?P<id>{_PLAIN}):(?P<asset>[^:]+)"),
    AccountKind.ESCROW: re.compile(
        rf"escrow:(?P<match>{_PLAIN}):(?P<seat>0|[1-9][0-9]?):(?P<asset>[^:]+)"
    ),
    AccountKind.FEE: re.compile(rf"fee:(?P<match>{_PLAIN}):(?P<asset>[^:]+)"),
    AccountKind.HOUSE: re.compile(r"house:fee:(?:0|[1-9][0-9]{0,2}):(?P<asset>[^:]+)"),
    AccountKind.ISSUANCE: re.compile(r"issuance:(?P<asset>[^:]+)"),
    AccountKind.SUSPENSE: re.compile(r"suspense:(?P<asset>[^:]+)"),
}
_KIND_OF_PREFIX = {kind.name.lower(): kind for kind in AccountKind}


class Refused(Exception):
    """A command the ledger does not carry out; `reason` and `fields` go to ErrorInfo."""

    def __init__(self, reason: str, message: str, **fields: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.fields = fields


class Name(NamedTuple):
    """An account id taken apart; `match_id` is None if it belongs to no match."""

    kind: AccountKind
    asset: str
    match_id: str | None


def bad(field: str, wanted: str) -> Refused:
    """A malformed field: names it and what it must be, never the value sent."""
    return Refused("BAD_REQUEST", f"{field} must be {wanted}", field=field)


def name_of(account_id: str, field: str) -> Name:
    """Kind, asset and match of `{kind}:{id}:{asset}` (reliability 2.5, "Accounts")."""
    kind = _KIND_OF_PREFIX.get(account_id.partition(":")[0])
    found = _PATTERNS[kind].fullmatch(account_id) if kind else None
    if kind is None or found is None or not _ASSET.fullmatch(found["asset"]):
        raise bad(field, "an account name {kind}:{id}:{asset}")
    return Name(kind, found["asset"], found.groupdict().get("match"))


def check(command: Command) -> None:
    """Refuses a command that is wrong by itself."""
    _check_head(command.head)
    match command:
        case OpenAccounts():
            _check_open(command)
        case SettleRound():
            _check_settle(command)
        case CloseMatch():
            _check_close(command)


def check_id(field: str, value: str) -> None:
    """Match and player ids: 1 to 64 printable characters, as the match service takes them."""
    if not _ID.fullmatch(value):
        raise bad(field, "1 to 64 printable characters")


def check_caller(field: str, value: str) -> None:
    """A calling service's name; has no colon, so that (caller, key) joins unambiguously."""
    if not _WORD.fullmatch(value):
        raise bad(field, "a service's name in lower case")


def check_asset(field: str, value: str) -> None:
    """An asset's name, e.g. SCORE."""
    if not _ASSET.fullmatch(value):
        raise bad(field, "an asset's name in upper case")


def check_command_id(value: str) -> None:
    """A client-chosen key: 1 to 200 printable characters without blanks."""
    if not _COMMAND_ID.fullmatch(value):
        raise bad("command_id", "1 to 200 printable characters without blanks")


def _check_head(head: Head) -> None:
    check_command_id(head.command_id)
    check_caller("origin.actor", head.origin.actor)
    check_caller("x-paiju-caller", head.caller)
    _check_range("origin.occurred_at_ms", head.origin.occurred_at_ms, 0, MAX_AMOUNT)
    if not _WORD.fullmatch(head.origin.reason_code):
        raise bad("origin.reason_code", "a word in lower case, e.g. round_ended")


def _check_range(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise bad(field, f"from {least} to {most}")


def _check_size(field: str, size: int, most: int) -> None:
    if size > most:
        raise Refused("LIMIT_EXCEEDED", f"{field} has more than {most} elements", field=field)


def _check_open(command: OpenAccounts) -> None:
    if not command.accounts:
        raise bad("accounts", "at least one account")
    _check_size("accounts", len(command.accounts), MAX_ACCOUNTS)
    for i, spec in enumerate(command.accounts):
        _check_spec(f"accounts[{i}]", spec)
    _check_distinct("accounts", [spec.account_id for spec in command.accounts])


def _check_spec(field: str, spec: AccountSpec) -> None:
    name = name_of(spec.account_id, f"{field}.account_id")
    if spec.kind != name.kind:
        raise bad(f"{field}.kind", "the kind its account_id begins with")
    if spec.asset != name.asset:
        raise bad(f"{field}.asset", "the asset its account_id ends with")
    if spec.min_balance is not None:
        # An account opens at 0, so a least balance above 0 would be broken at once.
        _check_range(f"{field}.min_balance", spec.min_balance, -MAX_AMOUNT, 0)


def _check_settle(command: SettleRound) -> None:
    check_id("match_id", command.match_id)
    _check_range("round_no", command.round_no, 1, MAX_ROUND)
    _check_hash(command.log_hash)
    _check_legs("legs", command.legs, command.match_id)


def _check_close(command: CloseMatch) -> None:
    check_id("match_id", command.match_id)
    _check_legs("adjustments", command.adjustments, command.match_id)
    _check_size("payouts", len(command.payouts), MAX_LEGS)
    for i, payout in enumerate(command.payouts):
        escrow = _escrow(f"payouts[{i}].escrow_id", payout.escrow_id, command.match_id)
        target = name_of(payout.account_id, f"payouts[{i}].account_id")
        if target.kind != AccountKind.PLAYER or target.asset != escrow.asset:
            raise bad(f"payouts[{i}].account_id", "a player's account of the escrow's asset")
    _check_distinct("payouts", [payout.escrow_id for payout in command.payouts])
    _check_hash(command.log_hash)


def _check_hash(log_hash: bytes) -> None:
    if len(log_hash) != 32:
        raise bad("log_hash", "32 bytes")


def _check_legs(field: str, legs: Sequence[Leg], match_id: str) -> None:
    _check_size(field, len(legs), MAX_LEGS)
    sums: Counter[str] = Counter()
    for i, leg in enumerate(legs):
        sums[_escrow(f"{field}[{i}].account_id", leg.account_id, match_id).asset] += leg.amount
        if leg.amount == 0 or abs(leg.amount) > MAX_AMOUNT:
            raise bad(f"{field}[{i}].amount", "a whole number, not 0, at most 2^53-1 either way")
    _check_distinct(field, [leg.account_id for leg in legs])
    for asset, total in sums.items():
        if total:
            raise Refused("NOT_ZERO_SUM", f"{field} do not sum to 0", field=field, asset=asset)


def _escrow(field: str, account_id: str, match_id: str) -> Name:
    """A match moves points among its own escrows only (reliability 7, S16)."""
    name = name_of(account_id, field)
    if name.kind != AccountKind.ESCROW or name.match_id != match_id:
        raise Refused("ACCOUNT_NOT_OF_MATCH", f"{field} is no escrow of this match", field=field)
    return name


def _check_distinct(field: str, account_ids: Sequence[str]) -> None:
    if len(set(account_ids)) != len(account_ids):
        raise Refused("DUPLICATE_ACCOUNT", f"{field} name an account twice", field=field)
