"""Load on a running cluster: `python -m tools.load --target HOST:PORT --matches N --seconds S`.

Many matches are played at once through a few Session streams, each seat answering as soon as it
is asked. Reported are durable commands per second, their latency, and, for the processes named
by `--pid NAME=PID`, the CPU time of each per command.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

import grpc
from paiju.game.v1 import action_pb2
from paiju.match.v1 import match_pb2 as pb

from tools.client import Gateway, Refused, Seat
from tools.console import command, failure, finish, seconds, warn, whole
from tools.platform_api import Platform, Ticket, reach

_ROUNDS = 100
_WARM_SHARE = 0.2
_CREATING = 16
CLIENT = "client"
_CLOSE_SECONDS = 15.0
"""How long the matches may take to close."""


@dataclass(frozen=True)
class Load:
    """What to put on a cluster. `streams` gateways share the matches among them; a seat thinks
    `think` seconds on average before it answers."""

    target: str
    matches: int = 32
    seconds: float = 10.0
    streams: int = 2
    players: int = 3
    think: float = 0.0
    seed: int = 0
    game: str = "hengyang_liuhuqiang"
    pids: Mapping[str, int] = field(default_factory=dict)


class Measured(NamedTuple):
    """What came of it; `cpu_us` is CPU time per command by process, the load itself included.

    A round ends for every seat; `rounds` counts tables.
    """

    commands: int
    rounds: float
    seconds: float
    per_second: float
    p50_ms: float
    p99_ms: float
    refused: int
    cpu_us: dict[str, float]

    def lines(self) -> list[str]:
        """For a terminal."""
        return [f"{name}: {value:,.1f}" for name, value in self.figures().items()]

    def figures(self) -> dict[str, float]:
        """Named figures."""
        return {
            "durable_commands_per_s": self.per_second,
            "command_p50_ms": self.p50_ms,
            "command_p99_ms": self.p99_ms,
            "commands_per_round": self.commands / max(1, self.rounds),
            **{f"cpu_us_per_command_{name}": value for name, value in self.cpu_us.items()},
            **self._servers(),
        }

    def _servers(self) -> dict[str, float]:
        """The processes named on the command line together, where there are any."""
        servers = [value for name, value in self.cpu_us.items() if name != CLIENT]
        return {"cpu_us_per_command_all_servers": sum(servers)} if servers else {}


class Meter:
    """Times of answered commands while it is on; `think` as in Load."""

    def __init__(self, think: float) -> None:
        self.think = think
        self.on = False
        self.times: list[float] = []
        self.refused = 0
        self.ended = 0


class Player:
    """A seat that answers at once, mostly at random: what it plays costs the cluster the same."""

    def __init__(self, ticket: Ticket, meter: Meter, rng: Random) -> None:
        self._ticket = ticket
        self._meter = meter
        self._rng = rng
        self._seat: Seat | None = None

    def sit(self, gateway: Gateway) -> None:
        """Attaches and plays until the gateway closes."""
        self._seat = gateway.attach(self._ticket, self._view)

    def _view(self, view: pb.View) -> None:
        kind = view.WhichOneof("kind")
        if kind == "event":
            if view.event.HasField("prompted"):
                self._answer(view.event.prompted.prompt)
        elif kind == "snapshot":
            self._snapshot(view.snapshot)
        elif view.match_event.HasField("round_scored"):
            self._meter.ended += self._meter.on
            self._post(ready=pb.ReadyCommand())

    def _snapshot(self, snapshot: pb.Snapshot) -> None:
        if snapshot.table.HasField("prompt"):
            self._answer(snapshot.table.prompt)
        elif snapshot.match.phase in (pb.MATCH_PHASE_OPEN, pb.MATCH_PHASE_BETWEEN):
            self._post(ready=pb.ReadyCommand())

    def _answer(self, prompt: action_pb2.Prompt) -> None:
        index = self._rng.randrange(len(prompt.choices))
        for at, choice in enumerate(prompt.choices):
            if choice.HasField("hu"):
                index = at
        answer = pb.Answer(prompt_id=prompt.prompt_id, index=index)
        if self._meter.think:
            pause = self._rng.expovariate(1 / self._meter.think)
            loop = asyncio.get_running_loop()
            loop.call_later(pause, lambda: self._post(answer=answer))
        else:
            self._post(answer=answer)

    def _post(self, **kind: Any) -> None:
        assert self._seat is not None
        started = asyncio.get_running_loop().time()
        self._seat.post(**kind).add_done_callback(lambda done: self._done(done, started))

    def _done(self, done: "asyncio.Future[int]", started: float) -> None:
        if done.cancelled():
            return
        error = done.exception()
        if error is not None and not isinstance(error, Refused):
            return
        if not self._meter.on:
            return
        self._meter.refused += error is not None
        if error is None:
            self._meter.times.append(asyncio.get_running_loop().time() - started)


def cpu_seconds(pid: int) -> float:
    """CPU time a process has used so far."""
    # The name in field 2 may hold spaces; what follows its bracket does not.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quantile(ordered: Sequence[float], share: float) -> float:
    """A quantile of ordered values, 0 if there are none."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


