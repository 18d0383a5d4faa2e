"""Every worked case through the running services: the API says what the case expects."""

import importlib
import json
from pathlib import Path

import pytest
from paiju.rules.v1 import rules_pb2
from paiju.scoring.v1 import scoring_pb2
from rules_kit import options, rules_stub, scoring_stub

from libs.game.cards import parse, show
from libs.game.melds import MeldKind
from libs.game.sheet import WinSource
from libs.variants import registry

FOLDER = Path(importlib.import_module("libs.variants").__path__[0])
WAYS = {"own_draw": 1, "other_draw": 2, "discard": 3}


def _cases(kind):
    """Cases of one kind of every game that can be played."""
    games = sorted({game for game, _ in registry()})
    lines = [
        line
        for game in games
        for path in sorted((FOLDER / game / "cases").glob("*.jsonl"))
        for line in path.read_text().splitlines()
        if line.strip()
    ]
    return [case for case in map(json.loads, lines) if case["kind"] == kind]


def _seat(case):
    melds = [
        {"kind": MeldKind[meld["kind"].upper()], "cards": parse(meld["cards"])}
        for meld in case.get("melds", [])
    ]
    return {"hand": parse(case.get("hand", "")), "melds": melds}


def _hand(case):
    hand = {
        "game": case["game"],
        "players": case["players"],
        "options": options(**case["options"]),
        "dealer": case.get("dealer", 0),
        "seats": [_seat(seat) for seat in case.get("seats", [case])],
    }
    if case.get("wall_next"):
        hand["wall_next"] = parse(case["wall_next"])[0]
    if case.get("win"):
        hand["win"] = _win(case["win"])
    return hand


def _win(win):
    found = {
        "seat": win["seat"],
        "source": WinSource[win["from"].upper()],
        "card": parse(win["card"])[0] if win.get("card") else 0,
        "last_card": win.get("last_card", False),
        "first_discard": win.get("first_discard", False),
    }
    return found if win.get("by") is None else found | {"from_seat": win["by"]}


def _told(sheet):
    """A sheet in the words of a case."""
    told = {key: sheet.values[key] for key in ("huxi", "tun", "xing", "payer_amount")}
    return told | {"can_win": sheet.can_win, "reason": sheet.reason, "deltas": list(sheet.deltas)}


async def test_score_cases():
    """ExplainHand gives the values and deltas of every `score` case (Z23-Z34, L5-L14)."""
    cases = _cases("score")
    request = scoring_pb2.ExplainHandRequest(hands=[_hand(case) for case in cases])
    async with scoring_stub() as stub:
        results = (await stub.ExplainHand(request)).results
    wrong = {}
    for case, result in zip(cases, results, strict=True):
        told, expected = _told(result.sheet), case["expect"]
        same = [key for key in expected if key in told]
        if any(told[key] != expected[key] for key in same):
            wrong[case["id"]] = (told, expected)
    assert wrong == {}
    assert len(cases) >= 75


async def test_ting_cases():
    """Waits gives the faces of every `ting` case, by where the card comes from (Z28)."""
    cases = _cases("ting")
    items = [rules_pb2.WaitsRequest.Item(hand=_hand(case)) for case in cases]
    async with rules_stub() as stub:
        results = (await stub.Waits(rules_pb2.WaitsRequest(items=items))).results
    assert len(cases) >= 6
    for case, result in zip(cases, results, strict=True):
        for way, source in WAYS.items():
            faces = [w.card for w in result.waits if any(one.source == source for one in w.worth)]
            assert [show([face]) for face in faces] == case["expect"][way], (case["id"], way)


@pytest.mark.parametrize("kind", ["score", "ting"])
def test_cases_are_found(kind):
    """An empty folder would make the tests above say nothing."""
    assert {case["game"] for case in _cases(kind)} <= {game for game, _ in registry()}
    assert _cases(kind)
