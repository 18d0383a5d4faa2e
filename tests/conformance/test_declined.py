"""A question that ends with a pass leaves no trace in time either (Z8, M4, reliability S3).

What follows a passed question must wait for the pause: where nobody was asked the same events come
with the card or after that pause, never at a moment of their own.
"""

import random

import pytest

from libs.game import deal
from libs.game import engine as en
from libs.game.actions import PASS, PromptClass
from libs.variants import registry

GAMES = {game: variant.players for (game, _), variant in registry().items()}
ROUNDS = 60


def _random_input(last: en.Stepped, rng: random.Random) -> en.Input:
    prompt = rng.choice(last.prompts)
    index = rng.randrange(len(prompt.choices))
    if PASS in prompt.choices and rng.random() < 0.8:
        index = prompt.choices.index(PASS)
    return en.Input("answer", prompt.seat, prompt.number, index)


def passes_then_public(game: str, players: int, rng: random.Random) -> list[tuple[int, list[str]]]:
    """(0 or 1: a last question was passed, the public events that came with that pass)."""
    seed = deal.Seed(rng.randbytes(32), rng.randbytes(32), "m")
    options = en.find(registry(), game, 0).options()
    start = en.Start(game, options, players, 1, seed, joined=tuple(range(players)))
    last, found, claimed = en.start(registry(), start, False), [], False
    while last.status != en.ENDED:
        if last.status == en.ADVANCE:
            last, claimed = en.step(registry(), last.state, en.Input("advance"), False), False
            continue
        what = _random_input(last, rng)
        prompt = next(p for p in last.prompts if p.seat == what.seat)
        passed = prompt.choices[int(what.choice)] == PASS
        claimed = claimed or not passed
        last = en.step(registry(), last.state, what, False)
        if passed and not claimed:
            public = [type(f.event).__name__ for f in last.events if f.public is not None]
            found.append((int(not last.prompts), public))
        if prompt.cls == PromptClass.DISCARD or not last.prompts:
            claimed = False
    return found


@pytest.mark.parametrize(
    ("game", "players"), [(game, n) for game, counts in GAMES.items() for n in counts]
)
def test_nothing_public_comes_with_a_pass(game: str, players: int) -> None:
    """Z8, Z13, Z28, L4: after a declined 胡 the 跑, the turn and the 亮张 wait for the pause."""
    closed = 0
    for number in range(ROUNDS):
        for last, public in passes_then_public(game, players, random.Random(number)):
            assert public == [], f"round {number}"
            closed += last
    assert closed > ROUNDS // 4
