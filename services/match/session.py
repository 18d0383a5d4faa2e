"""The two streams: Session (a gateway, many seats) and Watch (one seat)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError
from services.match import checks
from services.match.feed import Bound, Feed, SessionFeed, SessionReply, Waiting, WatchFeed
from services.match.hub import Hub
from services.match.jobs import Attach, Detach, SeatCommand, Verb
from services.match.port import Choice
from services.match.slots import refuse_job

Context = Any  # grpc.aio.ServicerContext of any request and response

_ACTION_BYTES = 256
_FLUSH_SECONDS = 2.0
_MOST_ITEMS = 1024
_VERBS = {"answer": Verb.ACT, "ready": Verb.READY, "leave": Verb.LEAVE, "back": Verb.BACK}


def answer_of(answer: pb.Answer) -> tuple[int, Choice]:
    """The prompt and the choice; a choice by content is kept in its canonical encoding.

    Its size is bounded: choices of many matches go to the engine in one message.
    """
    kind = answer.WhichOneof("choice")
    if kind is None:
        raise PaijuError("BAD_REQUEST", "an answer names a choice", field="answer.choice")
    if kind == "action":
        answer.action.DiscardUnknownFields()
        action = answer.action.SerializeToString(deterministic=True)
        if len(action) > _ACTION_BYTES:
            raise PaijuError("BAD_REQUEST", "no choice is that long", field="answer.action")
        return answer.prompt_id, Choice(action=action)
    return answer.prompt_id, Choice(index=answer.index)


class Streams:
    """Serves streams until they end or the server drains."""

    def __init__(self, hub: Hub, bound: Bound) -> None:
        self._hub = hub
        self._bound = bound
        self._open: set[Feed] = set()
        self._waiting = Waiting()

    async def session(self, requests: AsyncIterator[pb.SessionRequest], context: Context) -> None:
        """Reads lists of requests, writes lists of updates; neither waits for the other."""
        feed = SessionFeed(self._bound, self._waiting)
        async with self._serving(feed):
            reader = asyncio.ensure_future(self._read(requests, feed))
            try:
                await _write(feed, context, reader)
            finally:
                reader.cancel()

    async def watch(self, request: pb.WatchRequest, token: str, context: Context) -> None:
        """Follows one seat."""
        feed = WatchFeed(self._bound, self._waiting)
        async with self._serving(feed):
            feed.pending += 1
            match_id = checks.match_id(request.match_id)
            self._hub.submit(match_id, Attach(feed, token, request.after_seq))
            await _write(feed, context, None)

    def drain(self) -> None:
        """Ends all streams; their seats can be resumed elsewhere."""
        for feed in list(self._open):
            feed.end(PaijuError("DRAINING", "this server is shutting down"))

    @asynccontextmanager
    async def _serving(self, feed: Feed) -> AsyncIterator[None]:
        if self._hub.draining:
            raise PaijuError("DRAINING", "this server is shutting down")
        streams = self._hub.parts.gauges.streams
        self._open.add(feed)
        streams.inc()
        try:
            yield
        finally:
            streams.dec()
            self._open.discard(feed)
            feed.end(PaijuError("REPLACED", "the stream is gone"), drop=True)
            feed.drop()
            for match_id, seat in feed.seats:
                self._hub.submit(match_id, Detach(feed, seat))

    async def _read(self, requests: AsyncIterator[pb.SessionRequest], feed: SessionFeed) -> None:
        async for request in requests:
            self.accept(request, feed)
        feed.half_closed()

    def accept(self, request: pb.SessionRequest, feed: SessionFeed) -> None:
        """Queues everything a request asks; a list too long ends the stream."""
        size = len(request.attaches) + len(request.detaches) + len(request.commands)
        if size > _MOST_ITEMS:
            raise PaijuError("LIMIT_EXCEEDED", "too many items", max_items=str(_MOST_ITEMS))
        for attach in request.attaches:
            feed.pending += 1
            self._attach(attach, feed)
        for detach in request.detaches:
            feed.seats.discard((detach.match_id, detach.seat))
            self._hub.submit(detach.match_id, Detach(feed, detach.seat))
        for command in request.commands:
            self._command(command, feed)

    def _attach(self, attach: pb.SessionRequest.Attach, feed: SessionFeed) -> None:
        job = Attach(feed, attach.seat_token, attach.after_seq)
        try:
            checks.match_id(attach.match_id)
        except PaijuError as error:
            refuse_job(job, attach.match_id, error)
        else:
            self._hub.submit(attach.match_id, job)

    def _command(self, command: pb.SessionRequest.Command, feed: SessionFeed) -> None:
        reply = SessionReply(feed, command.match_id, command.seat, command.command_id)
        kind = command.WhichOneof("kind")
        if kind is None:
            reply.refuse(PaijuError("BAD_REQUEST", "it says nothing", field="command.kind"))
            return
        job = SeatCommand(command.command_id, _VERBS[kind], reply, command.seat, feed=feed)
        try:
            checks.command_id(command.command_id)
            checks.match_id(command.match_id)
            if kind == "answer":
                job.prompt_id, job.choice = answer_of(command.answer)
        except PaijuError as error:
            reply.refuse(error)
        else:
            self._hub.submit(command.match_id, job)


async def _write(feed: Feed, context: Context, reader: "asyncio.Future[None] | None") -> None:
    """Writes until the stream is over; a client that does not read cannot hold it up."""
    writer = asyncio.ensure_future(_pump(feed, context))
    ended = asyncio.ensure_future(feed.ended.wait())
    waits = {writer, ended} | ({reader} if reader else set())
    try:
        while not (writer.done() or ended.done()):
            done, waits = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for future in done:
                future.result()
        if not writer.done():
            # What waits is written if the client reads; one that does not is cut off.
            await asyncio.wait({writer}, timeout=_FLUSH_SECONDS if feed.waiting else 0)
        if feed.error is not None:
            raise feed.error
    finally:
        writer.cancel()
        ended.cancel()


async def _pump(feed: Feed, context: Context) -> None:
    while True:
        await feed.wait()
        message = feed.take()
        if not message:
            return
        await context.write(message)
