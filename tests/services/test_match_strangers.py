"""What no honest client sends: floods, names nobody has, streams that hold no seat (S11, S13)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from match_kit import Context, Gateway, House, new_id, reason, replies_of
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError, of_status
from services.match import frames
from services.match.feed import Bound, SessionFeed, Waiting
from services.match.session import Streams


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


async def test_one_seat_cannot_take_the_places_of_the_others(path: Path) -> None:
    """S13: a seat that floods its match must not make the others' answers come too late."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        cheat = Gateway(house)
        await cheat.attach(match_id, tokens[1])
        gateway.drained()
        flood = [
            pb.SessionRequest.Command(
                match_id=match_id,
                seat=1,
                command_id=new_id(),
                answer=pb.Answer(prompt_id=99, index=0),
            )
            for _ in range(300)
        ]
        cheat.send(commands=flood)
        assert reason(await gateway.act(match_id, 0, 1)) == ""
        refused = [of_status(reply.error).reason for reply in replies_of(cheat.drained())]
        assert set(refused) == {"STALE_PROMPT", "OVERLOADED"}


def _strange_attaches(match_id: str, number: int) -> dict[str, object]:
    tokens = [f"token {number} {n}" for n in range(40)]
    return {"attaches": [{"match_id": match_id, "seat_token": token} for token in tokens]}


def _strange_commands(match_id: str, number: int) -> dict[str, object]:
    seats = range(40)
    return {
        "commands": [
            {"match_id": match_id, "seat": seat, "command_id": new_id(), "ready": {}}
            for seat in seats
        ]
    }


def _strange_detaches(match_id: str, number: int) -> dict[str, object]:
    attach = {"match_id": match_id, "seat_token": "no token"}
    detaches = [{"match_id": match_id, "seat": seat} for seat in range(40)]
    return {"attaches": [attach], "detaches": detaches}


@pytest.mark.parametrize("flood", [_strange_attaches, _strange_commands, _strange_detaches])
async def test_strangers_cannot_take_the_places_of_the_seats(path: Path, flood: Callable) -> None:
    """S13: who holds no seat has one share, whatever tokens, seats and streams it makes up."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        back = {"match_id": match_id, "seat": 1, "command_id": new_id(), "back": {}}
        gateway.send(commands=[back])  # under way: what follows waits
        for number in range(4):
            Gateway(house).send(**flood(match_id, number))
        replies = replies_of(await gateway.act(match_id, 0, 1))
        assert [reply.WhichOneof("result") for reply in replies] == ["accepted", "accepted"]


async def test_a_seat_that_is_let_go_is_not_followed(path: Path) -> None:
    """Also where it is attached, let go, attached and let go at once."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        other = Gateway(house)
        for _ in range(2):
            other.send(
                attaches=[{"match_id": match_id, "seat_token": tokens[1]}],
                detaches=[{"match_id": match_id, "seat": 1}],
            )
        await other.news()
        assert house.hub.slots[match_id].attached == {0: gateway.feed}


@pytest.mark.parametrize("match_id", ["", "x" * 65, "a\0b", "a\nb", "\u202e"])
async def test_an_impossible_match_id_is_refused_at_the_door(path: Path, match_id: str) -> None:
    """S11: no database is asked for it, and nothing is kept of it, however long it is."""
    async with House(path) as house:
        gateway = Gateway(house)
        assert reason(await gateway.attach(match_id, "token")) == "BAD_REQUEST"
        assert reason(await gateway.command(match_id, 0, ready=pb.ReadyCommand())) == "BAD_REQUEST"
        with pytest.raises(PaijuError, match="match_id"):
            await house.servicer.get_round(pb.GetRoundRequest(match_id=match_id), Context())
        with pytest.raises(PaijuError, match="match_id"):
            await house.servicer.watch(pb.WatchRequest(match_id=match_id), Context())
        assert not house.hub.slots


async def test_a_long_match_id_is_not_kept(path: Path) -> None:
    """The memory of names is for those that a match can have."""
    async with House(path) as house:
        kept = frames._named.cache_info().currsize
        await Gateway(house).attach("x" * 100_000, "token")
        assert frames._named.cache_info().currsize == kept


@pytest.mark.parametrize(
    "wanted",
    [{"game": "a\0"}, {"reference": "\0"}, {"reference": "x" * 201}, {"phases": [1] * 17}],
    ids=str,
)
async def test_an_impossible_filter_is_refused(path: Path, wanted: dict[str, object]) -> None:
    """S11: what no match can have is not looked for."""
    async with House(path) as house:
        with pytest.raises(PaijuError) as refused:
            await house.servicer.list_matches(pb.ListMatchesRequest(**wanted), Context())
        assert refused.value.reason == "BAD_REQUEST"


async def test_what_waits_for_all_streams_is_bounded() -> None:
    """One seat can open any number of streams that it never reads; one that is read goes on."""
    bound, together = Bound(total=1_000_000), Waiting()
    unread = [SessionFeed(bound, together) for _ in range(100)]
    for _ in range(100):
        for feed in unread:
            feed.push(b"x" * 1_000)
    assert together.bytes < bound.total + 100_000
    assert any(feed.error for feed in unread)
    read = SessionFeed(bound, together)
    for _ in range(100):
        read.push(b"x" * 60_000)
        assert len(read.take()) == 60_000
    assert read.error is None
    for feed in unread:
        feed.drop()
    assert together.bytes == 0


async def test_a_stream_that_is_gone_holds_nothing(path: Path) -> None:
    """Ended or cut off, what waited for it counts no more."""
    async with House(path) as house:
        streams = Streams(house.hub, Bound())
        feeds = [SessionFeed(Bound(), streams._waiting) for _ in range(2)]
        for feed in feeds:
            async with streams._serving(feed):
                feed.push(b"news")
                if feed is feeds[0]:
                    feed.end(PaijuError("DRAINING", "shutting down"))
        assert streams._waiting.bytes == 0
