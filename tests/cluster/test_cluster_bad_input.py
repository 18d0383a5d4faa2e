"""Bad input through the public API: status and reason of each, and nothing changes."""

import uuid

import grpc
import pytest
import pytest_asyncio
from paiju.game.v1 import action_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import reason_of
from tests.cluster.cluster_room import GAME, Room, opened, started
from tools.client import Refused
from tools.platform_api import Platform, options_of

SERVICE = "/paiju.match.v1.MatchService/"


@pytest_asyncio.fixture
async def room(cluster):
    """A match in play, one seat about to discard."""
    async with started(cluster) as playing:
        yield playing


def code_and_reason(error: grpc.aio.AioRpcError) -> str:
    """Status and ErrorInfo reason of a failed call."""
    return f"{error.code().name} {reason_of(error).reason}"


async def refused(call) -> str:
    """Status and reason of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return code_and_reason(error.value)


def new_id() -> str:
    """A command id."""
    return str(uuid.uuid4())


BAD_CREATES = [
    ("INVALID_ARGUMENT UNKNOWN_GAME", {"game": "sichuan"}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"game": ""}),
    ("INVALID_ARGUMENT UNKNOWN_OPTION", {"options": options_of({"jokers": 2})}),
    ("INVALID_ARGUMENT BAD_OPTION_VALUE", {"options": options_of({"qi_hu": 7})}),
    ("INVALID_ARGUMENT BAD_OPTION_VALUE", {"options": options_of({"qi_hu": "six"})}),
    ("INVALID_ARGUMENT BAD_OPTION_VALUE", {"options": options_of({"unit": 0})}),
    ("INVALID_ARGUMENT BAD_OPTION_VALUE", {"options": options_of({"unit": -(2**63)})}),
    ("INVALID_ARGUMENT UNKNOWN_PLAYERS", {"players": 4}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"players": 0}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"players": 9}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"rounds": 101}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"command_id": "c" * 65}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"command_id": ""}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"client_seed": bytes(65)}),
    ("INVALID_ARGUMENT BAD_REQUEST", {"creator": pb.Player(player_id="x" * 65)}),
    ("UNIMPLEMENTED POLICY_UNSUPPORTED", {"buy_in": 5}),
    ("UNIMPLEMENTED POLICY_UNSUPPORTED", {"fee": pb.FEE_POLICY_ALL}),
]


@pytest.mark.parametrize(("expected", "fields"), BAD_CREATES)
async def test_a_match_that_cannot_be_is_not_created(cluster, expected, fields):
    """Every wrong field of CreateMatch has its reason; no match comes of it."""
    reference = new_id()
    good = {"command_id": new_id(), "game": GAME, "players": 3, "reference": reference}
    async with Platform(cluster.target) as platform:
        request = pb.CreateMatchRequest(**{**good, **fields})
        assert await refused(platform.stub.CreateMatch(request)) == expected
        listed = await platform.stub.ListMatches(pb.ListMatchesRequest(reference=reference))
        assert not listed.matches


async def act(room: Room, number: int, **fields) -> pb.ActResponse:
    """A unary Act of a seat; fields replace those of a good request."""
    ticket = room.tickets[number]
    good = {"command_id": new_id(), "match_id": ticket.match_id, "seat_token": ticket.token}
    return await room.platform.stub.Act(pb.ActRequest(**{**good, **fields}))


def answer(prompt_id: int, index: int = 0) -> pb.Answer:
    """An answer by index."""
    return pb.Answer(prompt_id=prompt_id, index=index)


def discard_of(card: int, prompt_id: int) -> pb.Answer:
    """An answer by content."""
    action = action_pb2.Action(discard={"card": card})
    return pb.Answer(prompt_id=prompt_id, action=action)


def lacking(room: Room, number: int) -> int:
    """A face that a seat does not hold."""
    return next(card for card in range(1, 21) if not room.tables[number].hand[card])


async def bad_acts(room: Room) -> list[tuple[str, dict]]:
    """Wrong answers of the seat that must discard."""
    number = room.discarding()
    assert number is not None
    prompt = room.tables[number].prompt
    assert prompt is not None
    now = prompt.prompt_id
    return [
        ("FAILED_PRECONDITION STALE_PROMPT", {"answer": answer(now + 50)}),
        ("INVALID_ARGUMENT NOT_A_CHOICE", {"answer": answer(now, 99)}),
        ("INVALID_ARGUMENT NOT_A_CHOICE", {"answer": discard_of(lacking(room, number), now)}),
        ("INVALID_ARGUMENT NOT_A_CHOICE", {"answer": discard_of(0, now)}),
        ("UNAUTHENTICATED BAD_TOKEN", {"answer": answer(now), "seat_token": "guess"}),
        ("UNAUTHENTICATED BAD_TOKEN", {"answer": answer(now), "seat_token": ""}),
        ("NOT_FOUND UNKNOWN_MATCH", {"answer": answer(now), "match_id": "nowhere"}),
        ("INVALID_ARGUMENT BAD_REQUEST", {"answer": answer(now), "command_id": "x" * 65}),
        ("INVALID_ARGUMENT BAD_REQUEST", {"answer": pb.Answer(prompt_id=now)}),
        ("INVALID_ARGUMENT BAD_REQUEST", {}),
    ]


async def test_wrong_answers_are_refused_and_change_nothing(room):
    """Stale prompt, no choice, a card not held, bad token, unknown match (M6)."""
    number = room.discarding()
    before = await room.fingerprint()
    for expected, fields in await bad_acts(room):
        assert await refused(act(room, number, **fields)) == expected, fields
    assert await room.fingerprint() == before
    await act(room, number, answer=answer(room.tables[number].prompt.prompt_id))


async def test_a_seat_cannot_answer_for_another(room):
    """The seat comes from the token: another's prompt is none of its own, and on a stream a seat
    that is not attached is nobody's."""
    number = room.discarding()
    other = (number + 1) % 3
    prompt_id = room.tables[number].prompt.prompt_id
    before = await room.fingerprint()
    got = await refused(act(room, other, answer=answer(prompt_id + 50)))
    assert got == "FAILED_PRECONDITION STALE_PROMPT"
    stream = room.platform.stub.Session()
    command = pb.SessionRequest.Command(
        match_id=room.match_id, seat=number, command_id=new_id(), answer=answer(prompt_id)
    )
    await stream.write(pb.SessionRequest(commands=[command]))
    update = (await stream.read()).updates[0]
    stream.cancel()
    assert update.reply.error.code == grpc.StatusCode.PERMISSION_DENIED.value[0]
    assert b"NOT_YOUR_SEAT" in update.reply.error.SerializeToString()
    assert await room.fingerprint() == before


