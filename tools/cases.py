"""Run worked cases: `python -m tools.cases FILE.jsonl ... [--target HOST:PORT[,HOST:PORT]]`.

Each line of a file is a case with `game`, `kind` and `expect` (docs/rules). The game's package
answers or, with --target, running services do: scoring the kind `score`, the rules engine the kind
`ting` (name one or both, in any order; plain text). No RPC serves the other kinds (`chi`, `grey`,
`closed`, `zhi_ting_gang`): they are counted as not run. Every difference is printed;
expected keys that no answer ever has are not compared. Exit status: 0 all as expected, 1 some
difference, 2 nothing could be run or a target cannot be used.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libs.game.cards import NotationError, parse, show
from tools.case_runners import Case, Find, NotServed, find_in_process
from tools.cases_remote import Remote, TargetError
from tools.console import command, unreadable, warn


def _spelled(text: str) -> str:
    """Cards in order and in one spelling (`陸` is `陆`, no spaces); other text as it is."""
    try:
        return show(sorted(parse(text)))
    except NotationError:
        return text


def _normal(value: Any, ordered: bool, names: frozenset[str]) -> Any:
    """`value` with every list sorted, except below a key in `names`, and cards in one spelling."""
    if isinstance(value, str):
        return _spelled(value)
    if isinstance(value, Mapping):
        return {key: _normal(item, key in names, names) for key, item in value.items()}
    if isinstance(value, list):
        items = [_normal(item, ordered, names) for item in value]
        return items if ordered else sorted(items, key=lambda i: json.dumps(i, sort_keys=True))
    return value


def differences(
    expect: Any, got: Any, ordered: frozenset[str], words: frozenset[str] = frozenset()
) -> list[str]:
    """What differs; of two objects every expected key that the answer has or, being one of
    `words`, could have, at least one."""
    if not isinstance(expect, Mapping) or not isinstance(got, Mapping):
        same = _normal(expect, False, ordered) == _normal(got, False, ordered)
        return [] if same else [f"expected {_text(expect)}, got {_text(got)}"]
    compared = [key for key in expect if key in got or key in words]
    if not compared:
        return [f"nothing to compare in {_text(expect)}"]
    return [
        f"{key}: expected {_text(expect[key])}, got {_text(got[key]) if key in got else 'nothing'}"
        for key in compared
        if key not in got
        or _normal(expect[key], key in ordered, ordered)
        != _normal(got[key], key in ordered, ordered)
    ]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a file; empty lines are skipped. Raises ValueError naming the line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text in UTF-8") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}:{number}: {error}") from error
        texts = isinstance(case, dict) and all(
            isinstance(case.get(key), str) for key in ("game", "kind")
        )
        if not texts or "expect" not in case:
            raise ValueError(f"{path}:{number}: a case needs `game`, `kind` and `expect`")
        yield case


def check(case: Case, find: Find) -> list[str]:
    """What differs in one case. Raises NotServed."""
    runner, kind = find(case["game"]), case["kind"]
    if kind not in runner.kinds:
        raise NotServed(f"kind {kind!r} of {case['game']}: {runner.lacks(kind)}")
    try:
        got = runner.run(case)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        return [f"the case cannot be answered: {type(error).__name__}: {error}"]
    return differences(case["expect"], got, runner.ordered, runner.words)


@dataclass
class Tally:
    """How many cases came out how; `skipped` counts by reason."""

    passed: int
    failed: int
    skipped: dict[str, int]

    @property
    def status(self) -> int:
        """The exit status."""
        return 1 if self.failed else 0 if self.passed else 2


def run_all(cases: Iterable[Case], find: Find, say: Callable[[str], None]) -> Tally:
    """Check every case and `say` what differs."""
    tally = Tally(0, 0, {})
    for case in cases:
        try:
            found = check(case, find)
        except NotServed as error:
            tally.skipped[str(error)] = tally.skipped.get(str(error), 0) + 1
            continue
        tally.failed += bool(found)
        tally.passed += not found
        if found:
            say(f"{case.get('id', '?')}: {case.get('why', '')}")
            for line in found:
                say(f"    {line}")
    return tally


def _report(cases: Sequence[Case], find: Find) -> int:
    """Runs the cases, says what was not run, returns the exit status."""
    tally = run_all(cases, find, print)
    for reason, n in tally.skipped.items():
        print(f"not run ({n}): {reason}")
    print(
        f"{tally.passed} as expected, {tally.failed} different, "
        f"{sum(tally.skipped.values())} not run"
    )
    return tally.status


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.cases",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    parser.add_argument(
        "--target",
        metavar="HOST:PORT[,HOST:PORT]",
        default="",
        help="ask running services: scoring, the rules engine, or both",
    )
    args = parser.parse_args(argv)
    try:
        cases = [case for path in args.files for case in read_cases(path)]
        with closing(Remote()) as remote:
            for target in filter(None, args.target.split(",")):
                remote.connect(target)
            return _report(cases, remote.find if args.target else find_in_process)
    except OSError as error:
        warn(unreadable(error))
    except (ValueError, TargetError) as error:
        warn(str(error))
    return 2


if __name__ == "__main__":
    sys.exit(command(main))
