"""What the tidy tests look at: the project's own Python files, parsed once."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("libs", "services", "tools", "deploy")
PURE = ("libs/game/", "libs/families/", "libs/variants/")


@cache
def files(*folders: str) -> tuple[Path, ...]:
    """Python files below the folders, generated ones excluded."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(sorted(path for path in found if "__pycache__" not in path.parts))


def name(path: Path) -> str:
    """The path inside the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def text(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imports(path: Path) -> set[str]:
    """Modules a file imports, by full name."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def calls(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every call."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)
