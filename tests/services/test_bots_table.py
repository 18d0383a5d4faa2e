"""What a bot knows and what it does with it, on prompts written by hand."""

from random import Random

import pytest
from paiju.game.v1 import action_pb2, card_pb2, event_pb2, option_pb2, table_pb2
from paiju.match.v1 import match_pb2

from libs.game.cards import FACES, HIDDEN, parse, show
from tools.bot_paohuzi import Paohuzi, Prices, worth
from tools.bot_table import Disagreement, TableView
from tools.bots import Cautious, strategy_of


def seated(hand: str, seat: int = 0) -> TableView:
    """A table of three where `seat` holds `hand` after a deal."""
    table = TableView(seat, 3)
    table.apply(event_pb2.Event(round_started={"players": 3, "round_no": 2, "wall": 80}))
    table.apply(event_pb2.Event(dealt={"seat": seat, "cards": parse(hand)}))
    return table


def held(table: TableView) -> str:
    """The seat's hand as a string."""
    return show(sorted(table.hand.elements()))


def melded(seat: int, meld: dict, **more: object) -> event_pb2.Event:
    """An event that lays a meld."""
    return event_pb2.Event(melded={"seat": seat, "meld": meld, **more})


def drawn(table: TableView, face: str, seat: int = 0) -> None:
    """A card that lies open until somebody takes it."""
    table.apply(event_pb2.Event(drew={"seat": seat, "card": FACES[face], "wall_left": 9}))


def discards(*faces: str) -> action_pb2.Prompt:
    """A discard prompt."""
    choices = [action_pb2.Action(discard={"card": FACES[face]}) for face in faces]
    return action_pb2.Prompt(prompt_id=1, choices=choices)


def claims(*choices: dict) -> action_pb2.Prompt:
    """A claim prompt; passing is the first choice and the default."""
    return action_pb2.Prompt(prompt_id=1, choices=[{"pass": {}}, *choices])


def chi(card: str, group: str, *bi: str) -> dict:
    """A 吃 choice."""
    return {
        "chi": {
            "card": FACES[card],
            "group": {"cards": parse(group)},
            "bi": [{"cards": parse(cards)} for cards in bi],
        }
    }


def test_a_hand_follows_its_own_claims_and_discards():
    """Z14, Z16: what is laid leaves the hand, the claimed card never was in it."""
    table = seated("一一二三四五六七八九")
    peng = {"kind": card_pb2.MELD_KIND_PENG, "cards": parse("一一一"), "claimed": 1, "source": 2}
    drawn(table, "一", 2)
    table.apply(melded(0, peng, hand_left=8, takes_open=True))
    assert held(table) == "二三四五六七八九"
    eaten = {"kind": card_pb2.MELD_KIND_CHI, "cards": parse("二三四"), "claimed": 2, "source": 2}
    more = {"kind": card_pb2.MELD_KIND_CHI, "cards": parse("二七九")}
    drawn(table, "二", 2)
    table.apply(melded(0, eaten, hand_left=3, takes_open=True, **{"with": [more]}))
    assert held(table) == "五六八"
    table.apply(event_pb2.Event(discarded={"seat": 0, "card": 8}))
    table.apply(event_pb2.Event(unclaimed={"seat": 0, "card": 8}))
    assert held(table) == "五六"
    assert table.piles[0] == [8]


def test_a_meld_that_grows_takes_only_the_new_card():
    """Z12: 偎 becomes 提; the fourth card was drawn, the hand stays."""
    table = seated("一一五")
    wei = {"kind": card_pb2.MELD_KIND_WEI, "cards": parse("一一一"), "claimed": 1, "source": 0}
    ti = {"kind": card_pb2.MELD_KIND_TI, "cards": parse("一一一一"), "claimed": 1, "source": 0}
    drawn(table, "一")
    table.apply(melded(0, wei, hand_left=1, takes_open=True))
    drawn(table, "一")
    table.apply(melded(0, ti, replaces=0, hand_left=1, takes_open=True))
    assert held(table) == "五"
    assert len(table.melds[0]) == 1


def test_a_meld_that_grows_from_the_hand_keeps_its_claim():
    """J8: the fourth card of a 补杠 is in hand; that a 碰 was claimed is no claim of it."""
    table, nine = seated("H9 H9 H9 S1"), parse("H9")[0]
    table.apply(event_pb2.Event(discarded={"seat": 2, "card": nine}))
    peng = {"kind": card_pb2.MELD_KIND_PENG, "cards": [nine] * 3, "claimed": nine, "source": 2}
    table.apply(melded(0, peng, hand_left=2, takes_open=True))
    gang = {"kind": card_pb2.MELD_KIND_MING_GANG, "cards": [nine] * 4, "claimed": nine, "source": 2}
    table.apply(melded(0, gang, replaces=0, hand_left=1))
    assert held(table) == "S1"


def test_views_that_contradict_each_other_are_noticed():
    """A bot is a check of what it is sent."""
    table = seated("一二三")
    with pytest.raises(Disagreement):
        table.apply(event_pb2.Event(discarded={"seat": 0, "card": FACES["九"]}))
    with pytest.raises(Disagreement):
        table.apply(event_pb2.Event(round_ended={"hands": [{"cards": parse("一二四")}, {}, {}]}))
    table = seated("一一五")
    wei = {"kind": card_pb2.MELD_KIND_WEI, "cards": parse("一一一"), "claimed": 1}
    drawn(table, "一")
    with pytest.raises(Disagreement):
        table.apply(melded(0, wei, hand_left=2, takes_open=True))


