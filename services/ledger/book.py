"""Pure posting logic: what a command does to the accounts it touches. No clock, no IO.

A Book holds the part of the ledger that a group of commands can reach. Each command either
leaves its whole effect in `changes` or, refused, nothing; the store writes the changes at once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from services.ledger.checks import Refused, name_of
from services.ledger.commands import (
    AccountSpec,
    CloseMatch,
    Command,
    Leg,
    OpenAccounts,
    Posted,
    SettleRound,
    Transaction,
    TransactionKind,
    body_of,
    differing_fields,
    fingerprint,
)

MAX_BALANCE = 2**62
"""Bound of |balance|: room for any single amount before int64 ends (reliability 2.5)."""

RoundKey = tuple[str, int, TransactionKind]


@dataclass(frozen=True, slots=True)
class Account:
    """An account as it is: its terms, its balance and how many entries it has."""

    spec: AccountSpec
    match_id: str | None
    balance: int = 0
    version: int = 0

    @property
    def account_id(self) -> str:
        """Its id."""
        return self.spec.account_id

    @classmethod
    def new(cls, spec: AccountSpec) -> "Account":
        """An account as it opens; which match it belongs to stands in its id."""
        return cls(spec, name_of(spec.account_id, "account_id").match_id)


@dataclass(frozen=True, slots=True)
class Opened:
    """Result of OpenAccounts: the accounts as they are, in request order."""

    accounts: tuple[Account, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """Result of SettleRound."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class Closed:
    """Result of CloseMatch; remainders in the order of the payouts."""

    transaction: Transaction
    remainders: tuple[int, ...]


Result = Opened | Settled | Closed
Encode = Callable[[Result], bytes]


@dataclass(frozen=True, slots=True)
class Stored:
    """What the ledger remembers of a command, enough to answer its repeats."""

    req_hash: bytes
    body: bytes
    response: bytes


@dataclass(frozen=True, slots=True)
class Record:
    """A carried-out command: its canonical bytes and the answer it got."""

    command: Command
    stored: Stored
    recorded_at_ms: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The response bytes of a command; `replayed` if it had been carried out before."""

    response: bytes
    replayed: bool


@dataclass(slots=True)
class Changes:
    """What a group of commands adds to the ledger."""

    opened: list[Account] = field(default_factory=list)
    before: dict[str, Account] = field(default_factory=dict)
    after: dict[str, Account] = field(default_factory=dict)
    transactions: list[Transaction] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """One transaction in the making; dropped whole if a move is refused."""

    tx_id: str
    accounts: dict[str, Account]
    moved: dict[str, Account] = field(default_factory=dict)
    entries: list[Posted] = field(default_factory=list)

    def require(self, account_ids: Iterable[str]) -> None:
        """Refuses an unknown account before anything is said of funds."""
        for account_id in account_ids:
            if account_id not in self.accounts:
                raise Refused("UNKNOWN_ACCOUNT", "no such account", account_id=account_id)

    def at(self, account_id: str) -> Account:
        """A known account after the moves so far."""
        return self.moved.get(account_id) or self.accounts[account_id]

    def move(self, account_id: str, amount: int) -> None:
        """Adds an entry; within the account's least balance and the bound of all balances."""
        before = self.at(account_id)
        balance, version = before.balance + amount, before.version + 1
        least = before.spec.min_balance
        if amount < 0 and least is not None and balance < least:
            raise Refused("INSUFFICIENT_FUNDS", "below the least balance", account_id=account_id)
        if abs(balance) > MAX_BALANCE:
            raise Refused("BALANCE_OUT_OF_RANGE", "beyond 2^62", account_id=account_id)
        self.moved[account_id] = replace(before, balance=balance, version=version)
        n = len(self.entries)
        self.entries.append(Posted(self.tx_id, n, account_id, amount, balance, version))

    def move_all(self, legs: Iterable[Leg]) -> None:
        """Entries in the order of account ids, whatever order the legs were sent in."""
        for leg in sorted(legs, key=lambda leg: leg.account_id):
            self.move(leg.account_id, leg.amount)


