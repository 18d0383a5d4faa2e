"""Kills services at moments that follow from the progress of play, never from a clock."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from paiju.match.v1 import match_pb2 as pb

from tests.cluster.cluster_nodes import Cluster, Node


class Progress:
    """Counts what the players received; waits for a count."""

    def __init__(self) -> None:
        self.views = 0
        self.rounds = 0
        self._moved = asyncio.Event()

    def note(self, _seat: int, view: pb.View) -> None:
        """An observer of `Plan.on_view`."""
        self.views += 1
        self.rounds += view.event.HasField("round_ended")
        self._moved.set()

    async def until(self, views: int, rounds: int) -> None:
        """Returns when so many views and round ends have been received."""
        while self.views < views or self.rounds < rounds:
            self._moved.clear()
            await self._moved.wait()


class Kill(NamedTuple):
    """Which service dies after how many views; `at_end`: when the running round then ends."""

    name: str
    views: int
    at_end: bool


def schedule(rng: Random, kills: int, views: int) -> list[Kill]:
    """Kills of all services in equal numbers and random order, spread over `views`."""
    names = ["match", "rules", "scoring", "ledger"] * (kills // 4)
    rng.shuffle(names)
    moments = sorted(rng.randrange(1, views) for _ in names)
    # Scoring and ledger work only when a round ends: half of their deaths come just then.
    return [
        Kill(name, at, name in ("scoring", "ledger") and rng.random() < 0.5)
        for name, at in zip(names, moments, strict=True)
    ]


async def torment(cluster: Cluster, progress: Progress, kills: Sequence[Kill]) -> Counter[str]:
    """Carries a schedule out; a service that is coming back is not killed again before it is."""
    locks = {name: asyncio.Lock() for name in cluster.nodes}
    async with asyncio.TaskGroup() as group:
        for kill in kills:
            group.create_task(_one(cluster.nodes[kill.name], progress, kill, locks[kill.name]))
    return Counter({name: node.kills for name, node in cluster.nodes.items()})


async def _one(node: Node, progress: Progress, kill: Kill, lock: asyncio.Lock) -> None:
    await progress.until(kill.views, 0)
    if kill.at_end:
        await progress.until(0, progress.rounds + 1)
    async with lock:
        await node.kill()
