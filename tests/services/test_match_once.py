"""What happens once: the same command is the same in every part, a row has one place, and a commit
that failed without being lost is found again (protocol.md, The log; reliability 3.2)."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from match_kit import Context, Gateway, House, new_id, reason, replies_of, sql
from match_toy import Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.errors import PaijuError
from services.match.slots import LogAhead
from services.match.store import Outcome
from services.match.table import Write

HEADS = "SELECT match_id, epoch, version, tail_hash FROM match_head"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


def forget(house: House, match_id: str) -> None:
    """The next repeat is answered from the log."""
    house.hub.slots[match_id].table.recent.clear()


@pytest.mark.parametrize("other", ["leave", "back"])
async def test_the_kind_of_a_command_counts(path: Path, other: str) -> None:
    """An id that said ready says nothing else later, from memory and from the log."""
    async with House(path) as house:
        match_id, tokens = await house.seated()
        gateway = Gateway(house)
        await gateway.attach(match_id, tokens[0])
        kinds = {"leave": pb.LeaveCommand(), "back": pb.BackCommand()}
        assert reason(await gateway.command(match_id, 0, "one", ready=pb.ReadyCommand())) == ""
        for _ in range(2):
            told = await gateway.command(match_id, 0, "one", **{other: kinds[other]})
            assert reason(told) == "COMMAND_ID_REUSED"
            forget(house, match_id)
        assert reason(await gateway.command(match_id, 0, "one", ready=pb.ReadyCommand())) == ""


async def test_every_field_of_a_platforms_command_counts(path: Path) -> None:
    """Join: player and shown name; CloseMatch: its reason."""
    async with House(path) as house:
        match_id = (await house.create(3)).match.match_id
        join = pb.JoinRequest(command_id="join", match_id=match_id)
        join.player.player_id, join.player.display_name = "a", "甲"
        first = await house.servicer.join(join, Context())
        close = pb.CloseMatchRequest(command_id="close", match_id=match_id, reason="late")
        closed = await house.servicer.close_match(close, Context())
        for _ in range(2):
            assert await house.servicer.join(join, Context()) == first
            assert await house.servicer.close_match(close, Context()) == closed
            forget(house, match_id)
        join.player.display_name = "乙"
        close.reason = "later"
        for call in (house.servicer.join(join, Context()), house.servicer.close_match(close, None)):
            with pytest.raises(PaijuError, match="COMMAND_ID_REUSED"):
                await call


async def test_an_id_used_again_is_no_failure_of_the_database(path: Path) -> None:
    """Its unique key refuses the second command; the alarm for failed commits stays silent."""
    async with House(path, Ports(rules=ToyRules(draws=4))) as house:
        match_id, _tokens, gateway = await house.started()
        await gateway.act(match_id, 0, 1, command_id="one")
        await gateway.act(match_id, 1, 1)
        forget(house, match_id)
        assert reason(await gateway.act(match_id, 0, 2, command_id="one")) == "COMMAND_ID_REUSED"
        assert house.core.setup.gauges.commits_failed._value.get() == 0


async def test_a_row_follows_the_last_one_or_is_not_written(path: Path) -> None:
    """reliability 1: FENCED for a version that is there already and for one too high."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        append, written = house.store.append, list[Write]()

        async def seen(writes: Sequence[Write]) -> list[Outcome]:
            written.extend(writes)
            return await append(writes)

        house.store.append = seen
        await gateway.act(match_id, 0, 1)
        (write, *_) = written
        before = sql(path, "SELECT version, hash FROM match_log"), sql(path, HEADS)
        for ahead in (0, 2):
            row = write.row._replace(version=write.row.version + ahead, command_id=new_id())
            assert await append([write._replace(row=row)]) == [Outcome.FENCED]
        after = sql(path, "SELECT version, hash FROM match_log"), sql(path, HEADS)
        assert after == before


