"""The life of a match over a toy game: seats, rounds, scores, settlement (match.md M1, M2, M10)."""

from pathlib import Path

import pytest
from match_kit import (
    AUDIT,
    Context,
    Gateway,
    House,
    kinds_of,
    new_id,
    reason,
    replies_of,
    sql,
    views_of,
)
from match_toy import TAKE, Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError
from services.match.rows import sequences


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


async def test_a_match_is_played_to_its_ledger(path: Path) -> None:
    """M1, M10: two rounds, their sheets, their settlement, the end."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        for round_no in (1, 2):
            await house.play(match_id, gateway)
            scored = await house.servicer.get_round(
                pb.GetRoundRequest(match_id=match_id, round_no=round_no), Context()
            )
            found = pb.GetRoundResponse.FromString(scored)
            assert list(found.sheet.deltas) == [3, -3]
            assert found.tx_id == f"tx-{match_id}-{round_no}"
            if round_no == 1:
                await house.ready(match_id, tokens)
        match = await house.match(match_id)
        assert match.phase == pb.MATCH_PHASE_CLOSED
        assert list(match.totals) == [6, -6]
        assert match.settled_rounds == 2
        ledger = house.ports.ledger
        assert ledger.order == ["settle:1", "settle:2", "close"]
        rows = await house.events(match_id)
        ended = [r for r in rows if any(e.HasField("round_ended") for e in r.events)]
        hashes = [item.log_hash for item in ledger.settled.values()]
        assert hashes == [row.hash for row in ended]
        finals = [r for r in rows if any(e.HasField("match_scored") for e in r.match_events)]
        assert [ledger.closed[match_id].log_hash] == [row.hash for row in finals]


async def test_versions_are_dense_and_records_come_after_the_round(path: Path) -> None:
    """Log rows count from 1; hidden parts of a running round are not listed."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        running = await house.events(match_id)
        assert [row.version for row in running] == list(range(1, len(running) + 1))
        assert not any(row.records for row in running)
        await house.play(match_id, gateway)
        assert any(row.records for row in await house.events(match_id))


async def test_seats_are_numbered_densely_and_views_are_their_own(path: Path) -> None:
    """M9: a seat sees its own cards, hidden ones of the others; its numbers have no gaps."""
    async with House(path) as house:
        match_id, tokens = await house.seated(3)
        gateway = Gateway(house)
        for token in tokens:
            (update,) = await gateway.attach(match_id, token)
            assert update.views[0].HasField("snapshot")
        await house.ready(match_id, tokens)
        updates = gateway.drained()
        for seat in range(3):
            views = views_of(updates, seat)
            numbers = [view.seat_seq for view in views]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            dealt = [v.event.dealt for v in views if v.event.HasField("dealt")]
            assert [set(d.cards) for d in dealt] == [
                {seat + 1} if d.seat == seat else {99} for d in dealt
            ]
        prompted = [kinds_of(updates, seat).count("prompted") for seat in range(3)]
        assert prompted == [1, 0, 0]


