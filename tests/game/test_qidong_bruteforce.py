"""祁东十五胡 agrees with an independent brute force on seeded random hands."""

import random
from collections import Counter
from typing import Any

import pytest

from libs.game.cards import NAMES, show
from libs.variants.qidong_shiwuhu.case_runner import run_case
from tests.game import bruteforce_paohuzi as brute
from tests.game.bruteforce_qidong import Hand
from tests.game.paohuzi_hands import deal
from tests.game.paohuzi_questions import SOURCES, Game, as_case, random_options, random_question

CHOICES: dict[str, tuple[Any, ...]] = {
    "zi_mo_double": (True, False),
    "hong_hei_dian": (True, False),
    "dian_pao_pays": ("one", "all"),
    "base_two": (False, True),
    "xing": ("none", "fan_xing", "sui_xing"),
    "hu_policy": ("free", "must_hu", "must_hu_discard", "wall_only"),
    "cap": ("none", 30, 60, 90),
    "unit": (1, 1, 2, 5),
}
QIDONG = Game(CHOICES, Hand, (3,))


def question(rng: random.Random) -> brute.Hand:
    """A question that this game knows: the dealer never wins the 亮张 before it joins (Q3)."""
    while True:
        hand = random_question(rng, QIDONG)
        if not (hand.source == "liang_zhang" and hand.dealer):
            return hand


def low_black(result: dict[str, Any]) -> bool:
    """A 黑胡 that wins with 10 to 14 胡息 (Q5)."""
    return bool(result["can_win"] and result["huxi"] < 15)


@pytest.mark.parametrize("seed", range(3))
def test_scores_agree(seed: int) -> None:
    """3 × 2,000 hands: every field of a score case (Q4, Q5, Q8, Q9, Q10, Q11, Q12)."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(2000):
        hand = question(rng)
        expected = brute.score(hand)
        case = as_case(hand)
        assert run_case(case) == expected, case
        outcomes[expected.get("reason", "win")] += 1
        outcomes["low black"] += low_black(expected)
        outcomes["deal"] += expected["can_win"] and hand.source == "deal"
        outcomes.update(name for name, _ in expected["items"])
    wanted = (
        "win",
        "shape",
        "huxi",
        "liang_zhang",
        "wall_only",
        "low black",
        "deal",
        "自摸",
        "红胡",
        "点胡",
        "黑胡",
    )
    assert min(outcomes[key] for key in wanted) >= 3, outcomes


@pytest.mark.parametrize(
    ("seed", "hands"),
    [*((seed, 150) for seed in range(100, 104)), pytest.param(104, 5_000, marks=pytest.mark.long)],
)
def test_waits_agree(seed: int, hands: int) -> None:
    """Each hand with 20 faces by three sources (Q5, Q6, Z24, Z28)."""
    rng = random.Random(seed)
    waiting: Counter[str] = Counter()
    for _ in range(hands):
        dealt, options = deal(rng), random_options(rng, QIDONG)
        got = run_case(
            {
                "kind": "ting",
                "hand": show(dealt.cards),
                "options": options,
                "melds": [{"kind": kind, "cards": show(cards)} for kind, cards in dealt.melds],
            }
        )
        for source in SOURCES[:3]:
            asked = [
                Hand(dealt.cards, dealt.melds, face, source, options=options)
                for face in range(1, 21)
            ]
            results = [brute.score(hand) for hand in asked]
            expected = [NAMES[h.card] for h, r in zip(asked, results, strict=True) if r["can_win"]]
            assert got[source] == expected, (dealt, options, source)
            waiting["any"] += bool(expected)
            waiting["low black"] += any(map(low_black, results))
    assert waiting["any"] > hands / 3
    assert waiting["low black"] > 0, waiting
