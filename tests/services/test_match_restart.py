"""Matches survive their process: restarts, crashes, a broken commit, services that are away."""

import asyncio
from pathlib import Path

import pytest
from match_kit import Context, Gateway, House, kinds_of, new_id, reason, sql
from match_toy import Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from services.match.store import Outcome

FAST = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_FAST)
DISCARD_MS, READY_MS = 10_000, 30_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


async def test_a_match_goes_on_after_a_restart(path: Path) -> None:
    """Recovery reads one row: same prompts, same numbers, same tokens, a new epoch."""
    ports = Ports()
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        before = await house.match(match_id)
        seen = max(view.seat_seq for u in gateway.opening if u.seat == 1 for view in u.views)
    async with House(path, ports) as house:
        after = await house.match(match_id)
        after.seats[0].connected = after.seats[1].connected = True
        assert after == before
        gateway = Gateway(house)
        assert reason(await gateway.attach(match_id, tokens[0], after=1)) == ""
        assert await gateway.attach(match_id, tokens[1], after=seen)
        updates = await gateway.act(match_id, 0, 1)
        views = [view for u in updates if u.seat == 1 for view in u.views]
        assert views[0].seat_seq == seen + 1
        await house.play(match_id, gateway)
        await house.ready(match_id, tokens)
        await house.play(match_id, gateway)
        rows = await house.events(match_id)
    epochs = [row.epoch for row in rows]
    assert epochs == sorted(epochs)
    firsts = [next(r for r in rows if r.epoch == epoch) for epoch in (1, 2)]
    assert all(row.match_events[0].HasField("owner_changed") for row in firsts)
    assert ports.ledger.order == ["settle:1", "settle:2", "close"]


async def test_deadlines_survive_and_are_extended_by_the_outage(path: Path) -> None:
    """M4: no seat loses because the service was down, and the log says so."""
    ports, outage = Ports(), 60_000
    async with House(path, ports) as house:
        match_id, tokens, _gateway = await house.started(clock=FAST)
        clock = house.clock
        clock.advance(4_000)
        await house.store.beat(house.core.setup.owner, clock.now_ms())
    clock.advance(outage)
    async with House(path, ports, clock) as house:
        gateway = Gateway(house)
        (update,) = await gateway.attach(match_id, tokens[1], after=1)
        extended = update.views[-1].match_event.deadlines_extended
        assert extended.outage_ms == outage
        (deadline,) = extended.deadlines
        assert deadline.at_ms == clock.now_ms() + DISCARD_MS - 4_000
        await house.advance(DISCARD_MS - 4_001)
        assert gateway.drained() == []
        await house.advance(1)
        assert "discarded" in kinds_of(gateway.drained(), 1)


async def test_timers_run_though_nobody_comes_back(path: Path) -> None:
    """A restart resumes every open match by itself: nobody attaches, nobody asks for it (M4)."""
    ports = Ports()
    async with House(path, ports) as house:
        await house.started(clock=FAST)
        clock = house.clock
    timeouts = "SELECT count(*) FROM match_log WHERE actor = 'timer'"
    async with House(path, ports, clock) as house:
        await house.advance(DISCARD_MS - 1)
        assert sql(path, timeouts) == [(0,)]
        await house.advance(1)
        assert sql(path, timeouts) == [(1,)]


async def test_the_next_rounds_timer_is_extended_by_the_outage(path: Path) -> None:
    """M4: readiness has a deadline like any other; all are told of the later one."""
    ports, outage = Ports(), 60_000
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started(clock=FAST)
        while (await house.match(match_id)).phase == pb.MATCH_PHASE_PLAYING:
            await house.advance(DISCARD_MS)
        clock = house.clock
        seq = [view.seat_seq for update in gateway.drained() for view in update.views][-1]
    clock.advance(outage)
    async with House(path, ports, clock) as house:
        (update,) = await Gateway(house).attach(match_id, tokens[1], after=seq)
        told = update.views[-1].match_event.deadlines_extended
        assert told.outage_ms == outage
        assert {deadline.at_ms for deadline in told.deadlines} == {clock.now_ms() + READY_MS}
        await house.advance(READY_MS - 1)
        assert (await house.match(match_id)).round_no == 1
        await house.advance(1)
        assert (await house.match(match_id)).round_no == 2


