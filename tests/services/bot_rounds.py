"""Rounds between bots without a cluster: every seat hears what it is told, and answers by it."""

from collections.abc import Sequence
from random import Random
from typing import Any

from paiju.game.v1 import event_pb2

from libs.game import engine as en
from libs.game.codec import decode_state
from libs.game.deal import Seed
from libs.game.state import State
from libs.variants import registry
from libs.wire.events import event_bytes
from tools.bot_table import TableView
from tools.bots import Strategy


def play(game: str, bots: Sequence[Strategy], rng: Random, options: Any = None) -> State:
    """The end of one round of the game's release 1; cards, dealer and answers follow from `rng`."""
    variant, players = registry()[game, 1], len(bots)
    seed = Seed(rng.randbytes(32), rng.randbytes(32), "bots")
    dealer = bytes((rng.randrange(players),))
    start = en.Start(game, options or variant.options(), players, 1, seed, carry=dealer)
    stepped = en.start(registry(), start, True)
    tables = [TableView(seat, players) for seat in range(players)]
    while True:
        for formed in stepped.events:
            for table in tables:
                seen = dict(formed.private).get(table.seat, formed.public)
                if seen is not None:
                    table.apply(event_pb2.Event.FromString(event_bytes(seen)))
        if stepped.status == en.ENDED:
            return decode_state(stepped.state)
        asked = rng.choice(stepped.prompts)
        table = tables[asked.seat]
        assert table.prompt is not None
        assert table.prompt.prompt_id == asked.number
        choice = bots[asked.seat].choose(table, table.prompt, rng)
        what = en.Input("answer", asked.seat, asked.number, choice)
        stepped = en.step(registry(), stepped.state, what, True)


def wins(game: str, strategy: Strategy, others: Strategy, rounds: int) -> tuple[int, int]:
    """Rounds of a seeded series for three seats that the strategy won, one seat after another
    against two of `others`, and that those two won."""
    rng, own, other = Random(7), 0, 0
    for number in range(rounds):
        bots = [others] * 3
        bots[number % 3] = strategy
        win = play(game, bots, rng).win
        if win is not None:
            own += win.seat == number % 3
            other += win.seat != number % 3
    return own, other
