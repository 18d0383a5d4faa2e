"""Commands that repeat, come late, or ask what cannot be (match.md M6; issue: bad input table)."""

from pathlib import Path

import pytest
from match_kit import AUDIT, Context, Gateway, House, new_id, reason, replies_of
from match_toy import TAKE, Ports, ToyRules
from paiju.game.v1 import action_pb2, option_pb2
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError, of_status
from services.match import checks
from services.match.slots import Limits


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


async def versions(house: House, match_id: str) -> int:
    """Rows in the log of a match."""
    return len(await house.events(match_id))


async def test_a_repeat_is_answered_the_same_and_adds_nothing(path: Path) -> None:
    """M6: the same answer sent twice is answered the same, from memory and from the log."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        command_id = new_id()
        first = replies_of(await gateway.act(match_id, 0, 1, command_id=command_id))
        rows = await versions(house, match_id)
        again = replies_of(await gateway.act(match_id, 0, 1, command_id=command_id))
        house.hub.slots[match_id].table.recent.clear()
        from_log = replies_of(await gateway.act(match_id, 0, 1, command_id=command_id))
        assert first == again == from_log
        assert await versions(house, match_id) == rows


async def test_another_body_under_the_same_id_is_refused(path: Path) -> None:
    """protocol.md: COMMAND_ID_REUSED, from memory and from the log, also when it would be legal."""
    async with House(path, Ports(rules=ToyRules(draws=4))) as house:
        match_id, _tokens, gateway = await house.started()
        command_id = new_id()
        await gateway.act(match_id, 0, 1, command_id=command_id)
        rows = await versions(house, match_id)
        body = await gateway.act(match_id, 0, 1, TAKE, command_id=command_id)
        assert reason(body) == "COMMAND_ID_REUSED"
        house.hub.slots[match_id].table.recent.clear()
        body = await gateway.act(match_id, 0, 1, TAKE, command_id=command_id)
        assert reason(body) == "COMMAND_ID_REUSED"
        assert await versions(house, match_id) == rows
        await gateway.act(match_id, 1, 1)
        house.hub.slots[match_id].table.recent.clear()
        rows = await versions(house, match_id)
        legal = await gateway.act(match_id, 0, 2, command_id=command_id)
        assert reason(legal) == "COMMAND_ID_REUSED"
        assert await versions(house, match_id) == rows
        assert reason(await gateway.act(match_id, 0, 2)) == ""


async def test_a_rejection_is_not_stored(path: Path) -> None:
    """A refused command may be sent again, corrected, under its own id."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        command_id = new_id()
        assert reason(await gateway.act(match_id, 0, 1, 9, command_id)) == "NOT_A_CHOICE"
        assert reason(await gateway.act(match_id, 0, 1, 0, command_id)) == ""


@pytest.mark.parametrize(
    ("seat", "prompt", "index", "wanted"),
    [
        (0, 1, 9, "NOT_A_CHOICE"),
        (0, 2, 0, "STALE_PROMPT"),
        (0, 0, 0, "STALE_PROMPT"),
        (1, 1, 0, "STALE_PROMPT"),
        (2, 1, 0, "NOT_YOUR_SEAT"),
        (7, 1, 0, "NOT_YOUR_SEAT"),
    ],
)
async def test_refused_answers(path: Path, seat: int, prompt: int, index: int, wanted: str) -> None:
    """Nothing changes; the refusal names the seat's own sequence number."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        rows = await versions(house, match_id)
        updates = await gateway.act(match_id, seat, prompt, index)
        assert reason(updates) == wanted
        assert len(updates) == 1
        if wanted != "NOT_YOUR_SEAT":
            fields = of_status(replies_of(updates)[0].error).metadata
            assert fields["seat_seq"] == str(max(v.seat_seq for v in _views(gateway, seat)))
        assert await versions(house, match_id) == rows


def _views(gateway: Gateway, seat: int) -> list[pb.View]:
    return [v for u in gateway.opening if u.seat == seat for v in u.views]


async def test_an_answered_prompt_is_closed(path: Path) -> None:
    """M6: an answer to a closed prompt is refused with the seat's current number."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        await gateway.act(match_id, 0, 1)
        updates = await gateway.act(match_id, 0, 1)
        assert reason(updates) == "PROMPT_CLOSED"


