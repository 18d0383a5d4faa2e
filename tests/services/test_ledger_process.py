"""The ledger as a process: killed in the middle of a burst, started on a broken file, measured."""

import asyncio
import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest
from ledger_kit import (
    COMMAND,
    ROOT,
    Running,
    audit_file,
    closing_of,
    env_of,
    escrow,
    replayed,
    running,
    seats,
    settling,
)
from paiju.ledger.v1 import ledger_pb2 as pb

DELTAS = (20, -10, -10)


def _env(path: Path) -> dict[str, str]:
    return {**os.environ, **env_of(path)}


async def _burst(
    served: Running, requests: Sequence[pb.SettleRoundRequest], kill_after: int
) -> dict[str, bytes]:
    """Sends everything 32 at a time; kills the process at an answer. The answers acknowledged."""
    acknowledged: dict[str, bytes] = {}
    failed: set[grpc.StatusCode] = set()
    window = asyncio.Semaphore(32)

    async def settle(request: pb.SettleRoundRequest) -> None:
        async with window:
            call = served.stub.SettleRound(request, timeout=10)
            if await call.code() != grpc.StatusCode.OK:
                failed.add(await call.code())
                return
        acknowledged[request.command_id] = (await call).SerializeToString()
        if len(acknowledged) == kill_after:
            served.process.send_signal(signal.SIGKILL)

    await asyncio.gather(*map(settle, requests))
    assert failed <= {grpc.StatusCode.UNAVAILABLE}
    return acknowledged


async def _retry(
    served: Running, requests: Sequence[pb.SettleRoundRequest], acknowledged: dict[str, bytes]
) -> int:
    """Sends everything again; how many had been posted without their answer arriving."""
    unheard = 0
    for request in requests:
        call = served.stub.SettleRound(request)
        answer = (await call).SerializeToString()
        if request.command_id in acknowledged:
            assert await replayed(call)
            assert answer == acknowledged[request.command_id]
        else:
            unheard += await replayed(call)
    return unheard


@pytest.mark.parametrize("seed", [1, 2])
async def test_killed_during_a_burst(seed: int, tmp_path: Path) -> None:
    """IL4 across kill -9: what was acknowledged is there, what was not settles once on retry."""
    path, rng = tmp_path / "ledger.db", random.Random(seed)
    matches = [f"m{i}" for i in range(25)]
    requests = [settling(match, number, DELTAS) for match in matches for number in range(1, 9)]
    rng.shuffle(requests)
    async with running(path) as served:
        await asyncio.gather(*(served.stub.OpenAccounts(seats(match)) for match in matches))
        acknowledged = await _burst(served, requests, rng.randint(5, 120))
        assert await served.process.wait() == -signal.SIGKILL
    assert 0 < len(acknowledged) < len(requests)
    async with running(path) as served:
        unheard = await _retry(served, requests, acknowledged)
        trial = await served.stub.TrialBalance(pb.TrialBalanceRequest())
        assert (trial.total, trial.transactions) == (0, len(requests))
        account = pb.GetAccountRequest(account_id=escrow("m7", 0))
        assert (await served.stub.GetAccount(account)).account.balance == 8 * DELTAS[0]
        await served.stub.CloseMatch(closing_of("m7"))
    assert await served.process.wait() == 0
    assert audit_file(path) == set()
    print(f"seed {seed}: {len(acknowledged)} acknowledged, {unheard} posted but unheard")


def _damaged(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)


def _foreign(path: Path) -> None:
    path.write_text("these are no books")


def _directory(path: Path) -> None:
    path.mkdir()


def _said(stderr: str) -> list[str]:
    """What is said to the operator: the lines that are no JSON events of the log."""
    return [line for line in stderr.splitlines() if not line.startswith("{")]


@pytest.mark.parametrize("make", [_damaged, _foreign, _directory])
def test_broken_file_is_one_line(make, tmp_path: Path) -> None:
    """A file that is no ledger: one line naming it, exit code not 0, the file untouched."""
    path = tmp_path / "ledger.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    ended = subprocess.run(
        COMMAND, cwd=ROOT, env=_env(path), capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode != 0
    assert ended.stdout == ""
    (line,) = _said(ended.stderr)
    assert str(path) in line
    assert before is None or path.read_bytes() == before


async def test_second_process_is_refused(tmp_path: Path) -> None:
    """One writer: a second ledger on the same file ends with one line, the first goes on."""
    path = tmp_path / "ledger.db"
    async with running(path) as served:
        second = await asyncio.create_subprocess_exec(
            *COMMAND, cwd=ROOT, env=_env(path), stderr=asyncio.subprocess.PIPE
        )
        _, stderr = await asyncio.wait_for(second.communicate(), 60)
        assert second.returncode != 0
        (line,) = _said(stderr.decode())
        assert "owned by another running process" in line
        await served.stub.OpenAccounts(seats("m"))


@pytest.mark.long
async def test_throughput(tmp_path: Path) -> None:
    """6,000 rounds of 750 matches, 32 calls under way; prints rounds per second."""
    path = tmp_path / "ledger.db"
    matches = [f"m{i}" for i in range(750)]
    requests = [settling(match, number, DELTAS) for number in range(1, 9) for match in matches]
    async with running(path) as served:
        for match in matches:
            await served.stub.OpenAccounts(seats(match))
        started = time.perf_counter()
        acknowledged = await _burst(served, requests, kill_after=-1)
        seconds = time.perf_counter() - started
        trial = await served.stub.TrialBalance(pb.TrialBalanceRequest())
    assert (len(acknowledged), trial.total, trial.transactions) == (6000, 0, 6000)
    assert audit_file(path) == set()
    print(f"\n{len(requests) / seconds:.0f} rounds settled per second ({seconds:.1f} s for 6,000)")