async def test_a_closed_prompt_stays_closed_and_a_repeat_is_answered_again(room):
    """M6: same id and body, same answer; same id, other body: COMMAND_ID_REUSED; the prompt is
    closed for every new command."""
    number = room.discarding()
    prompt = room.tables[number].prompt
    command = {"command_id": new_id(), "answer": answer(prompt.prompt_id)}
    first = await act(room, number, **command)
    await room.until(lambda: room.tables[number].prompt is not prompt)
    before = await room.fingerprint()
    assert await act(room, number, **command) == first
    other = {**command, "answer": answer(prompt.prompt_id, 1)}
    assert await refused(act(room, number, **other)) == "ALREADY_EXISTS COMMAND_ID_REUSED"
    late = {"answer": answer(prompt.prompt_id)}
    assert await refused(act(room, number, **late)) == "FAILED_PRECONDITION PROMPT_CLOSED"
    seat = room.seats[number]
    with pytest.raises(Refused, match="PROMPT_CLOSED"):
        await seat.answer(prompt.prompt_id, 0)
    with pytest.raises(Refused, match="COMMAND_ID_REUSED"):
        await seat.send(command["command_id"], ready=pb.ReadyCommand())
    assert await room.fingerprint() == before


async def test_seats_cannot_be_left_or_taken_during_play(room):
    """ALREADY_STARTED and MATCH_FULL (M2)."""
    ticket = room.tickets[0]
    named = {"match_id": ticket.match_id, "seat_token": ticket.token}
    stub, before = room.platform.stub, await room.fingerprint()
    ready = stub.Ready(pb.ReadyRequest(command_id=new_id(), **named))
    assert await refused(ready) == "FAILED_PRECONDITION ALREADY_STARTED"
    leave = stub.Leave(pb.LeaveRequest(command_id=new_id(), **named))
    assert await refused(leave) == "FAILED_PRECONDITION ALREADY_STARTED"
    late = pb.JoinRequest(
        command_id=new_id(), match_id=room.match_id, player=pb.Player(player_id="late")
    )
    assert await refused(stub.Join(late)) == "FAILED_PRECONDITION MATCH_FULL"
    assert await room.fingerprint() == before


