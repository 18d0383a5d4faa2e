"""A gateway's side of the public API: one Session stream that carries many seats.

async with Gateway("127.0.0.1:7401") as gateway:
    seat = gateway.attach(ticket, on_view=show)        # ticket: see tools/platform_api.py
    await seat.ready()
    await seat.answer(prompt_id, index)

The stream may break at any moment: the gateway connects again, attaches every seat behind the
last number it has, drops what it had already, and repeats unanswered commands under the same
command id, so that each takes effect once. What is refused for good raises Refused.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeVar
from uuid import uuid4

import grpc
from google.rpc import status_pb2
from paiju.match.v1 import match_pb2 as pb
from paiju.match.v1.match_pb2_grpc import MatchServiceStub

from libs.runtime.clients import Retry, channel, pause
from libs.runtime.errors import of_status, reason_of
from tools.platform_api import REACH_SECONDS, Say, Ticket

T = TypeVar("T")
OnView = Callable[[pb.View], None]
OnReply = Callable[[pb.SessionRequest.Command, pb.SessionResponse.Reply], None]

_BACKOFF = Retry(first_seconds=0.05, most_seconds=0.5)
_BATCH = 200
_MOST_ATTEMPTS = 200
_PASSING = frozenset({"SLOW_CONSUMER", "OVERLOADED", "DRAINING", "NOT_OWNER"})
# A write into a stream that just broke makes grpc report INTERNAL instead of the true status; a
# server that ends says CANCELLED of a stream that it has not looked at.
_BROKEN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.CANCELLED,
)
_UNAVAILABLE = grpc.StatusCode.UNAVAILABLE.value[0]


class Refused(Exception):
    """The service refused for good; `reason` is that of ErrorInfo."""

    def __init__(self, reason: str, message: str, code: int = 0) -> None:
        """Keeps what the client may act on."""
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.code = code


class GaveUp(Exception):
    """The service did not come back within the gateway's patience."""


class SequenceGap(Exception):
    """A seat's numbers are not dense: something it should have received is missing."""


@dataclass(eq=False)
class _Pending:
    command: pb.SessionRequest.Command
    done: asyncio.Future[int]
    attempts: int = 0


@dataclass
class Stats:
    """What a gateway went through."""

    streams: int = 0
    commands: int = 0
    repeats: int = 0
    duplicates: int = 0
    slow_consumer: int = 0


@dataclass(eq=False)
class Seat:
    """One attached seat. `last_seq` is the resume token; `lost` ends it for good."""

    ticket: Ticket
    on_view: OnView
    last_seq: int
    _gateway: "Gateway"
    attached: bool = False
    lost: asyncio.Future[Refused] = field(default_factory=lambda: _future())
    pending: dict[str, _Pending] = field(default_factory=dict)

    async def answer(self, prompt_id: int, index: int) -> int:
        """Answers a prompt by index; returns the seat's sequence number. Raises Refused."""
        return await self.send(answer=pb.Answer(prompt_id=prompt_id, index=index))

    async def ready(self) -> int:
        """Ready for the next round (M2)."""
        return await self.send(ready=pb.ReadyCommand())

    async def send(self, command_id: str = "", **kind: Any) -> int:
        """Sends a command and waits for its answer, over restarts of the service."""
        return await self.post(command_id, **kind)

    def post(self, command_id: str = "", **kind: Any) -> "asyncio.Future[int]":
        """Sends a command; the future has its answer."""
        command = pb.SessionRequest.Command(
            match_id=self.ticket.match_id,
            seat=self.ticket.seat,
            command_id=command_id or str(uuid4()),
            **kind,
        )
        return self._gateway.submit(self, command)

    def take(self, views: "list[pb.View]") -> int:
        """Hands over what is new, in order; returns how many were already known."""
        known = 0
        for view in views:
            if view.seat_seq <= self.last_seq and not view.HasField("snapshot"):
                known += 1
                continue
            if view.seat_seq != self.last_seq + 1 and not view.HasField("snapshot"):
                raise SequenceGap(f"{self.ticket[:2]}: {view.seat_seq} after {self.last_seq}")
            self.last_seq = view.seat_seq
            self.on_view(view)
        return known

    def fail(self, error: BaseException) -> None:
        """Ends every command that still waits."""
        for pending in self.pending.values():
            if not pending.done.done():
                pending.done.set_exception(error)
        self.pending.clear()


