"""What the engine costs in-process, in CPU time of one core: `figures` returns named figures."""

import random
from statistics import median
from time import process_time

from libs.game import engine as en
from libs.game.deal import Seed
from libs.game.variant import Variant
from libs.variants import registry
from tests.conformance.kit import option_sets, random_habit, random_input

BATCHES, ROUNDS = 5, 60
"""A figure is the median of the batches."""


def play(variant: Variant, rng: random.Random, took: list[float]) -> int:
    """One random round, running on after each card; times every Step. Returns the largest state."""
    players = rng.choice(variant.players)
    options = next(option_sets(variant, players, rng))
    seed = Seed(rng.randbytes(32), rng.randbytes(32), "bench")
    habit = random_habit(rng)
    stepped = en.start(registry(), en.Start(variant.game, options, players, 1, seed), True)
    largest = len(stepped.state)
    while stepped.status != en.ENDED:
        what = random_input(stepped.prompts, habit, rng)
        begun = process_time()
        stepped = en.step(registry(), stepped.state, what, True)
        took.append(process_time() - begun)
        largest = max(largest, len(stepped.state))
    return largest


def measure(game: tuple[str, int] = ("hengyang_liuhuqiang", 1)) -> dict[str, float]:
    """`rounds_per_s` of random play; `step_us` and `step_p99_us`, decoding and encoding of the
    state included; `state_max` in bytes."""
    variant, rng = registry()[game], random.Random(1)
    took: list[float] = []
    rates, largest = [], 0
    for _ in range(BATCHES):
        begun = process_time()
        largest = max(largest, *(play(variant, rng, took) for _ in range(ROUNDS)))
        rates.append(ROUNDS / (process_time() - begun))
    took.sort()
    return {
        "rounds_per_s": median(rates),
        "step_us": median(took) * 1e6,
        "step_p99_us": took[len(took) * 99 // 100] * 1e6,
        "state_max": largest,
    }


def figures() -> dict[str, float]:
    """`measure` of every game; the first keeps the plain names."""
    found: dict[str, float] = {}
    for game in registry():
        named = "" if game[0] == "hengyang_liuhuqiang" else f" {game[0]}"
        found |= {f"{name}{named}": value for name, value in measure(game).items()}
    return found


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name:40}{value:10.1f}")
