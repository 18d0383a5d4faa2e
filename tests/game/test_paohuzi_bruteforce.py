"""The engine agrees with an independent brute force on seeded random hands."""

import random

import pytest

from libs.game.cards import NAMES, show
from libs.variants.hengyang_liuhuqiang.case_runner import run_case
from tests.game import bruteforce_paohuzi as brute
from tests.game.paohuzi_hands import deal
from tests.game.paohuzi_questions import SOURCES, as_case, random_options, random_question


@pytest.mark.parametrize("seed", range(3))
def test_scores_agree(seed: int) -> None:
    """3 × 2,000 hands: every field of a score case (Z23-Z34, L4-L14)."""
    rng = random.Random(seed)
    outcomes: dict[str, int] = {}
    for _ in range(2000):
        hand = random_question(rng)
        expected = brute.score(hand)
        case = as_case(hand)
        assert run_case(case) == expected, case
        key = expected.get("reason", "win")
        outcomes[key] = outcomes.get(key, 0) + 1
    assert min(outcomes[key] for key in ("win", "shape", "huxi")) > 50


@pytest.mark.parametrize("seed", range(100, 104))
def test_waits_agree(seed: int) -> None:
    """4 × 150 hands, each with 20 faces by three sources (Z24, Z28)."""
    rng = random.Random(seed)
    waiting = 0
    for _ in range(150):
        dealt, options = deal(rng), random_options(rng)
        got = run_case(
            {
                "kind": "ting",
                "hand": show(dealt.cards),
                "options": options,
                "melds": [{"kind": kind, "cards": show(cards)} for kind, cards in dealt.melds],
            }
        )
        for source in SOURCES[:3]:
            hands = [
                brute.Hand(dealt.cards, dealt.melds, face, source, options=options)
                for face in range(1, 21)
            ]
            expected = [NAMES[h.card] for h in hands if brute.score(h)["can_win"]]
            assert got[source] == expected, (dealt, options, source)
            waiting += bool(expected)
    assert waiting > 100


def test_chi_agrees() -> None:
    """2,000 hands: the groups and 比 groups of 吃 (Z15, Z16, Z19)."""
    rng = random.Random(7)
    offered = 0
    for _ in range(2000):
        deck = [face for face in range(1, 21) for _ in range(4)]
        if rng.random() < 0.5:
            deck = [c for c in deck if c % 10 in (1, 2, 3, 4, 5, 0, 7)]
        card, *cards = rng.sample(deck, 1 + rng.choice((2, 4, 5, 8, 11, 14, 20)))
        yi_wu_shi = rng.random() < 0.5
        got = run_case(
            {
                "kind": "chi",
                "hand": show(cards),
                "card": NAMES[card],
                "options": {"yi_wu_shi": yi_wu_shi},
            }
        )
        ways = sorted((way["group"], *way["bi"]) for way in got)
        expected = sorted(
            (show(group), *map(show, bi)) for group, bi in brute.chi(cards, card, yi_wu_shi)
        )
        assert ways == expected, (show(cards), NAMES[card])
        offered += bool(ways)
    assert offered > 200