async def test_an_answer_comes_before_the_views_it_caused(path: Path) -> None:
    """protocol.md, Session."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        updates = await gateway.act(match_id, 0, 1)
        assert updates[0].HasField("reply")
        assert not any(update.HasField("reply") for update in updates[1:])
        assert kinds_of(updates, 1)[:2] == ["discarded", "drew"]
        accepted = updates[0].reply.accepted.seat_seq
        own = [view.seat_seq for view in views_of(updates, 0)]
        assert accepted in own


async def test_a_claim_wins_the_turn(path: Path) -> None:
    """A claimed card gives the turn to its claimer; the other prompt is void."""
    ports = Ports(rules=ToyRules(draws=3, claims={1: {0, 2}}))
    async with House(path, ports) as house:
        match_id, _tokens, gateway = await house.started(3)
        await gateway.act(match_id, 0, 1)
        assert house.asked(match_id) == [(0, 2), (2, 1)]
        updates = await gateway.act(match_id, 2, 1, TAKE)
        assert kinds_of(updates, 1) == ["melded"]
        assert reason(await gateway.act(match_id, 0, 2)) == "PROMPT_CLOSED"


async def test_joining_fills_free_seats_in_order(path: Path) -> None:
    """M2: next free seat, leaving before the start, nobody twice."""
    async with House(path) as house:
        created = await house.create(3)
        match_id = created.match.match_id
        first = await house.join(match_id, "a")
        second = await house.join(match_id, "b")
        assert (first.seat, second.seat) == (1, 2)
        with pytest.raises(PaijuError, match="MATCH_FULL"):
            await house.join(match_id, "c")
        leave = pb.LeaveRequest(command_id=new_id(), match_id=match_id, seat_token=first.seat_token)
        await house.servicer.leave(leave, Context())
        await house.servicer.leave(leave, Context())  # a repeat is answered although seatless
        with pytest.raises(PaijuError, match="BAD_REQUEST"):
            await house.join(match_id, "b")
        third = await house.join(match_id, "d")
        assert third.seat == 1
        assert third.seat_token != first.seat_token
        stored = sql(path, "SELECT seat_seq FROM match_log ORDER BY version")
        counted = [sequences(seat_seq) for (seat_seq,) in stored]
        assert [sorted(column) for column in zip(*counted, strict=True)] == [
            list(column) for column in zip(*counted, strict=True)
        ], "whoever sits there, a seat's numbers go on"


async def test_an_unseated_creator_leaves_seat_0_free(path: Path) -> None:
    """CreateMatch without a creator seats nobody."""
    async with House(path) as house:
        request = pb.CreateMatchRequest(command_id=new_id(), game="toy", players=2)
        created = await house.servicer.create_match(request, Context())
        assert created.seat_token == ""
        assert created.match.rounds == 8
        joined = await house.join(created.match.match_id, "a")
        assert joined.seat == 0


async def test_the_platform_closes_a_running_match(path: Path) -> None:
    """M7: the running round is void, the finished one stands and settles."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started(rounds=3)
        await house.play(match_id, gateway)
        await house.ready(match_id, tokens)
        request = pb.CloseMatchRequest(command_id=new_id(), match_id=match_id, reason="test")
        await house.servicer.close_match(request, Context())
        await house.core.quiet()
        match = await house.match(match_id)
        assert match.phase == pb.MATCH_PHASE_CLOSED
        assert list(match.totals) == [3, -3]
        assert sorted(house.ports.ledger.settled) == [(match_id, 1)]
        assert match_id in house.ports.ledger.closed
        last = views_of(gateway.drained(), 0)[-1]
        assert last.match_event.match_closed.reason == "platform"
        with pytest.raises(PaijuError, match="MATCH_CLOSED"):
            await house.servicer.close_match(
                pb.CloseMatchRequest(command_id=new_id(), match_id=match_id), Context()
            )
        await house.servicer.close_match(request, Context())


async def test_a_match_that_never_began_needs_no_ledger(path: Path) -> None:
    """Closing an open match ends it at once."""
    async with House(path) as house:
        created = await house.create()
        match_id = created.match.match_id
        request = pb.CloseMatchRequest(command_id=new_id(), match_id=match_id)
        await house.servicer.close_match(request, Context())
        assert (await house.match(match_id)).phase == pb.MATCH_PHASE_CLOSED
        assert not house.ports.ledger.opened


async def test_a_match_has_eight_rounds_unless_it_says_otherwise(path: Path) -> None:
    """M1: what is played is what the match shows."""
    async with House(path) as house:
        for asked, rounds in ((0, 8), (1, 1), (100, 100)):
            match = (await house.create(rounds=asked)).match
            assert match.rounds == house.hub.slots[match.match_id].table.meta.rounds == rounds


async def test_matches_are_listed_by_page_and_filter(path: Path) -> None:
    """Newest first; every match on exactly one page."""
    async with House(path) as house:
        made = []
        for n in range(5):
            house.clock.advance(n == 3)  # three were made in the same millisecond, then two
            created = await house.create(reference="even" if n % 2 == 0 else "odd")
            made.append(created.match.match_id)
        found, token = [], ""
        while True:
            request = pb.ListMatchesRequest(page_size=2, page_token=token)
            raw = await house.servicer.list_matches(request, Context())
            page = pb.ListMatchesResponse.FromString(raw)
            found += [match.match_id for match in page.matches]
            token = page.next_page_token
            if not token:
                break
        assert set(found[:2]) == set(made[3:])
        assert sorted(found) == sorted(made)
        request = pb.ListMatchesRequest(reference="odd", phases=[pb.MATCH_PHASE_OPEN])
        raw = await house.servicer.list_matches(request, Context())
        assert len(pb.ListMatchesResponse.FromString(raw).matches) == 2


async def listed(house: House, **wanted: object) -> set[str]:
    """Matches of one page by filter."""
    raw = await house.servicer.list_matches(pb.ListMatchesRequest(**wanted), Context())
    return {match.match_id for match in pb.ListMatchesResponse.FromString(raw).matches}


