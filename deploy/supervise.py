"""Keeps the processes of a local cluster: starts, waits for health, restarts, ends them."""

import asyncio
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import grpc
import orjson
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.runtime.clients import Retry, channel, pause

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_STEADY_SECONDS = 30.0
_QUICK_DEATHS = 6
_BACKOFF = Retry(_QUICK_DEATHS, 0.2, 5.0)
_LOG_BYTES = 16 * 1024 * 1024

Say = Callable[[str], None]


class LocalError(Exception):
    """The local cluster cannot run; the text is the one line to print."""


class Part(NamedTuple):
    """One service of the cluster."""

    name: str
    module: str
    port: int
    metrics_port: int


@dataclass
class Keeper:
    """Keeps one service running; its log goes to one file."""

    part: Part
    env: Mapping[str, str]
    logs: Path
    say: Say
    _process: asyncio.subprocess.Process | None = None
    _stopping: bool = False
    _log_start: int = 0
    _deaths: int = field(default=0)

    @property
    def _log(self) -> Path:
        return self.logs / f"{self.part.name}.log"

    @property
    def pid(self) -> int:
        """Process id of the running service."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Starts the process and returns when it is healthy; LocalError if it ends before."""
        with self._open_log() as log:
            self._log_start = log.tell()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self.part.module,
                env=dict(self.env),
                cwd=ROOT,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C ends the runner, which ends its children in order
            )
        await self._until_healthy(self._process)

    async def keep(self) -> None:
        """Restarts the service whenever it dies; LocalError if it cannot stay up."""
        clock = asyncio.get_running_loop().time
        while not self._stopping:
            since = clock()
            assert self._process is not None
            code = await self._process.wait()
            if self._stopping:
                return
            self._deaths = 0 if clock() - since > _STEADY_SECONDS else self._deaths
            self.say(f"{self.part.name} died ({_manner(code)}); restarting it")
            await self._restart()

    async def stop(self) -> None:
        """Ends the process: SIGTERM, and SIGKILL if it does not drain in time."""
        self._stopping = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _restart(self) -> None:
        while True:
            self._deaths += 1
            if self._deaths > _QUICK_DEATHS:
                raise LocalError(f"{self.part.name} does not stay up: {self._last_line()}")
            await asyncio.sleep(pause(self._deaths, _BACKOFF))
            try:
                await self.start()
            except LocalError as error:
                self.say(f"{error}; trying again")
                continue
            self.say(f"{self.part.name} is back")
            return

    async def _until_healthy(self, process: asyncio.subprocess.Process) -> None:
        ended = asyncio.create_task(process.wait())
        healthy = asyncio.create_task(_healthy(self.part.port))
        try:
            await asyncio.wait((ended, healthy), return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                raise LocalError(self._last_line())
            if not healthy.result():
                raise LocalError(f"{self.part.name} is not healthy after {START_SECONDS:.0f} s")
        finally:
            ended.cancel()
            healthy.cancel()

    def _open_log(self) -> BinaryIO:
        if self._log.exists() and self._log.stat().st_size > _LOG_BYTES:
            self._log.replace(self._log.with_suffix(".log.1"))
        return self._log.open("ab")

    def _last_line(self) -> str:
        """What the process said last, as a person reads it."""
        with self._log.open("rb") as log:
            log.seek(self._log_start)
            lines = log.read().decode("utf-8", "replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        with suppress(orjson.JSONDecodeError):
            last = str(orjson.loads(last).get("event"))
        return last or f"{self.part.name} ended without a word; see {self._log}"


async def _healthy(port: int) -> bool:
    async with channel(f"127.0.0.1:{port}") as probe:
        stub = health_pb2_grpc.HealthStub(probe)
        request = health_pb2.HealthCheckRequest()
        try:
            answer = await stub.Check(request, timeout=START_SECONDS, wait_for_ready=True)
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def _manner(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
