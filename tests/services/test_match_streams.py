"""Session and Watch over a real connection: resuming, replacing, bounds, draining."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from match_kit import AUDIT, Gateway, House, kinds_of, new_id, reason, replies_of, views_of
from paiju.match.v1 import match_pb2 as pb
from paiju.match.v1.match_pb2_grpc import MatchServiceStub

from libs.runtime import clients
from libs.runtime.errors import PaijuError, reason_of
from libs.runtime.guard import Guard
from libs.runtime.logs import logger
from libs.runtime.metrics import Metrics
from libs.runtime.server import server_options, serving
from libs.runtime.settings import Settings
from services.match.feed import Bound, SessionFeed
from services.match.main import SERVICE
from services.match.servicer import MatchServicer, handlers
from services.match.session import Streams
from services.match.store import Store

LIMIT = 256 * 1024


@asynccontextmanager
async def served(path: Path, bound: Bound | None = None) -> AsyncIterator[tuple]:
    """A house behind a port: house, streams, stub."""
    async with House(path) as house:
        streams = Streams(house.hub, bound or Bound())
        servicer = MatchServicer(house.hub, streams, AUDIT)
        guard = Guard(logger(service="match"), Metrics(), LIMIT)
        server = grpc.aio.server(interceptors=[guard], options=server_options(LIMIT))
        server.add_generic_rpc_handlers((handlers(servicer),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with clients.channel(f"127.0.0.1:{port}") as channel:
            yield house, streams, MatchServiceStub(channel)
        await server.stop(0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


def attach(match_id: str, token: str, after: int = 0) -> pb.SessionRequest:
    """One attach."""
    item = pb.SessionRequest.Attach(match_id=match_id, seat_token=token, after_seq=after)
    return pb.SessionRequest(attaches=[item])


def command(match_id: str, seat: int, **kind: object) -> pb.SessionRequest:
    """One command."""
    made = pb.SessionRequest.Command(match_id=match_id, seat=seat, command_id=new_id(), **kind)
    return pb.SessionRequest(commands=[made])


async def updates(call: grpc.aio.StreamStreamCall, wanted: int) -> list:
    """At least so many updates."""
    found: list = []
    while len(found) < wanted:
        found += (await call.read()).updates
    return found


async def failure(call: grpc.aio.StreamStreamCall) -> str:
    """The reason with which a stream ends."""
    try:
        while await call.read() is not grpc.aio.EOF:
            continue
    except grpc.aio.AioRpcError as ended:
        return reason_of(ended).reason
    return ""


async def test_a_gateway_plays_two_seats(path: Path) -> None:
    """One stream: attach, ready, act; lists up and down."""
    async with served(path) as (_house, _streams, stub):
        created = await stub.CreateMatch(
            pb.CreateMatchRequest(
                command_id=new_id(), game="toy", players=2, creator=pb.Player(player_id="a")
            )
        )
        match_id = created.match.match_id
        joined = await stub.Join(
            pb.JoinRequest(command_id=new_id(), match_id=match_id, player=pb.Player(player_id="b"))
        )
        call = stub.Session()
        both = attach(match_id, created.seat_token)
        both.MergeFrom(attach(match_id, joined.seat_token))
        await call.write(both)
        found = await updates(call, 2)
        assert [u.views[0].WhichOneof("kind") for u in found] == ["snapshot", "snapshot"]
        for seat in (0, 1):
            await call.write(command(match_id, seat, ready=pb.ReadyCommand()))
        found = await updates(call, 8)
        prompted = [v for v in views_of(found, 0) if v.event.HasField("prompted")]
        assert len(prompted) == 1
        await call.write(command(match_id, 0, answer=pb.Answer(prompt_id=1, index=0)))
        await call.done_writing()
        answers = replies_of(await updates(call, 2))
        assert [reply.HasField("accepted") for reply in answers] == [True]
        assert await call.read() is grpc.aio.EOF
        assert await call.code() is grpc.StatusCode.OK


async def test_the_newest_attach_of_a_seat_wins(path: Path) -> None:
    """REPLACED for that seat alone; the older stream goes on."""
    async with served(path) as (house, _streams, stub):
        match_id, tokens, _gateway = await house.started()
        older, newer = stub.Session(), stub.Session()
        await older.write(attach(match_id, tokens[0]))
        await older.write(attach(match_id, tokens[1]))
        await updates(older, 2)
        await newer.write(attach(match_id, tokens[0]))
        await updates(newer, 1)
        (replaced,) = await updates(older, 1)
        assert (replaced.seat, reason([replaced])) == (0, "REPLACED")
        await older.write(command(match_id, 0, answer=pb.Answer(prompt_id=1, index=0)))
        assert reason(await updates(older, 1)) == "NOT_YOUR_SEAT"
        await newer.write(command(match_id, 0, answer=pb.Answer(prompt_id=1, index=0)))
        found = await updates(newer, 1)
        assert replies_of(found)[0].HasField("accepted")
        assert views_of(await updates(older, 1), 1)


async def test_the_end_of_an_older_stream_takes_nothing_from_the_newer(path: Path) -> None:
    """The older one lets go of its seats when it ends; this one is not its own any more."""
    async with served(path) as (house, streams, stub):
        match_id, tokens, _gateway = await house.started()
        older = stub.Session()
        await older.write(attach(match_id, tokens[0]))
        await updates(older, 1)
        (feed,) = streams._open
        newer = stub.Session()
        await newer.write(attach(match_id, tokens[0]))
        await updates(newer, 1)
        older.cancel()
        await asyncio.wait_for(feed.ended.wait(), 5)
        await house.core.quiet()
        await newer.write(command(match_id, 0, answer=pb.Answer(prompt_id=1, index=0)))
        assert reason(await updates(newer, 1)) == ""


async def test_a_wrong_token_fails_its_attach_only(path: Path) -> None:
    """BAD_TOKEN without a seat; the stream goes on."""
    async with served(path) as (house, _streams, stub):
        match_id, tokens = await house.seated()
        call = stub.Session()
        await call.write(attach(match_id, "wrong"))
        (update,) = await updates(call, 1)
        assert reason([update]) == "BAD_TOKEN"
        assert not update.HasField("seat")
        await call.write(attach(match_id, tokens[0], after=10**6))
        assert reason(await updates(call, 1)) == "BAD_REQUEST"
        await call.write(attach(match_id, tokens[0]))
        assert replies_of(await updates(call, 1))[0].HasField("accepted")
        call.cancel()


async def test_watch_resumes_where_it_was(path: Path) -> None:
    """After n come n+1, n+2, …, from the log; then live."""
    async with served(path) as (house, _streams, stub):
        match_id, tokens, gateway = await house.started()
        seen = [view for view in views_of(gateway.opening, 1) if view.HasField("event")]
        first = seen[0].seat_seq
        request = pb.WatchRequest(match_id=match_id, after_seq=first - 1)
        call = stub.Watch(request, metadata=(("seat-token", tokens[1]),))
        missed = list((await call.read()).views)
        assert missed == seen
        await house.servicer.act(
            pb.ActRequest(
                command_id=new_id(),
                match_id=match_id,
                seat_token=tokens[0],
                answer=pb.Answer(prompt_id=1, index=0),
            ),
            _NoMetadata(),
        )
        live = list((await call.read()).views)
        assert live[0].seat_seq == missed[-1].seat_seq + 1
        newer = stub.Watch(request, metadata=(("seat-token", tokens[1]),))
        await newer.read()
        assert await failure(call) == "REPLACED"
        newer.cancel()


async def test_a_seat_resumes_behind_every_number(path: Path) -> None:
    """Also in the midst of what one row told: n + 1 and on, the same views each time."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        await gateway.act(match_id, 0, 1)
        seq = house.hub.slots[match_id].table.control.seats[1].seq
        told = []
        for after in range(1, seq + 1):
            (update,) = await Gateway(house).attach(match_id, tokens[1], after=after)
            told.append(list(update.views))
        assert [view.seat_seq for view in told[0]] == list(range(2, seq + 1))
        assert told == [told[0][n:] for n in range(seq)]


