"""Hands written down: what is read is what was written, what cannot lie on a table is refused."""

import random

import pytest
from paiju.game.v1 import card_pb2, event_pb2, sheet_pb2

from libs.game import engine
from libs.game.cards import parse
from libs.game.engine import Refused
from libs.game.melds import Meld, MeldKind
from libs.game.options import schema
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.variants import registry
from libs.wire.hands import hand_spec_message, hand_spec_of
from libs.wire.options import options_message, options_of

VARIANT = engine.find(registry(), "hengyang_liuhuqiang", 0)


def _counts(hand):
    return tuple(VARIANT.deck.count(parse(hand)))


def test_facts_there_and_back():
    """The game's own facts survive both ways."""
    other = engine.find(registry(), "yuanjiang_guihuzi", 0)
    hands = (SeatHand((0,) * other.deck.width, (), {"bao_ting": 1}),) * 2
    spec = HandSpec(other.options(), 2, 0, hands, None)
    assert hand_spec_of(other, hand_spec_message(other, spec)) == spec


def test_a_hand_there_and_back():
    """Every field of a hand survives both ways."""
    melds = (
        Meld(MeldKind.TI, bytes(parse("拾拾拾拾")), parse("拾")[0], 0, True, (MeldKind.WEI,)),
        Meld(MeldKind.CHI, bytes(parse("一二三"))),
    )
    spec = HandSpec(
        VARIANT.options(qi_hu=15, xing="fan_xing"),
        3,
        2,
        (
            SeatHand(_counts("二七十 肆肆"), melds),
            SeatHand(_counts("八")),
            SeatHand(_counts("")),
        ),
        Win(0, 14, WinSource.DISCARD, 1, True, True),
        9,
    )
    assert hand_spec_of(VARIANT, hand_spec_message(VARIANT, spec)) == spec


def test_seats_that_do_not_matter_may_be_left_out():
    """Missing seats hold nothing; a hand without a win waits."""
    hand = sheet_pb2.SpecSeat(hand=[1, 2, 3])
    spec = hand_spec_of(VARIANT, sheet_pb2.HandSpec(players=3, seats=[hand]))
    assert [sum(seat.counts) for seat in spec.seats] == [3, 0, 0]
    assert spec.win is None


def test_options_there_and_back():
    """Any mix of allowed values reads back as the same options."""
    rng = random.Random(3)
    for _ in range(50):
        values = {
            spec.key: rng.choice(spec.choices or (spec.low, spec.high))
            for spec in schema(VARIANT.options)
        }
        options = VARIANT.options(**values)
        assert options_of(VARIANT.options, options_message(options)) == options


def _meld(**fields):
    return sheet_pb2.SpecSeat(melds=[card_pb2.Meld(**fields)])


def _win(**fields):
    return sheet_pb2.SpecWin(**({"source": event_pb2.WIN_SOURCE_OWN_DRAW, "card": 5} | fields))


BAD = {
    "dealer": {"dealer": 3},
    "seats": {"seats": [sheet_pb2.SpecSeat()] * 4},
    "a card of another deck": {"seats": [sheet_pb2.SpecSeat(hand=[21])]},
    "a hidden card": {"seats": [sheet_pb2.SpecSeat(hand=[99])]},
    "no card": {"seats": [sheet_pb2.SpecSeat(hand=[0])]},
    "a number that is no card": {"seats": [sheet_pb2.SpecSeat(hand=[-5])]},
    "five copies": {"seats": [sheet_pb2.SpecSeat(hand=[4] * 5)]},
    "five copies over two seats": {
        "seats": [sheet_pb2.SpecSeat(hand=[4] * 3), sheet_pb2.SpecSeat(hand=[4] * 2)]
    },
    "five copies with the wall": {"seats": [sheet_pb2.SpecSeat(hand=[4] * 4)], "wall_next": 4},
    "kind of meld": {"seats": [_meld(kind=77, cards=[1, 1, 1])]},
    "an empty meld": {"seats": [_meld(kind=2)]},
    "碰 of two": {"seats": [_meld(kind=2, cards=[1, 1])]},
    "碰 of unlike cards": {"seats": [_meld(kind=2, cards=[1, 1, 2])]},
    "claimed card": {"seats": [_meld(kind=2, cards=[1, 1, 1], claimed=2)]},
    "claimed number": {"seats": [_meld(kind=2, cards=[1, 1, 1], claimed=1000)]},
    "a meld of hidden cards": {"seats": [_meld(kind=3, cards=[99, 99, 99])]},
    "wall": {"wall_next": 55},
    "source": {"win": _win(source=0)},
    "winner": {"win": _win(seat=3)},
    "nobody discarded": {"win": _win(source=event_pb2.WIN_SOURCE_DISCARD)},
    "own discard": {"win": _win(seat=1, source=event_pb2.WIN_SOURCE_DISCARD, from_seat=1)},
    "discarder": {"win": _win(source=event_pb2.WIN_SOURCE_DISCARD, from_seat=3)},
    "win without a card": {"win": _win(card=0)},
    "winning card": {"win": _win(card=54)},
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_refused(name):
    """Scoring sees only hands that the deck allows."""
    message = sheet_pb2.HandSpec(**({"players": 3} | BAD[name]))
    with pytest.raises(Refused) as caught:
        hand_spec_of(VARIANT, message)
    assert caught.value.reason == "BAD_REQUEST"
    assert caught.value.fields["field"]


@pytest.mark.parametrize("players", [0, 4])
def test_a_number_of_players_that_the_game_has_not(players):
    """Refused with those that it has."""
    with pytest.raises(Refused) as caught:
        hand_spec_of(VARIANT, sheet_pb2.HandSpec(players=players))
    assert caught.value.reason == "UNKNOWN_PLAYERS"
    assert caught.value.fields == {"field": "players", "allowed": "2, 3"}


@pytest.mark.parametrize("told", [-1, 2])
def test_facts_have_bounds(told):
    """Refused with what is allowed."""
    other = engine.find(registry(), "yuanjiang_guihuzi", 0)
    with pytest.raises(Refused) as caught:
        hand_spec_of(
            other,
            sheet_pb2.HandSpec(players=2, seats=[sheet_pb2.SpecSeat(facts={"bao_ting": told})]),
        )
    assert caught.value.fields == {"field": "facts", "allowed": "bao_ting 0 to 1"}