def _future() -> "asyncio.Future[Any]":
    return asyncio.get_running_loop().create_future()


def refusal(status: status_pb2.Status) -> Refused:
    """An error status as an exception."""
    return Refused(of_status(status).reason, status.message, status.code)


def _passes(error: status_pb2.Status) -> bool:
    return error.code == _UNAVAILABLE or of_status(error).reason in _PASSING


class Gateway:
    """Keeps one Session stream up and many seats on it."""

    def __init__(
        self,
        target: str,
        patience: float = 30.0,
        on_reply: OnReply | None = None,
        say: Say | None = None,
    ) -> None:
        """`patience`: seconds without any sign of life; `on_reply` sees final answers; `say` is
        told of an outage and of its end."""
        self.stats = Stats()
        self._target, self._say, self._out = target, say, False
        self._patience = patience
        self._on_reply = on_reply
        self._channel = channel(target)
        self._stub: Any = MatchServiceStub(self._channel)
        self._seats: dict[tuple[str, int], Seat] = {}
        self._attaching: dict[str, deque[Seat]] = {}
        self._attaches: deque[Seat] = deque()
        self._detaches: deque[Seat] = deque()
        self._commands: deque[_Pending] = deque()
        self._wake = asyncio.Event()
        self._alive_at = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Gateway":
        self._alive_at = asyncio.get_running_loop().time()
        self._task = asyncio.create_task(self._run(), name="gateway")
        self._task.add_done_callback(self._run_ended)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._channel.close()

    def attach(self, ticket: Ticket, on_view: OnView, after_seq: int = 0) -> Seat:
        """Follows a seat from `after_seq` on; 0 begins with a snapshot."""
        seat = Seat(ticket, on_view, after_seq, self)
        self._seats[ticket.match_id, ticket.seat] = seat
        self._attaches.append(seat)
        self._wake.set()
        return seat

    def detach(self, seat: Seat) -> None:
        """Stops following a seat; its unanswered commands are given up."""
        self._seats.pop((seat.ticket.match_id, seat.ticket.seat), None)
        seat.fail(Refused("DETACHED", "the seat was detached"))
        self._detaches.append(seat)
        self._wake.set()

    async def guard(self, work: Awaitable[T]) -> T:
        """Waits for `work`, or raises what ended the gateway."""
        assert self._task is not None
        task = asyncio.ensure_future(work)
        await asyncio.wait({task, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._task.result()
            raise GaveUp("the gateway was closed")
        return task.result()

    def submit(self, seat: Seat, command: pb.SessionRequest.Command) -> "asyncio.Future[int]":
        """Queues a command of a seat; the future has its final answer."""
        pending = _Pending(command, _future())
        if seat.lost.done():
            pending.done.set_exception(seat.lost.result())
            return pending.done
        seat.pending[command.command_id] = pending
        self.stats.commands += 1
        if seat.attached:
            self._push(pending)
        return pending.done

    def _push(self, pending: _Pending) -> None:
        self.stats.repeats += pending.attempts > 0
        pending.attempts += 1
        self._commands.append(pending)
        self._wake.set()

    async def _run(self) -> None:
        attempt = 0
        while True:
            alive_before = self._alive_at
            await self._one_stream()
            attempt = attempt + 1 if alive_before == self._alive_at else 0
            silent = asyncio.get_running_loop().time() - self._alive_at
            if silent > self._patience:
                raise GaveUp(f"{self._target}: no answer within {self._patience:g} s")
            self._tell(silent)
            await asyncio.sleep(pause(attempt, _BACKOFF))

    def _tell(self, silent: float) -> None:
        """Says once that an outage lasts."""
        if self._say is not None and not self._out and silent > REACH_SECONDS:
            self._out = True
            self._say(f"{self._target} does not answer; trying for {self._patience:g} s")

    def _alive(self) -> None:
        """Something came down the stream."""
        self._alive_at = asyncio.get_running_loop().time()
        if self._say is not None and self._out:
            self._out = False
            self._say(f"{self._target} answers again")

    def _run_ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        for seat in self._seats.values():
            seat.fail(error or GaveUp("the gateway was closed"))

    async def _one_stream(self) -> None:
        """Lives as long as one stream; raises only what connecting again cannot mend."""
        self.stats.streams += 1
        self._attaching.clear()
        self._detaches.clear()
        self._commands.clear()
        self._attaches = deque(s for s in self._seats.values() if not s.lost.done())
        for seat in self._attaches:
            seat.attached = False
        self._wake.set()
        call = self._stub.Session()
        writer = asyncio.create_task(self._write(call))
        answered = False
        try:
            while (response := await call.read()) is not grpc.aio.EOF:
                answered = True
                self._alive()
                for update in response.updates:
                    self._take(update)
        except grpc.aio.AioRpcError as error:
            self._ended(error)
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            call.cancel()
            if answered:  # however long nothing was to be said: it was up until it broke
                self._alive_at = asyncio.get_running_loop().time()

    def _ended(self, error: grpc.aio.AioRpcError) -> None:
        reason = reason_of(error).reason
        self.stats.slow_consumer += reason == "SLOW_CONSUMER"
        if error.code() not in _BROKEN and reason not in _PASSING:
            raise Refused(reason, error.details() or "", error.code().value[0]) from error

    async def _write(self, call: Any) -> None:
        while True:
            await self._wake.wait()
            request = self._collect()
            if request is None:
                self._wake.clear()
                continue
            await call.write(request)

    def _collect(self) -> pb.SessionRequest | None:
        """Everything that gathered while the last message went out, bounded."""
        request = pb.SessionRequest()
        while self._detaches and len(request.detaches) < _BATCH:
            ticket = self._detaches.popleft().ticket
            request.detaches.add(match_id=ticket.match_id, seat=ticket.seat)
        while self._attaches and len(request.attaches) < _BATCH:
            seat = self._attaches.popleft()
            ticket = seat.ticket
            self._attaching.setdefault(ticket.match_id, deque()).append(seat)
            request.attaches.add(
                match_id=ticket.match_id, seat_token=ticket.token, after_seq=seat.last_seq
            )
        while self._commands and len(request.commands) < _BATCH:
            request.commands.append(self._commands.popleft().command)
        return request if request.ByteSize() else None

    def _take(self, update: pb.SessionResponse.Update) -> None:
        seat = self._seats.get((update.match_id, update.seat)) if update.HasField("seat") else None
        if update.HasField("reply"):
            if update.reply.command_id:
                self._answered(seat, update.reply)
            else:
                self._attach_answered(seat, update)
        if seat is not None:
            self.stats.duplicates += seat.take(list(update.views))

    def _attach_answered(self, seat: Seat | None, update: pb.SessionResponse.Update) -> None:
        waiting = self._attaching.get(update.match_id, deque())
        if update.reply.HasField("error"):
            failed = seat if seat is not None else waiting.popleft() if waiting else None
            if failed is not None:
                self._attach_failed(failed, update.reply.error)
            return
        if seat is None:
            return
        if seat in waiting:
            waiting.remove(seat)
        seat.attached = True
        for pending in seat.pending.values():
            self._push(pending)

    def _attach_failed(self, seat: Seat, error: status_pb2.Status) -> None:
        if _passes(error):
            self._later(lambda: self._attach_again(seat), 1)
            return
        refused = refusal(error)
        seat.attached = False
        seat.fail(refused)
        if not seat.lost.done():
            seat.lost.set_result(refused)

    def _attach_again(self, seat: Seat) -> None:
        self._attaches.append(seat)
        self._wake.set()

    def _answered(self, seat: Seat | None, reply: pb.SessionResponse.Reply) -> None:
        pending = None if seat is None else seat.pending.get(reply.command_id)
        if seat is None or pending is None:
            return
        if _passes(reply.error) and pending.attempts < _MOST_ATTEMPTS:
            self._later(lambda: self._repeat(seat, pending), pending.attempts)
            return
        del seat.pending[reply.command_id]
        if self._on_reply is not None:
            self._on_reply(pending.command, reply)
        if pending.done.done():
            return
        if reply.HasField("error"):
            pending.done.set_exception(refusal(reply.error))
        else:
            pending.done.set_result(reply.accepted.seat_seq)

    def _repeat(self, seat: Seat, pending: _Pending) -> None:
        if seat.attached and pending.command.command_id in seat.pending:
            self._push(pending)

    def _later(self, what: Callable[[], None], attempt: int) -> None:
        asyncio.get_running_loop().call_later(pause(attempt, _BACKOFF), what)
