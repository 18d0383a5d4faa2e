"""A clause leads to its code: the games' READMEs name every clause, and what they name exists."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from libs.game.options import OptionSpec, schema
from libs.variants import registry

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "docs/rules"
FOLDERS = {
    "hengyang_liuhuqiang": "paohuzi",
    "qidong_shiwuhu": "paohuzi",
    "yuanjiang_guihuzi": "guihuzi",
    "jiangyan_23": "pengpai",
    "shashaer": "pengpai",
}
"""Game → its family."""
CLAUSE = re.compile(r"[A-Z]\d+[a-z]?")
HEAD = re.compile(r"\*\*([A-Z]\d+[a-z]?)\*\*")
FILE = re.compile(r"`([\w/]+\.py)`(?: \(([^)]*)\))?")
PLACES = re.compile(r"(family|here|kernel) ([^;]*)")


class Row(NamedTuple):
    """A row of a clause table."""

    clauses: tuple[str, ...]
    code: str


@cache
def readme(game: str) -> str:
    """The text of a game's README."""
    return (ROOT / "libs/variants" / game / "README.md").read_text("utf-8")


def rows(game: str) -> Iterator[Row]:
    """The rows of every table `clause | what | code`."""
    for line in readme(game).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and CLAUSE.match(cells[0]):
            yield Row(tuple(CLAUSE.findall(cells[0])), cells[2])


def page_clauses(page: str) -> list[str]:
    """The clauses that a page of the rules defines."""
    return HEAD.findall((RULES / f"{page}.md").read_text("utf-8"))


def files(game: str, code: str) -> Iterator[tuple[Path, list[str]]]:
    """The files that a row names, each with the names it gives in brackets."""
    base = {
        "family": ROOT / "libs/families" / FOLDERS[game],
        "here": ROOT / "libs/variants" / game,
        "kernel": ROOT / "libs/game",
    }
    for place, rest in PLACES.findall(code):
        for path, names in FILE.findall(rest):
            if not path.startswith("libs/"):
                yield base[place] / path, re.findall(r"`(\w+)`", names)
    for path, names in FILE.findall(code):
        if path.startswith("libs/"):
            yield ROOT / path, re.findall(r"`(\w+)`", names)


def test_every_game_is_looked_at() -> None:
    """A new game needs its line here."""
    assert {game for game, _ in registry()} == FOLDERS.keys()


@pytest.mark.parametrize("page", [*FOLDERS, "zipai_common"])
def test_every_clause_has_a_row(page: str) -> None:
    """The shared clauses of 字牌 stand in the README of 六胡抢."""
    game = page if page in FOLDERS else "hengyang_liuhuqiang"
    listed = {clause for row in rows(game) for clause in row.clauses}
    assert [clause for clause in page_clauses(page) if clause not in listed] == []


@pytest.mark.parametrize("game", FOLDERS)
def test_what_a_row_names_exists(game: str) -> None:
    """Each row names at least one file; the names in brackets are defined or set in it."""
    for row in rows(game):
        named = list(files(game, row.code))
        assert named, row
        for path, names in named:
            assert path.is_file(), (row, path)
            text = path.read_text("utf-8")
            for name in names:
                defined = rf"(?m)\b(?:def|class) {name}\b|^(?:\w+, )*{name}\b.*=|\b{name}="
                assert re.search(defined, text), (row, name)


@pytest.mark.parametrize("page", [*FOLDERS, "zipai_common"])
def test_a_search_for_a_clause_finds_its_code(page: str) -> None:
    """`grep -w Q7 libs` leads to the code: no clause is named by a range alone."""
    texts = [path.read_text("utf-8") for path in (ROOT / "libs").rglob("*.py")]
    lost = [
        clause
        for clause in page_clauses(page)
        if not any(re.search(rf"(?<![A-Za-z0-9]){clause}(?!\w)", text) for text in texts)
    ]
    assert lost == []


@pytest.mark.parametrize("game", FOLDERS)
def test_links_of_a_readme_lead_somewhere(game: str) -> None:
    """Files, and headings within them."""
    folder = ROOT / "libs/variants" / game
    links = re.findall(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)", readme(game))
    assert links
    for target, heading in links:
        path = folder / target
        assert path.is_file(), target
        heads = re.findall(r"(?m)^#+ (.*)$", path.read_text("utf-8"))
        slugs = [re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads]
        assert not heading or heading in slugs, (target, heading)


def _values(spec: OptionSpec) -> set[str]:
    if spec.choices:
        return {str(c).lower() if isinstance(c, bool) else str(c) for c in spec.choices}
    return {f"{spec.low:,} to {spec.high:,}".replace(",", " ")}


@pytest.mark.parametrize("game", FOLDERS)
def test_the_table_of_options_is_the_schema(game: str) -> None:
    """Key, 汉字 label, default, values and clause of every option, in order."""
    found = []
    for line in readme(game).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and (key := re.match(r"`(\w+)` (\S+)$", cells[0])):
            listed = cells[2].split(" (")[0]
            values = set(re.findall(r"`(\w+)`", listed)) or {listed}
            found.append((*key.groups(), cells[1].strip("`"), values, cells[3]))
    specs = schema(registry()[game, 1].options)
    wanted = [(s.key, s.zh, str(s.default).lower(), _values(s), s.clause) for s in specs]
    assert found == wanted
