"""The bot of 鬼胡子: it wins, plays better than one that passes, and avoids dead hands."""

from collections import Counter
from random import Random

from paiju.game.v1 import action_pb2, event_pb2

from libs.game import engine as en
from libs.game.cards import parse
from libs.game.codec import decode_state
from libs.game.deal import Seed
from libs.game.state import State
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.rules import RELEASE_1
from libs.wire.events import event_bytes
from tools.bot_guihuzi import Guihuzi, greyed, worth
from tools.bot_table import TableView
from tools.bots import STRATEGIES, Cautious, Strategy

REGISTRY = {(RELEASE_1.game, RELEASE_1.release): RELEASE_1}


def play(bots: list[Strategy], options: Options, rng: Random) -> State:
    """A round between bots, each of which hears only what its seat does."""
    players = len(bots)
    seed = Seed(rng.randbytes(32), rng.randbytes(32), "m")
    dealer = bytes((rng.randrange(players),))
    start = en.Start(RELEASE_1.game, options, players, 1, seed, carry=dealer)
    stepped = en.start(REGISTRY, start, True)
    tables = [TableView(seat, players) for seat in range(players)]
    while True:
        for formed in stepped.events:
            for seat, table in enumerate(tables):
                seen = dict(formed.private).get(seat, formed.public)
                if seen is not None:
                    table.apply(event_pb2.Event.FromString(event_bytes(seen)))
        if stepped.status == en.ENDED:
            return decode_state(stepped.state)
        prompt = rng.choice(stepped.prompts)
        asked = tables[prompt.seat].prompt
        assert asked is not None
        choice = bots[prompt.seat].choose(tables[prompt.seat], asked, rng)
        what = en.Input("answer", prompt.seat, prompt.number, choice)
        stepped = en.step(REGISTRY, stepped.state, what, True)


def hand(cards: str) -> Counter[int]:
    """Cards by face."""
    return Counter(parse(cards))


def test_most_rounds_between_bots_are_won() -> None:
    """With and without 暗歪溜, for two and three players (G17)."""
    rng = Random(1)
    ends: Counter[int] = Counter()
    for number in range(60):
        bots: list[Strategy] = [Guihuzi() for _ in range(2 + number % 2)]
        state = play(bots, Options(an_wai_liu=number % 4 > 1), rng)
        ends[state.outcome] += 1
    assert ends[1] > 30


def test_it_beats_seats_that_only_take_wins() -> None:
    """Against two that pass everything but a 胡."""
    rng = Random(2)
    wins = Counter[int]()
    for _ in range(60):
        state = play([Guihuzi(), Cautious(), Cautious()], Options(), rng)
        wins[state.win.seat if state.win else -1] += 1
    assert wins[0] > 3 * (wins[1] + wins[2])


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
    assert isinstance(STRATEGIES[RELEASE_1.game](None), Guihuzi)
