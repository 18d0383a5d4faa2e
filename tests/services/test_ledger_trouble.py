"""The ledger whose disk is full, then not; whose answers, health and books stay true."""

import asyncio
import resource
import urllib.error
import urllib.request
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from ledger_kit import Running, audit_file, escrow, running, seats, settling, status_of
from paiju.ledger.v1 import ledger_pb2 as pb

STATES = health_pb2.HealthCheckResponse


async def _until(channel: grpc.aio.Channel, status: int) -> None:
    """Follows the health service until it says so."""
    watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
    async with asyncio.timeout(20):
        async for answer in watch:
            if answer.status == status:
                break
    watch.cancel()


def _page(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


async def _read(served: Running, path: str) -> tuple[int, str]:
    return await asyncio.to_thread(_page, served.metrics_port, path)


def _limit(served: Running, size: int) -> None:
    """No file of the process may grow beyond a size: what a full disk does, for one process."""
    _, hard = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def _wal(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_size


async def _balance(served: Running) -> int:
    answer = await served.stub.GetAccount(pb.GetAccountRequest(account_id=escrow("m", 0)))
    return answer.account.balance


async def test_a_full_disk(tmp_path: Path) -> None:
    """Each refused settlement can be repeated; health turns and comes back; nothing is lost."""
    path = tmp_path / "ledger.db"
    rounds = [settling("m", number, (2, -1, -1)) for number in range(1, 61)]
    async with running(path) as served:
        await served.stub.OpenAccounts(seats("m"))
        await served.stub.SettleRound(rounds[0])
        _limit(served, _wal(path))
        told = await asyncio.gather(*(status_of(served.stub.SettleRound(r)) for r in rounds[1:]))
        assert set(told) == {"UPSTREAM_UNAVAILABLE"}
        await _until(served.channel, STATES.NOT_SERVING)
        assert await asyncio.to_thread(_page, served.metrics_port, "/healthz") == (
            503,
            "not ready\n",
        )
        assert await asyncio.to_thread(_page, served.metrics_port, "/livez") == (200, "alive\n")
        _, text = await _read(served, "/metrics")
        assert "paiju_database_writable 0.0" in text
        assert await _balance(served) == 2
        _limit(served, resource.RLIM_INFINITY)
        await _until(served.channel, STATES.SERVING)
        again = [await status_of(served.stub.SettleRound(request)) for request in rounds]
        assert again[0] == "REPLAYED"
        assert set(again[1:]) <= {"OK", "REPLAYED"}
        assert await _balance(served) == 120
        _, text = await _read(served, "/metrics")
        assert "paiju_database_writable 1.0" in text
    events = [line["event"] for line in served.log]
    assert [e for e in events if e.startswith(("database", "commit"))] == [
        "database_failed",
        "database_back",
    ]
    assert audit_file(path) == set()
