"""MatchService: requests become jobs of the hub, answers are what the log stores."""

import hashlib
import hmac
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import grpc
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError, refuse
from services.match import checks, frames, lobby, wire
from services.match.answers import read_table
from services.match.feed import FutureReply
from services.match.hub import Hub
from services.match.jobs import CloseByPlatform, Create, Join, SeatCommand, Verb
from services.match.model import Meta, Phase
from services.match.rows import Kind, unpack
from services.match.seal import SealError
from services.match.session import Context, Streams, answer_of
from services.match.store import Filter, Logged
from services.match.table import Head, Table, of_head, secrets_of

T = TypeVar("T")

_CALLER = "platform"
_DEFAULT_MATCHES, _MOST_MATCHES = 50, 500
_DEFAULT_ROWS, _MOST_ROWS = 100, 1000


class Tokens(NamedTuple):
    """Metadata of a call that speak for its caller."""

    seat: str
    audit: str


def _tokens(context: Context) -> Tokens:
    metadata = dict(context.invocation_metadata() or ())
    return Tokens(str(metadata.get("seat-token", "")), str(metadata.get("audit-token", "")))


class MatchServicer:
    """One method per RPC."""

    def __init__(self, hub: Hub, streams: Streams, audit_token: str) -> None:
        self._hub = hub
        self._streams = streams
        self._audit_token = audit_token

    async def create_match(
        self, request: pb.CreateMatchRequest, _context: Context
    ) -> pb.CreateMatchResponse:
        """One command makes one match, whose id is derived from it (M1, M2)."""
        request.DiscardUnknownFields()
        checks.create(request)
        parts = self._hub.parts
        match_id = parts.vault.match_id(_CALLER, request.command_id)
        key = (match_id, _CALLER, request.command_id)
        req_hash = checks.fingerprint(request)
        (known,) = await parts.store.commands([key])
        if known is None:
            answer = await self._make(request, match_id, req_hash)
        elif known.req_hash == req_hash:
            answer = known.answer
        else:
            refuse("COMMAND_ID_REUSED", "this command id was used for something else")
        response = pb.CreateMatchResponse.FromString(answer)
        if request.HasField("creator"):
            response.seat_token = await self._token(match_id, 0, request.command_id)
        return response

    async def _make(self, request: pb.CreateMatchRequest, match_id: str, req_hash: bytes) -> bytes:
        parts = self._hub.parts
        options = request.options.SerializeToString(deterministic=True)
        made = await parts.ports.rules.check_options(request.game, options, request.players)
        now = parts.wheel.clock.now_ms()
        meta = Meta(
            match_id,
            request.game,
            made.release,
            made.options,
            request.players,
            request.rounds or 8,
            wire.pace(request.clock),
            request.client_seed,
            request.reference,
            now,
            wire.template(match_id, request, made, now),
        )
        creator = checks.player(request.creator) if request.HasField("creator") else None
        key, wrapped = parts.vault.new_key(match_id)
        new = lobby.NewMatch(meta, creator, request.command_id, req_hash, parts.owner, wrapped)
        reply = FutureReply()
        table, draft = lobby.create(new, key, now)
        self._hub.submit(match_id, Create(table, draft, reply, request.command_id))
        return await reply.future

    async def get_match(self, request: pb.GetMatchRequest, _context: Context) -> bytes:
        """A match between two of its commands."""
        connected = self._connected(request.match_id)
        match = await self._look(request.match_id, lambda table: table.match_bytes(connected))
        return frames.field(1, match)

    async def list_matches(self, request: pb.ListMatchesRequest, _context: Context) -> bytes:
        """Newest first, by pages."""
        size = checks.page_size(request.page_size, _DEFAULT_MATCHES, _MOST_MATCHES)
        checks.wanted(request)
        before = checks.page_token(request.page_token)
        phases = tuple(int(phase) for phase in request.phases)
        wanted = Filter(request.game, phases, request.reference, before, size + 1)
        found = await self._hub.parts.store.matches(wanted)
        page = found[:size]
        parts = [frames.field(1, match) for head, _ in page if (match := self._listed(head))]
        if len(found) > size:
            token = checks.make_page_token(page[-1][1], page[-1][0].match_id)
            parts.append(frames.field(2, token.encode()))
        return b"".join(parts)

    def _listed(self, head: Head) -> bytes | None:
        try:
            table = of_head(head, self._hub.parts.vault)
        except SealError as error:
            self._hub.quarantine.unreadable(head.match_id, error)
            return None
        return table.match_bytes(self._connected(head.match_id))

    async def join(self, request: pb.JoinRequest, _context: Context) -> pb.JoinResponse:
        """The next free seat (M2); a repeat answers with the same token."""
        command_id = checks.command_id(request.command_id)
        player_id, name = checks.player(request.player)
        reply = FutureReply()
        self._hub.submit(
            checks.match_id(request.match_id), Join(command_id, player_id, name, reply)
        )
        response = pb.JoinResponse.FromString(await reply.future)
        response.seat_token = await self._token(request.match_id, response.seat, command_id)
        return response

    async def leave(self, request: pb.LeaveRequest, context: Context) -> bytes:
        """Before the first round (M2)."""
        await self._seat(request, context, SeatCommand(request.command_id, Verb.LEAVE, _NOBODY))
        return await self._match_field(request.match_id)

    async def ready(self, request: pb.ReadyRequest, context: Context) -> bytes:
        """Ready of all starts the round (M2)."""
        await self._seat(request, context, SeatCommand(request.command_id, Verb.READY, _NOBODY))
        return await self._match_field(request.match_id)

    async def act(self, request: pb.ActRequest, context: Context) -> bytes:
        """A seat answers its prompt (M6)."""
        prompt_id, choice = answer_of(request.answer)
        job = SeatCommand(request.command_id, Verb.ACT, _NOBODY, prompt_id=prompt_id, choice=choice)
        return frames.field(1, await self._seat(request, context, job))

    async def _seat(
        self,
        request: pb.LeaveRequest | pb.ReadyRequest | pb.ActRequest,
        context: Context,
        job: SeatCommand,
    ) -> bytes:
        checks.command_id(request.command_id)
        job.token = _tokens(context).seat or request.seat_token
        if not job.token:
            refuse("BAD_TOKEN", "a seat token is needed")
        job.reply = reply = FutureReply()
        self._hub.submit(checks.match_id(request.match_id), job)
        return await reply.future

    async def watch(self, request: pb.WatchRequest, context: Context) -> None:
        """What one seat receives."""
        token = _tokens(context).seat or request.seat_token
        await self._streams.watch(request, token, context)

    async def session(self, requests: AsyncIterator[pb.SessionRequest], context: Context) -> None:
        """A gateway's stream."""
        await self._streams.session(requests, context)

    async def list_events(self, request: pb.ListEventsRequest, context: Context) -> bytes:
        """The log, for the platform and audit; hidden parts only of rounds that have ended."""
        wanted, given = self._audit_token.encode(), _tokens(context).audit.encode()
        if not wanted:
            refuse("AUDIT_DISABLED", "this service has no audit token")
        if not hmac.compare_digest(given, wanted):
            refuse("BAD_TOKEN", "an audit token is needed")
        size = checks.page_size(request.page_size, _DEFAULT_ROWS, _MOST_ROWS)
        checks.number("from_version", request.from_version, 0, checks.MOST_INT)
        table = await self._look(request.match_id, lambda table: table)
        rows = await self._hub.parts.store.rows(request.match_id, request.from_version, size + 1)
        control = table.control
        hidden = control.round_no if control.phase is Phase.PLAYING else 0
        parts = [frames.field(1, _log_row(logged, table, hidden)) for logged in rows[:size]]
        if len(rows) > size:
            parts.append(frames.uint(2, rows[size].row.version))
        return b"".join(parts)

    async def get_round(self, request: pb.GetRoundRequest, _context: Context) -> bytes:
        """The stored sheet."""
        match_id = checks.match_id(request.match_id)
        found = await self._hub.parts.store.round(match_id, request.round_no)
        if found is None:
            refuse("UNKNOWN_ROUND", "there is no such scored round")
        return frames.field(1, found.sheet) + frames.field(2, found.tx_id.encode())

    async def close_match(self, request: pb.CloseMatchRequest, _context: Context) -> bytes:
        """The platform ends a match (M7)."""
        reply = FutureReply()
        why = checks.reason(request.reason)
        job = CloseByPlatform(checks.command_id(request.command_id), why, reply)
        self._hub.submit(checks.match_id(request.match_id), job)
        self._hub.parts.log.info("close_match", match=request.match_id, why=why)
        return await reply.future

    async def _match_field(self, match_id: str) -> bytes:
        connected = self._connected(match_id)
        return frames.field(1, await self._look(match_id, lambda t: t.match_bytes(connected)))

    async def _token(self, match_id: str, seat: int, command_id: str) -> str:
        return await self._look(match_id, lambda table: table.key.token(seat, command_id))

    def _connected(self, match_id: str) -> set[int]:
        slot = self._hub.slots.get(match_id)
        return set(slot.attached) if slot else set()

    async def _look(self, match_id: str, look: Callable[[Table], T]) -> T:
        return await read_table(self._hub.submit, checks.match_id(match_id), look)