async def measure(load: Load) -> Measured:
    """Puts the load on and measures its second, steady part; the matches are closed after it."""
    meter, rng = Meter(load.think), Random(load.seed)
    async with AsyncExitStack() as stack:
        platform = await stack.enter_async_context(Platform(load.target, say=warn))
        tables = await _tables(platform, load)
        gateways = [
            await stack.enter_async_context(Gateway(load.target, say=warn))
            for _ in range(load.streams)
        ]
        for number, tickets in enumerate(tables):
            for ticket in tickets:
                player = Player(ticket, meter, Random(rng.getrandbits(64)))
                player.sit(gateways[number % load.streams])
        measured = await _while_up(gateways, _steady(load, meter))
        await _close(platform, [tickets[0].match_id for tickets in tables])
    return measured


async def _while_up(gateways: Iterable[Gateway], work: Awaitable[Measured]) -> Measured:
    """The work's result; GaveUp or Refused if a gateway ends before."""
    for gateway in gateways:
        work = gateway.guard(work)
    return await work


async def _steady(load: Load, meter: Meter) -> Measured:
    await asyncio.sleep(load.seconds * _WARM_SHARE)
    clock = asyncio.get_running_loop().time
    pids = {**load.pids, CLIENT: os.getpid()}
    before = {name: cpu_seconds(pid) for name, pid in pids.items()}
    meter.on, started = True, clock()
    await asyncio.sleep(load.seconds)
    meter.on, seconds = False, clock() - started
    count, ordered = len(meter.times), sorted(meter.times)
    cpu = {
        name: (cpu_seconds(pid) - before[name]) * 1e6 / max(1, count) for name, pid in pids.items()
    }
    return Measured(
        count,
        meter.ended / load.players,
        seconds,
        count / seconds,
        quantile(ordered, 0.5) * 1e3,
        quantile(ordered, 0.99) * 1e3,
        meter.refused,
        cpu,
    )


async def _tables(platform: Platform, load: Load) -> list[list[Ticket]]:
    gate = asyncio.Semaphore(_CREATING)

    async def one(number: int) -> list[Ticket]:
        async with gate:
            match = await platform.create(load.game, load.players, _ROUNDS)
            names = [f"load-{number}-{seat}" for seat in range(load.players)]
            return [await platform.join(match.match_id, name) for name in names]

    return list(await asyncio.gather(*(one(number) for number in range(load.matches))))


async def _close(platform: Platform, match_ids: Sequence[str]) -> None:
    gate = asyncio.Semaphore(_CREATING)

    async def one(match_id: str) -> None:
        async with gate:
            request = pb.CloseMatchRequest(
                command_id=str(uuid4()), match_id=match_id, reason="load"
            )
            await platform.call(platform.stub.CloseMatch, request)

    async def bounded(match_id: str) -> None:
        async with asyncio.timeout_at(until):
            await one(match_id)

    until = asyncio.get_running_loop().time() + _CLOSE_SECONDS
    made = await asyncio.gather(*map(bounded, match_ids), return_exceptions=True)
    failed = [error for error in made if error is not None]
    if failed and isinstance(failed[0], grpc.aio.AioRpcError | TimeoutError):
        late = f"no answer within {_CLOSE_SECONDS:g} s"
        why = late if isinstance(failed[0], TimeoutError) else failure(failed[0])
        warn(f"{len(failed)} of {len(made)} matches were not closed: {why}")
    elif failed:
        raise failed[0]


def _pid(text: str) -> tuple[str, int]:
    name, _, pid = text.partition("=")
    if not name or not pid.isdecimal():
        raise argparse.ArgumentTypeError(f"NAME=PID, not {text!r}")
    if name == CLIENT:
        raise argparse.ArgumentTypeError(f"{CLIENT} is the load itself: another name")
    if not Path(f"/proc/{int(pid)}/stat").exists():
        raise argparse.ArgumentTypeError(f"no process {pid} runs here")
    return name, int(pid)


async def _command(load: Load) -> int:
    await reach(load.target, "match service")
    measured = await measure(load)
    print("\n".join(measured.lines()))
    if not measured.commands:
        warn("no command was answered while the load was measured")
    return 0 if measured.commands else 1


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.load", description=__doc__)
    add = parser.add_argument
    add("--target", default="127.0.0.1:7401", help="match service (%(default)s)")
    add("--matches", type=whole(1), default=32, help="played at once (%(default)s)")
    add("--seconds", type=seconds(0.1), default=10.0,
        help="to measure, after a fifth more to warm up (%(default)s)")  # fmt: skip
    add("--streams", type=whole(1, 1000), default=2, help="that share the seats (%(default)s)")
    add("--think", type=seconds(0), default=0.0,
        help="mean seconds before an answer (%(default)s)")  # fmt: skip
    add("--seed", type=int, default=0, help="of the players (%(default)s)")
    add("--pid", type=_pid, action="append", default=[], metavar="NAME=PID",
        help="a process of this machine whose CPU time is told")  # fmt: skip
    args = parser.parse_args(argv)
    load = Load(
        target=args.target,
        matches=args.matches,
        seconds=args.seconds,
        streams=args.streams,
        think=args.think,
        seed=args.seed,
        pids=dict(args.pid),
    )
    return finish(_command(load))


if __name__ == "__main__":
    sys.exit(command(main))