async def test_a_claims_deadline_stays_secret_when_extended(path: Path) -> None:
    """Everybody hears of the outage, only the asked seat of its own deadline."""
    ports = Ports(rules=ToyRules(claims={1: {0}}))
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started(clock=FAST)
        await gateway.act(match_id, 0, 1)
        clock = house.clock
    clock.advance(5_000)
    async with House(path, ports, clock) as house:
        told = []
        for token in tokens:
            updates = await Gateway(house).attach(match_id, token, after=1)
            told.append(updates[0].views[-1].match_event.deadlines_extended)
        assert [event.outage_ms for event in told] == [5_000, 5_000]
        assert [len(event.deadlines) for event in told] == [1, 0]


async def test_a_crash_between_commit_and_answer(path: Path) -> None:
    """The command is in the log; its repeat gets the stored answer and adds nothing."""
    ports, command_id = Ports(), new_id()
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        append, committed = house.store.append, asyncio.Event()

        async def cut(writes: list) -> list:
            await append(writes)
            committed.set()
            return await asyncio.Future()

        house.store.append = cut
        command = pb.SessionRequest.Command(
            match_id=match_id, seat=0, command_id=command_id, answer={"prompt_id": 1, "index": 0}
        )
        gateway.send(commands=[command])
        await committed.wait()
        assert gateway.drained() == []
    async with House(path, ports) as house:
        gateway = Gateway(house)
        await gateway.attach(match_id, tokens[0])
        assert reason(await gateway.act(match_id, 0, 1, command_id=command_id)) == ""
        rows = await house.events(match_id)
        assert [row.command_id for row in rows].count(command_id) == 1


async def test_a_crash_before_the_commit(path: Path) -> None:
    """Nothing was answered, nothing is in the log, the command can be sent again."""
    ports, command_id = Ports(), new_id()
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        reached = asyncio.Event()

        async def cut(_writes: list) -> list:
            reached.set()
            return await asyncio.Future()

        house.store.append = cut
        command = pb.SessionRequest.Command(
            match_id=match_id, seat=0, command_id=command_id, answer={"prompt_id": 1, "index": 0}
        )
        gateway.send(commands=[command])
        await reached.wait()
        assert gateway.drained() == []
    async with House(path, ports) as house:
        gateway = Gateway(house)
        await gateway.attach(match_id, tokens[0])
        rows = await house.events(match_id)
        assert command_id not in [row.command_id for row in rows]
        assert reason(await gateway.act(match_id, 0, 1, command_id=command_id)) == ""


async def test_one_bad_match_does_not_stop_the_others(path: Path) -> None:
    """A failing group commit is retried match by match; the bad one recovers, too."""
    async with House(path) as house:
        bad, _tokens, gateway = await house.started()
        good, tokens = await house.seated()
        for token in tokens:
            await gateway.attach(good, token)
        await house.ready(good, tokens)
        gateway.drained()
        trigger = (
            "CREATE TRIGGER broken BEFORE INSERT ON match_log"
            f" WHEN NEW.match_id = '{bad}' BEGIN SELECT RAISE(ABORT, 'broken'); END"
        )
        await house.database.run(lambda c: c.exec_driver_sql(trigger))
        commands = [
            pb.SessionRequest.Command(
                match_id=match_id, seat=0, command_id=new_id(), answer={"prompt_id": 1, "index": 0}
            )
            for match_id in (bad, good)
        ]
        gateway.send(commands=commands)
        updates = await gateway.news()
        answers = {u.match_id: u.reply.HasField("accepted") for u in updates if u.HasField("reply")}
        assert answers == {bad: False, good: True}
        assert not [view for u in updates if u.match_id == bad for view in u.views]
        await house.database.run(lambda c: c.exec_driver_sql("DROP TRIGGER broken"))
        assert reason(await gateway.act(bad, 0, 1)) == ""


