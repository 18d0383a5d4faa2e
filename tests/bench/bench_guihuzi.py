"""Speed of the 鬼胡子 hand kernel: win checks, 听牌 lists and whole judgements on cold hands.

Every hand of a run is another one and nothing is remembered about a whole hand; the tables of the
kernel are built by the first hand, outside the timing.
"""

import random
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter

from libs.families.guihuzi.score import Occasion, judge
from libs.families.guihuzi.split import Concealed, HandRules, can_win
from libs.families.guihuzi.waits import waits
from libs.game.sheet import Win, WinSource
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.scoring import scoring_for
from tests.game.guihuzi_hands import Dealt, deal

HANDS = 10_000
RUNS = 3
RULES = HandRules()
SCORING = scoring_for(Options())

Questions = Sequence[tuple[Concealed, int]]


def plausible(seed: int, n: int) -> Questions:
    """`n` near-complete hands with melds, each with a card that may complete it."""
    rng = random.Random(seed)
    found: list[Dealt] = []
    while len(found) < n:
        dealt = deal(rng)
        if dealt.card:
            found.append(dealt)
    return [(Concealed(counts, melds), card) for counts, melds, card in found]


def _checks(hands: Questions) -> None:
    for hand, card in hands:
        can_win(hand, card, RULES)


def _lists(hands: Questions) -> None:
    for hand, _ in hands:
        waits(hand, RULES)


def _judgements(hands: Questions) -> None:
    for hand, card in hands:
        judge(Occasion(hand, Win(0, card, WinSource.OWN_DRAW, 0), False), SCORING)


def _rate(work: Callable[[Questions], None], n: int, seed: int) -> float:
    """Median hands per second over runs on different hands."""
    work(plausible(seed, 1))
    rates = []
    for run in range(RUNS):
        hands = plausible(seed + run, n)
        start = perf_counter()
        work(hands)
        rates.append(n / (perf_counter() - start))
    return median(rates)


def figures(n: int = HANDS) -> dict[str, float]:
    """Named figures, in hands per second on one core."""
    return {
        "guihuzi_win_checks_per_s": _rate(_checks, n, 1),
        "guihuzi_wait_lists_per_s": _rate(_lists, n, 1),
        "guihuzi_judgements_per_s": _rate(_judgements, n, 1),
    }


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}: {value:,.0f}")
