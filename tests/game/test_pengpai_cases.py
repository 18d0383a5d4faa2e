"""The worked cases of 姜堰23张 and 沙沙儿."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import libs.variants
from tools import cases

ROOT = Path(libs.variants.__path__[0])
CASES = [
    case
    for game in ("jiangyan_23", "shashaer")
    for file in sorted((ROOT / game / "cases").glob("*.jsonl"))
    for case in cases.read_cases(file)
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Mapping[str, Any]) -> None:
    """The engine says what the case expects (`score`, `ting`, `zhi_ting_gang`), key by key."""
    assert cases.check(case, cases.find_in_process) == []
    if isinstance(case["expect"], dict):
        assert set(case["expect"]) <= set(cases.find_in_process(case["game"]).run(case))


def test_files_are_whole() -> None:
    """Every kind is there for the game that has it, and no id twice."""
    kinds = {(case["game"], case["kind"]) for case in CASES}
    assert kinds == {
        ("jiangyan_23", "score"),
        ("jiangyan_23", "ting"),
        ("jiangyan_23", "zhi_ting_gang"),
        ("shashaer", "score"),
        ("shashaer", "ting"),
    }
    assert len(CASES) == len({case["id"] for case in CASES}) == 275
