"""Durable commands through the whole cluster, and what each costs every process."""

import asyncio
import tempfile
from pathlib import Path

from tests.cluster.cluster_nodes import running
from tools.load import Load, measure

SATURATED = 256
PACED = 500
SECONDS = 8.0


async def _figures(seconds: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home:
        async with running(Path(home)) as cluster:
            pids = {name: node.pid for name, node in cluster.nodes.items()}
            full = Load(cluster.target, SATURATED, seconds, pids=pids)
            paced = Load(cluster.target, PACED, seconds, think=1.0)
            saturated, calm = await measure(full), await measure(paced)
    return saturated.figures() | {
        "paced_commands_per_s": calm.per_second,
        "paced_p50_ms": calm.p50_ms,
        "paced_p99_ms": calm.p99_ms,
    }


def figures(seconds: float = SECONDS) -> dict[str, float]:
    """Named figures of four real services on this machine, the load's own process beside them.

    Saturated: 256 matches answer at once. Paced: 500 matches whose seats think a second.
    """
    return asyncio.run(_figures(seconds))


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}: {value:,.1f}")
