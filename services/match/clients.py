"""The ports of `port.py` over gRPC."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import grpc
from google.rpc import status_pb2
from paiju.game.v1 import action_pb2, option_pb2
from paiju.ledger.v1 import ledger_pb2, ledger_pb2_grpc
from paiju.rules.v1 import rules_pb2, rules_pb2_grpc
from paiju.scoring.v1 import scoring_pb2, scoring_pb2_grpc

from libs.runtime.errors import REASONS, PaijuError, of_status, reason_of
from services.match.port import (
    Checked,
    Close,
    Finished,
    FinishItem,
    FoldItem,
    Input,
    OpenPrompt,
    PromptClass,
    SeatAccount,
    Settle,
    Sheet,
    StartItem,
    Status,
    StepItem,
    Stepped,
    TableEvent,
    ViewItem,
)

T = TypeVar("T")

_CLASSES = dict(enumerate(PromptClass))
_STATUSES = dict(enumerate(Status))
_ANSWER = Input.ANSWER
_event: Callable[[tuple[Any, ...]], TableEvent] = partial(tuple.__new__, TableEvent)
"""A TableEvent of a tuple, without the constructor written in Python: one for each event."""

ASSET = "SCORE"
_SECONDS = 5.0
_ACTOR = "match"


async def _asked(call: Awaitable[T]) -> T:
    """An answer, or the refusal it carries; a service that cannot be reached is one, too."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        reason, fields = reason_of(error)
        if reason not in REASONS or reason == "INTERNAL":
            raise PaijuError("UPSTREAM_UNAVAILABLE", "a service cannot answer now") from None
        raise PaijuError(reason, error.details() or reason, **fields) from None


def _refusal(status: status_pb2.Status) -> PaijuError:
    reason, fields = of_status(status)
    return PaijuError(reason if reason in REASONS else "INTERNAL", status.message, **fields)


class GrpcRules:
    """RulesService."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = rules_pb2_grpc.RulesServiceStub(channel)

    async def check_options(self, game: str, options: bytes, players: int) -> Checked:
        """Validates options."""
        request = rules_pb2.CheckOptionsRequest(game=game, players=players)
        request.options.ParseFromString(options)
        made = await _asked(self._stub.CheckOptions(request, timeout=_SECONDS))
        return Checked(made.options.SerializeToString(deterministic=True), made.release)

    async def start_rounds(self, items: Sequence[StartItem]) -> Sequence[Stepped | PaijuError]:
        """Deals rounds."""
        request = rules_pb2.StartRoundRequest(items=[_start(item) for item in items])
        response = await _asked(self._stub.StartRound(request, timeout=_SECONDS))
        return [_stepped(result) for result in response.results]

    async def step(self, items: Sequence[StepItem]) -> Sequence[Stepped | PaijuError]:
        """Applies one input to each state."""
        request = rules_pb2.StepRequest()
        for item in items:
            _step(request, item)
        response = await _asked(self._stub.Step(request, timeout=_SECONDS))
        return [_stepped(result) for result in response.results]

    async def view(self, items: Sequence[ViewItem]) -> Sequence[bytes | PaijuError]:
        """Serialized Tables."""
        asked = [rules_pb2.ViewRequest.Item(state=item.state, seat=item.seat) for item in items]
        request = rules_pb2.ViewRequest(items=asked)
        response = await _asked(self._stub.View(request, timeout=_SECONDS))
        return [
            _refusal(result.error) if result.HasField("error") else result.table.SerializeToString()
            for result in response.results
        ]

    async def fold(self, items: Sequence[FoldItem]) -> Sequence[bytes | PaijuError]:
        """States after recorded events."""
        asked = [rules_pb2.FoldRequest.Item(state=i.state, records=i.records) for i in items]
        request = rules_pb2.FoldRequest(items=asked)
        response = await _asked(self._stub.Fold(request, timeout=_SECONDS))
        return [
            _refusal(result.error) if result.HasField("error") else result.state
            for result in response.results
        ]


def _start(item: StartItem) -> rules_pb2.StartRoundRequest.Item:
    made = rules_pb2.StartRoundRequest.Item(
        game=item.game,
        release=item.release,
        players=item.players,
        round_no=item.round_no,
        carry=item.carry,
        joined=item.joined,
        creator=item.creator,
        run_on=item.run_on,
    )
    made.options.ParseFromString(item.options)
    made.seed.server_seed, made.seed.nonce = item.server_seed, item.nonce
    made.seed.match_id, made.seed.client_seed = item.match_id, item.client_seed
    return made


def _step(request: rules_pb2.StepRequest, item: StepItem) -> None:
    state, kind, run_on, seat, prompt_id, choice = item
    made = request.items.add(state=state, run_on=run_on)
    if kind is _ANSWER:
        answer = made.answer
        answer.seat, answer.prompt_id = seat, prompt_id
        if choice.action is None:
            answer.index = choice.index
        else:
            answer.action.CopyFrom(action_pb2.Action.FromString(choice.action))
    elif kind is Input.TIMEOUT:
        made.timeout.seat, made.timeout.prompt_id = seat, prompt_id
    elif kind is Input.AUTO:
        made.auto.seat, made.auto.prompt_id = seat, prompt_id
    elif kind is Input.ADVANCE:
        made.advance.SetInParent()
    else:
        made.abort.SetInParent()


def _stepped(result: rules_pb2.StepResult) -> Stepped | PaijuError:
    if result.HasField("error"):
        return _refusal(result.error)
    ok = result.ok
    return Stepped(
        ok.state,
        [
            _event((e.public, tuple([(form.seat, form.event) for form in e.private]), e.record))
            for e in ok.events
        ],
        [OpenPrompt(p.seat, p.prompt_id, _CLASSES[getattr(p, "class")]) for p in ok.prompts],
        _STATUSES[ok.status],
        ok.turn if ok.HasField("turn") else None,
        ok.carry,
    )


class GrpcScoring:
    """ScoringService."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = scoring_pb2_grpc.ScoringServiceStub(channel)

    async def score_rounds(self, states: Sequence[bytes]) -> Sequence[Sheet | PaijuError]:
        """Scores finished rounds."""
        request = scoring_pb2.ScoreRoundRequest(states=states)
        response = await _asked(self._stub.ScoreRound(request, timeout=_SECONDS))
        return [
            _refusal(result.error)
            if result.HasField("error")
            else Sheet(
                result.sheet.SerializeToString(deterministic=True), tuple(result.sheet.deltas)
            )
            for result in response.results
        ]

    async def finish_match(self, item: FinishItem) -> Finished:
        """Applies end-of-match rules."""
        request = scoring_pb2.FinishMatchRequest(
            game=item.game,
            release=item.release,
            options=option_pb2.Options.FromString(item.options),
            totals=item.totals,
            rounds=item.rounds,
        )
        made = await _asked(self._stub.FinishMatch(request, timeout=_SECONDS))
        lines = tuple(line.SerializeToString() for line in made.lines)
        return Finished(tuple(made.finals), tuple(made.adjustments), lines)


