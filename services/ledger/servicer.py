"""The ledger's RPCs: read the request, check it, post or look up, answer."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from google.protobuf.message import Message
from paiju.ledger.v1 import ledger_pb2 as pb
from paiju.ledger.v1.ledger_pb2_grpc import LedgerServiceServicer
from prometheus_client import Counter

from libs.runtime.db import Work
from libs.runtime.errors import PaijuError, to_status
from libs.runtime.logs import Logger
from libs.runtime.metrics import Metrics
from services.ledger import messages, store
from services.ledger.book import Account, Answer
from services.ledger.checks import (
    MAX_AMOUNT,
    Refused,
    bad,
    check,
    check_asset,
    check_caller,
    check_command_id,
    check_id,
    name_of,
)
from services.ledger.commands import Command
from services.ledger.group import MAX_GROUP, GroupCommit
from services.ledger.store import Find, Span, Store, Unreadable, WriteFailed

CALLER = "x-paiju-caller"
"""Metadata key of the calling service; until callers are authenticated it is taken at its word."""

DEFAULT_ASSET = "SCORE"
DEFAULT_PAGE = 100
MAX_PAGE = 1000

T = TypeVar("T")
Response = TypeVar("Response", bound=Message)
Context = Any  # grpc.aio.ServicerContext of any request and response


def _wire(refused: Refused) -> PaijuError:
    """A refusal of the ledger in its wire form."""
    return PaijuError(refused.reason, refused.message, **refused.fields)


class Counts:
    """What the ledger counts (docs/ledger.md, "Metrics")."""

    def __init__(self, metrics: Metrics, log: Logger) -> None:
        self._log = log
        self.postings: Counter = metrics.counter(
            "ledger_postings_total", "Commands carried out.", "op"
        )
        self.replays: Counter = metrics.counter(
            "ledger_replays_total", "Commands answered from the store.", "op"
        )
        self.rejections: Counter = metrics.counter(
            "ledger_rejections_total", "Commands refused.", "op", "reason"
        )
        self._failures = metrics.counter(
            "ledger_commit_failures_total", "Transactions rolled back by the database."
        )
        self._seconds = metrics.histogram(
            "ledger_commit_seconds", "Time of one transaction, its reads included."
        )
        self._sizes = metrics.histogram(
            "ledger_commit_commands",
            "Commands of one transaction.",
            buckets=(1, 2, 4, 8, 16, 32, 64, 128),
        )

    def commit(self, size: int, seconds: float) -> None:
        """One transaction became durable."""
        self._sizes.observe(size)
        self._seconds.observe(seconds)

    def failed(self, size: int, failed: WriteFailed) -> None:
        """One transaction was rolled back; logged here if a constraint did it: the trouble of the
        database itself has its own line (libs/runtime/writable.py)."""
        self._failures.inc()
        if not failed.passing:
            self._log.error("commit_failed", commands=size, why=str(failed))


class LedgerServicer(LedgerServiceServicer):
    """LedgerService of paiju.ledger.v1."""

    def __init__(self, group: GroupCommit, reads: Store, counts: Counts) -> None:
        self._group = group
        self._reads = reads
        self._counts = counts

    async def OpenAccounts(
        self, request: pb.OpenAccountsRequest, context: Context
    ) -> pb.OpenAccountsResponse:
        """Opens accounts, all or none; idempotent by account id."""
        command = messages.open_of(request, messages.head_of(request, _caller(context)))
        return await self._mutate(command, context, pb.OpenAccountsResponse)

    async def SettleRound(
        self, request: pb.SettleRoundRequest, context: Context
    ) -> pb.SettleRoundResponse:
        """Settles a round of a match, once (IL4)."""
        command = messages.settle_of(request, messages.head_of(request, _caller(context)))
        return await self._mutate(command, context, pb.SettleRoundResponse)

    async def SettleRounds(
        self, request: pb.SettleRoundsRequest, context: Context
    ) -> pb.SettleRoundsResponse:
        """Settles rounds, each by itself; they share transactions with whatever else comes."""
        if len(request.rounds) > MAX_GROUP:
            raise PaijuError(
                "LIMIT_EXCEEDED", "too many rounds", field="rounds", max_items=str(MAX_GROUP)
            )
        caller = _caller(context)
        settling = [self._settle(round_, caller) for round_ in request.rounds]
        return pb.SettleRoundsResponse(results=await asyncio.gather(*settling))

    async def CloseMatch(
        self, request: pb.CloseMatchRequest, context: Context
    ) -> pb.CloseMatchResponse:
        """Moves every escrow remainder of a match out (IL9)."""
        command = messages.close_of(request, messages.head_of(request, _caller(context)))
        return await self._mutate(command, context, pb.CloseMatchResponse)

    async def GetAccount(
        self, request: pb.GetAccountRequest, context: Context
    ) -> pb.GetAccountResponse:
        """One account, with everything acknowledged so far."""
        account = await self._account(request.account_id)
        return pb.GetAccountResponse(account=messages.account_message(account))

    async def ListEntries(
        self, request: pb.ListEntriesRequest, context: Context
    ) -> pb.ListEntriesResponse:
        """A statement of an account by versions, in pages."""
        with _wire_errors():
            span = _span(request)
        await self._account(request.account_id)
        statement = await self._read(
            lambda connection: store.statement(connection, request.account_id, span)
        )
        return messages.statement_message(statement)

    async def TrialBalance(
        self, request: pb.TrialBalanceRequest, context: Context
    ) -> pb.TrialBalanceResponse:
        """Sums over all accounts of an asset; the total must be 0 (IL5)."""
        asset = request.asset or DEFAULT_ASSET
        with _wire_errors():
            check_asset("asset", asset)
        trial = await self._read(lambda connection: store.trial(connection, asset))
        return messages.trial_message(asset, trial)

    async def GetTransaction(
        self, request: pb.GetTransactionRequest, context: Context
    ) -> pb.GetTransactionResponse:
        """One transaction by id, by the caller's command, or by match and round."""
        with _wire_errors():
            find = _finder(request, _caller(context))
        found = await self._read(find)
        if found is None:
            raise PaijuError("UNKNOWN_TRANSACTION", "no such transaction")
        return pb.GetTransactionResponse(transaction=messages.transaction_message(found))

    async def _mutate(
        self, command: Command, context: Context, response: type[Response]
    ) -> Response:
        answer = await self._post(command)
        if answer.replayed:
            context.set_trailing_metadata((("replayed", "true"),))
        return response.FromString(answer.response)

    async def _settle(
        self, request: pb.SettleRoundRequest, caller: str | None
    ) -> pb.SettleRoundsResponse.Result:
        try:
            answer = await self._post(
                messages.settle_of(request, messages.head_of(request, caller))
            )
        except PaijuError as refused:
            return pb.SettleRoundsResponse.Result(error=to_status(refused))
        except WriteFailed:  # logged where it was counted; its text stays here
            error = PaijuError("INTERNAL", "internal error")
            return pb.SettleRoundsResponse.Result(error=to_status(error))
        settled = pb.SettleRoundResponse.FromString(answer.response)
        return pb.SettleRoundsResponse.Result(settled=settled)

    async def _post(self, command: Command) -> Answer:
        """Carries a command out once; PaijuError if it is refused."""
        try:
            check(command)
            answer = await self._group.submit(command, messages.encode)
        except Refused as refused:
            self._counts.rejections.labels(command.op, refused.reason).inc()
            raise _wire(refused) from None
        except WriteFailed as failed:
            if not failed.passing:
                raise
            raise PaijuError("UPSTREAM_UNAVAILABLE", "the books cannot be written now") from None
        counter = self._counts.replays if answer.replayed else self._counts.postings
        counter.labels(command.op).inc()
        return answer

    async def _read(self, work: Work[T]) -> T:
        try:
            return await self._reads.read(work)
        except Unreadable:
            raise PaijuError("UPSTREAM_UNAVAILABLE", "the books cannot be read now") from None

    async def _account(self, account_id: str) -> Account:
        with _wire_errors():
            name_of(account_id, "account_id")
        found = await self._read(lambda connection: store.account(connection, account_id))
        if found is None:
            raise PaijuError("UNKNOWN_ACCOUNT", "no such account", account_id=account_id)
        return found


