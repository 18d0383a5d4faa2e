"""The play of the three 字牌 games agrees with models written from the clauses alone.

At every stop of seeded rounds: what has happened and who saw it, who is asked what, the table, what
a seat is told of its closed faces, the hands that are scored and the next dealer.
"""

import random
from collections import Counter

import pytest

from tests.conformance.kit import option_sets
from tests.game.model_compare import MODELS, REGISTRY, Round, decks

ROUNDS = 80
KINDS = {
    "hengyang_liuhuqiang": ("CHI", "PENG", "PAO", "TI", "WEI", "CHOU_WEI"),
    "qidong_shiwuhu": ("CHI", "PENG", "PAO", "TI", "WEI", "CHOU_WEI"),
    "yuanjiang_guihuzi": ("CHI", "PENG", "WAI", "LIU", "PIAO"),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", MODELS)
def test_play_agrees(game: str, seed: int) -> None:
    """Rounds in rooms of every option, every fourth at its defaults; each kind of meld occurs."""
    variant, rng = REGISTRY[game, 1], random.Random(seed)
    rooms = {players: option_sets(variant, players, rng) for players in variant.players}
    met: Counter[str] = Counter()
    for number, deck in zip(range(ROUNDS), decks(variant, rng), strict=False):
        players = rng.choice(variant.players)
        options = next(rooms[players]) if number % 4 else variant.options()
        dealer = rng.randrange(players)
        played = Round(game, options, players, deck, dealer, run_on=bool(number % 3))
        played.play(rng)
        met += played.met
    wanted = [*(f"meld {kind}" for kind in KINDS[game]), "offer hu", "ended 1", "ended 2"]
    assert [what for what in wanted if not met[what]] == []
