"""One list of reasons: what code raises, libs/runtime/errors.py has and docs/protocol.md tells."""

import ast
import re

import pytest
from tidy_sources import ROOT, files, name, tree

from libs.runtime.errors import REASONS

PAGE = (ROOT / "docs/protocol.md").read_text("utf-8")
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([A-Z_]+) \|([^|]*)\| ([^|]+) \|$", re.MULTILINE)
TOLD = {row[0]: row[1:] for row in ROW.findall(PAGE)}
RAISING = {"PaijuError", "Refused", "OptionError", "refuse"}
WORD = re.compile(r"[A-Z]+(_[A-Z]+)+|INTERNAL|OVERLOADED|REPLACED|DRAINING")
SOURCES = [p for p in files("libs", "services") if name(p) != "libs/runtime/errors.py"]


def _raising() -> list[tuple[str, ast.Call]]:
    """Calls that make a refusal, each with its file."""
    return [
        (name(path), node)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rsplit(".", 1)[-1] in RAISING
        and node.args
        and any(isinstance(arg, ast.Constant) for arg in ast.walk(node.args[0]))
    ]


def _words(node: ast.AST) -> set[str]:
    """Reasons written inside an expression."""
    constants = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
    return {text for text in constants if isinstance(text, str) and WORD.fullmatch(text)}


def test_the_table_is_the_list():
    """Every reason stands in the table once, with its status; the table has no other."""
    assert len(ROW.findall(PAGE)) == len(TOLD)
    assert {reason: row[0] for reason, row in TOLD.items()} == {
        reason: code.name for reason, code in REASONS.items()
    }


def test_every_reason_raised_is_in_the_list():
    """A reason that a refusal is made with is one of the list."""
    raised = {word for _, call in _raising() for word in _words(call.args[0])}
    assert len(raised) > 25
    assert raised - set(REASONS) == set()


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_of_the_list_is_raised(reason):
    """A reason nobody gives would be a promise that nobody keeps."""
    assert any(reason in _words(tree(path)) for path in SOURCES)


def test_every_field_given_is_told():
    """The fields of a refusal stand in its row."""
    missing = [
        f"{path}:{call.lineno} {reason} {key.arg}"
        for path, call in _raising()
        for reason in _words(call.args[0])
        for key in call.keywords
        if key.arg and f"`{key.arg}`" not in TOLD[reason][1]
    ]
    assert missing == []