def failing_after(append: Callable, actor: str, kind: str = "") -> Callable:
    """An `append` whose first commit of such a row is durable and yet reported as failed."""
    done: list[str] = []

    async def cut(writes: Sequence[Write]) -> list[Outcome]:
        outcomes = await append(writes)
        (write, *_) = writes
        wanted = write.row.actor == actor and (not kind or kind in [t.kind for t in write.outbox])
        if done or not wanted:
            return outcomes
        done.append(write.row.command_id)
        return [Outcome.FAILED] * len(writes)

    return cut


async def ended(house: House) -> BaseException | None:
    """How the process ends that learns of it: what a stage raises ends the service."""
    loading = house.tasks[house.core.stages.index(house.hub.loading)]
    await asyncio.wait({loading}, timeout=5)
    return loading.exception() if loading.done() else None


@pytest.mark.parametrize(
    ("actor", "kind"),
    [("seat:0", ""), ("seat:1", "score"), ("scoring", "settle"), ("ledger", ""), ("timer", "")],
)
async def test_a_commit_that_only_seemed_to_fail(path: Path, actor: str, kind: str) -> None:
    """Streams, timers and outbox have missed its row: the process begins again from the log, and
    all that follows from the row happens, once."""
    ports, clock = Ports(), None
    budgets = {"discard_ms": 10_000, "claim_ms": 8_000, "ready_ms": 30_000}
    policy = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_CUSTOM, **budgets)
    async with House(path, ports) as house:
        match_id, _tokens, gateway = await house.started(clock=policy)
        house.store.append = failing_after(house.store.append, actor, kind)
        playing = asyncio.create_task(run(house, match_id, gateway, actor))
        assert isinstance(await ended(house), LogAhead)
        playing.cancel()
        clock = house.clock
    async with House(path, ports, clock) as house:
        while (await house.match(match_id)).phase != pb.MATCH_PHASE_CLOSED:
            await house.advance(10_000)
        assert (await house.match(match_id)).settled_rounds == 2
        assert house.core.outbox.idle
    assert sorted(set(ports.ledger.order)) == ["close", "settle:1", "settle:2"]
    names = sql(path, "SELECT actor, command_id FROM match_log")
    assert len(names) == len(set(names))


async def run(house: House, match_id: str, gateway: Gateway, actor: str) -> None:
    """Plays until the row of `actor` comes: by answers, or by letting time pass."""
    while actor == "timer":
        await house.advance(10_000)
    await house.play(match_id, gateway)


async def test_an_accepted_command_is_answered_before_the_process_ends(path: Path) -> None:
    """Its commit seemed to fail; the log knows better."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started()
        house.store.append = failing_after(house.store.append, "seat:0")
        command = pb.SessionRequest.Command(
            match_id=match_id, seat=0, command_id=new_id(), answer={"prompt_id": 1, "index": 0}
        )
        gateway.send(commands=[command])
        assert isinstance(await ended(house), LogAhead)
        (reply,) = replies_of(gateway.drained())
        assert reply.HasField("accepted")


async def test_a_settlement_is_the_same_at_every_attempt(path: Path) -> None:
    """The ledger has posted it, the match goes on, and asks for it again later: same body."""
    ports = Ports()
    async with House(path, ports) as house:
        match_id, tokens, gateway = await house.started()
        append, failed = house.store.append, list[str]()

        async def once(writes: Sequence[Write]) -> list[Outcome]:
            if not failed and writes[0].row.actor == "ledger":
                failed.append(writes[0].row.command_id)
                return [Outcome.FAILED] * len(writes)
            return await append(writes)

        house.store.append = once
        await house.play(match_id, gateway)
        house.clock.advance(5)
        await house.ready(match_id, tokens)
        assert (await house.match(match_id)).round_no == 2
        await house.advance(20_000)
        assert ports.ledger.order == ["settle:1", "settle:1"]
        assert (await house.match(match_id)).settled_rounds == 1
