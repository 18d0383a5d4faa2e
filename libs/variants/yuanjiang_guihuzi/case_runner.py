"""Runs worked cases of 沅江鬼胡子; `tools.cases` finds it by the game id."""

from collections.abc import Mapping
from typing import Any

from libs.families.guihuzi.cases import KINDS as FAMILY_KINDS
from libs.families.guihuzi.cases import CaseGame
from libs.families.guihuzi.cases import run_case as run_family_case
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.scoring import scoring_for

GAME = CaseGame(Options, scoring_for)
KINDS = frozenset(FAMILY_KINDS)
ORDERED = frozenset({"items", "deltas"})
"""Lists of an expectation whose order counts (`items` in the order of G24)."""


def run_case(case: Mapping[str, Any]) -> Any:
    """What the engine says to a case of one of `KINDS`."""
    return run_family_case(GAME, case)