async def test_matches_are_filtered_by_game_and_phase(path: Path) -> None:
    """Every filter alone leaves out what it does not name."""
    async with House(path) as house:
        running, _tokens, _gateway = await house.started()
        over = (await house.create()).match.match_id
        close = pb.CloseMatchRequest(command_id=new_id(), match_id=over)
        await house.servicer.close_match(close, Context())
        assert await listed(house, game="toy") == {running, over}
        assert await listed(house, game="another") == set()
        assert await listed(house, phases=[pb.MATCH_PHASE_CLOSED]) == {over}
        both = [pb.MATCH_PHASE_OPEN, pb.MATCH_PHASE_PLAYING]
        assert await listed(house, phases=both) == {running}


@pytest.mark.parametrize("left", [False, True])
async def test_the_engine_hears_who_has_been_there_longest(path: Path, left: bool) -> None:
    """M3: seats in the order of their last joining; the creator only while it has not left (J3)."""
    async with House(path) as house:
        match_id, tokens = await house.seated(3)
        deal, dealt = house.ports.rules.start_rounds, []

        async def seen(items: list) -> list:
            dealt.extend(items)
            return await deal(items)

        house.ports.rules.start_rounds = seen
        if left:
            leave = pb.LeaveRequest(command_id=new_id(), match_id=match_id, seat_token=tokens[0])
            await house.servicer.leave(leave, Context())
            tokens[0] = (await house.join(match_id, "p0")).seat_token
        await house.ready(match_id, tokens)
        (item,) = dealt
        assert item.joined == ((1, 2, 0) if left else (0, 1, 2))
        assert item.creator == (None if left else 0)


async def test_every_round_is_dealt_from_fresh_secrets(path: Path) -> None:
    """M8: a new seed and nonce of 32 bytes each round, with the platform's own seed mixed in."""
    async with House(path) as house:
        deal, dealt = house.ports.rules.start_rounds, []

        async def seen(items: list) -> list:
            dealt.extend(items)
            return await deal(items)

        house.ports.rules.start_rounds = seen
        match_id, tokens, gateway = await house.started(client_seed=b"dice")
        await house.play(match_id, gateway)
        await house.ready(match_id, tokens)
        assert [(item.match_id, item.round_no, item.client_seed) for item in dealt] == [
            (match_id, 1, b"dice"),
            (match_id, 2, b"dice"),
        ]
        secrets = [secret for item in dealt for secret in (item.server_seed, item.nonce)]
        assert len(set(secrets)) == 4
        assert {len(secret) for secret in secrets} == {32}


async def test_the_log_is_read_in_pages(path: Path) -> None:
    """Every row stands on one page; the last page names no next one."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        found, version = [], 0
        while True:
            request = pb.ListEventsRequest(match_id=match_id, from_version=version, page_size=3)
            raw = await house.servicer.list_events(request, Context(audit_token=AUDIT))
            page = pb.ListEventsResponse.FromString(raw)
            found += page.rows
            version = page.next_version
            if not version:
                break
            assert len(page.rows) == 3
        assert found == await house.events(match_id)
        assert len(found) > 6


async def test_commands_of_one_message_run_in_order(path: Path) -> None:
    """protocol.md: commands of one match in the order received, answers likewise."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        command = pb.SessionRequest.Command
        ids = [new_id() for _ in range(3)]
        gateway.send(
            commands=[
                command(
                    match_id=match_id,
                    seat=0,
                    command_id=ids[0],
                    answer={"prompt_id": 1, "index": 0},
                ),
                command(
                    match_id=match_id,
                    seat=1,
                    command_id=ids[1],
                    answer={"prompt_id": 1, "index": 0},
                ),
                command(
                    match_id=match_id,
                    seat=0,
                    command_id=ids[2],
                    answer={"prompt_id": 1, "index": 0},
                ),
            ]
        )
        replies = replies_of(await gateway.news())
        assert [reply.command_id for reply in replies] == ids
        assert [reply.HasField("error") for reply in replies] == [False, False, True]


async def test_the_platforms_seed_is_told_before_the_first_deal(path: Path) -> None:
    """M8: the commitment covers it too, and a player needs it to deal the round again."""
    async with House(path) as house:
        match_id, tokens = await house.seated(client_seed=b"dice of the day")
        assert (await house.match(match_id)).client_seed == b"dice of the day"
        (update,) = await Gateway(house).attach(match_id, tokens[0])
        assert update.views[0].snapshot.match.client_seed == b"dice of the day"
