"""The engine's calls at their edges: starts, refusals, dealers, folds (M1, M3, M6, M8)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from libs.game import engine as en
from libs.game import events as ev
from libs.game.codec import decode_state, encode_event
from libs.game.deal import Seed
from libs.game.options import OptionError, pack, parse, schema, unpack
from libs.game.variant import Registry
from libs.variants import registry
from tests.conformance.kit import GAMES, REGISTRY
from tests.game.toy import TOY, Options

SEED = Seed(b"s" * 32, b"n" * 32, "m1")
TOY_START = en.Start("toy", Options(), 3, 1, SEED)


def refusal(call: Callable[[], Any]) -> en.Refused:
    """The refusal of a call."""
    with pytest.raises(en.Refused) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    ("changed", "reason", "field"),
    [
        ({"game": "mahjong"}, "UNKNOWN_GAME", "game"),
        ({"release": 2}, "UNKNOWN_GAME", "game"),
        ({"players": 5}, "UNKNOWN_PLAYERS", "players"),
        ({"players": 0}, "UNKNOWN_PLAYERS", "players"),
        ({"source": b""}, "BAD_REQUEST", "deck"),
        ({"source": TOY.deck.cards[1:]}, "BAD_REQUEST", "deck"),
        ({"source": TOY.deck.cards[:1] + TOY.deck.cards[:-1]}, "BAD_REQUEST", "deck"),
        ({"source": Seed(b"s" * 31, b"n" * 32, "m1")}, "BAD_REQUEST", "seed"),
        ({"source": Seed(b"s" * 32, b"n" * 33, "m1")}, "BAD_REQUEST", "seed"),
    ],
)
def test_a_start_is_refused(changed: dict[str, Any], reason: str, field: str) -> None:
    """Each with its reason and the field to blame (M1, M8)."""
    error = refusal(lambda: en.start(REGISTRY, replace(TOY_START, **changed), True))
    assert (error.reason, error.fields["field"]) == (reason, field)


@pytest.mark.parametrize(("key", "value"), [("chou_di", 10), ("low_score_limit", 30)])
def test_options_of_two_players_are_refused_for_three(key: str, value: Any) -> None:
    """The allowed value is told (L11, L12)."""
    options = registry()[GAMES[0]].options(**{key: value})
    wanted = en.Start(GAMES[0][0], options, 3, 1, SEED)
    error = refusal(lambda: en.start(registry(), wanted, True))
    assert (error.reason, error.fields["field"]) == ("BAD_OPTION_VALUE", key)
    assert en.start(registry(), replace(wanted, players=2), True).status != 0


def test_release_zero_is_the_newest() -> None:
    """A pinned release stays what it was; 0 takes the highest number."""
    newer = replace(TOY, release=2)
    both: Registry = {("toy", 1): TOY, ("toy", 2): newer}
    assert en.find(both, "toy", 0) is newer
    assert en.find(both, "toy", 1) is TOY


def dealer(wanted: en.Start, rule: str) -> int:
    """The dealer of a round under a rule for the first one."""
    game: Registry = {("toy", 1): replace(TOY, first_dealer=lambda options: rule)}
    return decode_state(en.start(game, wanted, True).state).dealer


def test_the_first_dealer_follows_the_rule() -> None:
    """Longest in the room, the creator if seated, or drawn from the seed; a carry wins (M3)."""
    room = replace(TOY_START, joined=(2, 0, 1), creator=1)
    assert dealer(room, "longest") == 2
    assert dealer(room, "creator") == 1
    assert dealer(replace(room, creator=-1), "creator") == 2
    assert dealer(replace(room, carry=b"\0"), "longest") == 0
    seeds = [replace(room, source=SEED._replace(match_id=str(n))) for n in range(60)]
    assert {dealer(one, "random") for one in seeds} == {0, 1, 2}
    assert [dealer(one, "random") for one in seeds] == [dealer(one, "random") for one in seeds]


def test_only_states_and_records_are_read() -> None:
    """Foreign bytes are refused everywhere; records must begin or continue a round."""
    good = en.start(REGISTRY, TOY_START, True)
    record = encode_event(ev.Turn(0))
    for junk in (b"", b"junk", good.state[:-1], good.state + b"\0", b"\7" + good.state[1:]):
        for call in (
            lambda junk=junk: en.step(REGISTRY, junk, en.Input("advance"), True),
            lambda junk=junk: en.view(REGISTRY, junk, 0),
            lambda junk=junk: en.legal(REGISTRY, junk, 0),
        ):
            assert refusal(call).reason == "BAD_STATE"
    assert refusal(lambda: en.fold(REGISTRY, b"", [record])).reason == "BAD_STATE"
    assert refusal(lambda: en.fold(REGISTRY, good.state, [b"\xff"])).reason == "BAD_STATE"
    assert refusal(lambda: en.fold(REGISTRY, b"", [])).reason == "BAD_REQUEST"
    assert en.fold(REGISTRY, good.state, []) == good.state


def test_only_readers_of_the_table_have_views() -> None:
    """A seat that is not there is refused."""
    state = en.start(REGISTRY, TOY_START, True).state
    assert refusal(lambda: en.view(REGISTRY, state, 3)).reason == "BAD_REQUEST"
    assert refusal(lambda: en.legal(REGISTRY, state, 3)).reason == "BAD_REQUEST"
    assert refusal(lambda: en.legal(REGISTRY, state, -1)).reason == "BAD_REQUEST"


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_options_are_read_packed_and_refused(game: tuple[str, int]) -> None:
    """Every value of every option survives packing; others name what is allowed (M1)."""
    cls = REGISTRY[game].options
    assert parse(cls, {}) == cls()
    for spec in schema(cls):
        assert spec.zh
        assert spec.en
        assert spec.clause
        for value in spec.choices or (spec.low, spec.high):
            options = parse(cls, {spec.key: value})
            assert getattr(options, spec.key) == value
            assert unpack(cls, pack(options)) == options
        for wrong in ("?", -1, 1 << 40, None, 1.0):
            with pytest.raises(OptionError) as caught:
                parse(cls, {spec.key: wrong})
            assert (caught.value.code, caught.value.key) == ("BAD_OPTION_VALUE", spec.key)
            assert caught.value.allowed == spec.allowed()
    with pytest.raises(OptionError, match="UNKNOWN_OPTION: luck"):
        parse(cls, {"luck": True})


def test_prompt_numbers_go_on_in_the_next_round() -> None:
    """An answer meant for one round never fits a question of another (M6)."""
    first = en.start(REGISTRY, TOY_START, True)
    while first.status == en.PROMPTS:
        prompt = first.prompts[0]
        first = en.step(REGISTRY, first.state, en.Input("auto", prompt.seat, prompt.number), True)
    asked = decode_state(first.state).asked
    again = en.start(REGISTRY, replace(TOY_START, round_no=2, carry=first.carry), True)
    assert sum(asked) > 0
    assert all(prompt.number == asked[prompt.seat] + 1 for prompt in again.prompts)
    old = en.Input("answer", again.prompts[0].seat, 1, 0)
    assert refusal(lambda: en.step(REGISTRY, again.state, old, True)).reason == "PROMPT_CLOSED"
