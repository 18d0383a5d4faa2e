"""Setting up: what cannot be finished is not left half done."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "deploy").mkdir()
    for name in ("pyproject.toml", "constraints.txt", "deploy/bootstrap.py"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


def _bootstrap(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    env |= {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": f"http://127.0.0.1:{_closed_port()}/simple",
    }
    command = [sys.executable, str(clone / "deploy/bootstrap.py"), *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_without_a_registry_one_line_and_nothing_left(clone):
    """No package registry: one line says so, and no half-made .venv stays behind."""
    before = sorted(path.name for path in clone.iterdir())
    done = _bootstrap(clone, "run")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "setting up .venv (run)",
        "setup: cannot install packages: no package registry can be reached",
    ]
    assert sorted(path.name for path in clone.iterdir()) == before


def _pin(line: str) -> tuple[str, str]:
    name, version = line.split(";")[0].strip(' ",').split("==")
    return name.lower().replace("_", "-"), version


def test_every_requirement_is_pinned():
    """Versions in pyproject.toml are exact and agree with constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = dict(_pin(line) for line in lines if not line.startswith("#"))
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    wanted = dict(_pin(line) for line in text.splitlines() if "==" in line)
    assert len(wanted) > 20
    assert {name: pins.get(name) for name in wanted} == wanted


def _planned(folder: Path) -> str:
    """What `make run` would do in a folder."""
    command = ["make", "-n", "run", "PROTOS="]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout


def test_a_venv_without_its_interpreter_is_made_anew(clone):
    """Its stamps say that all is there; `make` looks whether the interpreter runs."""
    shutil.copyfile(ROOT / "Makefile", clone / "Makefile")
    (clone / "deploy/stubs.py").touch()
    (clone / "gen").mkdir()
    (clone / ".venv/bin").mkdir(parents=True)
    for stamp in (".venv/.run", ".venv/.dev", "gen/.stamp"):
        (clone / stamp).touch()
    (clone / ".venv/bin/python").symlink_to(sys.executable)
    assert "bootstrap.py" not in _planned(clone)
    (clone / ".venv/bin/python").unlink()
    (clone / ".venv/bin/python").symlink_to("/nonexistent/python")
    assert "deploy/bootstrap.py run" in _planned(clone)
