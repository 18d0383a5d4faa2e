"""Bots of the 碰胡 games: what they know agrees with the service, and they play to win."""

from random import Random

import pytest
from paiju.game.v1 import action_pb2, card_pb2

from libs.game.cards import parse
from tests.services.bot_rounds import play, wins
from tools.bot_pengpai import Pengpai
from tools.bot_table import TableView
from tools.bots import STRATEGIES, Cautious

GAMES = ("jiangyan_23", "shashaer")
ROUNDS = 12


@pytest.mark.parametrize("game", GAMES)
def test_bots_of_a_game_win_more_than_cautious_ones(game: str) -> None:
    """Hands, melds, flowers and piles follow from the seats' own views (J11, X4), and most rounds
    are won by the bot with a strategy."""
    own, others = wins(game, STRATEGIES[game](None), Cautious(), ROUNDS)
    assert own > 2 * others


@pytest.mark.parametrize("game", GAMES)
def test_most_rounds_of_bots_are_won(game: str) -> None:
    """Most rounds do not run the wall down (J12, X17)."""
    rng = Random(1)
    ends = [play(game, [STRATEGIES[game](None)] * 3, rng).win for _ in range(ROUNDS)]
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


@pytest.mark.parametrize(
    ("cards", "announced"),
    [
        ("S4 S4 S4 HK HK", True),
        ("S4 S4 HK HK C7", True),
        ("S4 S4 S4 S5 S6", False),
        ("S4 S5 S5 S5 S6", False),
        ("S1 S1 S1 S2 S3", True),
        ("S4 S5 S6 HK C7", False),
    ],
)
def test_bao_liu_peng_gives_up_no_win(cards: str, announced: bool) -> None:
    """J31: after it only 全荤 wins, so five cards that are complete by a run do not announce; the
    门牌 is 全荤."""
    table = TableView(0, 3)
    table.hand.update(parse(cards))
    what = action_pb2.DECLARATION_BAO_LIU_PENG
    bao = action_pb2.Action(declare=action_pb2.Action.Declare(declaration=what))
    nothing = action_pb2.Action(**{"pass": action_pb2.Action.Pass()})
    assert (BOT.choose(table, _prompt(bao, nothing), Random(1)) == 0) == announced
