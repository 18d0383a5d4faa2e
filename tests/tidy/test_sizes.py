"""Sizes of files and functions: what fits on a screen is read, what does not is not."""

import ast
import statistics

from tidy_sources import CODE, files, functions, name, text

FILE_LINES = 400
FUNCTION_LINES = 60
PARAMETERS = 4
MEDIAN_LINES = 10
LINE_LENGTH = 100
WIDE = {
    "tools/bots.py:play_match": "one call for scripts: where, what, how long, which seed, output",
}


def _length(node: ast.AST) -> int:
    return node.end_lineno - node.lineno + 1


def test_files_are_short():
    """No file over 400 lines: split it by what it speaks of."""
    sizes = {name(path): text(path).count("\n") for path in files(*CODE, "tests")}
    assert {path: size for path, size in sizes.items() if size > FILE_LINES} == {}


def test_functions_are_short():
    """No function over 60 lines, and half of them at most ten."""
    found = [(path, node) for path in files(*CODE, "tests") for node in functions(path)]
    sizes = {f"{name(path)}:{node.name}": _length(node) for path, node in found}
    assert {where: size for where, size in sizes.items() if size > FUNCTION_LINES} == {}
    code = [_length(node) for path in files(*CODE) for node in functions(path)]
    assert statistics.median(code) <= MEDIAN_LINES


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    plain = [argument.arg for argument in node.args.posonlyargs + node.args.args]
    required = plain[: len(plain) - len(node.args.defaults)]
    named = [default for default in node.args.kw_defaults if default is None]
    return sum(name not in ("self", "cls") for name in required) + len(named)


def test_functions_have_few_parameters():
    """Four required parameters at most; more of them are a dataclass or a NamedTuple."""
    found = [(path, node) for path in files(*CODE) for node in functions(path)]
    counts = {f"{name(path)}:{node.name}": _parameters(node) for path, node in found}
    wide = {where for where, count in counts.items() if count > PARAMETERS}
    assert wide == set(WIDE)


def test_lines_are_short():
    """A hundred columns, 汉字 tables of tests included."""
    long = [
        f"{name(path)}:{number}"
        for path in files(*CODE, "tests")
        for number, line in enumerate(text(path).splitlines(), 1)
        if len(line) > LINE_LENGTH
    ]
    assert long == []
