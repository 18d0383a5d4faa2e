"""What the documents promise exists: commands, modules, files, clauses."""

import re
from itertools import chain

import pytest
from tidy_sources import ROOT

DOCUMENTS = [
    path
    for path in chain(ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), ROOT.glob("*/*/README.md"))
    if ".venv" not in path.parts
]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
CLAUSE = re.compile(r"([A-Z]\d+)[a-z]?")


def _ids(paths):
    return [path.relative_to(ROOT).as_posix() for path in paths]


def _code(path) -> str:
    return "\n".join(CODE.findall(path.read_text("utf-8")))


@pytest.mark.parametrize("path", DOCUMENTS, ids=_ids(DOCUMENTS))
def test_commands_exist(path):
    """Every `make x` is a target, every `python -m x` a module."""
    code = _code(path)
    wanted = set(re.findall(r"\bmake ([a-z][a-z-]*)", code))
    assert wanted <= TARGETS
    for module in re.findall(r"python3? -m ((?:libs|services|tools|deploy|tests)[\w.]*)", code):
        file = ROOT / module.replace(".", "/")
        assert file.with_suffix(".py").exists() or (file / "__main__.py").exists(), module


@pytest.mark.parametrize("path", DOCUMENTS, ids=_ids(DOCUMENTS))
def test_links_lead_somewhere(path):
    """Links inside the repository lead to files."""
    links = LINK.findall(path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_readme_names_the_two_commands():
    """The two commands stand in the README."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make run" in text
    assert "make test" in text


def test_makefile_explains_its_targets():
    """`make help` lists every target."""
    text = (ROOT / "Makefile").read_text("utf-8")
    silent = re.findall(r"^([a-z-]+):(?!.*##).*$", text, re.MULTILINE)
    assert silent == []


def _known_clauses() -> set[str]:
    pages = (ROOT / "docs/rules").glob("*.md")
    return {c for page in pages for c in re.findall(r"\*\*([A-Z]\d+)\*\*", page.read_text("utf-8"))}


def _rows() -> list[list[str]]:
    lines = (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
    rows = [line.strip().strip("|").split("|") for line in lines if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return [row for row in cells if row[0] != "word" and not set(row[0]) <= set("-: ")]


def test_glossary_rows_parse():
    """Word, identifier, meaning, clause; identifiers in backquotes; clauses exist."""
    rows, known = _rows(), _known_clauses()
    assert len(rows) > 40
    for row in rows:
        assert len(row) == 4, row
        assert row[1] == "" or re.search(r"`[a-z][\w.]*`", row[1]), row
        assert row[2], row
        assert set(CLAUSE.findall(row[3])) <= known, row


def test_glossary_identifiers_mean_one_thing():
    """An identifier stands in one row, or in one row of each game that uses the word its way."""
    rows = [
        (name, row[3][:1])
        for row in _rows()
        for name in re.findall(r"`([a-z_]+)`", row[1].split("(")[0])
    ]
    assert sorted({row for row in rows if rows.count(row) > 1}) == []
