"""The gateway client against a match service made for the test, which breaks as it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import grpc
import pytest
from grpc_status import rpc_status
from paiju.match.v1 import match_pb2 as pb
from paiju.match.v1 import match_pb2_grpc

from libs.runtime.errors import PaijuError, to_status
from tools.client import Gateway, Refused, SequenceGap
from tools.platform_api import REACH_SECONDS, Ticket

Responses = AsyncIterator[pb.SessionResponse]


@dataclass
class FakeMatch(match_pb2_grpc.MatchServiceServicer):
    """One seat of one match whose every command adds one view. Streams break by `break_*`."""

    broken: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE
    break_before: int = 0
    break_after: int = 0
    refuse: list[str] = field(default_factory=list)
    end_with: str = ""
    again: int = 0
    gap: int = 0
    attach_refused: str = ""
    done: dict[str, int] = field(default_factory=dict)
    views: list[pb.View] = field(default_factory=list)
    attaches: list[int] = field(default_factory=list)
    received: list[str] = field(default_factory=list)

    async def Session(self, request_iterator, context):
        """The stream."""
        if self.end_with:
            reason, self.end_with = self.end_with, ""
            status = to_status(PaijuError(reason, "as told"))
            await context.abort_with_status(rpc_status.to_status(status))
        async for request in request_iterator:
            for attach in request.attaches:
                yield self.attach(attach)
            for command in request.commands:
                async for response in self.command(command, context):
                    yield response

    def attach(self, attach: pb.SessionRequest.Attach) -> pb.SessionResponse:
        """Answers an attach with what the seat does not have, and `again` views too many."""
        self.attaches.append(attach.after_seq)
        response = pb.SessionResponse()
        if self.attach_refused:
            update = response.updates.add(match_id="m")
            update.reply.error.CopyFrom(to_status(PaijuError(self.attach_refused, "no")))
            return response
        update = response.updates.add(match_id="m", seat=0)
        update.reply.accepted.seat_seq = len(self.views)
        update.views.extend(self.views[max(0, attach.after_seq - self.again) :])
        return response

    async def command(
        self, command: pb.SessionRequest.Command, context: grpc.aio.ServicerContext
    ) -> Responses:
        """Does a command once and answers it, unless the stream breaks first."""
        self.received.append(command.command_id)
        if self.break_before:
            self.break_before -= 1
            await context.abort(self.broken, "died before")
        response = pb.SessionResponse()
        update = response.updates.add(match_id="m", seat=0)
        update.reply.command_id = command.command_id
        if self.refuse:
            update.reply.error.CopyFrom(to_status(PaijuError(self.refuse.pop(0), "no")))
            yield response
            return
        new = command.command_id not in self.done
        if new:
            self.views.append(pb.View(seat_seq=len(self.views) + 1 + self.gap))
            self.done[command.command_id] = len(self.views)
        if self.break_after:
            self.break_after -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "died after")
        update.reply.accepted.seat_seq = self.done[command.command_id]
        update.views.extend(self.views[-1:] if new else [])
        yield response


@asynccontextmanager
async def playing(fake: FakeMatch, patience: float = 20.0):
    """A gateway attached to the fake's seat, with the list of the numbers it received."""
    server = grpc.aio.server()
    match_pb2_grpc.add_MatchServiceServicer_to_server(fake, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    seen: list[int] = []
    try:
        async with Gateway(f"127.0.0.1:{port}", patience) as gateway:
            seat = gateway.attach(Ticket("m", 0, "t"), lambda view: seen.append(view.seat_seq))
            yield gateway, seat, seen
    finally:
        await server.stop(None)


async def test_a_command_is_answered_with_the_seats_number():
    """The plain way: attach, command, answer, view."""
    fake = FakeMatch()
    async with playing(fake) as (gateway, seat, seen):
        assert await seat.answer(1, 0) == 1
        assert await seat.ready() == 2
        assert seen == [1, 2]
        assert seat.last_seq == 2
        assert gateway.stats.streams == 1


@pytest.mark.parametrize("when", ["break_before", "break_after", "cancelled"])
async def test_a_broken_stream_repeats_the_command_under_its_id(when):
    """Whether it took effect or not, the command happens once and is answered. A server that ends
    says CANCELLED of what it has not looked at."""
    ends = {"break_before": 2, "broken": grpc.StatusCode.CANCELLED}
    fake = FakeMatch(**(ends if when == "cancelled" else {when: 2}))
    async with playing(fake) as (gateway, seat, seen):
        assert await seat.answer(1, 0) == 1
        assert len(set(fake.received)) == 1
        assert len(fake.received) == 3
        assert len(fake.done) == 1
        assert gateway.stats.streams == 3
        await seat.answer(2, 0)
    assert seen == [1, 2]


async def test_attaches_resume_behind_the_last_number_and_drop_what_is_known():
    """A service that sends too much does no harm; nothing is delivered twice."""
    fake = FakeMatch(again=2)
    async with playing(fake) as (gateway, seat, seen):
        for prompt in (1, 2, 3):
            await seat.answer(prompt, 0)
        fake.break_after = 1
        await seat.answer(4, 0)
        await seat.answer(5, 0)
        assert fake.attaches == [0, 3]
        assert seen == [1, 2, 3, 4, 5]
        assert gateway.stats.duplicates == 2


async def test_passing_refusals_are_repeated_and_final_ones_raised():
    """UNAVAILABLE and OVERLOADED pass; STALE_PROMPT does not."""
    fake = FakeMatch(refuse=["UPSTREAM_UNAVAILABLE", "OVERLOADED", "STALE_PROMPT"])
    async with playing(fake) as (_gateway, seat, _seen):
        with pytest.raises(Refused) as refused:
            await seat.answer(1, 0)
        assert refused.value.reason == "STALE_PROMPT"
        assert len(fake.received) == 3
        assert len(set(fake.received)) == 1


async def test_a_slow_consumer_comes_back():
    """A stream that was cut off for slowness is resumed and counted."""
    fake = FakeMatch(end_with="SLOW_CONSUMER")
    async with playing(fake) as (gateway, seat, _seen):
        await seat.answer(1, 0)
        assert gateway.stats.slow_consumer == 1
        assert gateway.stats.streams == 2


async def test_a_stream_refused_for_good_ends_the_gateway():
    """What connecting again cannot mend is raised, and waiting commands with it."""
    fake = FakeMatch(end_with="LIMIT_EXCEEDED")
    async with playing(fake) as (gateway, seat, _seen):
        with pytest.raises(Refused, match="LIMIT_EXCEEDED"):
            await gateway.guard(seat.answer(1, 0))


async def test_a_refused_attach_loses_the_seat():
    """A bad token: the seat is lost and its commands are refused."""
    fake = FakeMatch(attach_refused="BAD_TOKEN")
    async with playing(fake) as (_gateway, seat, _seen):
        with pytest.raises(Refused, match="BAD_TOKEN"):
            await seat.answer(1, 0)
        assert (await seat.lost).reason == "BAD_TOKEN"
        with pytest.raises(Refused, match="BAD_TOKEN"):
            await seat.ready()


async def test_a_gap_in_a_seats_numbers_is_an_error():
    """Numbers are dense; a hole means that something was lost on the way."""
    fake = FakeMatch(gap=1)
    async with playing(fake) as (gateway, seat, _seen):
        assert await seat.answer(1, 0) == 1
        with pytest.raises(SequenceGap):
            await gateway.guard(asyncio.get_running_loop().create_future())


async def test_a_long_silence_before_a_break_is_no_outage():
    """A stream on which nothing was to be said was up until it broke; then the wait begins."""
    fake = FakeMatch()
    async with playing(fake, patience=5.0) as (gateway, seat, _seen):
        assert await seat.answer(1, 0) == 1
        gateway._alive_at -= 100
        fake.break_before = 1
        assert await gateway.guard(seat.answer(2, 0)) == 2
        assert gateway.stats.streams == 2


async def test_an_outage_is_told_once_and_its_end():
    """A line when nothing answers for some seconds, another when something does."""
    said: list[str] = []
    gateway = Gateway("127.0.0.1:9", say=said.append)
    for silent in (0.5, REACH_SECONDS + 0.1, 20.0):
        gateway._tell(silent)
    gateway._alive()
    gateway._alive()
    assert said == [
        "127.0.0.1:9 does not answer; trying for 30 s",
        "127.0.0.1:9 answers again",
    ]


async def test_a_gateway_gives_up_after_its_patience():
    """Nobody listens: within bounded time an error instead of waiting for ever."""
    async with Gateway("127.0.0.1:9", patience=0.3) as gateway:
        seat = gateway.attach(Ticket("m", 0, "t"), lambda view: None)
        with pytest.raises(Exception, match="no answer within"):
            await asyncio.wait_for(seat.answer(1, 0), 10)