async def test_a_stale_owner_writes_nothing(path: Path) -> None:
    """reliability D2: the epoch in the compare-and-set fences; the match is read again."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        rows = len(await house.events(match_id))
        moved = f"UPDATE match_head SET epoch = epoch + 1 WHERE match_id = '{match_id}'"
        await house.database.run(lambda c: c.exec_driver_sql(moved))
        assert reason(await gateway.act(match_id, 0, 1)) == "NOT_OWNER"
        assert len(await house.events(match_id)) == rows
        assert gateway.drained() == []


async def test_the_outbox_outlives_failures_and_restarts(path: Path) -> None:
    """Scoring and ledger away, then a restart: every round is scored and settled once."""
    ports = Ports()
    ports.scoring.fails, ports.ledger.fails = 3, 10**6
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        assert (await house.match(match_id)).totals == [0, 0]
        for _ in range(8):
            await house.advance(10_000)
        assert (await house.match(match_id)).totals == [3, -3]
        await house.ready(match_id, tokens)
        await house.play(match_id, gateway)
        assert (await house.match(match_id)).phase == pb.MATCH_PHASE_FINISHING
        assert not ports.ledger.settled
        clock = house.clock
    ports.ledger.fails = 2
    async with House(path, ports, clock) as house:
        for _ in range(8):
            await house.advance(10_000)
        match = await house.match(match_id)
        assert (match.phase, match.settled_rounds) == (pb.MATCH_PHASE_CLOSED, 2)
        assert ports.ledger.order == ["settle:1", "settle:2", "close"]
        assert house.core.outbox.idle
    assert sql(path, "SELECT DISTINCT state FROM match_outbox") == [("done",)]
    counted = sql(path, "SELECT kind, count(*) FROM match_outbox GROUP BY kind ORDER BY kind")
    assert counted == [("close", 1), ("finish", 1), ("score", 2), ("settle", 2)]


async def test_a_result_that_cannot_be_stored_is_fetched_again(path: Path) -> None:
    """The ledger posted, the row RoundSettled failed: the same settlement is asked for again."""
    ports = Ports()
    async with House(path, ports) as house:
        match_id, _tokens, gateway = await house.started()
        append, failed = house.store.append, list[str]()

        async def once(writes: list) -> list:
            if not failed and writes[0].row.actor == "ledger":
                failed.append(writes[0].row.command_id)
                return [Outcome.FAILED] * len(writes)
            return await append(writes)

        house.store.append = once
        await house.play(match_id, gateway)
        await house.advance(20_000)
        assert failed
        assert (await house.match(match_id)).settled_rounds == 1
        assert ports.ledger.order == ["settle:1", "settle:1"]


async def test_the_ledger_does_not_hold_up_play(path: Path) -> None:
    """protocol.md: the next round waits for RoundScored only."""
    ports = Ports()
    ports.ledger.fails = 10**6
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        await house.ready(match_id, tokens)
        match = await house.match(match_id)
        assert (match.round_no, match.phase) == (2, pb.MATCH_PHASE_PLAYING)
        assert match.settled_rounds == 0


async def test_scoring_holds_up_the_next_round(path: Path) -> None:
    """protocol.md: without RoundScored no next round, though all are ready."""
    ports = Ports()
    ports.scoring.fails = 10**6
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        await house.ready(match_id, tokens)
        assert (await house.match(match_id)).round_no == 1
        ports.scoring.fails = 0
        await house.advance(20_000)
        assert (await house.match(match_id)).round_no == 2


async def test_readiness_survives_a_crash_before_the_deal(path: Path) -> None:
    """All are ready and the engine is away: the round starts after the restart."""
    ports = Ports()
    ports.rules.down = True
    async with House(path, ports) as house:
        match_id, tokens = await house.seated()
        await house.ready(match_id, tokens)
        assert (await house.match(match_id)).round_no == 0
    ports.rules.down = False
    async with House(path, ports) as house:
        assert (await house.match(match_id)).round_no == 1


async def test_matches_nobody_follows_leave_memory(path: Path) -> None:
    """Parked matches cost nothing and come back on demand, their timers too."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        house.clock.advance(1_000)
        slot = house.hub.slots[match_id]
        for seat in (0, 1):
            slot.used_ms -= 60_000
            house.core.park()
            assert match_id in house.hub.slots
            gateway.send(detaches=[{"match_id": match_id, "seat": seat}])
            await gateway.news()
        slot.used_ms -= 60_000
        house.core.park()
        assert match_id not in house.hub.slots
        await house.advance(DISCARD_MS)
        assert house.asked(match_id) == [(1, 1)] or house.hub.slots[match_id].table
        rows = await house.events(match_id)
        assert [row.actor for row in rows].count("timer") == 1
        assert max(row.epoch for row in rows) == 1


