"""What things cost on this machine: `python -m tests.bench [MODULE ...] [--runs N]`.

Every `bench_*.py` beside this file offers `figures()`, named numbers. Each module runs in fresh
processes, one after another; shown is the median of the runs with the lowest and highest. Modules
that work in one process run on one core; those that start services use what there is, each process
being one thread's worth of Python. Exit status 1: a module failed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import NamedTuple

FIRST = ("hand", "engine", "rpc", "cluster")
"""Modules in the order in which a reader asks; others follow by name."""

SEVERAL_PROCESSES = frozenset({"rpc", "cluster"})
CHILD_SECONDS = 900
UNITS = (
    ("cpu_us_per", "µs"),
    ("_per_s", "1/s"),
    ("/s ", "1/s"),
    ("µs", "µs"),
    ("_us", "µs"),
    ("_ms", "ms"),
    ("state", "bytes"),
    ("bytes", "bytes"),
)
"""Part of a figure's name → its unit; the first that fits counts."""

Figures = Mapping[str, float]


class Failed(Exception):
    """A module gave no figures; the text says why."""


class Row(NamedTuple):
    """One figure over all runs."""

    name: str
    middle: float
    low: float
    high: float
    command: str


def modules(folder: Path = Path(__file__).parent) -> list[str]:
    """Names of the modules without `bench_`, in reading order."""
    found = [path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py")]
    return sorted(found, key=lambda name: (FIRST.index(name) if name in FIRST else 99, name))


def unit_of(name: str) -> str:
    """The unit that a figure's name tells."""
    return next((unit for part, unit in UNITS if part in name), "")


def child(name: str) -> Figures:
    """The figures of one module, from a fresh process. Raises Failed."""
    command = [sys.executable, "-m", "tests.bench", "--child", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CHILD_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"no figures within {CHILD_SECONDS} s") from None
    if done.returncode or not done.stdout.strip():
        raise Failed("\n".join(done.stderr.splitlines()[-8:]) or f"exit {done.returncode}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def in_child(name: str) -> int:
    """The child's side: pins itself, measures, prints JSON on the last line."""
    if name not in SEVERAL_PROCESSES and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    measured = import_module(f"tests.bench.bench_{name}").figures()
    print(json.dumps({key: float(value) for key, value in measured.items()}))
    return 0


def rows(name: str, runs: Sequence[Figures]) -> list[Row]:
    """Median, lowest and highest of every figure. Raises Failed when runs name other figures."""
    keys = list(runs[0])
    if not keys or any(list(run) != keys for run in runs):
        raise Failed(f"the runs name other figures: {[list(run) for run in runs]}")
    command = f"python -m tests.bench {name}"
    columns = ((key, [run[key] for run in runs]) for key in keys)
    return [Row(key, median(all_), min(all_), max(all_), command) for key, all_ in columns]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.1f}"


def table(found: Iterable[Row]) -> list[str]:
    """Aligned lines with a heading."""
    cells = [("figure", "median", "unit", "lowest", "highest", "command")]
    for row in found:
        numbers = [_number(value) for value in row[1:4]]
        cells.append((row.name, numbers[0], unit_of(row.name), *numbers[1:], row.command))
    widths = [max(len(line[at]) for line in cells) for at in range(6)]
    left = (0, 2, 5)
    return [
        "  ".join(
            text.ljust(width) if at in left else text.rjust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]


def machine() -> str:
    """The facts that figures depend on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    load = os.getloadavg()[0]
    system = f"{platform.system()} {platform.release()}"
    return f"{model or platform.machine()}, {cores} cores, {python}, {system}, load {load:.1f}"


def measure(names: Sequence[str], runs: int, once: Callable[[str], Figures]) -> int:
    """Runs all modules, prints the table; returns how many failed."""
    found: list[Row] = []
    failed = 0
    for name in names:
        print(f"{name}: {runs} × a fresh process", file=sys.stderr, flush=True)
        try:
            found += rows(name, [once(name) for _ in range(runs)])
        except Failed as error:
            failed += 1
            print(f"{name} failed:\n{error}", file=sys.stderr, flush=True)
    print(machine())
    if found:
        print("\n".join(table(found)))
    return failed


def main(argv: Sequence[str] | None = None, once: Callable[[str], Figures] = child) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="MODULE", help=", ".join(modules()))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--child", metavar="MODULE", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.child:
        return in_child(args.child)
    names = args.names or modules()
    unknown = sorted(set(names) - set(modules()))
    if unknown or args.runs < 1:
        parser.error(f"no such module: {', '.join(unknown)}" if unknown else "--runs from 1")
    return 1 if measure(names, args.runs, once) else 0


if __name__ == "__main__":
    sys.exit(main())
