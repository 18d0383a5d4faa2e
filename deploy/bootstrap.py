"""Makes `.venv`: pinned packages, generated stubs, this project. Standard library only.

    python3 deploy/bootstrap.py run|dev

Called by the Makefile when `pyproject.toml` or `constraints.txt` is newer than the last set-up.
What it began and could not finish, it removes.
"""

import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


class SetupFailed(Exception):
    """The one line a person reads when the set-up fails."""


def requirements(group: str) -> list[str]:
    """The pinned packages: `run` has what the services need, `dev` the tools too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted: list[str] = list(project["dependencies"])
    if group == "dev":
        wanted += project["optional-dependencies"]["dev"]
    return wanted


def _usable() -> bool:
    if not PYTHON.exists():
        return False
    probe = [str(PYTHON), "-m", "pip", "--version"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _make_venv() -> None:
    try:
        venv.create(VENV, clear=True, with_pip=True)
    except (subprocess.CalledProcessError, OSError):
        raise SetupFailed("cannot make .venv: is the venv module of Python installed?") from None


def _pip(what: str, *arguments: str) -> None:
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--retries", "1"]
    command += ["--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SetupFailed(f"cannot install {what}: {_reason(done.stderr)}")


def _reason(output: str) -> str:
    """pip's own reason in one line."""
    if "Retrying (" in output:
        return "no package registry can be reached"
    lines = output.splitlines()
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["pip failed"])[0].removeprefix("ERROR: ")


def _stubs() -> None:
    command = [str(PYTHON), str(ROOT / "deploy" / "stubs.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.splitlines() or ["no output"])[-1]
        raise SetupFailed(f"cannot generate the stubs: {last}")


def _fill(group: str) -> None:
    _pip("packages", "--constraint", "constraints.txt", *requirements(group))
    _stubs()
    _pip("the project", "--no-deps", "--no-build-isolation", "--editable", ".")


def _stamp(group: str) -> None:
    (VENV / ".run").touch()
    if group == "dev":
        (VENV / ".dev").touch()


def setup(group: str) -> None:
    """Makes or completes `.venv`; a new one that cannot be completed is removed again."""
    fresh = not _usable()
    try:
        if fresh:
            _make_venv()
        _fill(group)
    except (SetupFailed, KeyboardInterrupt):
        if fresh:
            shutil.rmtree(VENV, ignore_errors=True)
        raise
    _stamp(group)


def main() -> int:
    """Command line."""
    group = sys.argv[1] if len(sys.argv) == 2 else ""
    if group not in ("run", "dev"):
        sys.stderr.write("usage: bootstrap.py run|dev\n")
        return 2
    sys.stderr.write(f"setting up .venv ({group})\n")
    try:
        setup(group)
    except SetupFailed as error:
        sys.stderr.write(f"setup: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("setup: interrupted\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
