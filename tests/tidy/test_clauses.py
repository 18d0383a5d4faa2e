"""Every clause of the rules is named where it is shown, one by one; a range names nothing."""

import re
from functools import cache

import pytest
from tidy_sources import ROOT, name

PAGES = (
    "zipai_common",
    "hengyang_liuhuqiang",
    "qidong_shiwuhu",
    "yuanjiang_guihuzi",
    "jiangyan_23",
    "shashaer",
    "match",
)
SHOWN_IN = (
    ("tests", ".py"),
    ("tests", ".txt"),
    ("tests", ".jsonl"),
    ("libs/variants", ".jsonl"),
    ("libs/variants", ".txt"),
    ("libs/variants", ".play"),
)
CLAUSE = re.compile(r"\*\*([A-Z]\d+)\*\*")
RANGE = re.compile(r"[A-Z]\d+\s*[–-]\s*[A-Z]?\d+")


def clauses(page: str) -> list[str]:
    """The clause numbers that a page defines, in order."""
    text = (ROOT / f"docs/rules/{page}.md").read_text("utf-8")
    return list(dict.fromkeys(CLAUSE.findall(text)))


@cache
def _evidence() -> dict[str, str]:
    found = {}
    for folder, suffix in SHOWN_IN:
        for path in sorted((ROOT / folder).rglob(f"*{suffix}")):
            if path.parent.name != "tidy":
                found[name(path)] = RANGE.sub("", path.read_text("utf-8"))
    return found


def _shown(clause: str) -> bool:
    # Z8a counts for Z8, Z16 does not count for Z1.
    word = re.compile(rf"(?<![A-Za-z0-9]){clause}(?!\d)[a-z]?(?![A-Za-z0-9])")
    return any(word.search(text) for text in _evidence().values())


@pytest.mark.parametrize("page", PAGES)
def test_every_clause_is_shown(page):
    """Each clause number stands in a test, a case or a playthrough."""
    missing = [clause for clause in clauses(page) if not _shown(clause)]
    assert missing == []


def test_pages_have_their_clauses():
    """The pages are read right: a page that lost its clauses would show nothing."""
    counts = {page: len(clauses(page)) for page in PAGES}
    assert counts == {
        "zipai_common": 34,
        "hengyang_liuhuqiang": 14,
        "qidong_shiwuhu": 12,
        "yuanjiang_guihuzi": 31,
        "jiangyan_23": 30,
        "shashaer": 18,
        "match": 10,
    }
