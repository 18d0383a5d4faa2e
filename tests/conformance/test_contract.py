"""Every game keeps the contract over hundreds of random rounds with every option value."""

import random
from collections import Counter

import pytest

from libs.game import engine as en
from libs.game.codec import decode_state
from libs.game.state import Outcome
from tests.conformance.contract import Walk, check_step, finish, play
from tests.conformance.kit import (
    GAMES,
    REGISTRY,
    allowed,
    option_sets,
    random_habit,
    random_input,
    random_start,
)

ROUNDS, LONG = 300, 10_000


def run(game: tuple[str, int], rounds: int, seed: int) -> Counter[str]:
    """Plays rounds with every number of players in turn; returns what happened."""
    variant, rng = REGISTRY[game], random.Random(seed)
    rooms = {players: option_sets(variant, players, rng) for players in variant.players}
    covered: Counter[tuple[int, str, object]] = Counter()
    happened: Counter[str] = Counter()
    for number in range(rounds):
        players = variant.players[number % len(variant.players)]
        options = next(rooms[players])
        covered.update((players, key, getattr(options, key)) for key in vars(options))
        start = random_start(variant, players, options, rng)
        walk = Walk(REGISTRY, start, run_on=rng.random() < 0.5)
        play(walk, random_habit(rng), rng)
        happened += finish(walk)
    for players in variant.players:
        for key, values in allowed(variant, players).items():
            assert all(covered[players, key, value] for value in values), (players, key)
    return happened


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_rounds_keep_the_contract(game: tuple[str, int]) -> None:
    """At least 300 rounds; every option value at every number of players (M1, IM8, IM13)."""
    happened = run(game, ROUNDS, 1)
    assert happened["WIN"] > ROUNDS / 20
    assert happened["LIU_JU"] > 0
    assert happened["Melded"] > ROUNDS / 10


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_many_random_rounds_keep_the_contract(game: tuple[str, int]) -> None:
    """The same for thousands of rounds."""
    run(game, LONG, 2)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_round_can_be_ended_from_outside_at_any_time(game: tuple[str, int]) -> None:
    """An abort ends the round without a score and shows all cards (M7, Z30a)."""
    variant, rng = REGISTRY[game], random.Random(3)
    for number in range(20):
        players = variant.players[number % len(variant.players)]
        start = random_start(variant, players, variant.options(), rng)
        walk = Walk(REGISTRY, start, run_on=False)
        walk.begin()
        for _ in range(number):
            if walk.last.status == en.ENDED:
                break
            ask = walk.last.status == en.PROMPTS
            habit = random_habit(rng)
            walk.put(random_input(walk.last.prompts, habit, rng) if ask else en.Input("advance"))
        if walk.last.status == en.ENDED:
            continue
        before = walk.last.state
        walk.put(en.Input("abort"))
        check_step(walk, before, rng)
        finish(walk)
        state = decode_state(walk.last.state)
        assert state.outcome == Outcome.VOID
        assert walk.last.carry[0] in range(players)
        shown = en.view(REGISTRY, walk.last.state, -1)
        assert [sum(hand) for hand in state.hands] == [len(seat.hand) for seat in shown.seats]
