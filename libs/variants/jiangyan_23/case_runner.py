"""Runs worked cases of 姜堰23张; `tools.cases` finds it by the game id."""

from collections.abc import Mapping
from typing import Any

from libs.families.pengpai.cases import KINDS as FAMILY_KINDS
from libs.families.pengpai.cases import CaseGame
from libs.families.pengpai.cases import run_case as run_family_case
from libs.variants.jiangyan_23.options import Options
from libs.variants.jiangyan_23.scoring import scoring_for

GAME = CaseGame(Options, scoring_for)
KINDS = frozenset(FAMILY_KINDS)
ORDERED = frozenset({"deltas", "H"})
"""Lists of an expectation whose order counts."""


def run_case(case: Mapping[str, Any]) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    return run_family_case(GAME, case)
