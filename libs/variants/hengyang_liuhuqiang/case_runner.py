"""Runs worked cases of 衡阳六胡抢; `tools.cases` finds it by the game id.

`spec_of_case`, `from_sheet` and `from_waits` let it ask running services instead.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from libs.families.paohuzi import cases as family
from libs.game.sheet import HandSpec, Sheet
from libs.game.variant import Wait
from libs.variants.hengyang_liuhuqiang.options import Options
from libs.variants.hengyang_liuhuqiang.scoring import scoring_for

GAME = family.CaseGame(Options, scoring_for)
KINDS = frozenset(family.KINDS)
ORDERED = frozenset({"items", "deltas"})
"""Lists of an expectation whose order counts (`items` in the order of L8)."""


def run_case(case: Mapping[str, Any]) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    return family.run_case(GAME, case)


def spec_of_case(case: Mapping[str, Any]) -> HandSpec:
    """The hand of a `score` or `ting` case."""
    return family.spec_of_case(GAME, case)


def from_sheet(sheet: Sheet) -> dict[str, Any]:
    """What a sheet says to a `score` case."""
    return family.from_sheet(sheet)


def from_waits(waits: Iterable[Wait]) -> dict[str, list[str]]:
    """What waits say to a `ting` case."""
    return family.from_waits(waits)