class _Nobody:
    def done(self, answer: bytes, views: Sequence[bytes] = ()) -> None:
        """Nobody waits."""

    def refuse(self, error: PaijuError) -> None:
        """Nobody waits."""


_NOBODY = _Nobody()


def _shown_id(actor: str, command_id: str) -> str:
    """A platform's command id repeats the command, seat token included: its hash is shown."""
    if actor != "platform":
        return command_id
    return hashlib.sha256(command_id.encode()).hexdigest()


def _log_row(logged: Logged, table: Table, hidden_round: int) -> bytes:
    row = logged.row
    events = unpack(row.public, b"")
    shown = [event for event in events if event.public]
    parts = [
        pb.LogRow(
            version=row.version,
            epoch=row.epoch,
            actor=row.actor,
            command_id=_shown_id(row.actor, row.command_id),
            at_ms=row.at_ms,
            hash=logged.hash,
            round_no=row.round_no,
        ).SerializeToString(),
        frames.fields(6, [event.public for event in shown if event.kind is Kind.TABLE]),
        frames.fields(7, [event.public for event in shown if event.kind is not Kind.TABLE]),
    ]
    if row.round_no != hidden_round:
        parts.append(frames.fields(8, secrets_of(row, table.key).records))
    return b"".join(parts)


def _encoded(response: Any) -> bytes:
    """Answers that were stored or glued are bytes already."""
    if isinstance(response, bytes):
        return response
    encoded: bytes = response.SerializeToString()
    return encoded


def handlers(servicer: MatchServicer) -> grpc.GenericRpcHandler:
    """MatchService with serializers that pass encoded bytes through (`performance.md`)."""
    service = pb.DESCRIPTOR.services_by_name["MatchService"]
    made: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
    for method in service.methods:
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in method.name).lstrip("_")
        read = getattr(pb, method.input_type.name).FromString
        kind = grpc.unary_unary_rpc_method_handler
        if method.client_streaming:
            kind = grpc.stream_stream_rpc_method_handler
        elif method.server_streaming:
            kind = grpc.unary_stream_rpc_method_handler
        made[method.name] = kind(getattr(servicer, snake), read, _encoded)
    return grpc.method_handlers_generic_handler(service.full_name, made)
