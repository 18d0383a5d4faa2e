"""Step through gRPC: calls one by one and in batches of 64, with the server's CPU per step.

The rules engine runs as a process of its own; inputs come from random rounds, each state and
answer once per pass. Figures are medians of passes.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

from paiju.rules.v1 import rules_pb2 as pb

from libs.game import deal, engine
from libs.runtime import clients
from libs.runtime.server import loop_factory
from libs.variants import registry

GAME = "hengyang_liuhuqiang"
BATCH = 64
IN_FLIGHT = 16
PASSES = 5
_TICKS = os.sysconf("SC_CLK_TCK")

Call = Callable[[bytes], Awaitable[bytes]]


def inputs(rounds: int, seed: int = 1) -> list[pb.StepRequest.Item]:
    """Every step of random rounds."""
    rng = random.Random(seed)
    found = []
    for _ in range(rounds):
        source = deal.Seed(rng.randbytes(32), rng.randbytes(32), "bench")
        variant = engine.find(registry(), GAME, 0)
        start = engine.Start(GAME, variant.options(), 3, 1, source)
        stepped = engine.start(registry(), start, True)
        while stepped.status != engine.ENDED:
            prompt = rng.choice(stepped.prompts)
            index = rng.randrange(len(prompt.choices))
            answer = pb.StepRequest.Answer(seat=prompt.seat, prompt_id=prompt.number, index=index)
            found.append(pb.StepRequest.Item(state=stepped.state, answer=answer, run_on=True))
            what = engine.Input("answer", prompt.seat, prompt.number, index)
            stepped = engine.step(registry(), stepped.state, what, True)
    return found


@contextmanager
def rules_process() -> Iterator[tuple[int, int]]:
    """The rules engine in a process of its own: (process id, port)."""
    env = os.environ | {"PAIJU_RULES_PORT": "0", "PAIJU_RULES_METRICS_PORT": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "services.rules_engine.main"], env=env, stderr=subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        serving = next(json.loads(line) for line in process.stderr if b'"serving"' in line)
        yield process.pid, serving["port"]
    finally:
        process.terminate()
        process.communicate()


def cpu_seconds(pid: int) -> float:
    """CPU time a process has used."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@asynccontextmanager
async def step_call(port: int) -> AsyncIterator[Call]:
    """Step with bytes on both sides, so that the client costs little."""
    async with clients.channel(f"127.0.0.1:{port}") as channel:
        yield channel.unary_unary("/paiju.rules.v1.RulesService/Step")


async def send(call: Call, requests: Sequence[bytes], in_flight: int) -> None:
    """Sends all requests, so many at a time."""
    waiting = iter(requests)

    async def worker() -> None:
        for request in waiting:
            await call(request)

    await asyncio.gather(*[worker() for _ in range(in_flight)])


async def _measured(port: int, pid: int, items: Sequence[pb.StepRequest.Item]) -> dict[str, float]:
    singles = [pb.StepRequest(items=[item]).SerializeToString() for item in items]
    batches = [
        pb.StepRequest(items=items[at : at + BATCH]).SerializeToString()
        for at in range(0, len(items), BATCH)
    ]
    runs = {
        "one by one": (singles, 1),
        f"one item a call, {IN_FLIGHT} in flight": (singles, IN_FLIGHT),
        f"in batches of {BATCH}": (batches, 2),
    }
    figures = {}
    async with step_call(port) as call:
        await send(call, singles[:200], IN_FLIGHT)
        for name, (requests, in_flight) in runs.items():
            rates, costs = [], []
            for _ in range(PASSES):
                cpu, began = cpu_seconds(pid), time.perf_counter()
                await send(call, requests, in_flight)
                rates.append(len(items) / (time.perf_counter() - began))
                costs.append((cpu_seconds(pid) - cpu) / len(items) * 1e6)
            figures[f"steps/s through gRPC, {name}"] = statistics.median(rates)
            figures[f"rules-engine CPU µs per step, {name}"] = statistics.median(costs)
    return figures


def figures(rounds: int = 70) -> dict[str, float]:
    """Named figures."""
    items = inputs(rounds)
    with rules_process() as (pid, port), asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_measured(port, pid, items))


if __name__ == "__main__":
    for title, value in figures().items():
        sys.stdout.write(f"{value:12,.0f}  {title}\n")
