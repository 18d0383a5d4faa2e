"""Every worked case through the running services: the API says what the case expects.

A game takes part if its `case_runner` says how a case is written and how an answer reads (see
`tools.cases_remote`, which asks the same of services elsewhere).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from paiju.rules.v1 import rules_pb2
from paiju.scoring.v1 import scoring_pb2
from rules_kit import rules_stub, scoring_stub

from libs import variants
from libs.game import engine
from libs.variants import registry
from libs.wire.hands import hand_spec_message
from libs.wire.told import sheet_of, waits_of
from tools.case_runners import case_module
from tools.cases import differences, read_cases

FOLDER = Path(variants.__file__).parent
WORDS = {"score": "from_sheet", "ting": "from_waits"}


def games(kind: str) -> list[str]:
    """Games that can be played and whose runner reads answers of that kind."""
    return sorted({game for game, _ in registry() if hasattr(case_module(game), WORDS[kind])})


def cases_of(game: str, kind: str) -> list[Mapping[str, Any]]:
    """Cases of one kind of a game."""
    files = sorted((FOLDER / game / "cases").glob("*.jsonl"))
    return [case for file in files for case in read_cases(file) if case["kind"] == kind]


def hand_of(case: Mapping[str, Any]) -> Any:
    """The hand of a case as a message."""
    variant = engine.find(registry(), case["game"], 0)
    return hand_spec_message(variant, case_module(case["game"]).spec_of_case(case))


def wrong(cases: list[Mapping[str, Any]], told: list[Any]) -> dict[str, list[str]]:
    """By case: what an answer says otherwise."""
    ordered = case_module(cases[0]["game"]).ORDERED
    found = {
        case["id"]: differences(case["expect"], one, ordered)
        for case, one in zip(cases, told, strict=True)
    }
    return {name: said for name, said in found.items() if said}


@pytest.mark.parametrize("game", games("score"))
async def test_score_cases(game):
    """ExplainHand gives the result of every `score` case (Z23-Z34, L5-L14, G18-G30, J14-J33,
    X7-X18)."""
    cases, words = cases_of(game, "score"), case_module(game)
    request = scoring_pb2.ExplainHandRequest(hands=[hand_of(case) for case in cases])
    async with scoring_stub() as stub:
        results = (await stub.ExplainHand(request)).results
    sheets = [sheet_of(one.sheet) for one in results]
    told = [words.from_sheet(case, sheet) for case, sheet in zip(cases, sheets, strict=True)]
    assert wrong(cases, told) == {}


@pytest.mark.parametrize("game", games("ting"))
async def test_ting_cases(game):
    """Waits gives the faces of every `ting` case, by where the card comes from (Z28, G21, J13,
    X5)."""
    cases, words = cases_of(game, "ting"), case_module(game)
    items = [rules_pb2.WaitsRequest.Item(hand=hand_of(case)) for case in cases]
    async with rules_stub() as stub:
        results = (await stub.Waits(rules_pb2.WaitsRequest(items=items))).results
    assert wrong(cases, [words.from_waits(waits_of(one.waits)) for one in results]) == {}


def test_cases_are_found():
    """An empty folder would make the tests above say nothing."""
    assert games("score") == games("ting") == sorted({game for game, _ in registry()})
    assert all(len(cases_of(game, "score")) > 50 for game in games("score"))
    assert all(len(cases_of(game, "ting")) >= 3 for game in games("ting"))
