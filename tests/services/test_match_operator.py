"""What an operator does to a match service: locked and damaged databases, faults that stay."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from match_kit import Context, Gateway, House, kinds_of, new_id, reason, replies_of, sql
from match_toy import Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError, of_status
from libs.runtime.logs import configure
from services.match.store import Outcome

AWAY = "UPSTREAM_UNAVAILABLE"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


@pytest.fixture(autouse=True)
def _log() -> None:
    configure("match")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program holds the file's write lock."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


async def impatient(house: House) -> list[str]:
    """Locks are not waited for; returns the list that grows with every failed transaction."""
    raw = house.database._connection.connection.driver_connection
    await house.database._call(lambda: raw.execute("PRAGMA busy_timeout=0"))
    failures: list[str] = []
    house.database.on_trouble = failures.append
    return failures


def level(house: House) -> float:
    return house.core.setup.gauges.quarantined._value.get()


def told(capfd, event: str) -> list[dict]:
    """The log lines of an event so far; they are not told again."""
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    return [line for line in lines if line["event"] == event]


def act(match_id: str, command_id: str = "") -> pb.SessionRequest.Command:
    answer = pb.Answer(prompt_id=1, index=0)
    return pb.SessionRequest.Command(
        match_id=match_id, seat=0, command_id=command_id or new_id(), answer=answer
    )


async def spoil(house: House, statement: str) -> None:
    await house.database.run(lambda c: c.exec_driver_sql(statement).close())


async def test_a_locked_database_is_waited_for_once_by_a_group(path: Path) -> None:
    """What troubles the database fails the whole group: its rows are not tried one by one."""
    async with House(path) as house:
        failures = await impatient(house)
        started = [await house.started() for _ in range(3)]
        append, groups = house.store.append, []

        async def counting(writes: list) -> list:
            before = len(failures)
            outcomes = await append(writes)
            groups.append((outcomes, len(failures) - before))
            return outcomes

        house.store.append = counting
        with locked(path):
            for match_id, _tokens, gateway in started:
                gateway.send(commands=[act(match_id)])
            await house.core.quiet()
        assert groups == [([Outcome.FAILED] * 3, 1)]
        assert [reason(gateway.drained()) for _m, _t, gateway in started] == [AWAY] * 3


async def test_the_service_outlives_a_locked_database(path: Path) -> None:
    """Loading, looking up, creating, reading and attaching are refused, and work again later."""
    async with House(path) as house:
        match_id, tokens, gateway = await house.started()
        await impatient(house)
        house.hub.forget(house.hub.slots[match_id])
        request = pb.GetMatchRequest(match_id=match_id)
        with locked(path):
            for call in (
                house.servicer.get_match(request, Context()),
                house.servicer.list_matches(pb.ListMatchesRequest(), Context()),
                house.servicer.get_round(pb.GetRoundRequest(match_id=match_id), Context()),
                house.create(),
            ):
                with pytest.raises(PaijuError, match=AWAY):
                    await call
            assert reason(await gateway.attach(match_id, tokens[0])) == AWAY
            (look,) = [stage for stage in house.hub.stages() if stage.name == "look"]
            assert not look.busy
        assert [task for task in house.tasks if task.done()] == []
        assert reason(await gateway.attach(match_id, tokens[0])) == ""
        assert reason(await gateway.act(match_id, 0, 1)) == ""


async def test_timers_outlive_a_locked_database(path: Path) -> None:
    """A match that could not be read when its time came is tried again."""
    async with House(path) as house:
        policy = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_FAST)
        match_id, _tokens, _gateway = await house.started(clock=policy)
        await impatient(house)
        house.hub.forget(house.hub.slots[match_id])
        with locked(path):
            house.clock.advance(10_000)
            house.core.wheel.fire()
            await house.core.quiet()
        await house.advance(5_000)
        assert "timer" in [row.actor for row in await house.events(match_id)]


async def test_one_line_for_each_change(path: Path, capfd) -> None:
    """Failures that go on are told once, beats and commits alike; so is their end."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        trigger = "CREATE TRIGGER broken_{0} BEFORE {1} ON {0} BEGIN SELECT RAISE(ABORT, 'no'); END"
        tables = (("match_owner", "UPDATE"), ("match_log", "INSERT"))
        for _ in range(2):
            for table, verb in tables:
                await spoil(house, trigger.format(table, verb))
            capfd.readouterr()
            for _ in range(3):
                assert not await house.core.beats.note()
                assert reason(await gateway.act(match_id, 0, 1)) == AWAY
            lines = capfd.readouterr().err
            assert [lines.count(event) for event in ("beat_failed", "commit_failed")] == [1, 1]
            for table, _verb in tables:
                await spoil(house, f"DROP TRIGGER broken_{table}")
            assert await house.core.beats.note()
            assert await house.core.beats.note()
            assert len(told(capfd, "beat_back")) == 1
            await house.servicer.create_match(_creation(), Context())
            match_id, _tokens, gateway = await house.started()


