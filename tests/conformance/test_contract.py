"""Every game keeps the contract over hundreds of random rounds with every option value."""

import random
from collections import Counter
from typing import Any

import pytest

from libs.families.paohuzi import turn
from libs.game import engine as en
from libs.game import events as ev
from libs.game import evolve
from libs.game.codec import decode_state
from libs.game.flow import Table
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

FIRST, ROUNDS, LONG_ROUNDS, LONG = 300, 150, 60, 10_000
"""Rounds of the first game, of another, of one with a long deck, and of the long test."""
LONG_DECK = 100
"""Cards of a deck whose rounds have three times as many steps."""


Covered = Counter[tuple[int, str, object]]


def play_rounds(game: tuple[str, int], rounds: int, seed: int) -> tuple[Counter[str], Covered]:
    """Plays rounds with every number of players in turn; returns what happened and which option
    values occurred with which number of players."""
    variant, rng = REGISTRY[game], random.Random(seed)
    rooms = {players: option_sets(variant, players, rng) for players in variant.players}
    covered: Covered = Counter()
    happened: Counter[str] = Counter()
    for number in range(rounds):
        players = variant.players[number % len(variant.players)]
        options = next(rooms[players])
        covered.update((players, key, getattr(options, key)) for key in vars(options))
        start = random_start(variant, players, options, rng)
        walk = Walk(REGISTRY, start, run_on=rng.random() < 0.5)
        play(walk, random_habit(rng), rng)
        happened += finish(walk)
    return happened, covered


def run(game: tuple[str, int], rounds: int, seed: int) -> Counter[str]:
    """Random rounds in which every option value occurs with every number of players."""
    happened, covered = play_rounds(game, rounds, seed)
    variant = REGISTRY[game]
    for players in variant.players:
        for key, values in allowed(variant, players).items():
            assert all(covered[players, key, value] for value in values), (players, key)
    return happened


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_rounds_keep_the_contract(game: tuple[str, int]) -> None:
    """Hundreds of rounds; every option value at every number of players (M1, IM8, IM13)."""
    long = REGISTRY[game].deck.size > LONG_DECK
    rounds = LONG_ROUNDS if long else FIRST if game == GAMES[0] else ROUNDS
    happened = run(game, rounds, 1)
    assert happened["WIN"] >= 3
    assert happened["LIU_JU"] > 0
    takes_cards = len(REGISTRY[game].ranks) > 1  # other claims than 胡
    assert not takes_cards or happened["Melded"] > rounds / 20


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


def _card_lost(patch: pytest.MonkeyPatch) -> None:
    """A card that nobody claims vanishes."""
    patch.setitem(evolve.APPLY, ev.Unclaimed, lambda state, e: setattr(state, "open", None))


def _kept_in_secret(patch: pytest.MonkeyPatch) -> None:
    """A register changes without an event."""

    def keep(table: Table, slot: int, value: int) -> None:
        table.state.regs[slot] = value

    patch.setattr(Table, "keep", keep)


def _timeout_claims(patch: pytest.MonkeyPatch) -> None:
    """A timeout takes the first choice."""
    honest = Table.ask

    def ask(table: Table, seat: int, cls: Any, choices: Any, picks: Any, *rest: int) -> None:
        honest(table, seat, cls, choices, (0, picks[1]), *rest)

    patch.setattr(Table, "ask", ask)


def _auto_is_moody(patch: pytest.MonkeyPatch) -> None:
    """The auto-player uses randomness of its own."""
    rng = random.Random()
    patch.setattr(turn, "pick_discard", lambda hand, faces: rng.choice(faces))


def _legal_forgets(patch: pytest.MonkeyPatch) -> None:
    """The answered question is still listed."""
    patch.setattr(en, "legal", lambda *at: en.table_of(*at[:2]).prompt(at[2]))


def _accepts_anything(patch: pytest.MonkeyPatch) -> None:
    """Any answer becomes the nearest choice."""
    honest = en._choice

    def choice(table: Table, what: en.Input) -> int:
        try:
            return honest(table, what)
        except en.Refused as error:
            if error.reason != "NOT_A_CHOICE":
                raise
            return 0

    patch.setattr(en, "_choice", choice)


def _pause_matters(patch: pytest.MonkeyPatch) -> None:
    """Running on forgets what a seat discarded."""
    honest = Table.paused

    def paused(table: Table) -> bool:
        if table.run_on and len(table.state.wall) % 2:
            table.state.discarded[0] = 0
        return honest(table)

    patch.setattr(Table, "paused", paused)


MUTANTS = (
    _card_lost,
    _kept_in_secret,
    _timeout_claims,
    _auto_is_moody,
    _legal_forgets,
    _accepts_anything,
    _pause_matters,
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.__name__.strip("_"))
def test_a_broken_engine_is_caught(mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each seeded bug breaks the contract within a few rounds."""
    mutant(monkeypatch)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        play_rounds(("hengyang_liuhuqiang", 1), 40, 4)
