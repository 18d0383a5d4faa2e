"""M4: no seat loses because the service was down, also when the process itself lived on."""

from pathlib import Path

import pytest
from match_kit import House, kinds_of
from match_toy import Ports, ToyRules
from paiju.match.v1 import match_pb2 as pb

from libs.runtime.logs import configure
from services.match.jobs import TimerDue
from services.match.store import Outcome

FAST = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_FAST)
DISCARD_MS = 10_000
OUTAGE = 30_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


@pytest.fixture(autouse=True)
def _log() -> None:
    configure("match")


async def ill(*_args: object) -> bool:
    return False


async def outage(house: House, cause: str) -> None:
    """Nobody can act for half a minute; the beats notice, each in its way."""
    beat = house.store.beat
    if cause == "database":
        house.store.beat = ill
    elif cause == "rules-engine":
        house.ports.rules.down = True
    for _ in range(0 if cause == "match" else 30):
        house.clock.advance(OUTAGE // 30)
        await house.core.beats.once()
        house.hub.submit(next(iter(house.hub.slots)), TimerDue())
        await house.core.quiet()
    house.clock.advance(OUTAGE if cause == "match" else 0)
    house.store.beat, house.ports.rules.down = beat, False


async def live(house: House, ms: int) -> None:
    """Time passes, with a beat each second."""
    while ms:
        step = min(ms, 1_000)
        house.clock.advance(step)
        await house.core.beats.once()
        await house.advance(0)
        house.core.park()
        ms -= step


@pytest.mark.parametrize("cause", ["database", "rules-engine", "match"])
async def test_deadlines_are_extended_by_an_outage_within_the_process(
    path: Path, cause: str, capfd
) -> None:
    """Disk full, engine away, process stopped: timers wait, and go on where they were."""
    async with House(path) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        house.core.beats.watch()
        await outage(house, cause)
        assert house.core.beats.held()
        house.hub.submit(match_id, TimerDue())
        assert await gateway.news() == []
        await house.core.beats.once()
        assert not house.core.beats.held()
        updates = await gateway.news()
        assert [kinds_of(updates, seat) for seat in (0, 1)] == [["deadlines_extended"]] * 2
        extended = updates[0].views[0].match_event.deadlines_extended
        assert extended.outage_ms == OUTAGE
        (deadline,) = extended.deadlines
        assert deadline.at_ms == house.clock.now_ms() + DISCARD_MS
        await live(house, DISCARD_MS - 1)
        assert gateway.drained() == []
        await live(house, 1)
        assert "discarded" in kinds_of(gateway.drained(), 1)
        assert f'"of":"{cause}"' in capfd.readouterr().err


async def test_a_match_that_left_memory_is_extended_too(path: Path) -> None:
    """Nobody follows it; its deadline stands in the head row."""
    async with House(path) as house:
        match_id, _tokens, _gateway = await house.started(clock=FAST)
        house.hub.forget(house.hub.slots[match_id])
        house.core.beats.watch()
        house.clock.advance(OUTAGE)
        await house.core.beats.once()
        await house.core.quiet()
        (row,) = [row for row in await house.events(match_id) if row.actor == "clock"][1:]
        assert row.match_events[0].deadlines_extended.outage_ms == OUTAGE


async def test_an_extension_that_fails_is_owed(path: Path) -> None:
    """The disk is full again at once: the next attempt extends by the whole outage."""
    async with House(path) as house:
        match_id, _tokens, _gateway = await house.started(clock=FAST)
        house.core.beats.watch()
        append = house.store.append

        async def fails(writes: list) -> list:
            return [Outcome.FAILED] * len(writes)

        house.store.append = fails
        house.clock.advance(OUTAGE)
        await house.core.beats.once()
        await house.core.quiet()
        house.store.append = append
        house.clock.advance(1_000)
        await house.core.beats.once()
        house.core.wheel.fire()
        await house.core.quiet()
        rows = await house.events(match_id)
        told = [e.deadlines_extended for r in rows for e in r.match_events]
        assert [event.outage_ms for event in told if event.outage_ms] == [OUTAGE]
        assert "timer" not in [row.actor for row in rows]


async def test_a_claims_deadline_stays_secret_then(path: Path) -> None:
    """Everybody hears of the outage, only the asked seat of its own deadline."""
    async with House(path, Ports(rules=ToyRules(claims={1: {0}}))) as house:
        match_id, _tokens, gateway = await house.started(clock=FAST)
        await gateway.act(match_id, 0, 1)
        house.core.beats.watch()
        house.clock.advance(OUTAGE)
        await house.core.beats.once()
        updates = await gateway.news()
        told = {u.seat: u.views[0].match_event.deadlines_extended for u in updates}
        assert {seat: event.outage_ms for seat, event in told.items()} == {0: OUTAGE, 1: OUTAGE}
        assert {seat: len(event.deadlines) for seat, event in told.items()} == {0: 1, 1: 0}


async def test_untimed_matches_get_no_row(path: Path) -> None:
    """Nothing can run out there."""
    async with House(path) as house:
        match_id, _tokens, _gateway = await house.started()
        rows = len(await house.events(match_id))
        house.core.beats.watch()
        house.clock.advance(OUTAGE)
        await house.core.beats.once()
        await house.core.quiet()
        assert len(await house.events(match_id)) == rows


async def test_a_short_delay_is_no_outage(path: Path) -> None:
    """Beats come a little late under load."""
    async with House(path) as house:
        match_id, _tokens, _gateway = await house.started(clock=FAST)
        rows = len(await house.events(match_id))
        house.core.beats.watch()
        for _ in range(4):
            house.clock.advance(2_000)
            assert not house.core.beats.held()
            await house.core.beats.once()
        await house.core.quiet()
        assert len(await house.events(match_id)) == rows


async def test_settlements_go_on_without_the_engine(path: Path) -> None:
    """Only what runs out for a player waits; the ledger was away just before the engine was."""
    ports = Ports()
    ports.ledger.fails = 1
    async with House(path, ports) as house:
        match_id, _tokens, gateway = await house.started()
        await house.play(match_id, gateway)
        house.core.beats.watch()
        house.ports.rules.down = True
        await live(house, 10_000)
        assert house.core.beats.held()
        assert ports.ledger.order == ["settle:1"]
        assert (await house.match(match_id)).settled_rounds == 1


async def test_a_round_begins_when_the_engine_is_back(path: Path) -> None:
    """All were ready while it was away, and nobody does anything after that."""
    async with House(path) as house:
        match_id, tokens = await house.seated()
        house.core.beats.watch()
        house.ports.rules.down = True
        await house.ready(match_id, tokens)
        await live(house, 90_000)
        assert (await house.match(match_id)).round_no == 0
        house.ports.rules.down = False
        await live(house, 10_000)
        assert (await house.match(match_id)).round_no == 1