def _creation() -> pb.CreateMatchRequest:
    return pb.CreateMatchRequest(command_id=new_id(), game="toy", players=2)


async def test_a_match_that_always_fails_is_kept_apart(path: Path, capfd) -> None:
    """Tried again after growing pauses, named by gauge, log and answers; others play on."""
    async with House(path) as house:
        bad, tokens, gateway = await house.started()
        good, _tokens, others = await house.started()
        step, asked = house.ports.rules.step, []

        async def nonsense(items: list) -> list:
            asked.append(len(items))
            return [result._replace(events=None) for result in await step(items)]

        house.ports.rules.step = nonsense
        command = new_id()
        for _ in range(2):
            await gateway.attach(bad, tokens[0])
            failed = replies_of(await gateway.act(bad, 0, 1, command_id=command))[0]
            incident = of_status(failed.error).metadata["incident"]
        (first, second) = told(capfd, "match_stopped")
        assert (first["again_in_ms"], second["again_in_ms"]) == (0, 1_000)
        assert second["incident"] == incident
        assert level(house) == 1
        for _ in range(5):
            (refused,) = replies_of(await gateway.attach(bad, tokens[0]))
            assert of_status(refused.error).metadata["incident"] == incident
        with pytest.raises(PaijuError, match="INTERNAL: this match is in quarantine"):
            await house.match(bad)
        assert asked == [1, 1]
        house.ports.rules.step = step
        assert reason(await others.act(good, 0, 1)) == ""
        await house.advance(1_000)
        await gateway.attach(bad, tokens[0])
        assert reason(await gateway.act(bad, 0, 1, command_id=command)) == ""
        assert len(told(capfd, "match_goes_on")) == 1
        assert level(house) == 0


async def test_a_match_kept_apart_can_be_closed(path: Path) -> None:
    """The operator's way out, while everything else is refused."""
    async with House(path) as house:
        match_id, _tokens = await house.seated()
        for _ in range(3):
            house.hub.quarantine.stopped(match_id, ValueError())
        close = pb.CloseMatchRequest(command_id=new_id(), match_id=match_id, reason="stuck")
        await house.servicer.close_match(close, Context())
        assert (await house.match(match_id)).phase == pb.MATCH_PHASE_CLOSED


async def test_a_result_that_the_log_has_is_done(path: Path) -> None:
    """A task whose result turns out to be stored ends; it is not fetched for ever."""
    ports = Ports()
    async with House(path, ports) as house:
        match_id, _tokens, gateway = await house.started()
        added, add = [], house.core.outbox.add
        house.core.outbox.add = lambda task: (added.append(task), add(task))
        await house.play(match_id, gateway)
        (settle,) = [task for task in added if task.kind == "settle"]
        add(settle)
        for _ in range(4):
            await house.advance(10_000)
        assert ports.ledger.order == ["settle:1", "settle:1"]
        assert house.core.outbox.idle
        assert (await house.match(match_id)).settled_rounds == 1


async def test_a_match_that_hangs_does_not_hold_up_settlements(path: Path) -> None:
    """The relay reads what it needs at once, though a command of the match waits for the engine."""
    ports = Ports()
    ports.ledger.fails = 1
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        await house.ready(match_id, tokens)
        gate, settled = asyncio.Event(), asyncio.Event()
        step, settle = house.ports.rules.step, house.ports.ledger.settle

        async def hanging(items: list) -> list:
            await gate.wait()
            return await step(items)

        async def noted(items: list) -> list:
            settled.set()
            return await settle(items)

        house.ports.rules.step, house.ports.ledger.settle = hanging, noted
        seat, prompt = house.asked(match_id)[0]
        command = act(match_id)
        command.seat, command.answer.prompt_id = seat, prompt
        gateway.send(commands=[command])
        house.clock.advance(10_000)
        house.core.wheel.fire()
        async with asyncio.timeout(5):
            await settled.wait()
        gate.set()
        await house.core.quiet()
        assert ports.ledger.order == ["settle:1"]


