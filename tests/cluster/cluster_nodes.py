"""The four services as real processes, with a nemesis that kills them by hand."""

import asyncio
import os
import secrets
import socket
import sys
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import grpc
import orjson

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
MODULES = {
    "rules": "services.rules_engine.main",
    "scoring": "services.scoring.main",
    "ledger": "services.ledger.main",
    "match": "services.match.main",
}
STOPPING = ("match", "ledger", "scoring", "rules")
START_SECONDS = 30.0


def free_port() -> int:
    """A port nobody uses, outside the range of outgoing connections.

    A client that connects again and again to a dead service must not be given that service's own
    port as its source port, which would connect it to itself.
    """
    rng = Random(secrets.randbits(64))
    for _ in range(200):
        port = rng.randrange(20_000, 30_000)
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        return port
    raise AssertionError("no free port in 20000..29999")


@dataclass
class Node:
    """One service: it says `serving` on stderr when it is up."""

    name: str
    env: Mapping[str, str]
    port: int = field(default_factory=free_port)
    kills: int = 0
    said: deque[str] = field(default_factory=lambda: deque(maxlen=400))
    _process: asyncio.subprocess.Process | None = None
    _reader: asyncio.Task[None] | None = None
    _serving: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def target(self) -> str:
        """Where it listens."""
        return f"{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        """The running process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Starts the process and waits until it serves; AssertionError with its last words."""
        prefix = f"PAIJU_{self.name.upper()}_"
        own = {f"{prefix}PORT": str(self.port), f"{prefix}METRICS_PORT": "0"}
        self._serving.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            MODULES[self.name],
            cwd=ROOT,
            env={**self.env, **own},
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        self._reader = asyncio.create_task(self._read(self._process))
        waits = [asyncio.create_task(self._serving.wait()), self._reader]
        await asyncio.wait(waits, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        waits[0].cancel()
        assert self._serving.is_set(), "\n".join([f"{self.name} does not serve", *self.said])

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for raw in process.stderr:
            line = raw.decode(errors="replace").rstrip()
            self.said.append(line)
            if '"event":"serving"' in line:
                self._serving.set()

    async def kill(self) -> None:
        """kill -9, and back again."""
        assert self._process is not None
        self.kills += 1
        self._process.kill()
        await self._process.wait()
        await self.start()

    async def stop(self) -> int:
        """SIGTERM; the exit code."""
        if self._process is None:
            return 0
        if self._process.returncode is None:
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), 15)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        if self._reader is not None:
            await self._reader
        return self._process.returncode or 0

    def complaints(self) -> list[str]:
        """Log lines of level error: there must be none."""
        return [line for line in self.said if line.startswith("{") and _level(line) == "error"]


def _level(line: str) -> str:
    return str(orjson.loads(line).get("level"))


@dataclass
class Cluster:
    """The four services over one directory."""

    home: Path
    nodes: dict[str, Node]
    audit_token: str
    key: bytes

    @property
    def target(self) -> str:
        """The public API."""
        return self.nodes["match"].target

    @property
    def match_db(self) -> Path:
        """The match service's database."""
        return self.home / "match.db"

    def channel(self, name: str) -> grpc.aio.Channel:
        """A channel to a service."""
        return grpc.aio.insecure_channel(self.nodes[name].target)


def make_cluster(home: Path, extra: Mapping[str, str] | None = None) -> Cluster:
    """A cluster that has not been started."""
    key, token = secrets.token_bytes(32), secrets.token_hex(32)
    (home / "match.key").write_text(key.hex() + "\n")
    (home / "audit.token").write_text(token + "\n")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PAIJU_")}
    env = plain | {
        "GRPC_ENABLE_FORK_SUPPORT": "0",
        "PAIJU_MATCH_DATABASE_URL": f"sqlite:///{home / 'match.db'}",
        "PAIJU_LEDGER_DATABASE_URL": f"sqlite:///{home / 'ledger.db'}",
        "PAIJU_MATCH_KEY_FILE": str(home / "match.key"),
        "PAIJU_MATCH_AUDIT_TOKEN_FILE": str(home / "audit.token"),
        **(extra or {}),
    }
    nodes = {name: Node(name, env) for name in MODULES}
    for name in ("rules", "scoring", "ledger"):
        env[f"PAIJU_MATCH_{name.upper()}_TARGET"] = nodes[name].target
    return Cluster(home, nodes, token, key)


@asynccontextmanager
async def running(home: Path, extra: Mapping[str, str] | None = None) -> AsyncIterator[Cluster]:
    """A running cluster; ends every process it started."""
    cluster = make_cluster(home, extra)
    try:
        started = await asyncio.gather(
            *(node.start() for node in cluster.nodes.values()), return_exceptions=True
        )
        for failure in started:
            if isinstance(failure, BaseException):
                raise failure
        yield cluster
        codes = {name: await cluster.nodes[name].stop() for name in STOPPING}
        assert set(codes.values()) == {0}, codes
    finally:
        for name in STOPPING:
            await cluster.nodes[name].stop()
