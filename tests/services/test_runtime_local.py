"""The local cluster's keeper: waits for health, restarts what dies, leaves nothing behind."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest

from deploy import local
from deploy.supervise import ROOT, Keeper, LocalError, Part
from libs.runtime.errors import StartupError
from libs.runtime.server import check_port
from libs.runtime.settings import SettingError
from libs.variants import registry
from tools import load


def _ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        return [made.getsockname()[1] for made in sockets]


def _ledger(tmp_path: Path, said: list[str]) -> Keeper:
    port, metrics_port = _ports(2)
    env = {
        **os.environ,
        "PAIJU_LEDGER_PORT": str(port),
        "PAIJU_LEDGER_METRICS_PORT": str(metrics_port),
        "PAIJU_LEDGER_DATABASE_URL": f"sqlite:///{tmp_path}/ledger.db",
        "PAIJU_LEDGER_DRAIN_SECONDS": "0",
    }
    part = Part("ledger", "services.ledger.main", port, metrics_port)
    return Keeper(part, env, tmp_path, said.append)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_killed_service_is_restarted_and_says_so(tmp_path):
    """kill -9: the keeper says who died and how, restarts it, says that it is back."""
    back = asyncio.Event()
    said: list[str] = []
    keeper = _ledger(tmp_path, said)
    keeper.say = lambda line: (said.append(line), back.set() if "back" in line else None)
    await keeper.start()
    keeping = asyncio.create_task(keeper.keep())
    first = keeper.pid
    os.kill(first, signal.SIGKILL)
    await asyncio.wait_for(back.wait(), 20)
    assert said == ["ledger died (SIGKILL); restarting it", "ledger is back"]
    second = keeper.pid
    assert second != first
    await keeper.stop()
    await asyncio.wait_for(keeping, 5)
    assert not _alive(second)


async def test_a_broken_database_is_one_line(tmp_path):
    """The service's own line is what the person at the terminal reads."""
    (tmp_path / "ledger.db").write_bytes(b"x" * 4096)
    keeper = _ledger(tmp_path, [])
    with pytest.raises(LocalError, match=r"^database .*ledger\.db: not a SQLite database$"):
        await keeper.start()
    assert not _alive(keeper.pid)


def _env() -> dict[str, str]:
    names = [
        f"PAIJU_{s}_{p}"
        for s in ("MATCH", "RULES", "SCORING", "LEDGER")
        for p in ("PORT", "METRICS_PORT")
    ]
    return dict(zip(names, map(str, _ports(8)), strict=True))


async def test_a_port_in_use_starts_nothing(monkeypatch):
    """All ports are looked at before the first process starts."""
    env = _env()
    todo = local.plan(env)
    monkeypatch.setattr(Keeper, "start", lambda _keeper: pytest.fail("something was started"))
    taken = ("127.0.0.1", int(env["PAIJU_SCORING_PORT"]))
    refused = pytest.raises(StartupError, match=r"scoring: port \d+ on 127.0.0.1: .*in use")
    with socket.create_server(taken), refused:
        await local.run(todo)


def test_plan_reads_the_environment():
    """Ports, game, rounds, seed and ONCE come from the environment; nonsense is refused."""
    todo = local.plan({"GAME": "shashaer", "ROUNDS": "4", "ONCE": "1", "PAIJU_MATCH_PORT": "9"})
    assert (todo.game, todo.rounds, todo.once) == ("shashaer", 4, True)
    assert todo.target("match") == "127.0.0.1:9"
    assert local.plan({}).once is False
    assert local.plan({"GAME": "沙沙儿"}).game == "shashaer"
    for env in ({"ROUNDS": "many"}, {"ROUNDS": "101"}, {"SEED": "0"}, {"PAIJU_RULES_PORT": "0"}):
        with pytest.raises(SettingError):
            local.plan(env)


