"""Speed of the pengpai hand kernel on cold 23-card hands: win checks, wait lists, best splits.

Every hand of a run is another one; `suit_splits` remembers suits it has split, and that memory is
emptied before each run. Rates are per second of CPU, since test machines are shared.
"""

import random
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

from libs.families.pengpai.cases import spec_of
from libs.families.pengpai.hand import Held
from libs.families.pengpai.judge import Scoring, Situation, judge, may_win
from libs.families.pengpai.score import held_of, situation_of
from libs.families.pengpai.shape import winning_faces
from libs.families.pengpai.split import suit_splits
from libs.game.options import parse as parse_options
from libs.game.sheet import WinSource
from libs.variants.jiangyan_23 import scoring as jiangyan
from libs.variants.jiangyan_23.options import Options as JiangyanOptions
from libs.variants.shashaer import scoring as shashaer
from libs.variants.shashaer.options import Options as ShashaerOptions
from tests.game.pengpai_hands import question

HANDS = 10_000
RUNS = 3
ROOMS: dict[str, tuple[Scoring, Scoring]] = {
    "jiangyan_23": (
        jiangyan.scoring_for(JiangyanOptions()),
        jiangyan.scoring_for(parse_options(JiangyanOptions, {"min_hu": "hard_80"})),
    ),
    "shashaer": (
        shashaer.scoring_for(ShashaerOptions()),
        shashaer.scoring_for(parse_options(ShashaerOptions, {"ding_hu": 11})),
    ),
}
"""By game: a room where every complete hand wins, and one with a minimum."""

Question = tuple[Held, int, WinSource]


def plausible(seed: int, game: str, n: int) -> list[Question]:
    """`n` near-complete hands with a card that completes seven of eight."""
    rng = random.Random(seed)
    scoring = ROOMS[game][0]
    found: list[Question] = []
    while len(found) < n:
        case = question(rng, game)
        if not case["win"]["card"] or case["win"]["card"] == "DJ":
            continue
        spec = spec_of(case, scoring)
        assert spec.win is not None
        at = situation_of(spec, spec.win, scoring)
        found.append((held_of(spec.seats[spec.win.seat], scoring.deck), at.card, at.source))
    return found


def _checks(hands: Sequence[Question], scoring: Scoring) -> None:
    for held, card, source in hands:
        may_win(held, card, source, scoring)


def _lists(hands: Sequence[Question], scoring: Scoring) -> None:
    for held, _, _ in hands:
        winning_faces(held, scoring.deck)


def _bests(hands: Sequence[Question], scoring: Scoring) -> None:
    for held, card, source in hands:
        judge(Situation(held, card, source, scoring))


def _rate(work: Callable[[Sequence[Question], Any], None], game: str, room: int, n: int) -> float:
    """Median hands per CPU second over runs on different hands."""
    rates = []
    for run in range(RUNS):
        hands = plausible(run, game, n)
        suit_splits.cache_clear()
        start = process_time()
        work(hands, ROOMS[game][room])
        rates.append(n / (process_time() - start))
    return median(rates)


def figures(n: int = HANDS) -> dict[str, float]:
    """Named figures, in hands per second on one core."""
    found: dict[str, float] = {}
    for game in ROOMS:
        found |= {
            f"{game}_win_checks_per_s": _rate(_checks, game, 0, n),
            f"{game}_win_checks_with_minimum_per_s": _rate(_checks, game, 1, n),
            f"{game}_wait_lists_per_s": _rate(_lists, game, 0, n),
            f"{game}_best_splits_per_s": _rate(_bests, game, 0, n),
        }
    return found


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}: {value:,.0f}")
