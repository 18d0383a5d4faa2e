"""The play of 姜堰23张 and 沙沙儿 against a second model written from the clauses alone."""

import random

import pytest

from libs.game import engine as en
from tests.conformance.kit import REGISTRY, hardly_shuffled, option_sets
from tests.game.pengpai_decks import AIMS, aimed_deck, rich_deck
from tests.game.referee_pengpai import Referee

KINDS = {game: len(aims) + 2 for game, aims in AIMS.items()}
"""Kinds of deck: every aim, rich hands, hardly shuffled."""


def referee(game: str, number: int) -> Referee:
    """A round of a drawn room and dealer; kinds of deck and numbers of players take turns."""
    variant, rng = REGISTRY[game, 1], random.Random(number)
    again, kind = divmod(number, KINDS[game])
    players = variant.players[again % len(variant.players)]
    options = next(option_sets(variant, players, rng))
    if kind < len(AIMS[game]):
        deck = aimed_deck(variant, players, rng, kind)
    elif kind == len(AIMS[game]):
        deck = rich_deck(variant, players, rng)
    else:
        deck = hardly_shuffled(variant, rng)
    dealer = bytes((rng.randrange(players),))
    return Referee(variant, en.Start(game, options, players, 1, deck, carry=dealer), rng)


@pytest.mark.parametrize("game", sorted(AIMS))
@pytest.mark.parametrize("again", range(4))
def test_the_engine_plays_as_the_model(game: str, again: int) -> None:
    """Questions, events, worth of melds and views are the same at every stop (J2-J12, J30-J33,
    X2-X8)."""
    for kind in range(KINDS[game]):
        referee(game, again * KINDS[game] + kind).run()


@pytest.mark.long
@pytest.mark.parametrize("game", sorted(AIMS))
def test_many_rounds_as_the_model(game: str) -> None:
    """The same over many rounds; every kind of event and of question has come."""
    met = set()
    for number in range(1000, 2500):
        one = referee(game, number)
        one.run()
        met |= set(one.met)
    both = {"PENG", "ZHI_GANG", "AN_GANG", "BU_GANG", "HU", "won", "melded", "liu_ju"}
    own = {"ZHI_TING", "BAO_LIU_PENG", "hai_lao", "flower", "piles_opened", "flag"}
    assert both | (own if game == "jiangyan_23" else set()) <= met