class _NoMetadata:
    def invocation_metadata(self) -> list:
        return []


async def test_watch_refuses_a_wrong_token(path: Path) -> None:
    """The stream ends with the reason."""
    async with served(path) as (house, _streams, stub):
        match_id, _tokens = await house.seated()
        call = stub.Watch(pb.WatchRequest(match_id=match_id, seat_token="wrong"))
        assert await failure(call) == "BAD_TOKEN"


async def test_a_reader_that_stops_is_cut_off(path: Path) -> None:
    """SLOW_CONSUMER; others play on and the seat can be resumed."""
    async with served(path, Bound(bytes=32 * 1024)) as (house, streams, stub):
        match_id, tokens = await house.seated()
        slow = stub.Session()
        many = pb.SessionRequest()
        for _ in range(50):
            many.MergeFrom(attach(match_id, tokens[0]))
        feed = None
        while feed is None or feed.error is None:
            await slow.write(many)
            await house.core.quiet()
            feed = feed or next(iter(streams._open), None)
        assert feed.error.reason == "SLOW_CONSUMER"
        assert await failure(slow) == "SLOW_CONSUMER"
        again = stub.Session()
        await again.write(attach(match_id, tokens[0], after=1))
        assert replies_of(await updates(again, 1))[0].HasField("accepted")
        again.cancel()


def test_a_feed_is_bounded_by_bytes_and_by_number() -> None:
    """Both bounds end the stream; what waited is dropped."""
    for bound in (Bound(bytes=10), Bound(updates=3)):
        feed = SessionFeed(bound)
        for _ in range(4):
            feed.push(b"1234")
        assert feed.error is not None
        assert feed.take() == b""