async def test_before_the_start_there_is_nothing_to_answer(path: Path) -> None:
    """NOT_STARTED; and UNKNOWN_MATCH for a match that is not there."""
    async with House(path) as house:
        match_id, tokens = await house.seated()
        gateway = Gateway(house)
        await gateway.attach(match_id, tokens[0])
        assert reason(await gateway.act(match_id, 0, 1)) == "NOT_STARTED"
        assert reason(await gateway.act("nowhere", 0, 1)) == "UNKNOWN_MATCH"
        assert "nowhere" not in house.hub.slots


async def test_malformed_session_commands_fail_alone(path: Path) -> None:
    """Errors are per command, never the stream's."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        bare = pb.SessionRequest.Command(match_id=match_id, seat=0, command_id=new_id())
        long = pb.SessionRequest.Command(
            match_id=match_id, seat=0, command_id="x" * 65, ready=pb.ReadyCommand()
        )
        empty = pb.SessionRequest.Command(
            match_id=match_id, seat=0, command_id=new_id(), answer=pb.Answer(prompt_id=1)
        )
        gateway.send(commands=[bare, long, empty])
        found = [of_status(r.error).reason for r in replies_of(await gateway.news())]
        assert found == ["BAD_REQUEST"] * 3
        assert reason(await gateway.act(match_id, 0, 1)) == ""


CREATE = [
    ({"game": "chess"}, "UNKNOWN_GAME"),
    ({"game": ""}, "BAD_REQUEST"),
    ({"options": option_pb2.Options(values={"odd": {"int_value": 1}})}, "UNKNOWN_OPTION"),
    ({"players": 0}, "BAD_REQUEST"),
    ({"rounds": 101}, "BAD_REQUEST"),
    ({"fee": pb.FEE_POLICY_ALL}, "POLICY_UNSUPPORTED"),
    ({"fee": 77}, "BAD_REQUEST"),
    ({"buy_in": 5}, "POLICY_UNSUPPORTED"),
    ({"buy_in": -5}, "POLICY_UNSUPPORTED"),
    ({"client_seed": b"x" * 65}, "BAD_REQUEST"),
    ({"command_id": ""}, "BAD_REQUEST"),
    ({"command_id": "x" * 65}, "BAD_REQUEST"),
    ({"reference": "x" * 201}, "BAD_REQUEST"),
    ({"creator": pb.Player(player_id="")}, "BAD_REQUEST"),
    ({"creator": pb.Player(player_id="x" * 65)}, "BAD_REQUEST"),
    ({"creator": pb.Player(player_id="a\nb")}, "BAD_REQUEST"),
    ({"clock": pb.ClockPolicy(preset=99)}, "BAD_REQUEST"),
    ({"clock": pb.ClockPolicy(discard_ms=-1)}, "BAD_REQUEST"),
    ({"clock": pb.ClockPolicy(claim_pause_ms=2**62)}, "BAD_REQUEST"),
]


@pytest.mark.parametrize(("change", "wanted"), CREATE)
async def test_refused_matches(path: Path, change: dict, wanted: str) -> None:
    """Each row of the table is refused for its reason; no match is made."""
    async with House(path) as house:
        asked = {"players": 2, **change}
        with pytest.raises(PaijuError) as refused:
            await house.create(**asked)
        assert refused.value.reason == wanted
        raw = await house.servicer.list_matches(pb.ListMatchesRequest(), Context())
        assert not raw


async def test_creating_twice_makes_one_match(path: Path) -> None:
    """The scope of a CreateMatch command is its caller: same id, same match, same token."""
    async with House(path) as house:
        command_id = new_id()
        first = await house.create(command_id=command_id)
        again = await house.create(command_id=command_id)
        assert first == again
        assert len(first.seat_token) >= 43
        with pytest.raises(PaijuError, match="COMMAND_ID_REUSED"):
            await house.create(3, command_id=command_id)


async def test_joining_twice_takes_one_seat(path: Path) -> None:
    """A repeated Join answers with the same seat and token, also after others came."""
    async with House(path) as house:
        created = await house.create(3)
        match_id, command_id = created.match.match_id, new_id()
        first = await house.join(match_id, "a", command_id)
        await house.join(match_id, "b")
        house.hub.slots[match_id].table.recent.clear()
        assert await house.join(match_id, "a", command_id) == first
        with pytest.raises(PaijuError, match="COMMAND_ID_REUSED"):
            await house.join(match_id, "c", command_id)


async def test_unary_calls_need_the_token_of_a_seat(path: Path) -> None:
    """BAD_TOKEN; metadata and field both carry it; the seat comes from the token alone."""
    async with House(path) as house:
        match_id, tokens, _gateway = await house.started()
        answer = pb.Answer(prompt_id=1, index=0)

        def act(**more: object) -> pb.ActRequest:
            return pb.ActRequest(command_id=new_id(), match_id=match_id, answer=answer, **more)

        for token in ("", "nonsense", tokens[0][:-1]):
            with pytest.raises(PaijuError, match="BAD_TOKEN"):
                await house.servicer.act(act(seat_token=token), Context())
        with pytest.raises(PaijuError, match="STALE_PROMPT"):
            await house.servicer.act(act(), Context(seat_token=tokens[1]))
        raw = await house.servicer.act(act(), Context(seat_token=tokens[0]))
        assert pb.ActResponse.FromString(raw).accepted.seat_seq > 0


async def test_a_choice_by_content_is_a_choice(path: Path) -> None:
    """Actions reach the engine as they were sent."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        action = {"discard": {"card": 2}}
        updates = await gateway.command(match_id, 0, answer=pb.Answer(prompt_id=1, action=action))
        assert reason(updates) == ""