async def test_a_wrong_key_opens_nothing(path: Path) -> None:
    """A service with another key refuses the match instead of breaking."""
    ports = Ports()
    async with House(path, ports) as house:
        created = await house.create()
        house.hub.slots.clear()
        house.hub.parts.vault._box = type(house.hub.parts.vault)(bytes(32))._box
        request = pb.GetMatchRequest(match_id=created.match.match_id)
        with pytest.raises(Exception, match="UNKNOWN_MATCH"):
            await house.servicer.get_match(request, Context())


async def test_an_unreadable_match_hides_no_other(path: Path, capfd) -> None:
    """ListMatches leaves it out and says so in the log."""
    async with House(path) as house:
        bad, good = await house.create(), await house.create()
        spoil = f"UPDATE match_head SET wrapped_key = x'00' WHERE match_id = '{bad.match.match_id}'"
        await house.database.run(lambda c: c.exec_driver_sql(spoil).close())
        raw = await house.servicer.list_matches(pb.ListMatchesRequest(), Context())
        found = pb.ListMatchesResponse.FromString(raw).matches
        assert [match.match_id for match in found] == [good.match.match_id]
        told = "".join(capfd.readouterr())
        assert "match_unreadable" in told
        assert bad.match.match_id in told


async def test_a_match_that_cannot_be_handled_stops_alone(path: Path) -> None:
    """An answer of the engine that makes no sense hurts its match only, and not for ever."""
    async with House(path) as house:
        bad, tokens, gateway = await house.started()
        good, _tokens, others = await house.started()
        step = house.ports.rules.step

        async def nonsense(items: list) -> list:
            results = await step(items)
            return [result._replace(events=None) for result in results]

        house.ports.rules.step = nonsense
        updates = await gateway.act(bad, 0, 1)
        assert [u.reply.HasField("error") for u in updates] == [True, True]
        house.ports.rules.step = step
        assert reason(await others.act(good, 0, 1)) == ""
        await gateway.attach(bad, tokens[0])
        assert reason(await gateway.act(bad, 0, 1)) == ""


async def test_a_database_that_cannot_be_written_refuses_and_recovers(path: Path, capfd) -> None:
    """A full disk ends nothing: commands are refused, health says so, later they are taken."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        command = new_id()
        await _full(house, "CREATE TRIGGER full_{0} BEFORE {1} ON {0} BEGIN {2}; END")
        assert not await house.core.beats.note()
        capfd.readouterr()
        updates = await gateway.act(match_id, 0, 1, command_id=command)
        assert reason(updates) == "UPSTREAM_UNAVAILABLE"
        told = "".join(capfd.readouterr())
        assert "commit_failed" in told
        assert "IntegrityError" in told
        assert "disk full" not in told
        await _full(house, "DROP TRIGGER full_{0}")
        assert await house.core.beats.note()
        assert reason(await gateway.act(match_id, 0, 1, command_id=command)) == ""


async def _full(house: House, statement: str) -> None:
    """Makes every write of a beat and of the log fail, or ends that."""
    for table, verb in (("match_owner", "UPDATE"), ("match_log", "INSERT")):
        sql = statement.format(table, verb, "SELECT RAISE(ABORT, 'disk full')")
        await house.database.run(lambda c, sql=sql: c.exec_driver_sql(sql).close())