def test_the_audit_token_is_made_once_and_private(tmp_path):
    """Random, readable by the owner only, kept by a second start; the match makes its own key."""
    todo = local.Plan(local.plan({}).parts, {}, tmp_path, "game", 1, 1, True)
    first, again = local.service_env(todo), local.service_env(todo)
    assert first == again
    path = Path(first["PAIJU_MATCH_AUDIT_TOKEN_FILE"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(bytes.fromhex(path.read_text())) == 32
    assert list((tmp_path / "keys").iterdir()) == [path]


def _run(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **_env(), "VAR": str(folder), "ONCE": "1", "ROUNDS": "2", **more}
    command = [sys.executable, "-m", "deploy.local"]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=90, check=False)


def test_the_whole_command_twice(tmp_path):
    """ONCE=1 plays a match and ends with the summary; a second start reuses what is there. No new
    key is made over matches of a lost one: one line, and not exit code 0."""
    for transactions in (3, 6):
        done = _run(tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        last = done.stdout.splitlines()[-1]
        assert last.startswith("summary: game hengyang_liuhuqiang, rounds 2, wins: seat 0 ")
        assert last.endswith("ledger sum 0")
        assert f"asset SCORE: {transactions} transactions" in done.stdout
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"match.db", "ledger.db", "match.key", "match.log"} <= {path.name for path in made}
    assert not [path for path in made if stat.S_IMODE(path.stat().st_mode) & 0o077]
    key = tmp_path / "keys" / "match.key"
    key.unlink()
    done = _run(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"match: key file {key} is missing")
    assert done.stderr.count("\n") == 1
    assert not key.exists()


def test_an_early_interrupt_leaves_no_traceback():
    """Ctrl-C while the modules are still being imported."""
    code = (
        "import os, runpy, signal, sys\n"
        "def watch(event, args):\n"
        "    if event == 'import' and args[0] == 'grpc':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.argv[0] = '-m'\n"
        "sys.addaudithook(watch)\n"
        "runpy.run_module('deploy.local', run_name='__main__', alter_sys=True)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_example_names_every_setting():
    """deploy/env.example and the table of docs/operations.md speak of the same settings."""
    table = [
        line.split("|")[1:3]
        for line in (ROOT / "docs/operations.md").read_text("utf-8").splitlines()
        if line.startswith("| `") and ("match" in line.split("|")[2] or "all" in line.split("|")[2])
    ]
    names = {name for row, _ in table for name in re.findall(r"`([A-Z][A-Z_]+)`", row)}
    example = (ROOT / "deploy/env.example").read_text("utf-8")
    assert len(names) > 15
    assert names == set(re.findall(r"^PAIJU_MATCH_([A-Z_]+)=", example, re.MULTILINE))


async def test_load_says_in_one_line_what_was_not_closed(capsys):
    """A refused CloseMatch does not cost the figures that were measured."""
    refused = grpc.aio.AioRpcError(
        grpc.StatusCode.FAILED_PRECONDITION, grpc.aio.Metadata(), grpc.aio.Metadata(), "it is over"
    )

    class Closed:
        stub = SimpleNamespace(CloseMatch=None)

        async def call(self, _method: object, request: object) -> None:
            if request.match_id != "good":
                raise refused

    await load._close(Closed(), ["bad", "good", "worse"])
    told = capsys.readouterr().err
    assert told == "2 of 3 matches were not closed: FAILED_PRECONDITION: it is over\n"


def test_a_foreign_database_stops_the_command(tmp_path):
    """One line, an exit code, and the other services are ended, too."""
    (tmp_path / "ledger.db").write_bytes(b"x" * 100)
    ports = _env()
    done = _run(tmp_path, **ports)
    assert done.returncode == 1
    assert done.stderr == f"database {tmp_path}/ledger.db: not a SQLite database\n"
    for port in ports.values():
        check_port("freed", "127.0.0.1", int(port))


MISTAKES = [
    (
        {"GAME": "liuhuqiang"},
        "GAME: no game is called 'liuhuqiang'; there are: hengyang_liuhuqiang ",
    ),
    ({"ROUNDS": "0"}, "ROUNDS must be a whole number from 1 to 100\n"),
    (
        {"PAIJU_MATCH_PROT": "1"},
        "PAIJU_MATCH_PROT is no setting; the nearest is PAIJU_MATCH_PORT\n",
    ),
    ({"PAIJU_MACH_BIND": "1"}, "PAIJU_MACH_BIND is no setting; the nearest is PAIJU_MATCH_BIND\n"),
    ({"VAR": "{tmp}/file"}, "VAR: cannot write to {tmp}/file: "),
    ({"VAR": "{tmp}/file/x"}, "VAR: cannot write to {tmp}/file/x: Not a directory\n"),
]


@pytest.mark.parametrize(("more", "line"), MISTAKES, ids=[str(more) for more, _ in MISTAKES])
def test_a_mistake_is_one_line_before_anything_starts(more, line, tmp_path):
    """A misspelt game, number or setting, a folder that is a file: refused, nothing is made."""
    (tmp_path / "file").touch()
    env = {name: value.format(tmp=tmp_path) for name, value in more.items()}
    done = _run(env.pop("VAR", tmp_path / "var"), **env)
    assert done.returncode == 1
    assert done.stderr.startswith(line.format(tmp=tmp_path))
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_every_game_is_listed():
    """The refusal names each game by id and 汉字."""
    with pytest.raises(SettingError) as refused:
        local.plan({"GAME": "x"})
    for variant in registry().values():
        assert f"{variant.game} {variant.zh}" in str(refused.value)