async def test_queues_are_bounded(path: Path) -> None:
    """OVERLOADED beyond the bound; what was taken is answered."""
    async with House(path, limits=Limits(queue=12)) as house:
        match_id, _tokens, gateway = await house.started()
        commands = [
            pb.SessionRequest.Command(
                match_id=match_id, seat=0, command_id=new_id(), answer={"prompt_id": 1, "index": 0}
            )
            for _ in range(8)
        ]
        gateway.send(commands=commands)
        replies = replies_of(await gateway.news())
        refused = [of_status(r.error).reason for r in replies if r.HasField("error")]
        assert len(replies) == 8
        assert refused.count("OVERLOADED") == 4


async def test_all_queues_together_are_bounded(path: Path) -> None:
    """OVERLOADED beyond what may wait in all, though each queue alone has room."""
    async with House(path, limits=Limits(waiting=4)) as house:
        rooms = [await house.started() for _ in range(3)]
        for match_id, _tokens, gateway in rooms:
            answer = {"match_id": match_id, "seat": 0, "answer": {"prompt_id": 1, "index": 0}}
            gateway.send(commands=[{"command_id": new_id(), **answer} for _ in range(4)])
        replies = [reply for room in rooms for reply in replies_of(await room[2].news())]
        refused = [of_status(r.error).reason for r in replies if r.HasField("error")]
        assert len(replies) == 12
        assert refused.count("OVERLOADED") == 12 - 2 - 4, "two are under way, four wait"


async def test_a_draining_service_takes_no_commands(path: Path) -> None:
    """DRAINING; what was under way is answered first."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        answer = pb.Answer(prompt_id=1, index=0)
        command = pb.SessionRequest.Command(
            match_id=match_id, seat=0, command_id=new_id(), answer=answer
        )
        gateway.send(commands=[command])
        await house.core.drain()
        assert reason(gateway.drained()) == ""
        assert reason(await gateway.act(match_id, 1, 1)) == "DRAINING"


async def test_an_audit_token_guards_the_log(path: Path) -> None:
    """ListEvents is for the platform and audit."""
    async with House(path) as house:
        created = await house.create()
        request = pb.ListEventsRequest(match_id=created.match.match_id)
        with pytest.raises(PaijuError, match="BAD_TOKEN"):
            await house.servicer.list_events(request, Context(audit_token="other"))
        assert await house.servicer.list_events(request, Context(audit_token=AUDIT))
        house.servicer._audit_token = ""
        with pytest.raises(PaijuError, match="AUDIT_DISABLED"):
            await house.servicer.list_events(request, Context())


async def test_a_back_of_one_who_is_there_stores_nothing(path: Path) -> None:
    """M5: accepted without a row; a repeat is answered the same, a real one under the same id not.

    A Back that did change something is still found in the log when it comes again.
    """
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        rows = await versions(house, match_id)
        first = replies_of(await gateway.command(match_id, 0, "b", back=pb.BackCommand()))
        assert await versions(house, match_id) == rows
        seat = house.hub.slots[match_id].table.control.seats[0]
        seat.timeouts = 1
        again = replies_of(await gateway.command(match_id, 0, "b", back=pb.BackCommand()))
        assert first == again
        assert first[0].accepted.seat_seq == seat.seq
        stored = replies_of(await gateway.command(match_id, 0, "c", back=pb.BackCommand()))
        assert await versions(house, match_id) == rows + 1
        await gateway.act(match_id, 0, 1)
        house.hub.slots[match_id].table.recent.clear()
        late = replies_of(await gateway.command(match_id, 0, "c", back=pb.BackCommand()))
        assert late == stored


async def test_a_choice_by_content_is_short_and_has_known_fields_only(path: Path) -> None:
    """S12, S14: one long action would fill the message that carries many matches to the engine."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        longest = action_pb2.Action.Chi(bi=[action_pb2.Group(cards=[1] * 300)])
        answer = pb.Answer(prompt_id=1, action=action_pb2.Action(chi=longest))
        assert reason(await gateway.command(match_id, 0, answer=answer)) == "BAD_REQUEST"
        assert not house.ports.rules.steps
        answer.action.ParseFromString(b"\xfa\x3e\x02AA" + action_pb2.Action().SerializeToString())
        assert reason(await gateway.command(match_id, 0, "same", answer=answer)) == ""
        answer.action.Clear()
        answer.action.SetInParent()
        assert reason(await gateway.command(match_id, 0, "same", answer=answer)) == ""