@dataclass(slots=True)
class Book:
    """The reachable part of the ledger and what was added to it."""

    accounts: dict[str, Account]
    rounds: dict[RoundKey, str]
    known: dict[tuple[str, str], Stored]
    now_ms: int
    changes: Changes = field(default_factory=Changes)
    of_match: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Indexes the accounts by their match."""
        for account in self.accounts.values():
            self._index(account)

    def _index(self, account: Account) -> None:
        if account.match_id is not None:
            self.of_match.setdefault(account.match_id, []).append(account.account_id)

    def post(self, command: Command, encode: Encode) -> Answer:
        """Carries a checked command out, or answers its repeat; Refused leaves no trace."""
        body = body_of(command)
        stored = self.known.get(command.head.key)
        if stored is not None:
            return _repeat(command, stored, body)
        result = self._apply(command)
        response = encode(result)
        self.known[command.head.key] = made = Stored(fingerprint(body), body, response)
        self.changes.records.append(Record(command, made, self.now_ms))
        return Answer(response, replayed=False)

    def _apply(self, command: Command) -> Result:
        match command:
            case OpenAccounts():
                return self._open(command)
            case SettleRound():
                return self._settle(command)
            case CloseMatch():
                return self._close(command)

    def _open(self, command: OpenAccounts) -> Opened:
        for spec in command.accounts:
            self._may_open(spec)
        for spec in command.accounts:
            if spec.account_id not in self.accounts:
                self._add(Account.new(spec))
        return Opened(tuple(self.accounts[spec.account_id] for spec in command.accounts))

    def _add(self, account: Account) -> None:
        self.accounts[account.account_id] = account
        self.changes.opened.append(account)
        self._index(account)

    def _may_open(self, spec: AccountSpec) -> None:
        """Same terms again are welcome; other terms, or a new account of a closed match, not."""
        present = self.accounts.get(spec.account_id)
        if present is None:
            self._match_open(Account.new(spec).match_id or "")
        elif present.spec != spec:
            # Kind and asset are part of the id, so only the least balance can differ.
            raise Refused(
                "ACCOUNT_EXISTS",
                "the account exists under other terms",
                account_id=spec.account_id,
                fields="min_balance",
            )

    def _settle(self, command: SettleRound) -> Settled:
        self._match_known(command.match_id)
        key = (command.match_id, command.round_no, TransactionKind.SETTLE)
        if key in self.rounds:
            raise Refused(
                "ROUND_ALREADY_SETTLED",
                "the round was settled by another command",
                tx_id=self.rounds[key],
            )
        self._match_open(command.match_id)
        draft = Draft(command.head.tx_id, self.accounts)
        draft.require(leg.account_id for leg in command.legs)
        draft.move_all(command.legs)
        return Settled(self._keep(draft, command, key))

    def _close(self, command: CloseMatch) -> Closed:
        self._match_known(command.match_id)
        self._match_open(command.match_id)
        draft = Draft(command.head.tx_id, self.accounts)
        draft.require(leg.account_id for leg in command.adjustments)
        draft.require(name for p in command.payouts for name in (p.escrow_id, p.account_id))
        draft.move_all(command.adjustments)
        remainders = tuple(draft.at(payout.escrow_id).balance for payout in command.payouts)
        for payout, remainder in zip(command.payouts, remainders, strict=True):
            if remainder:
                draft.move(payout.escrow_id, -remainder)
                draft.move(payout.account_id, remainder)
        self._escrows_empty(command.match_id, draft)
        key = (command.match_id, 0, TransactionKind.CLOSE)
        return Closed(self._keep(draft, command, key), remainders)

    def _escrows_empty(self, match_id: str, draft: Draft) -> None:
        """IL9: a match closes only if nothing is left in any of its escrows."""
        for account_id in self.of_match[match_id]:
            if draft.at(account_id).balance:
                raise Refused(
                    "ESCROW_NOT_EMPTY",
                    "an escrow with a remainder has no payout",
                    account_id=account_id,
                )

    def _match_known(self, match_id: str) -> None:
        if match_id not in self.of_match:
            raise Refused("UNKNOWN_MATCH", "the match has no account here", match_id=match_id)

    def _match_open(self, match_id: str) -> None:
        closed = self.rounds.get((match_id, 0, TransactionKind.CLOSE))
        if closed is not None:
            raise Refused("MATCH_CLOSED", "the match is closed", tx_id=closed)

    def _keep(self, draft: Draft, command: SettleRound | CloseMatch, key: RoundKey) -> Transaction:
        match_id, round_no, kind = key
        transaction = Transaction(
            draft.tx_id,
            kind,
            match_id,
            round_no,
            command.log_hash,
            self.now_ms,
            command.head.command_id,
            tuple(draft.entries),
        )
        for account_id in draft.moved:
            self.changes.before.setdefault(account_id, self.accounts[account_id])
        self.accounts.update(draft.moved)
        self.changes.after.update(draft.moved)
        self.changes.transactions.append(transaction)
        self.rounds[key] = draft.tx_id
        return transaction


def _repeat(command: Command, stored: Stored, body: bytes) -> Answer:
    """Idempotency, points 3 and 4: the stored answer, or the names of what differs."""
    if stored.req_hash == fingerprint(body):
        return Answer(stored.response, replayed=True)
    raise Refused(
        "COMMAND_ID_REUSED",
        "the command id was used with another body",
        tx_id=command.head.tx_id,
        fields=",".join(differing_fields(stored.body, body)),
    )
