"""Between the stubs and the ledger's own dataclasses; nothing is decided here."""

from collections.abc import Iterable

from paiju.ledger.v1 import ledger_pb2 as pb

from services.ledger.book import Account, Closed, Opened, Result, Settled
from services.ledger.commands import (
    AccountSpec,
    CloseMatch,
    Head,
    Leg,
    OpenAccounts,
    Origin,
    Payout,
    Posted,
    SettleRound,
    Transaction,
)
from services.ledger.store import Statement, Trial

Mutation = pb.OpenAccountsRequest | pb.SettleRoundRequest | pb.CloseMatchRequest


def head_of(request: Mutation, caller: str | None) -> Head:
    """What every mutation carries; without a named caller the actor is the caller."""
    origin = Origin(request.origin.actor, request.origin.occurred_at_ms, request.origin.reason_code)
    return Head(origin.actor if caller is None else caller, request.command_id, origin)


def open_of(request: pb.OpenAccountsRequest, head: Head) -> OpenAccounts:
    """The command of an OpenAccounts request."""
    return OpenAccounts(head, tuple(_spec(spec) for spec in request.accounts))


def settle_of(request: pb.SettleRoundRequest, head: Head) -> SettleRound:
    """The command of a SettleRound request."""
    return SettleRound(
        head,
        request.match_id,
        request.round_no,
        request.rules_release,
        request.log_hash,
        _legs(request.legs),
    )


def close_of(request: pb.CloseMatchRequest, head: Head) -> CloseMatch:
    """The command of a CloseMatch request."""
    payouts = tuple(Payout(p.escrow_id, p.account_id) for p in request.payouts)
    return CloseMatch(head, request.match_id, _legs(request.adjustments), payouts, request.log_hash)


def encode(result: Result) -> bytes:
    """The response bytes of a result, as stored and as sent for ever after."""
    match result:
        case Opened():
            accounts = [account_message(account) for account in result.accounts]
            return pb.OpenAccountsResponse(accounts=accounts).SerializeToString()
        case Settled():
            transaction = transaction_message(result.transaction)
            return pb.SettleRoundResponse(transaction=transaction).SerializeToString()
        case Closed():
            return pb.CloseMatchResponse(
                transaction=transaction_message(result.transaction),
                remainders=result.remainders,
            ).SerializeToString()


def account_message(account: Account) -> pb.Account:
    """An account."""
    spec = account.spec
    return pb.Account(
        account_id=spec.account_id,
        kind=_wire_kind(spec.kind),
        asset=spec.asset,
        min_balance=spec.min_balance,
        balance=account.balance,
        version=account.version,
    )


def transaction_message(transaction: Transaction) -> pb.Transaction:
    """A posted transaction."""
    return pb.Transaction(
        tx_id=transaction.tx_id,
        kind=pb.TransactionKind.ValueType(transaction.kind),
        match_id=transaction.match_id,
        round_no=transaction.round_no,
        entries=_entries(transaction.entries),
        log_hash=transaction.log_hash,
        recorded_at_ms=transaction.recorded_at_ms,
        command_id=transaction.command_id,
    )


def statement_message(statement: Statement) -> pb.ListEntriesResponse:
    """A statement; it closes with the last of its entries."""
    last = statement.entries[-1].balance_after if statement.entries else statement.opening
    return pb.ListEntriesResponse(
        opening=statement.opening,
        entries=_entries(statement.entries),
        closing=last,
        next_version=statement.next_version or 0,
    )


def trial_message(asset: str, trial: Trial) -> pb.TrialBalanceResponse:
    """A trial balance."""
    return pb.TrialBalanceResponse(
        asset=asset,
        total=sum(kind.balance for kind in trial.kinds),
        kinds=[
            pb.TrialBalanceResponse.KindTotal(
                kind=_wire_kind(kind.kind), accounts=kind.accounts, balance=kind.balance
            )
            for kind in trial.kinds
        ],
        transactions=trial.transactions,
        entries=trial.entries,
    )


def _wire_kind(kind: int) -> pb.AccountKind.ValueType:
    return pb.AccountKind.ValueType(kind)


def _spec(spec: pb.AccountSpec) -> AccountSpec:
    least = spec.min_balance if spec.HasField("min_balance") else None
    return AccountSpec(spec.account_id, int(spec.kind), spec.asset, least)


def _legs(legs: Iterable[pb.Leg]) -> tuple[Leg, ...]:
    return tuple(Leg(leg.account_id, leg.amount) for leg in legs)


def _entries(entries: Iterable[Posted]) -> list[pb.Entry]:
    return [
        pb.Entry(
            tx_id=entry.tx_id,
            account_id=entry.account_id,
            amount=entry.amount,
            balance_after=entry.balance_after,
            version=entry.version,
        )
        for entry in entries
    ]
