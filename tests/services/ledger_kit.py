"""What the ledger's tests share: a served ledger, short requests, an auditor of its own.

The auditor reads the file with plain SQL and shares no code with the service.
"""

import asyncio
import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from paiju.ledger.v1 import ledger_pb2 as pb
from paiju.ledger.v1.ledger_pb2_grpc import LedgerServiceStub

from libs.runtime import clients
from libs.runtime.errors import reason_of
from libs.runtime.server import serving
from libs.runtime.settings import Settings
from services.ledger.main import SERVICE

ORIGIN = pb.Origin(actor="match", occurred_at_ms=1_700_000_000_000, reason_code="round_ended")
HASH = bytes(range(32))
KINDS = {"player": pb.ACCOUNT_KIND_PLAYER, "escrow": pb.ACCOUNT_KIND_ESCROW}


ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "services.ledger.main")


@dataclass
class Running:
    """A ledger process, a stub of it, and what it has logged once it has ended."""

    process: asyncio.subprocess.Process
    channel: grpc.aio.Channel
    stub: LedgerServiceStub
    metrics_port: int
    log: list[dict[str, Any]] = field(default_factory=list)


def env_of(path: Path) -> dict[str, str]:
    """The environment of a ledger on free ports of this machine."""
    return {
        "PAIJU_LEDGER_DATABASE_URL": f"sqlite:///{path}",
        "PAIJU_LEDGER_PORT": "0",
        "PAIJU_LEDGER_METRICS_PORT": "0",
        "PAIJU_LEDGER_LOG_LEVEL": "info",
    }


@asynccontextmanager
async def ledger(path: Path) -> AsyncIterator[LedgerServiceStub]:
    """A ledger served in this process, seen through gRPC."""
    settings = Settings.of("ledger", env_of(path))
    async with (
        serving(SERVICE, settings) as app,
        clients.channel(f"127.0.0.1:{app.port}") as channel,
    ):
        yield LedgerServiceStub(channel)


