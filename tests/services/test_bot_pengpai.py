"""Bots of the 碰胡 games: what they know agrees with the service, and they play to win."""

from random import Random

import pytest
from paiju.game.v1 import action_pb2, card_pb2, event_pb2

from libs.game import engine as en
from libs.game.cards import parse
from libs.game.codec import decode_state
from libs.game.deal import Seed
from libs.variants import registry
from libs.wire.events import event_bytes
from tools.bot_pengpai import Pengpai
from tools.bot_table import TableView
from tools.bots import STRATEGIES, Cautious

GAMES = ("jiangyan_23", "shashaer")
ROUNDS = 12


def play(game: str, number: int, strategies: list) -> en.Stepped:
    """One round in which every seat knows what it is told, and answers by it."""
    variant = registry()[game, 1]
    seats = len(strategies)
    tables = [TableView(seat, seats) for seat in range(seats)]
    seed = Seed(bytes((number,)) * 32, bytes(32), "bots")
    rng = Random(number)
    stepped = en.start(registry(), en.Start(game, variant.options(), seats, 1, seed), True)
    while True:
        for formed in stepped.events:
            for table in tables:
                seen = dict(formed.private).get(table.seat, formed.public)
                if seen is not None:
                    table.apply(event_pb2.Event.FromString(event_bytes(seen)))
        if stepped.status == en.ENDED:
            return stepped
        asked = stepped.prompts[0]
        table = tables[asked.seat]
        assert table.prompt is not None
        assert table.prompt.prompt_id == asked.number
        choice = strategies[asked.seat].choose(table, table.prompt, rng)
        what = en.Input("answer", asked.seat, asked.number, choice)
        stepped = en.step(registry(), stepped.state, what, True)


@pytest.mark.parametrize("game", GAMES)
def test_bots_of_a_game_win_more_than_cautious_ones(game: str) -> None:
    """Hands, melds, flowers and piles follow from the seats' own views (J11, X4), and most rounds
    are won by the bot with a strategy."""
    won = {0: 0, 1: 0, 2: 0}
    for number in range(ROUNDS):
        smart = number % 3
        players = [Cautious() for _ in range(3)]
        players[smart] = STRATEGIES[game](None)
        win = decode_state(play(game, number, players).state).win
        if win is not None:
            won[(win.seat - smart) % 3] += 1
    assert won[0] > 2 * (won[1] + won[2])


@pytest.mark.parametrize("game", GAMES)
def test_most_rounds_of_bots_are_won(game: str) -> None:
    """Most rounds do not run the wall down (J12, X17)."""
    ends = [
        decode_state(play(game, number, [STRATEGIES[game](None)] * 3).state).win
        for number in range(ROUNDS)
    ]
    assert sum(win is not None for win in ends) >= ROUNDS // 2


BOT = Pengpai(frozenset(parse("S1 S9 HK")))


def _prompt(*choices: action_pb2.Action) -> action_pb2.Prompt:
    return action_pb2.Prompt(prompt_id=1, choices=choices, default_choice=len(choices) - 1)


def _card(name: str) -> card_pb2.Card.ValueType:
    return card_pb2.Card.ValueType(parse(name)[0])


def test_a_bot_keeps_runs_and_throws_what_is_loose() -> None:
    """A discard gives up least."""
    table = TableView(0, 3)
    table.hand.update(parse("S3 S4 S5 C7 C7 H1 HT HT HT"))
    throw = [
        action_pb2.Action(discard=action_pb2.Action.Discard(card=_card(name)))
        for name in ("S3", "C7", "H1", "HT")
    ]
    assert BOT.choose(table, _prompt(*throw), Random(1)) == 2


def test_a_bot_takes_a_peng_that_helps_and_leaves_one_that_breaks_runs() -> None:
    """Two runs are worth more than one 碰."""
    table = TableView(0, 3)
    peng = action_pb2.Action(peng=action_pb2.Action.Peng(card=_card("S4")))
    nothing = action_pb2.Action(**{"pass": action_pb2.Action.Pass()})
    table.hand.update(parse("S4 S4 H1 H5"))
    assert BOT.choose(table, _prompt(peng, nothing), Random(1)) == 0
    table.hand.clear()
    table.hand.update(parse("S3 S4 S5 S4 S5 S6"))
    assert BOT.choose(table, _prompt(peng, nothing), Random(1)) == 1
