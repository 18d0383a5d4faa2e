"""Every 汉字 word that a score sheet or the table on the screen can show is in the glossary."""

import ast
import re

from tidy_sources import ROOT, name, tree

from libs.variants import registry

HAN = re.compile(r"[\u4e00-\u9fff]+")
SCREENS = [
    *sorted((ROOT / "tools").glob("play*.py")),
    *(ROOT / f"tools/{tool}.py" for tool in ("sheets", "bots", "explain")),
    ROOT / "deploy/report.py",
]
PLAYERS = {"阿明", "小芳", "老周", "阿珍"}
"""Names of the bots: no words of a game."""


def known() -> set[str]:
    """Words of the glossary's first column; `第…局` is two."""
    lines = (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
    firsts = [line.split("|")[1] for line in lines if line.startswith("|")]
    words = {word.strip() for first in firsts for word in first.split(",")}
    return words | {part for word in words for part in word.split("…")} | _games()


def _games() -> set[str]:
    return {part for variant in registry().values() for part in HAN.findall(variant.zh)}


def _texts(path) -> list[str]:
    """String constants that are no docstrings."""
    bodies = [
        node.body for node in ast.walk(tree(path)) if isinstance(getattr(node, "body", 0), list)
    ]
    silent = {id(line.value) for body in bodies for line in body if isinstance(line, ast.Expr)}
    constants = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Constant)]
    return [c.value for c in constants if isinstance(c.value, str) and id(c) not in silent]


def test_every_term_of_a_game():
    """Terms label lines, groups, flags and wins. Codes in capitals are whole sentences."""
    terms = {
        f"{variant.game} {term.code}": term.zh
        for variant in registry().values()
        for term in variant.terms
        if not term.code.isupper()
    }
    assert len(terms) > 100
    words = known()
    assert {code: zh for code, zh in terms.items() if zh not in words} == {}


def test_every_word_of_the_screens():
    """What the tools write themselves."""
    found = [
        (path, word) for path in SCREENS for said in _texts(path) for word in HAN.findall(said)
    ]
    assert {"桌上", "小计", "总分"} <= {word for _, word in found}
    words = known() | PLAYERS
    assert sorted({f"{name(path)}: {word}" for path, word in found if word not in words}) == []