async def _serving(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """The line by which the process says where it serves."""
    assert process.stderr is not None
    while line := await asyncio.wait_for(process.stderr.readline(), 60):
        event: dict[str, Any] = json.loads(line)
        if event["event"] == "serving":
            return event
    raise AssertionError("the ledger ended before it served")


@asynccontextmanager
async def running(path: Path) -> AsyncIterator[Running]:
    """A ledger as a process of its own; ended by SIGTERM unless the test ended it."""
    env = {**os.environ, **env_of(path)}
    process = await asyncio.create_subprocess_exec(
        *COMMAND, cwd=ROOT, env=env, stderr=asyncio.subprocess.PIPE
    )
    log: list[dict[str, Any]] = []
    try:
        said = await _serving(process)
        async with clients.channel(f"127.0.0.1:{said['port']}") as channel:
            stub = LedgerServiceStub(channel)
            yield Running(process, channel, stub, int(said["metrics_port"]), log)
    finally:
        if process.returncode is None:
            process.terminate()
        _, stderr = await process.communicate()
        log += [json.loads(line) for line in stderr.splitlines() if line.startswith(b"{")]


def escrow(match: str, seat: int) -> str:
    """Name of a seat's escrow."""
    return f"escrow:{match}:{seat}:SCORE"


def player(name: str) -> str:
    """Name of a player's account."""
    return f"player:{name}:SCORE"


def spec(account_id: str, least: int | None = None) -> pb.AccountSpec:
    """Terms that fit an account's name."""
    kind, asset = KINDS[account_id.split(":")[0]], account_id.rsplit(":", 1)[1]
    return pb.AccountSpec(account_id=account_id, kind=kind, asset=asset, min_balance=least)


def opening(key: str, specs: Sequence[pb.AccountSpec]) -> pb.OpenAccountsRequest:
    """OpenAccounts."""
    return pb.OpenAccountsRequest(command_id=key, origin=ORIGIN, accounts=specs)


def seats(match: str, count: int = 3) -> pb.OpenAccountsRequest:
    """OpenAccounts for the escrows of a match and the accounts of its players."""
    escrows = [spec(escrow(match, seat)) for seat in range(count)]
    players = [spec(player(f"{match}-p{seat}")) for seat in range(count)]
    return opening(f"open:{match}", escrows + players)


def settling(
    match: str, round_no: int, deltas: Sequence[int], key: str | None = None
) -> pb.SettleRoundRequest:
    """SettleRound with a delta per seat; zero deltas have no leg."""
    return pb.SettleRoundRequest(
        command_id=key or f"settle:{match}:{round_no}",
        origin=ORIGIN,
        match_id=match,
        round_no=round_no,
        rules_release=1,
        log_hash=HASH,
        legs=legs_of(match, deltas),
    )


def legs_of(match: str, deltas: Sequence[int]) -> list[pb.Leg]:
    """A leg for each seat that gains or loses."""
    return [
        pb.Leg(account_id=escrow(match, seat), amount=delta)
        for seat, delta in enumerate(deltas)
        if delta
    ]


def closing_of(
    match: str, count: int = 3, adjustments: Sequence[int] = (), key: str | None = None
) -> pb.CloseMatchRequest:
    """CloseMatch that pays every seat's remainder to its player."""
    payouts = [
        pb.CloseMatchRequest.Payout(
            escrow_id=escrow(match, seat), account_id=player(f"{match}-p{seat}")
        )
        for seat in range(count)
    ]
    return pb.CloseMatchRequest(
        command_id=key or f"close:{match}",
        origin=ORIGIN,
        match_id=match,
        adjustments=legs_of(match, adjustments),
        payouts=payouts,
        log_hash=HASH,
    )


async def status_of(call: grpc.aio.UnaryUnaryCall) -> str:
    """OK, REPLAYED or the reason of a call, with the fields named in its metadata."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        reason = reason_of(error)
        named = reason.metadata.get("fields") or reason.metadata.get("field")
        return f"{reason.reason}({named})" if named else reason.reason
    return "REPLAYED" if await replayed(call) else "OK"


async def replayed(call: grpc.aio.UnaryUnaryCall) -> bool:
    """Whether an answer came from the store."""
    return ("replayed", "true") in tuple(await call.trailing_metadata() or ())


AUDIT = {
    "IL1": "SELECT tx_id FROM entry JOIN account USING (account_id)"
    " GROUP BY tx_id, asset HAVING SUM(amount) <> 0",
    "IL2": "SELECT account_id FROM account LEFT JOIN entry USING (account_id) GROUP BY account_id"
    " HAVING balance <> COALESCE(SUM(amount), 0) OR version <> COUNT(amount)"
    " OR version <> COALESCE(MAX(account_version), 0)",
    "IL2 chain": "SELECT account_id FROM (SELECT account_id, balance_after, SUM(amount) OVER"
    " (PARTITION BY account_id ORDER BY account_version) AS due FROM entry)"
    " WHERE balance_after <> due",
    "IL3": "SELECT account_id FROM account WHERE balance < min_balance",
    "IL4": "SELECT match_id FROM journal WHERE kind = 1"
    " GROUP BY match_id, round_no HAVING COUNT(*) > 1",
    # By halves: the sum may pass 64 bits on its way to 0.
    "IL5": "SELECT asset FROM account GROUP BY asset"
    " HAVING SUM(balance >> 32) * 4294967296 + SUM(balance & 4294967295) <> 0",
    "IL9": "SELECT account_id FROM account JOIN journal USING (match_id)"
    " WHERE journal.kind = 2 AND account.kind = 2 AND balance <> 0",
    "IL11": "SELECT account_id FROM account JOIN entry USING (account_id) WHERE"
    " typeof(balance) <> 'integer' OR typeof(amount) <> 'integer'"
    " OR typeof(balance_after) <> 'integer' OR abs(balance) > 4611686018427387904",
    "IL8 journal": "SELECT tx_id FROM journal LEFT JOIN command USING (caller, command_id)"
    " WHERE command.op IS NULL",
    "entry without transaction": "SELECT entry.tx_id FROM entry LEFT JOIN journal USING (tx_id)"
    " WHERE journal.tx_id IS NULL",
}


def audit(connection: sqlite3.Connection) -> set[str]:
    """Names of the invariants (reliability 5) that a ledger's content breaks."""
    broken = {name for name, query in AUDIT.items() if connection.execute(query).fetchall()}
    for req_hash, body in connection.execute("SELECT req_hash, body FROM command"):
        if hashlib.sha256(body).digest() != req_hash:
            broken.add("IL8 fingerprint")
    return broken


def audit_file(path: Path) -> set[str]:
    """The audit of a ledger that is not running."""
    with closing(sqlite3.connect(path)) as connection:
        return audit(connection)