async def test_a_stream_without_the_seat_learns_nothing_of_its_commands(path: Path) -> None:
    """S5: a guessed command id is no key to the stored answer of another seat."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        assert reason(await gateway.act(match_id, 0, 1, command_id="turn-1")) == ""
        for index in (0, 1):
            stranger = Gateway(house)
            told = await stranger.act(match_id, 0, 1, index, command_id="turn-1")
            assert reason(told) == "NOT_YOUR_SEAT"


@pytest.mark.parametrize("command_id", ["a\0b", "\n", "\x7f"])
async def test_a_sessions_command_ids_are_printable_too(path: Path, command_id: str) -> None:
    """The same ids are accepted on a stream as in unary calls."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        assert reason(await gateway.act(match_id, 0, 1, command_id=command_id)) == "BAD_REQUEST"


@pytest.mark.parametrize("version", [2**63, 2**64 - 1])
async def test_a_version_beyond_the_log_is_refused_by_name(path: Path, version: int) -> None:
    """S11: numbers no database holds are no internal error."""
    async with House(path) as house:
        created = await house.create()
        request = pb.ListEventsRequest(match_id=created.match.match_id, from_version=version)
        with pytest.raises(PaijuError, match="BAD_REQUEST"):
            await house.servicer.list_events(request, Context(audit_token=AUDIT))


async def test_a_page_token_made_up_is_refused(path: Path) -> None:
    """S11, as above."""
    async with House(path) as house:
        for at_ms in (10**30, 2**63, -1):
            request = pb.ListMatchesRequest(page_token=checks.make_page_token(at_ms, "x"))
            with pytest.raises(PaijuError, match="BAD_REQUEST"):
                await house.servicer.list_matches(request, Context())


async def test_unknown_fields_of_a_new_match_are_not_kept(path: Path) -> None:
    """S14: what is stored goes to every reader of the match for ever."""
    async with House(path) as house:
        clock = pb.ClockPolicy.FromString(b"\xfa\x3e\x05AAAAA")
        match_id, _tokens = await house.seated(clock=clock)
        raw = await house.servicer.get_match(pb.GetMatchRequest(match_id=match_id), Context())
        assert b"AAAAA" not in raw


@pytest.mark.parametrize("name", ["\x9b31m", "a\u202eb", "a\u2028b"])
async def test_names_cannot_steer_a_screen(path: Path, name: str) -> None:
    """Terminal controls, line ends and direction marks are not printable."""
    async with House(path) as house:
        created = await house.create()
        request = pb.JoinRequest(command_id=new_id(), match_id=created.match.match_id)
        request.player.player_id, request.player.display_name = "p1", name
        with pytest.raises(PaijuError, match="BAD_REQUEST"):
            await house.servicer.join(request, Context())


async def test_the_log_gives_nobody_a_seat(path: Path) -> None:
    """S7: a repeated Join answers with the seat's token, so its command id is not told."""
    async with House(path) as house:
        match_id, _tokens = await house.seated(3)
        for row in await house.events(match_id):
            for event in row.match_events:
                if not event.HasField("seat_joined"):
                    continue
                with pytest.raises(PaijuError):
                    await house.join(match_id, event.seat_joined.player.player_id, row.command_id)
