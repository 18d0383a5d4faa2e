"""Speed of the 字牌 hand kernel: win checks and 听牌 lists on cold hands.

Every hand of a run is another one, so nothing remembered about a whole hand could help; the
tables of the kernel are built by the first hand, outside the timing.
"""

import random
from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter

from libs.families.paohuzi.cases import counts_of, meld_of
from libs.families.paohuzi.split import Arrival, HandRules, Way, can_win
from libs.families.paohuzi.waits import SOURCES, Concealed, waits
from libs.game.cards import show
from libs.game.melds import Meld
from tests.game.paohuzi_hands import deal

HANDS = 10_000
RUNS = 3
RULES = HandRules()
WAYS = (Way.OTHER_DRAW,)

Question = tuple[bytes, tuple[Meld, ...], Arrival]


def plausible(seed: int, n: int) -> list[Question]:
    """`n` near-complete hands with melds, each with a card that may complete it."""
    rng = random.Random(seed)
    found = []
    for _ in range(n):
        dealt = deal(rng)
        melds = tuple(meld_of(kind, show(cards)) for kind, cards in dealt.melds)
        way = rng.choice(SOURCES)
        found.append((counts_of(show(dealt.cards)), melds, Arrival(dealt.card, way)))
    return found


def _checks(hands: Sequence[Question], rules: HandRules) -> None:
    for counts, melds, arrival in hands:
        can_win(counts, melds, arrival, rules)


def _lists(hands: Sequence[Question], ways: Sequence[Way], rules: HandRules) -> None:
    for counts, melds, _ in hands:
        waits(Concealed(counts, melds), ways, rules)


def _rate(work: Callable[[Sequence[Question]], None], n: int, seed: int) -> float:
    """Median hands per second over runs on different hands."""
    work(plausible(seed, 1))
    rates = []
    for run in range(RUNS):
        hands = plausible(seed + run, n)
        start = perf_counter()
        work(hands)
        rates.append(n / (perf_counter() - start))
    return median(rates)


def figures(n: int = HANDS, rules: HandRules = RULES) -> dict[str, float]:
    """Named figures, in hands per second on one core."""
    return {
        "win_checks_per_s": _rate(lambda hands: _checks(hands, rules), n, 1),
        "wait_lists_per_s": _rate(lambda hands: _lists(hands, WAYS, rules), n, 1),
        "wait_lists_three_sources_per_s": _rate(lambda hands: _lists(hands, SOURCES, rules), n, 1),
    }


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}: {value:,.0f}")
