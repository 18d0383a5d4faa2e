"""The engine agrees with an independent brute force on seeded random hands of both games."""

import random
from collections import Counter
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest

from tests.game import bruteforce_pengpai as brute
from tests.game.pengpai_hands import GAMES, Case, liu_ju, question, random_options
from tools.cases import read_cases

HANDS = 1500
CHUNKS = 4
WAIT_HANDS = 400


def ask(case: Case) -> Case:
    """What the engine says."""
    answer: Case = import_module(f"libs.variants.{case['game']}.case_runner").run_case(case)
    return answer


def check(case: Case) -> str:
    """Compares one question; returns what it came to."""
    got = ask(case)
    reason, best = brute.best_readings(case)
    assert got.get("reason", "") == reason, case
    if reason:
        assert got["deltas"] == [0] * case["players"]
        return reason
    deltas, hu = brute.settle(case, best[0]["amount"])
    assert got["deltas"] == deltas, case
    assert got.get("H") == hu, case
    same = [
        r
        for r in best
        if sorted(r["items"]) == sorted(got["items"]) and r["doubles"] == got["doubles"]
    ]
    assert same, (case, got, best)
    assert got["raw"] == same[0]["raw"]
    if case["game"] == "jiangyan_23":
        assert got["rounded"] == same[0]["rounded"], case
        assert got["payer_amount"] == same[0]["amount"] * case["options"].get("unit", 1)
    return "win"


LEAST = {
    "jiangyan_23": {
        "win": 700,
        "not_complete": 100,
        "below_min_hu": 50,
        "not_quan_hun": 3,
        "da_wang": 5,
        "four 大王": 100,
    },
    "shashaer": {"win": 900, "not_complete": 100, "below_ding_hu": 20, "melds of others": 800},
}
"""Of `HANDS` questions, so that the comparison means something."""


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("game", GAMES)
def test_scores_agree(game: str, chunk: int) -> None:
    """6,000 hands a game: reason, items, doublings, rounding, payments (J12-J33, X7-X18)."""
    rng = random.Random(f"{game}-{chunk}")
    cases = [question(rng, game) for _ in range(HANDS)]
    outcomes = Counter(map(check, cases))
    for case in cases:
        outcomes["four 大王"] += case["seats"][0].get("flowers") == 4
        others = [seat for at, seat in enumerate(case["seats"]) if at != case["win"]["seat"]]
        outcomes["melds of others"] += sum(len(seat["melds"]) for seat in others)
    assert {key for key, n in LEAST[game].items() if outcomes[key] < n} == set(), outcomes


def test_rounds_without_a_winner_agree() -> None:
    """流局 of 沙沙儿: every pair settles what both hold (X15, X16, X17)."""
    rng, fives = random.Random(5), 0
    for _ in range(HANDS):
        case = liu_ju(rng)
        got = ask(case)
        deltas, hu = brute.settle(case, 0)
        assert (got["deltas"], got["H"]) == (deltas, hu), case
        melds = [meld for seat in case["seats"] for meld in seat["melds"]]
        fives += sum(len(meld["cards"].split()) == 5 for meld in melds)
    assert fives > 20


@pytest.mark.parametrize("hands", [WAIT_HANDS, pytest.param(5_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("game", GAMES)
def test_waits_agree(game: str, hands: int) -> None:
    """Every face by own draw and on a discard (J13, J18, J26, J31, X18)."""
    rng, waiting = random.Random(game), 0
    for _ in range(hands):
        case = question(rng, game)
        case["win"] |= {"from": "own_draw", "by": None, "hai_lao": False}
        at = case["win"]["seat"]
        seat = case["seats"][at if len(case["seats"]) > 1 else 0]
        if len(seat["hand"].split()) % 3 != 1:
            seat["hand"] = seat["hand"].rpartition(" ")[0]
        case["options"] = random_options(rng, game)
        got = ask({**case, "kind": "ting", "seats": [seat]})
        for source, by in (("own_draw", None), ("discard", (at + 1) % case["players"])):
            expected = []
            for face in brute.shape_waits(game, seat):
                win = case["win"] | {"card": face, "from": source, "by": by}
                reason, _ = brute.best_readings({**case, "win": win})
                expected += [face] if not reason else []
            assert sorted(got[source]) == sorted(expected), (case, source)
            waiting += bool(expected)
    assert waiting > 3 * hands / 4


def _hold(cards: str, melds: list[Case]) -> Case:
    return {"hand": cards, "melds": melds}


@pytest.mark.parametrize("game", GAMES)
def test_gangs_of_a_zhi_ting_seat_agree(game: str) -> None:
    """J30: hands with three of the drawn face; the 暗杠 is allowed iff no wait changes."""
    rng, allowed, refused = random.Random(game), 0, 0
    while allowed + refused < 300:
        case = question(rng, game)
        seat = case["seats"][case["win"]["seat"] if len(case["seats"]) > 1 else 0]
        hand, face = seat["hand"].split(), case["win"]["card"]
        threes = [f for f, n in Counter(hand).items() if n == 3]
        if face is None or not threes:
            continue
        drawn = rng.choice(threes)
        if drawn in (c for m in seat["melds"] for c in m["cards"].split()):
            continue
        got = ask(
            {
                "game": game,
                "kind": "zhi_ting_gang",
                "options": {},
                "hand": seat["hand"],
                "melds": seat["melds"],
                "drawn": drawn,
            }
        )
        gang = {"kind": "an_gang", "cards": " ".join([drawn] * 4)}
        after = _hold(" ".join(f for f in hand if f != drawn), [*seat["melds"], gang])
        same = brute.shape_waits(game, seat) == brute.shape_waits(game, after)
        assert got == ([drawn] if same else []), (seat, drawn)
        allowed, refused = allowed + same, refused + (not same)
    assert min(allowed, refused) > 10


def test_brute_force_agrees_with_the_worked_cases() -> None:
    """The second scorer itself is checked against every `score` case of both games."""
    root = Path(brute.__file__).parents[2] / "libs/variants"
    for game in GAMES:
        files = sorted((root / game / "cases").glob("*.jsonl"))
        for case in chain.from_iterable(map(read_cases, files)):
            if case["kind"] != "score" or not case["win"]:
                continue
            reason, best = brute.best_readings(dict(case))
            assert case["expect"].get("reason", "") == reason, case["id"]
            if best:
                assert brute.settle(case, best[0]["amount"])[0] == case["expect"]["deltas"]
                items = sorted(case["expect"]["items"])
                assert items in [sorted(r["items"]) for r in best], case["id"]
