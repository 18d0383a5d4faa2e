"""Durable commands through the whole cluster, and what each costs every process."""

import asyncio
import tempfile
from pathlib import Path

from tests.cluster.cluster_nodes import running
from tools.load import Load, measure

MATCHES = 64
SECONDS = 10.0


async def _figures(matches: int, seconds: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home:
        async with running(Path(home)) as cluster:
            pids = {name: node.pid for name, node in cluster.nodes.items()}
            load = Load(cluster.target, matches, seconds, pids=pids)
            return (await measure(load)).figures()


def figures(matches: int = MATCHES, seconds: float = SECONDS) -> dict[str, float]:
    """Named figures of four real services on this machine, the load's own process beside them."""
    return asyncio.run(_figures(matches, seconds))


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}: {value:,.1f}")