def test_a_message_takes_what_fits() -> None:
    """Elements keep their order over messages of at most 128 KiB; a larger one travels alone."""
    feed = SessionFeed(Bound())
    parts = [bytes([n]) * size for n, size in enumerate((100_000, 30_000, 1_072, 200_000, 1))]
    for part in parts:
        feed.push(part)
    taken = [feed.take() for _ in range(4)]
    assert taken == [b"".join(parts[:3]), parts[3], parts[4], b""]


async def test_draining_ends_streams(path: Path) -> None:
    """DRAINING, after what was waiting; new streams are refused."""
    async with served(path) as (house, streams, stub):
        match_id, tokens = await house.seated()
        call = stub.Session()
        await call.write(attach(match_id, tokens[0]))
        await updates(call, 1)
        await house.core.drain()
        streams.drain()
        assert await failure(call) == "DRAINING"
        assert await failure(stub.Session()) == "DRAINING"


async def test_a_service_that_fails_ends_its_streams_well(path: Path, monkeypatch) -> None:
    """What failed never comes to rest; a gateway is told DRAINING all the same and comes back."""

    async def broken(_store: Store, _match_ids: list[str]) -> dict:
        raise RuntimeError

    monkeypatch.setattr(Store, "heads", broken)
    env = {"PORT": "0", "METRICS_PORT": "0", "DRAIN_SECONDS": "1", "KEY": "00" * 32}
    env |= {"DATABASE_URL": f"sqlite:///{path}"}
    settings = Settings.of("match", {f"PAIJU_MATCH_{name}": env[name] for name in env})
    async with serving(SERVICE, settings) as app:
        channel = clients.channel(f"127.0.0.1:{app.port}")
        stub = MatchServiceStub(channel)
        call = stub.Session()
        await call.wait_for_connection()
        asking = asyncio.ensure_future(stub.GetMatch(pb.GetMatchRequest(match_id="m")))
        await asyncio.wait_for(app.failed.wait(), 5)
        ended = asyncio.create_task(failure(call))
    assert await ended == "DRAINING"
    await asyncio.gather(asking, return_exceptions=True)
    await channel.close()


async def test_a_stream_that_goes_leaves_its_seats(path: Path) -> None:
    """`connected` shows it."""
    async with served(path) as (house, streams, stub):
        match_id, tokens = await house.seated()
        call = stub.Session()
        await call.write(attach(match_id, tokens[0]))
        await updates(call, 1)
        assert (await house.match(match_id)).seats[0].connected
        (feed,) = streams._open
        call.cancel()
        await asyncio.wait_for(feed.ended.wait(), 5)
        await house.core.quiet()
        assert not (await house.match(match_id)).seats[0].connected


async def test_bytes_that_are_no_message_are_refused(path: Path) -> None:
    """Malformed and oversized requests get a status and a reason, and change nothing."""
    async with served(path) as (house, _streams, stub):
        match_id, _tokens = await house.seated()
        call = stub.Session()
        big = pb.SessionRequest()
        for _ in range(LIMIT // 100):
            big.MergeFrom(attach("x" * 100, "y"))
        await call.write(big)
        assert await failure(call) == "LIMIT_EXCEEDED"
        assert (await house.match(match_id)).phase == pb.MATCH_PHASE_OPEN


async def test_a_stream_that_is_over_takes_no_seat(path: Path) -> None:
    """An attach that runs after its stream has ended leaves the older stream its seat."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        late = Gateway(house)
        late.feed.end(PaijuError("SLOW_CONSUMER", "gone"), drop=True)
        assert await late.attach(match_id, tokens[0]) == []
        assert gateway.drained() == []
        assert reason(await gateway.act(match_id, 0, 1)) == ""


async def test_a_seat_that_leaves_is_detached(path: Path) -> None:
    """The seat hears that it left, then nothing more; its commands are nobody's."""
    async with House(path) as house:
        match_id, tokens = await house.seated()
        gateway = Gateway(house)
        await gateway.attach(match_id, tokens[1])
        command_id = new_id()
        updates = await gateway.command(match_id, 1, command_id, leave=pb.LeaveCommand())
        assert kinds_of(updates, 1) == ["seat_left"]
        await house.join(match_id, "other")
        assert await gateway.news() == []
        ready = await gateway.command(match_id, 1, ready=pb.ReadyCommand())
        assert reason(ready) == "NOT_YOUR_SEAT"
        again = await gateway.command(match_id, 1, command_id, leave=pb.LeaveCommand())
        assert reason(again) == ""


@pytest.mark.parametrize("kind", ["attaches", "detaches", "commands"])
async def test_a_list_too_long_is_refused_at_once(path: Path, kind: str) -> None:
    """S12: 120,000 empty items in one message must not hold up every other match."""
    async with House(path) as house:
        gateway = Gateway(house)
        request = pb.SessionRequest()
        empty = {"attaches": "Attach", "detaches": "Detach", "commands": "Command"}[kind]
        getattr(request, kind).extend([getattr(pb.SessionRequest, empty)()] * 120_000)
        with pytest.raises(PaijuError) as refused:
            house.streams.accept(request, gateway.feed)
        assert refused.value.reason == "LIMIT_EXCEEDED"
        assert gateway.drained() == []