async def test_ready_again_changes_nothing(path: Path) -> None:
    """Accepted without a row, from a stream and by unary call; the seat is told nothing new."""
    async with House(path) as house:
        match_id, tokens = await house.seated()
        gateway = Gateway(house)
        await gateway.attach(match_id, tokens[0])
        ready = pb.ReadyCommand()
        (first,) = replies_of(await gateway.command(match_id, 0, "one", ready=ready))
        rows = len(await house.events(match_id))
        for command_id in ("two", "two", "one"):
            updates = await gateway.command(match_id, 0, command_id, ready=ready)
            assert replies_of(updates)[0].accepted == first.accepted
            assert kinds_of(updates, 0) == []
        request = pb.ReadyRequest(command_id=new_id(), match_id=match_id, seat_token=tokens[0])
        await house.servicer.ready(request, Context())
        assert len(await house.events(match_id)) == rows
        await house.ready(match_id, tokens[1:])
        assert (await house.match(match_id)).round_no == 1
        assert reason(await gateway.command(match_id, 0, ready=ready)) == "ALREADY_STARTED"


DAMAGES = {
    "cut": "substr(meta, 1, length(meta) - 9)",
    "empty": "x''",
    "other template": "CAST(replace(CAST(meta AS TEXT), '\"0a', '\"0b') AS BLOB)",
    "control": "meta, control = x'00'",
    "state": "meta, wrapped_key = x'00'",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_damaged_head_hides_no_other_match(path: Path, damage: str, capfd) -> None:
    """ListMatches and a restart leave it out, and say so once; it is answered as unknown."""
    async with House(path) as house:
        bad, good = (await house.create()).match.match_id, (await house.create()).match.match_id
        await spoil(house, f"UPDATE match_head SET meta = {damage} WHERE match_id = '{bad}'")
    async with House(path) as house:
        assert [task for task in house.tasks if task.done()] == []
        for _ in range(2):
            raw = await house.servicer.list_matches(pb.ListMatchesRequest(), Context())
            found = pb.ListMatchesResponse.FromString(raw).matches
            assert [match.match_id for match in found] == [good]
            with pytest.raises(PaijuError, match="UNKNOWN_MATCH"):
                await house.match(bad)
        assert [line["match"] for line in told(capfd, "match_unreadable")] == [bad]
        assert level(house) == 1


@pytest.mark.parametrize(("draws", "first"), [(200, "event"), (300, "snapshot")])
async def test_a_long_gap_is_a_snapshot(path: Path, draws: int, first: str) -> None:
    """protocol.md: up to 256 rows from the log, beyond that the table as it is."""
    async with House(path, Ports(rules=ToyRules(draws=1000))) as house:
        match_id, tokens, gateway = await house.started()
        for turn in range(draws):
            await gateway.act(match_id, turn % 2, turn // 2 + 1)
        updates = await Gateway(house).attach(match_id, tokens[0], after=5)
        views = [view for update in updates for view in update.views]
        assert views[0].WhichOneof("kind") == first
        assert views[-1].seat_seq == house.hub.slots[match_id].table.control.seats[0].seq


async def test_a_damaged_row_does_not_end_the_service(path: Path, capfd) -> None:
    """A gap that cannot be rebuilt is answered by the head alone."""
    async with House(path) as house:
        match_id, tokens, _gateway = await house.started()
        await spoil(house, "UPDATE match_log SET private = x'0102' WHERE version > 2")
        updates = await Gateway(house).attach(match_id, tokens[0], after=1)
        assert kinds_of(updates, 0) == ["snapshot"]
        assert [line["match"] for line in told(capfd, "row_unreadable")] == [match_id]
        assert [task for task in house.tasks if task.done()] == []


async def test_a_damaged_task_does_not_end_the_service(path: Path) -> None:
    """Its match waits, the relay goes on."""
    ports = Ports()
    ports.ledger.fails = 10**6
    async with House(path, ports) as house:
        match_id, _tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        await spoil(house, "UPDATE match_outbox SET payload = x'00' WHERE kind = 'settle'")
    ports.ledger.fails = 0
    async with House(path, ports) as house:
        other, _tokens, gateway = await house.started()
        await house.play(other, gateway)
        await house.advance(20_000)
        assert [task for task in house.tasks if task.done()] == []
        assert (await house.match(other)).settled_rounds == 1
        states = sql(path, f"SELECT state FROM match_outbox WHERE match_id = '{match_id}'")
        assert ("todo",) in states