async def test_answers_before_the_first_round_and_after_the_last_are_refused(cluster):
    """NOT_STARTED, MATCH_CLOSED; the log is for the platform only."""
    async with opened(cluster) as room:
        before = await room.fingerprint()
        got = await refused(act(room, 0, answer=answer(1)))
        assert got == "FAILED_PRECONDITION NOT_STARTED"
        assert await room.fingerprint() == before
        stub = room.platform.stub
        close = pb.CloseMatchRequest(command_id=new_id(), match_id=room.match_id)
        closed = await stub.CloseMatch(close)
        assert await stub.CloseMatch(close) == closed
        before = await room.fingerprint()
        got = await refused(act(room, 0, answer=answer(1)))
        assert got == "FAILED_PRECONDITION MATCH_CLOSED"
        close.command_id = new_id()
        assert await refused(stub.CloseMatch(close)) == "FAILED_PRECONDITION MATCH_CLOSED"
        log = stub.ListEvents(pb.ListEventsRequest(match_id=room.match_id))
        assert await refused(log) == "UNAUTHENTICATED BAD_TOKEN"
        found = stub.GetRound(pb.GetRoundRequest(match_id=room.match_id, round_no=1))
        assert await refused(found) == "NOT_FOUND UNKNOWN_ROUND"
        assert await room.fingerprint() == before


async def test_oversized_and_malformed_messages_are_refused(cluster, room):
    """LIMIT_EXCEEDED before anything is decoded, BAD_REQUEST for bytes that are no message."""
    before = await room.fingerprint()
    async with grpc.aio.insecure_channel(cluster.target) as channel:
        send = channel.unary_unary(SERVICE + "Act")
        large = pb.ActRequest(seat_token="t" * 300_000).SerializeToString()
        assert await refused(send(large)) == "RESOURCE_EXHAUSTED LIMIT_EXCEEDED"
        huge = await refused(send(bytes(4 * 1024 * 1024)))
        assert huge.startswith("RESOURCE_EXHAUSTED")
        for raw in (b"\xff\xff\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe"):
            assert await refused(send(raw)) == "INVALID_ARGUMENT BAD_REQUEST"
        stream = channel.stream_stream(SERVICE + "Session")()
        await stream.write(b"\xff\xff\xff")
        assert await refused(stream.read()) == "INVALID_ARGUMENT BAD_REQUEST"
        unknown = channel.unary_unary(SERVICE + "Cheat")
        assert (await refused(unknown(b""))).startswith("UNIMPLEMENTED")
    assert await room.fingerprint() == before
    number = room.discarding()
    await act(room, number, answer=answer(room.tables[number].prompt.prompt_id))


async def test_bad_commands_on_a_stream_leave_the_stream_alone(room):
    """Errors are per command: the next command of the same stream is served."""
    number = room.discarding()
    seat, prompt = room.seats[number], room.tables[number].prompt
    before = await room.fingerprint()
    for command, reason in (
        ({"answer": answer(prompt.prompt_id, 77)}, "NOT_A_CHOICE"),
        ({"answer": answer(prompt.prompt_id + 9)}, "STALE_PROMPT"),
        ({"leave": pb.LeaveCommand()}, "ALREADY_STARTED"),
        ({"command_id": "y" * 65, "back": pb.BackCommand()}, "BAD_REQUEST"),
        ({}, "BAD_REQUEST"),
    ):
        with pytest.raises(Refused, match=reason):
            await seat.send(**command)
    assert await room.fingerprint() == before
    await seat.answer(prompt.prompt_id, 0)
    assert room.gateway.stats.streams == 1
