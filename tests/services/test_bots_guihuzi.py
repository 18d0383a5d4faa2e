"""The bot of 鬼胡子: it wins, plays better than one that passes, and avoids dead hands."""

from collections import Counter
from random import Random

from paiju.game.v1 import action_pb2

from libs.game.cards import parse
from libs.variants.yuanjiang_guihuzi.options import Options
from tests.services.bot_rounds import play, wins
from tools.bot_guihuzi import Guihuzi, greyed, worth
from tools.bot_table import TableView
from tools.bots import STRATEGIES, Cautious, Strategy

GAME = "yuanjiang_guihuzi"


def hand(cards: str) -> Counter[int]:
    """Cards by face."""
    return Counter(parse(cards))


def test_most_rounds_between_bots_are_won() -> None:
    """With and without 暗歪溜, for two and three players (G17)."""
    rng = Random(1)
    ends: Counter[int] = Counter()
    for number in range(60):
        bots: list[Strategy] = [Guihuzi() for _ in range(2 + number % 2)]
        state = play(GAME, bots, rng, Options(an_wai_liu=number % 4 > 1))
        ends[state.outcome] += 1
    assert ends[1] > 30


def test_it_beats_seats_that_only_take_wins() -> None:
    """Against two that pass everything but a 胡."""
    own, others = wins(GAME, Guihuzi(), Cautious(), 60)
    assert own > 3 * others


def test_what_carries_yingxi_is_worth_more() -> None:
    """G20: 坎 and 二七十 before a run, a pair before two neighbours."""
    assert worth(hand("三三三")) > worth(hand("二七十")) > worth(hand("三四五"))
    assert worth(hand("三三")) > worth(hand("二七")) > worth(hand("三四"))
    assert worth(hand("三 叁")) == 0


def test_it_refuses_a_chi_that_makes_a_dead_hand() -> None:
    """G13, G16: eating 四 with 二三 would leave 一 and 四 alone."""
    table = TableView(0, 2)
    table.hand.update(parse("一二三四"))
    choices = [action_pb2.Action(), action_pb2.Action()]
    choices[0].chi.card = 4
    choices[0].chi.group.cards.extend([2, 3, 4])
    getattr(choices[1], "pass").SetInParent()
    prompt = action_pb2.Prompt(choices=choices, default_choice=1)
    assert Guihuzi().choose(table, prompt, Random(0)) == 1
    table.hand = hand("二三九玖")
    assert Guihuzi().choose(table, prompt, Random(0)) == 0


def test_grey_faces_follow_from_the_melds() -> None:
    """G13: both ends of a run; the face of a 碰."""
    assert greyed(4, [2, 3, 4]) == {1, 4}
    assert greyed(5, [5, 5, 5]) == {5}


def test_the_bot_is_found_by_its_game() -> None:
    """A line in the table of strategies."""
    assert isinstance(STRATEGIES[GAME](None), Guihuzi)
