"""What a service keeps to itself: its files, its memory, the secrets it was told."""

import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from test_runtime_local import _env

from deploy import local
from deploy.supervise import ROOT
from libs.runtime.db import Database

KEY, TOKEN = "0c" * 32, "canary-audit-token"
MIGRATION = """
from alembic import op
revision, down_revision, branch_labels, depends_on = "toy0001", None, None, None
def upgrade():
    op.execute("CREATE TABLE toy (n INTEGER NOT NULL) STRICT")
"""
PROCESS = """
import os
import resource
import sys
from pathlib import Path
from libs.runtime.server import Service, run
async def setup(app):
    Path(sys.argv[1]).touch()
    app.log.info("limits", core=resource.getrlimit(resource.RLIMIT_CORE))
    app.failed.set()
sys.exit(run(Service("toy", 0, 0, setup)))
"""


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _modes(folder: Path) -> dict[str, int]:
    return {file.name: _mode(file) for file in folder.glob("toy.db*")}


def test_a_service_writes_for_its_owner_and_leaves_no_core(tmp_path: Path) -> None:
    """Whatever the shell allowed: files are 0600, and no core is written of a memory with hands."""
    made = tmp_path / "made"
    env = {**os.environ, "PAIJU_TOY_PORT": "0", "PAIJU_TOY_METRICS_PORT": "0"}
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    loose = f"umask 000; ulimit -S -c {'unlimited' if hard < 0 else hard}; exec "
    command = ["sh", "-c", f'{loose} "$0" "$@"', sys.executable, "-c", PROCESS, str(made)]
    ended = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert '"core":[0,0]' in ended.stderr
    assert _mode(made) == 0o600


@pytest.mark.parametrize("before", [None, 0o644, 0o666])
async def test_database_files_are_private(tmp_path: Path, before: int | None) -> None:
    """0600 for the file, its WAL and its lock, also when an earlier one was open to others."""
    folder, path = tmp_path / "migrations", tmp_path / "toy.db"
    folder.mkdir()
    (folder / "toy0001.py").write_text(MIGRATION)
    old = os.umask(0)
    try:
        if before is not None:
            await (await Database.open(f"sqlite:///{path}", folder)).close()
            path.chmod(before)
        database = await Database.open(f"sqlite:///{path}", folder)
        await database.run(lambda c: c.exec_driver_sql("INSERT INTO toy VALUES (1)"))
        modes = _modes(tmp_path)
        await database.close()
    finally:
        os.umask(old)
    names = ("toy.db", "toy.db-wal", "toy.db-shm", "toy.db.owner")
    assert modes == dict.fromkeys(names, 0o600)


async def test_a_refused_file_keeps_its_mode(tmp_path: Path) -> None:
    """A file that is not ours is left as it is, its mode included."""
    path = tmp_path / "toy.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE other (n)")
    path.chmod(0o644)
    (tmp_path / "migrations").mkdir()
    with pytest.raises(Exception, match="another program"):
        await Database.open(f"sqlite:///{path}", tmp_path / "migrations")
    assert _mode(path) == 0o644


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_secrets_show_nowhere(tmp_path: Path) -> None:
    """Key and audit token given by the environment: in no log, no command line, and in no
    other service's environment."""
    told = {"PAIJU_MATCH_KEY": KEY, "PAIJU_MATCH_AUDIT_TOKEN": TOKEN, "VAR": str(tmp_path)}
    more = {"ROUNDS": "1", "PAIJU_MATCH_LOG_LEVEL": "debug", **told}
    child = subprocess.Popen(
        [sys.executable, "-m", "deploy.local"],
        cwd=ROOT,
        env={**os.environ, **_env(), **more},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        shown = ""
        for line in child.stdout:
            shown += line
            if line.startswith("staying up"):
                break
        pids = _children(child.pid)
        commands = [Path(f"/proc/{pid}/cmdline").read_bytes().decode() for pid in pids]
        knows = [command for pid, command in zip(pids, commands, strict=True) if _told(pid)]
    finally:
        child.send_signal(signal.SIGINT)
        shown += child.communicate(timeout=30)[0]
    assert len(commands) == 4
    assert [command.split("\0")[2] for command in knows] == ["services.match.main"]
    logs = "".join(path.read_text() for path in (tmp_path / "logs").iterdir())
    assert '"event":"serving"' in logs
    for secret in (KEY, TOKEN):
        assert secret not in logs + shown + "".join(commands)


def _told(pid: int) -> bool:
    environment = Path(f"/proc/{pid}/environ").read_text()
    return KEY in environment or TOKEN in environment


def test_each_service_is_told_its_own_settings() -> None:
    """What is for all or for one reaches it; what is another's does not."""
    env = {
        "PATH": "/bin",
        "PAIJU_MATCH_KEY": KEY,
        "PAIJU_RULES_PORT": "1",
        "PAIJU_LEDGER_PORT": "2",
    }
    assert local.own_env(env, "ledger") == {"PATH": "/bin", "PAIJU_LEDGER_PORT": "2"}
