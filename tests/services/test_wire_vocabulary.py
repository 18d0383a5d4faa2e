"""The kernel's numbers are the protos' numbers, and actions survive the way out and back."""

import pytest
from paiju.game.v1 import action_pb2, card_pb2, event_pb2, sheet_pb2
from paiju.rules.v1 import rules_pb2

from libs.game import engine
from libs.game.actions import PASS, Action, PromptClass, Verb, decode, encode
from libs.game.cards import NAMES
from libs.game.engine import Refused
from libs.game.melds import MeldKind
from libs.game.sheet import LineKind, WinSource
from libs.game.state import Outcome
from libs.variants import registry
from libs.wire import raw
from libs.wire.actions import action_bytes, encoded_action
from libs.wire.cards import SIZES
from libs.wire.options import variant_message
from libs.wire.refusals import refusal_of

ENUMS = [
    (MeldKind, card_pb2.MeldKind, "MELD_KIND_"),
    (PromptClass, action_pb2.PromptClass, "PROMPT_CLASS_"),
    (WinSource, event_pb2.WinSource, "WIN_SOURCE_"),
    (LineKind, sheet_pb2.LineKind, "LINE_KIND_"),
]
ACTIONS = [
    Action(Verb.PASS),
    Action(Verb.CHI, 2, (b"\x01\x02\x03",)),
    Action(Verb.CHI, 2, (b"\x02\x02\x0c", b"\x01\x02\x03", b"\x02\x07\x0a")),
    Action(Verb.ZHI_TING),
    Action(Verb.BAO_LIU_PENG),
    *[
        Action(verb, 20)
        for verb in (
            Verb.DISCARD,
            Verb.PENG,
            Verb.HU,
            Verb.WAI,
            Verb.LIU,
            Verb.PIAO,
            Verb.AN_GANG,
            Verb.BU_GANG,
            Verb.ZHI_GANG,
        )
    ],
]


@pytest.mark.parametrize(("kernel", "proto", "prefix"), ENUMS)
def test_kernel_enums_are_the_protos(kernel, proto, prefix):
    """Every kernel value has the number that its name has on the wire."""
    for member in kernel:
        assert proto.Value(prefix + member.name) == member.value


def test_outcomes_and_statuses():
    """Numbers that the kernel keeps as plain integers."""
    for outcome in (Outcome.WIN, Outcome.LIU_JU, Outcome.VOID):
        assert event_pb2.RoundOutcome.Value(f"ROUND_OUTCOME_{outcome.name}") == outcome.value
    for name in ("PROMPTS", "ADVANCE", "ENDED"):
        assert rules_pb2.RoundStatus.Value(f"ROUND_STATUS_{name}") == getattr(engine, name)


def test_every_card_has_its_number():
    """A card is the same number on both sides (Z1, J1, X1)."""
    assert set(card_pb2.Card.values()) == set(NAMES) | {0}
    assert NAMES[card_pb2.CARD_ZI_BIG_10] == "拾"
    assert NAMES[card_pb2.CARD_HEART_K] == "HK"


def test_every_meld_kind_has_a_size():
    """A written meld of any kind can be checked."""
    assert set(SIZES) == set(MeldKind)


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_an_action_there_and_back(action):
    """The real parser reads it, and it comes back as the same choice."""
    message = action_pb2.Action.FromString(action_bytes(encode(action)))
    assert message.WhichOneof("kind") is not None
    assert message.ByteSize() == len(action_bytes(encode(action)))
    assert decode(encoded_action(message)) == action


def test_every_kind_of_action_is_tried():
    """No verb that can be chosen is left out of the round trip; 跑 is never a choice."""
    assert {action.verb for action in ACTIONS} == set(Verb) - {Verb.PAO}
    assert (
        action_bytes(PASS)
        == action_pb2.Action(**{"pass": action_pb2.Action.Pass()}).SerializeToString()
    )


BAD_ACTIONS = [
    action_pb2.Action(),
    action_pb2.Action(discard=action_pb2.Action.Discard(card=300)),
    action_pb2.Action(discard=action_pb2.Action.Discard(card=-1)),
    action_pb2.Action(gang=action_pb2.Action.Gang(card=1)),
    action_pb2.Action(declare=action_pb2.Action.Declare()),
    action_pb2.Action(chi=action_pb2.Action.Chi(card=1, bi=[action_pb2.Group(cards=[999])])),
    action_pb2.Action(chi=action_pb2.Action.Chi(card=1, bi=[action_pb2.Group(cards=[1] * 256)])),
]


@pytest.mark.parametrize("message", BAD_ACTIONS, ids=repr)
def test_what_is_no_action_is_refused(message):
    """Numbers that name nothing are refused with a reason."""
    with pytest.raises(Refused) as caught:
        encoded_action(message)
    assert caught.value.reason == "BAD_REQUEST"


@pytest.mark.parametrize("value", [0, 1, 127, 128, 16383, 16384, 2**32 - 1])
def test_numbers_of_every_length(value):
    """Varints as the parser reads them, short forms and long ones."""
    prompt = action_pb2.Prompt.FromString(raw.present(6, value))
    assert prompt.from_seat == value
    assert prompt.HasField("from_seat")
    closed = event_pb2.Event.PromptClosed.FromString(raw.uint(1, value))
    assert closed.prompt_id == value


@pytest.mark.parametrize("size", [0, 1, 127, 128, 300, 70_000])
def test_parts_of_every_length(size):
    """Length prefixes, short forms and long ones."""
    record = rules_pb2.EventRecord.FromString(raw.message(3, b"x" * size))
    assert record.record == b"x" * size


@pytest.mark.parametrize(("key", "variant"), registry().items(), ids=[k[0] for k in registry()])
def test_a_game_described(key, variant):
    """Schema, deck and words of every game are complete in both languages (M11)."""
    message = variant_message(registry(), variant)
    assert (message.game, message.release) == key
    assert sum(face.copies for face in message.deck) == variant.deck.size
    assert sum(face.red for face in message.deck) == len(variant.red)
    assert message.release in message.releases
    for option in message.options:
        assert option.clause
        for label in (option.label, *(choice.label for choice in option.choices)):
            assert label.zh, option.key
            assert label.en, option.key
        values = [choice.value for choice in option.choices]
        if values:
            assert option.default_value in values
        else:
            assert option.min <= option.default_value.int_value <= option.max


def test_only_refusals_of_the_game_are_told():
    """Any other exception stays unknown; long texts of a caller are cut."""
    assert refusal_of(ValueError("叁叁叁")) is None
    refusal = refusal_of(Refused("UNKNOWN_GAME", "no game 'canary'", field="x" * 500))
    assert "canary" not in refusal.message
    assert len(refusal.fields["field"]) == 200


def test_the_list_of_games_is_never_cut():
    """However many games there are, the refusal names them all; what the caller wrote is cut."""
    games = {
        (f"a_game_with_a_long_name_{n}", 1): next(iter(registry().values())) for n in range(40)
    }
    with pytest.raises(Refused) as caught:
        engine.find(games, "x" * 1000, 0)
    told = refusal_of(caught.value)
    assert told is not None
    assert told.fields["allowed"].split(", ") == sorted(game for game, _ in games)
    assert told.message.endswith(f"(allowed: {told.fields['allowed']})")
    assert "x" * 20 not in told.message
