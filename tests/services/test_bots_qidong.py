"""The bot's thresholds in 祁东十五胡: fifteen 胡息, ten without a red card (Q5)."""

from random import Random

import pytest
from paiju.game.v1 import action_pb2, card_pb2, option_pb2, table_pb2
from paiju.match.v1 import match_pb2

from libs.game.cards import parse
from tests.services.bot_rounds import wins
from tools.bot_paohuzi import Paohuzi
from tools.bot_table import TableView
from tools.bots import Cautious, strategy_of

BLACK = "壹壹壹 叁叁叁 玖玖"


def seated(hand: str, melds: str = "") -> TableView:
    """A table of three at which seat 0 holds a hand and 吃 melds."""
    laid = [
        card_pb2.Meld(kind=card_pb2.MELD_KIND_CHI, cards=parse(cards)) for cards in melds.split()
    ]
    table = TableView(0, 3)
    seats = [
        table_pb2.Table.Seat(hand=parse(hand), melds=laid),
        table_pb2.Table.Seat(),
        table_pb2.Table.Seat(),
    ]
    table.load(table_pb2.Table(seats=seats))
    return table


def thrown(strategy: Paohuzi, table: TableView, faces: str) -> str:
    """The face that the bot discards."""
    choices = [action_pb2.Action(discard={"card": parse(face)[0]}) for face in faces]
    prompt = action_pb2.Prompt(choices=choices)
    return faces[strategy.choose(table, prompt, Random(1))]


@pytest.mark.parametrize(("game", "least"), [("qidong_shiwuhu", 15), ("hengyang_liuhuqiang", 6)])
def test_it_beats_seats_that_only_take_wins(game: str, least: int) -> None:
    """Against two that pass everything but a 胡 (Q5, L5)."""
    own, others = wins(game, Paohuzi(False, least, min(least, 10)), Cautious(), 36)
    assert own > 2 * others


def test_the_room_tells_the_thresholds() -> None:
    """Q5, L5: of the game, or of the option."""
    match = match_pb2.Match(game="qidong_shiwuhu")
    assert strategy_of(match) == Paohuzi(least=15, least_black=10)
    options = option_pb2.Options()
    options.values["qi_hu"].int_value = 9
    match = match_pb2.Match(game="hengyang_liuhuqiang", options=options)
    assert strategy_of(match) == Paohuzi(least=9, least_black=9)


@pytest.mark.parametrize(
    ("strategy", "melds", "face"),
    [
        (Paohuzi(False, 15, 10), "", "十"),
        (Paohuzi(False, 15, 10), "肆伍陆 捌玖玖", "十"),
        (Paohuzi(False, 6, 6), "", "三"),
        (Paohuzi(False, 15, 10), "七八九", "三"),
    ],
)
def test_a_black_hand_gives_its_red_cards_up(strategy: Paohuzi, melds: str, face: str) -> None:
    """Q5: half a run with a red card goes, unless black hands need as much or a red card lies in
    a meld already."""
    table = seated(f"{BLACK} 七十 三五", melds)
    assert thrown(strategy, table, "十三") == face


def test_paying_groups_are_worth_more_where_more_is_needed() -> None:
    """Q5: two cards of a run with 胡息 against two of one without."""
    low, high = Paohuzi(False, 6, 6), Paohuzi(False, 15, 15)
    gain = [bot.worth({11: 1, 12: 1}, ()) - bot.worth({15: 1, 16: 1}, ()) for bot in (low, high)]
    assert gain[0] < 0 < gain[1]
