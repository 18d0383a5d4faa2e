"""Calls, imports and comments that the house rules forbid, each with what to use instead."""

import ast
import re
import sys

import pytest
from tidy_sources import CODE, PURE, ROOT, calls, files, imports, name, text, tree

GAMES = sorted(
    path.stem for path in (ROOT / "docs/rules").glob("*_*.md") if "common" not in path.stem
)
GAME_WORDS = [*GAMES, "shashaer", "六胡抢", "十五胡", "鬼胡子", "沙沙儿", "姜堰"]
CORE = ("libs/game", "libs/wire", "libs/runtime", "services/match", "services/ledger")

CALLS = [
    ("time.sleep", "", "wait for the condition itself"),
    ("print", "libs/", "return text, or log it"),
    ("print", "services/", "log it"),
    ("open", "libs/game/", "the rules do no input or output"),
    ("open", "libs/families/", "the rules do no input or output"),
    ("eval", "", "parse it"),
    ("exec", "", "write it down"),
]

IMPURE = {
    "asyncio", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "random", "secrets",
    "socket", "sqlite3", "subprocess", "sys", "threading", "time", "uuid",
}  # fmt: skip

SQL_FILES = re.compile(
    r"services/\w+/(store|schema)\.py|services/\w+/migrations/\w+\.py"
    r"|libs/runtime/(db|alembic/env)\.py"
)
ENVIRON_FILES = {
    "deploy/__init__.py",
    "services/__init__.py",
    "libs/runtime/__init__.py",
    "libs/runtime/settings.py",
    "deploy/local.py",
}

COMMENTS = [
    (r"#\s*type:\s*ignore(?!\[[\w, -]+\]\s+#\s*\w)", "type: ignore[code]  # reason"),
    (r"#\s*noqa(?!: [A-Z]+\d+(, [A-Z]+\d+)* -+ \w)", "noqa: CODE - reason"),
    (r"#.*\b(TODO|FIXME|XXX|HACK)\b", "an issue, or the work itself"),
    (r"/(home|root|Users)/\w", "a path inside the repository"),
]


@pytest.mark.parametrize(("call", "under", "instead"), CALLS)
def test_forbidden_calls(call, under, instead):
    """No such call anywhere below the folder."""
    found = [
        f"{name(path)}:{line}"
        for path in files(*CODE, "tests")
        if name(path).startswith(under)
        for line, called in calls(path)
        if called == call
    ]
    assert found == [], f"instead of {call}(): {instead}"


def test_the_rules_are_pure():
    """Games know no clock, no randomness, no input or output."""
    pure = [path for path in files("libs") if name(path).startswith(PURE)]
    found = {name(path): imports(path) & IMPURE for path in pure}
    assert {path: bad for path, bad in found.items() if bad} == {}


@pytest.mark.parametrize("folder", CORE)
def test_the_core_names_no_game(folder):
    """A new game is a new folder: nothing below these folders knows one by name."""
    families = [path.name for path in (ROOT / "libs/families").iterdir() if path.is_dir()]
    words = [word for word in GAME_WORDS + families if not word.startswith("__")]
    found = [
        f"{name(path)}: {word}" for path in files(folder) for word in words if word in text(path)
    ]
    assert found == []


def test_only_stores_speak_sql():
    """SQL stands in store.py, table definitions in schema.py, changes of them in migrations."""
    speak = {name(p) for p in files(*CODE) if any(m.startswith("sqlalchemy") for m in imports(p))}
    assert {path for path in speak if not SQL_FILES.fullmatch(path)} == set()


def test_only_main_reads_the_environment():
    """Settings come in through main.py; everything else is told."""
    reads = {
        name(path) for path in files(*CODE) if re.search(r"\bos\.(environ|getenv)\b", text(path))
    }
    assert {path for path in reads if not path.endswith("/main.py")} - ENVIRON_FILES == set()


def test_only_main_and_keys_know_settings():
    """No service code but main.py, and keys.py where secrets come from, touches Settings."""
    code = files("services")
    found = {path.name for path in code if "libs.runtime.settings" in imports(path)}
    assert found <= {"main.py", "keys.py"}


@pytest.mark.parametrize(("pattern", "instead"), COMMENTS)
def test_comments_with_reasons(pattern, instead):
    """An exception from a rule names the rule and the reason."""
    sources = [path for path in files(*CODE, "tests") if path.parent.name != "tidy"]
    found = [
        f"{name(path)}:{number}"
        for path in sources
        for number, line in enumerate(text(path).splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert found == [], f"write: {instead}"


def _catches_all(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(kind) in ("Exception", "BaseException") for kind in names)


def test_broad_excepts_say_why():
    """Catching everything is for the edges of a process, with the reason on the line."""
    found = [
        f"{name(path)}:{node.lineno}"
        for path in files(*CODE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler) and _catches_all(node)
        if "#" not in text(path).splitlines()[node.lineno - 1]
    ]
    assert found == []


def _skips(node: ast.AST) -> bool:
    named = ast.unparse(node.func) if isinstance(node, ast.Call) else ast.unparse(node)
    return bool(re.fullmatch(r"(pytest\.)?(mark\.)?(skip|skipif|xfail|importorskip)", named))


def test_no_test_is_skipped_without_a_reason():
    """skip and xfail carry a reason."""
    for path in files("tests"):
        reasoned = set()
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and _skips(node):
                has = any(key.arg == "reason" for key in node.keywords) or node.args
                reasoned.add(id(node.func))
                assert has, f"{name(path)}:{node.lineno}: give the reason"
        bare = [n for n in ast.walk(tree(path)) if isinstance(n, ast.Attribute) and _skips(n)]
        assert [f"{name(path)}:{n.lineno}" for n in bare if id(n) not in reasoned] == []


def test_every_module_says_what_it_is():
    """A docstring at the top of every file, and in every test."""
    silent = [
        name(p) for p in files(*CODE, "tests") if text(p).strip() and not ast.get_docstring(tree(p))
    ]
    assert silent == []


def test_no_module_of_the_tests_hides_one_of_python():
    """pytest puts the folders of tests on the path: `import secrets` must not find ours."""
    found = [name(path) for path in files("tests") if path.stem in sys.stdlib_module_names]
    assert found == []