@contextmanager
def _wire_errors() -> Iterator[None]:
    """Refusals of a read in their wire form."""
    try:
        yield
    except Refused as refused:
        raise _wire(refused) from None


def _caller(context: Context) -> str | None:
    """The calling service as metadata names it."""
    for key, value in context.invocation_metadata() or ():
        if key == CALLER:
            return str(value)
    return None


def _span(request: pb.ListEntriesRequest) -> Span:
    first = request.from_version or 1
    last = request.to_version or MAX_AMOUNT
    if first > MAX_AMOUNT:
        raise bad("from_version", f"at most {MAX_AMOUNT}")
    if not first <= last <= MAX_AMOUNT:
        raise bad("to_version", "0 or not before from_version")
    if request.page_size > MAX_PAGE:
        text = f"page_size: at most {MAX_PAGE}"
        raise Refused("LIMIT_EXCEEDED", text, field="page_size", max=str(MAX_PAGE))
    return Span(first, last, request.page_size or DEFAULT_PAGE)


def _finder(request: pb.GetTransactionRequest, caller: str | None) -> Find:
    match request.WhichOneof("name"):
        case "tx_id":
            tx_id = request.tx_id
            return lambda connection: store.by_tx(connection, tx_id)
        case "command_id":
            command_id = request.command_id
            check_command_id(command_id)
            check_caller(CALLER, caller or "")
            return lambda connection: store.by_command(connection, caller or "", command_id)
        case "round":
            match_id, round_no = request.round.match_id, request.round.round_no
            check_id("round.match_id", match_id)
            return lambda connection: store.by_round(connection, match_id, round_no)
        case _:
            raise bad("name", "set: tx_id, command_id or round")
