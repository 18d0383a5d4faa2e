"""Streams under stress: a gateway that does not read, a seat followed twice, a late attach."""

import asyncio
from contextlib import suppress

import grpc
import pytest
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import of_status, reason_of
from tests.cluster.cluster_room import opened, started
from tools.client import Gateway, Refused

MOST_ITEMS = 1000
ATTACHES = 3_400


async def follow(stream, ticket) -> None:
    """Attaches a seat, once."""
    request = pb.SessionRequest()
    request.attaches.add(match_id=ticket.match_id, seat_token=ticket.token)
    await stream.write(request)


async def flood(stream, ticket) -> None:
    """Asks for more snapshots than may wait, in messages of the most items, and reads none."""
    attach = pb.SessionRequest.Attach(match_id=ticket.match_id, seat_token=ticket.token)
    for begin in range(0, ATTACHES, MOST_ITEMS):
        count = min(MOST_ITEMS, ATTACHES - begin)
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await stream.write(pb.SessionRequest(attaches=[attach] * count))


async def cut_off(room, number) -> None:
    """Waits until nobody follows a seat any more: another process says so when it is asked."""
    for _ in range(200):
        match = await room.platform.match(room.match_id)
        if not match.seats[number].connected:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the seat is still followed")


async def flooded(room, number, followed) -> tuple[int, grpc.aio.AioRpcError]:
    """A stream that is flooded until it is cut off, before that it may have `followed` the seat:
    updates read, and how it ended.

    A client that is still writing when the service ends the stream may be told of its failed
    write alone (INTERNAL, from its own library); then the way it ended is not known, and it is
    done again.
    """
    for _ in range(9):
        stream = room.platform.stub.Session()
        if followed:
            await follow(stream, room.tickets[number])
            await stream.read()
        await flood(stream, room.tickets[number])
        count, error = await read_to_the_end(stream)
        if error.code() is not grpc.StatusCode.INTERNAL:
            return count, error
    raise AssertionError("nine times no status")


async def read_to_the_end(stream) -> tuple[int, grpc.aio.AioRpcError]:
    """Reads what is left of a stream: how many updates, and the error it must end with."""
    count = 0
    try:
        while (response := await stream.read()) is not grpc.aio.EOF:
            count += len(response.updates)
    except grpc.aio.AioRpcError as error:
        return count, error
    raise AssertionError("the stream ended well")


async def test_a_gateway_that_does_not_read_is_cut_off_and_can_resume(cluster):
    """SLOW_CONSUMER ends the stream, not the match; a new stream goes on where the seat was."""
    async with started(cluster) as room:
        number = room.discarding()
        table, ticket = room.tables[number], room.tickets[number]
        count, error = await flooded(room, number, True)
        assert count < ATTACHES
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reason_of(error).reason == "SLOW_CONSUMER"
        await cut_off(room, number)
        seen: list[pb.View] = []
        async with Gateway(cluster.target) as gateway:
            again = gateway.attach(ticket, seen.append, room.seats[number].last_seq)
            await gateway.guard(again.answer(table.prompt.prompt_id, 0))
            assert again.last_seq > room.seats[number].last_seq
            assert not any(view.HasField("snapshot") for view in seen)


async def test_a_stream_that_died_takes_no_seat(cluster):
    """Attaches of a stream that was cut off before they ran leave the older stream its seat."""
    async with started(cluster) as room:
        number = room.discarding()
        prompt_id = room.tables[number].prompt.prompt_id
        _, error = await flooded(room, number, False)
        assert reason_of(error).reason == "SLOW_CONSUMER"
        await room.seats[number].answer(prompt_id, 0)
        assert not room.seats[number].lost.done()


async def test_the_newest_attach_of_a_seat_wins(cluster):
    """The older stream gets REPLACED for that seat alone; its other seats go on."""
    async with started(cluster) as room:
        number = room.discarding()
        other = (number + 1) % 3
        async with Gateway(cluster.target) as newer:
            seat = newer.attach(room.tickets[number], lambda view: None)
            prompt_id = room.tables[number].prompt.prompt_id
            with pytest.raises(Refused, match="REPLACED"):
                raise await room.seats[number].lost
            with pytest.raises(Refused, match="REPLACED"):
                await room.seats[number].answer(prompt_id, 0)
            assert not room.seats[other].lost.done()
            before = len(room.views[other])
            await newer.guard(seat.answer(prompt_id, 0))
            await room.until(lambda: len(room.views[other]) > before)


async def test_a_late_attach_begins_with_what_the_seat_would_know(cluster):
    """A snapshot and the views that led there tell the same; a gap is filled from the log."""
    async with started(cluster) as room:
        number = room.discarding()
        followed = room.tables[number]
        seen: list[pb.View] = []
        async with Gateway(cluster.target) as gateway:
            seat = gateway.attach(room.tickets[number], seen.append)
            with pytest.raises(Refused, match="NOT_A_CHOICE"):
                await gateway.guard(seat.answer(followed.prompt.prompt_id, 99))
        table = seen[0].snapshot.table
        assert sorted(table.seats[number].hand) == sorted(followed.hand.elements())
        assert table.prompt == followed.prompt
        assert all(set(s.hand) <= {99} for n, s in enumerate(table.seats) if n != number)
        assert seen[0].seat_seq == room.seats[number].last_seq
        known = room.views[number]
        after = next(n for n, view in enumerate(known) if view.event.HasField("dealt"))
        refilled: list[pb.View] = []
        async with Gateway(cluster.target) as gateway:
            seat = gateway.attach(room.tickets[number], refilled.append, known[after].seat_seq)
            with pytest.raises(Refused, match="NOT_A_CHOICE"):
                await gateway.guard(seat.answer(followed.prompt.prompt_id, 99))
        assert refilled == known[after + 1 :]


async def test_errors_of_an_attach_name_their_reason(cluster):
    """A bad token loses that seat only; a number ahead of the seat is refused."""
    async with opened(cluster) as room:
        stream = room.platform.stub.Session()
        request = pb.SessionRequest()
        request.attaches.add(match_id=room.match_id, seat_token="guess")
        request.attaches.add(match_id="nowhere", seat_token="guess")
        good = room.tickets[0]
        request.attaches.add(match_id=room.match_id, seat_token=good.token, after_seq=10**6)
        await stream.write(request)
        reasons = set()
        while len(reasons) < 3:
            for update in (await stream.read()).updates:
                reasons.add(of_status(update.reply.error).reason)
        stream.cancel()
        assert reasons == {"BAD_TOKEN", "UNKNOWN_MATCH", "BAD_REQUEST"}
