"""Stages: lists form by themselves, and stages that feed each other take turns."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from services.match import stage
from services.match.stage import Stage


class Held:
    """A stage whose lists end when the test says so."""

    def __init__(self, name: str) -> None:
        self.lists: list[list[int]] = []
        self.began = asyncio.Event()
        self.end = asyncio.Event()
        self.stage: Stage[int] = Stage(name, self._work, 100)

    async def _work(self, batch: list[int]) -> None:
        self.lists.append(batch)
        self.began.set()
        await self.end.wait()
        self.began.clear()
        self.end.clear()

    async def finish(self) -> None:
        """Ends the list under way."""
        await self.began.wait()
        self.end.set()
        await settled()


@asynccontextmanager
async def running(*held: Held) -> AsyncIterator[None]:
    """Their loops, until the block ends."""
    tasks = [asyncio.create_task(one.stage.run()) for one in held]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def settled() -> None:
    """Everything that can happen without time has happened."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_arrives_meanwhile_is_the_next_list() -> None:
    """Nothing waits while the stage is idle; nothing is lost while it works."""
    one = Held("one")
    async with running(one):
        one.stage.put(1)
        await one.began.wait()
        one.stage.put(2)
        one.stage.put(3)
        await one.finish()
        await one.began.wait()
        assert one.lists == [[1], [2, 3]]


async def test_short_lists_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two stages alternate; each gets its turn when the other's list ends."""
    monkeypatch.setattr(stage, "_PATIENCE_SECONDS", 3600.0)
    step, commit = Held("step"), Held("commit")
    commit.stage.alternate(step.stage)
    async with running(step, commit):
        commit.stage.put(0)
        await commit.began.wait()
        step.stage.put(1)
        await step.began.wait()  # its first turn is free
        await commit.finish()
        commit.stage.put(2)
        await settled()
        assert commit.lists == [[0]]
        commit.stage.put(3)
        await step.finish()
        await commit.began.wait()
        assert commit.lists == [[0], [2, 3]]
        await commit.finish()
        await settled()
        assert not any(one.stage.busy or len(one.stage) for one in (step, commit))


async def test_a_long_list_goes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Company would save it little."""
    monkeypatch.setattr(stage, "_PATIENCE_SECONDS", 3600.0)
    step, commit = Held("step"), Held("commit")
    commit.stage.alternate(step.stage)
    async with running(step, commit):
        commit.stage.put(0)
        await commit.finish()
        step.stage.put(1)
        await step.began.wait()
        for number in range(stage._LONG):
            assert len(commit.lists) == 1
            commit.stage.put(number)
            await settled()
        assert len(commit.lists) == 2


async def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that hangs in one stage does not stop the other."""
    monkeypatch.setattr(stage, "_PATIENCE_SECONDS", 0.01)
    step, commit = Held("step"), Held("commit")
    commit.stage.alternate(step.stage)
    async with running(step, commit):
        commit.stage.put(0)
        await commit.finish()
        step.stage.put(1)
        await step.began.wait()
        commit.stage.put(2)
        await asyncio.wait_for(commit.began.wait(), 5)
        assert commit.lists == [[0], [2]]


async def test_a_stage_with_a_pause_gathers() -> None:
    """The first item goes at once; what comes until the pause is over makes one list."""
    lists: list[list[int]] = []
    twice = asyncio.Event()

    async def work(batch: list[int]) -> None:
        lists.append(batch)
        if len(lists) == 2:
            twice.set()

    gathering: Stage[int] = Stage("gathering", work, 100, pause=0.02)
    task = asyncio.create_task(gathering.run())
    try:
        gathering.put(1)
        await settled()
        assert lists == [[1]]
        gathering.put(2)
        await settled()
        gathering.put(3)
        await settled()
        assert lists == [[1]]
        await twice.wait()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert lists == [[1], [2, 3]]