def test_seen_counts_every_open_card_and_no_hidden_one():
    """Own hand, melds, piles and the open card; backs say nothing."""
    table = seated("一一二")
    table.apply(event_pb2.Event(dealt={"seat": 1, "cards": [HIDDEN] * 20}))
    table.apply(event_pb2.Event(drew={"seat": 1, "card": 3, "wall_left": 18}))
    table.apply(event_pb2.Event(unclaimed={"seat": 1, "card": 3, "drawn": True}))
    hidden = {"kind": card_pb2.MELD_KIND_WEI, "cards": [HIDDEN] * 3}
    table.apply(melded(2, hidden, hand_left=17))
    table.apply(event_pb2.Event(drew={"seat": 2, "card": 1, "wall_left": 17}))
    assert dict(table.seen()) == {1: 3, 2: 1, 3: 1}
    assert table.wall_left == 17


def test_a_snapshot_starts_a_table_again():
    """What a seat gets on a late attach is enough to play on."""
    prompt = discards("五")
    seats = [{"hand": parse("五五"), "pile": parse("九")}, {"hand": [HIDDEN] * 3}]
    snapshot = table_pb2.Table(seats=seats, round_no=4, wall_left=7, prompt=prompt)
    table = seated("一二三")
    table.load(snapshot)
    assert held(table) == "五五"
    assert table.seen()[FACES["九"]] == 1
    assert (table.round_no, table.wall_left, table.prompt) == (4, 7, prompt)


def test_prompts_open_and_close():
    """Only the prompt that is named closes."""
    table = seated("一二三")
    table.apply(event_pb2.Event(prompted={"prompt": discards("一")}))
    table.apply(event_pb2.Event(prompt_closed={"prompt_id": 7}))
    assert table.prompt is not None
    table.apply(event_pb2.Event(prompt_closed={"prompt_id": 1}))
    assert table.prompt is None


def test_a_win_is_never_refused():
    """胡 wins against everything else on offer, wherever it stands."""
    table = seated("一一二三")
    prompt = claims({"peng": {"card": 1}}, chi("一", "一二三"), {"hu": {"card": 1}})
    assert Paohuzi().choose(table, prompt, Random(1)) == 3
    assert Cautious().choose(table, prompt, Random(1)) == 3


@pytest.mark.parametrize(
    ("hand", "thrown"),
    [
        ("一二三 四四四 二七十 伍陆柒 八", "八"),
        ("一二三 四四四 贰柒拾 玖玖 五", "五"),
        ("一一 二二 叁叁 陆陆 柒柒 九", "九"),
        ("一二三 壹贰叁 五五伍 柒捌玖 四", "四"),
    ],
)
def test_the_card_that_fits_nothing_is_thrown(hand, thrown):
    """Finished groups, pairs and half groups stay; the lone card goes, whatever the seed."""
    table = seated(hand)
    free = sorted({show([card]) for card, n in table.hand.items() if n < 3})
    prompt = discards(*free)
    for seed in range(5):
        choice = Paohuzi().choose(table, prompt, Random(seed))
        assert show([prompt.choices[choice].discard.card]) == thrown


def test_of_lone_cards_the_one_seen_more_often_is_thrown():
    """A face whose other copies lie open is safer and less useful."""
    table = seated("一二三 四四四 伍 玖")
    table.apply(event_pb2.Event(unclaimed={"seat": 1, "card": FACES["玖"]}))
    table.apply(event_pb2.Event(unclaimed={"seat": 2, "card": FACES["玖"]}))
    prompt = discards("伍", "玖")
    assert Paohuzi().choose(table, prompt, Random(1)) == 1


def test_a_claim_that_finishes_a_group_is_taken():
    """吃 of 三 with 一二, 碰 of a lone pair."""
    table = seated("一二 伍伍 柒捌玖 九 拾")
    assert Paohuzi().choose(table, claims(chi("三", "一二三")), Random(1)) == 1
    assert Paohuzi().choose(table, claims({"peng": {"card": FACES["伍"]}}), Random(1)) == 1


def test_a_claim_that_breaks_groups_is_passed():
    """吃 of 三 out of two finished runs is no gain."""
    table = seated("一二三 四五六 玖")
    assert Paohuzi().choose(table, claims(chi("三", "三四五", "一二三")), Random(1)) == 0
    assert Paohuzi().choose(table, claims(chi("五", "五六四")), Random(1)) == 0


def test_yi_wu_shi_counts_where_the_room_plays_it():
    """L6: 一五十 is a group only with the option."""
    hand = {1: 1, 5: 1, 10: 1}
    assert worth(hand, Prices(True)) > worth(hand)
    options = option_pb2.Options()
    options.values["yi_wu_shi"].bool_value = True
    match = match_pb2.Match(game="hengyang_liuhuqiang", options=options)
    assert strategy_of(match) == Paohuzi(True)


def test_an_unknown_game_is_played_by_its_defaults():
    """A game without a strategy does not stop a bot."""
    strategy = strategy_of(match_pb2.Match(game="toy"))
    prompt = action_pb2.Prompt(choices=discards("一", "二").choices, default_choice=1)
    assert strategy.choose(seated("一二"), prompt, Random(1)) == 1


def test_choices_follow_from_the_seed_alone():
    """Same seed, same hand, same choice."""
    table = seated("一三五七九 壹叁伍柒玖")
    prompt = discards(*"一三五七九壹叁伍柒玖")
    once = [Paohuzi().choose(table, prompt, Random(seed)) for seed in range(20)]
    assert once == [Paohuzi().choose(table, prompt, Random(seed)) for seed in range(20)]