class GrpcLedger:
    """LedgerService; natural keys make every call repeatable."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ledger_pb2_grpc.LedgerServiceStub(channel)

    async def open_accounts(self, match_id: str, seats: Sequence[SeatAccount], at_ms: int) -> None:
        """Unbounded accounts of the asset SCORE: points of a match, zero-sum among its seats."""
        escrow = [
            ledger_pb2.AccountSpec(
                account_id=_escrow(match_id, seat.seat),
                kind=ledger_pb2.ACCOUNT_KIND_ESCROW,
                asset=ASSET,
            )
            for seat in seats
        ]
        player = [
            ledger_pb2.AccountSpec(
                account_id=_player(player_id), kind=ledger_pb2.ACCOUNT_KIND_PLAYER, asset=ASSET
            )
            for player_id in sorted({seat.player_id for seat in seats})
        ]
        request = ledger_pb2.OpenAccountsRequest(
            command_id=f"open:{match_id}",
            origin=_origin(at_ms, "match_started"),
            accounts=escrow + player,
        )
        await _asked(self._stub.OpenAccounts(request, timeout=_SECONDS))

    async def settle(self, items: Sequence[Settle]) -> Sequence[str | PaijuError]:
        """Posts rounds."""
        request = ledger_pb2.SettleRoundsRequest(rounds=[_settle(item) for item in items])
        response = await _asked(self._stub.SettleRounds(request, timeout=_SECONDS))
        return [
            _refusal(result.error) if result.HasField("error") else result.settled.transaction.tx_id
            for result in response.results
        ]

    async def close(self, item: Close) -> None:
        """Empties the escrows into the players' accounts."""
        request = ledger_pb2.CloseMatchRequest(
            command_id=f"close:{item.match_id}",
            origin=_origin(item.at_ms, "match_ended"),
            match_id=item.match_id,
            adjustments=_legs(item.match_id, item.adjustments),
            payouts=[
                ledger_pb2.CloseMatchRequest.Payout(
                    escrow_id=_escrow(item.match_id, seat.seat), account_id=_player(seat.player_id)
                )
                for seat in item.seats
            ],
            log_hash=item.log_hash,
        )
        await _asked(self._stub.CloseMatch(request, timeout=_SECONDS))


def _settle(item: Settle) -> ledger_pb2.SettleRoundRequest:
    return ledger_pb2.SettleRoundRequest(
        command_id=f"settle:{item.match_id}:{item.round_no}",
        origin=_origin(item.at_ms, "round_ended"),
        match_id=item.match_id,
        round_no=item.round_no,
        rules_release=item.release,
        log_hash=item.log_hash,
        legs=_legs(item.match_id, item.deltas),
    )


def _origin(at_ms: int, reason: str) -> ledger_pb2.Origin:
    return ledger_pb2.Origin(actor=_ACTOR, occurred_at_ms=at_ms, reason_code=reason)


def _escrow(match_id: str, seat: int) -> str:
    return f"escrow:{match_id}:{seat}:{ASSET}"


def _player(player_id: str) -> str:
    return f"player:{player_id}:{ASSET}"


def _legs(match_id: str, amounts: Sequence[int]) -> list[ledger_pb2.Leg]:
    return [
        ledger_pb2.Leg(account_id=_escrow(match_id, seat), amount=amount)
        for seat, amount in enumerate(amounts)
        if amount
    ]
