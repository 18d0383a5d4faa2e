"""Every kind of event through the real parser: what is written by hand is what the proto says."""

import pytest
from google.protobuf import text_format
from paiju.game.v1 import event_pb2 as pb
from paiju.rules.v1 import rules_pb2

from libs.game import events as ev
from libs.game import view
from libs.game.actions import PASS, Action, PromptClass, Verb, encode
from libs.game.cards import HIDDEN
from libs.game.codec import decode_events, encode_event
from libs.game.melds import Meld, MeldKind
from libs.game.state import ALL_SEATS, Open, OpenKind, Prompt
from libs.game.view import AskedAbout, Formed, Reveal, Seen
from libs.wire import events

HIDDEN_3, HIDDEN_5 = bytes((HIDDEN,)) * 3, bytes((HIDDEN,)) * 5
YUAN, LATER = (MeldKind.AN_GANG_YUAN,), (MeldKind.AN_GANG,)
TI = Meld(MeldKind.TI, b"\x05" * 4, 5, 0, False, (MeldKind.PENG, MeldKind.WEI))
CHI = Meld(MeldKind.CHI, b"\x01\x02\x03", 2, 1, True)
HAND = Meld(MeldKind.TI, b"\x14" * 4)
PROMPT = Prompt(1, 300, PromptClass.CLAIM, (encode(Action(Verb.HU, 7)), PASS), 1, 0)
DISCARD = Prompt(0, 1, PromptClass.DISCARD, (encode(Action(Verb.DISCARD, 9)),), 0, 0)
OPEN = Open(7, 0, OpenKind.DRAWN, ALL_SEATS)
STARTED = ev.Started("toy", 3, b"opts", 3, 200, 2, bytes(80), bytes(20), b"c" * 32, b"", b"", ())
REVEAL = Reveal(
    (b"\x01\x02", b"", b"\x03"), ((CHI,), (), (HAND, TI)), b"\x09", b"", b"s" * 32, b"n" * 32
)


def _asked(prompt, opened):
    asked = ev.Asked(prompt.seat, prompt.cls, prompt.choices, prompt.default, prompt.auto, 0)
    return Seen(asked, 0, AskedAbout(prompt, opened))


CASES = {
    "round_started": (
        Seen(STARTED),
        """round_started { round_no: 200 dealer: 2 players: 3 wall: 60
        removed: 20 commitment: "cccccccccccccccccccccccccccccccc" release: 3 game: "toy" }""",
    ),
    "dealt": (
        Seen(ev.Dealt(0, b"\x01\x14")),
        "dealt { cards: CARD_ZI_SMALL_1 cards: CARD_ZI_BIG_10 }",
    ),
    "dealt to another": (
        Seen(ev.Dealt(2, HIDDEN_3)),
        "dealt { seat: 2 cards: CARD_HIDDEN cards: CARD_HIDDEN cards: CARD_HIDDEN }",
    ),
    "shown": (
        Seen(ev.Shown(1, 20), 19),
        "card_shown { seat: 1 card: CARD_ZI_BIG_10 wall_left: 19 }",
    ),
    "joined": (Seen(ev.Joined(0, 20)), "card_joined { card: CARD_ZI_BIG_10 }"),
    "drew": (Seen(ev.Drew(2, 3, 0, 0, 0, ALL_SEATS), 0), "drew { seat: 2 card: CARD_ZI_SMALL_3 }"),
    "drew to hand": (
        Seen(ev.Drew(1, HIDDEN, 1, 1, 1, 0), 12),
        "drew { seat: 1 card: CARD_HIDDEN wall_left: 12 replacement: true "
        "from_tail: true joins_hand: true }",
    ),
    "discarded": (Seen(ev.Discarded(1, 2)), "discarded { seat: 1 card: CARD_ZI_SMALL_2 }"),
    "melded": (
        Seen(ev.Melded(1, TI, 0, 1, ()), 14),
        "melded { seat: 1 meld { kind: MELD_KIND_TI cards: CARD_ZI_SMALL_5 "
        "cards: CARD_ZI_SMALL_5 cards: CARD_ZI_SMALL_5 cards: CARD_ZI_SMALL_5 "
        "claimed: CARD_ZI_SMALL_5 source: 0 steps: MELD_KIND_PENG steps: MELD_KIND_WEI } "
        "replaces: 0 hand_left: 14 takes_open: true }",
    ),
    "melded with 比": (
        Seen(ev.Melded(0, CHI, -1, 1, (CHI,)), 0),
        "melded { meld { kind: MELD_KIND_CHI cards: CARD_ZI_SMALL_1 "
        "cards: CARD_ZI_SMALL_2 cards: CARD_ZI_SMALL_3 claimed: CARD_ZI_SMALL_2 "
        "source: 1 from_discard: true } with { kind: MELD_KIND_CHI "
        "cards: CARD_ZI_SMALL_1 cards: CARD_ZI_SMALL_2 cards: CARD_ZI_SMALL_3 "
        "claimed: CARD_ZI_SMALL_2 source: 1 from_discard: true } takes_open: true }",
    ),
    "unclaimed": (
        Seen(ev.Unclaimed(1, 2, 1)),
        "unclaimed { seat: 1 card: CARD_ZI_SMALL_2 drawn: true }",
    ),
    "turn": (Seen(ev.Turn(0)), "turn_started { }"),
    "asked": (
        _asked(PROMPT, OPEN),
        "prompted { prompt { prompt_id: 300 class: PROMPT_CLASS_CLAIM "
        "choices { hu { card: CARD_ZI_SMALL_7 } } choices { pass { } } default_choice: 1 "
        "card: CARD_ZI_SMALL_7 from_seat: 0 } }",
    ),
    "asked about a card it cannot see": (
        _asked(PROMPT, OPEN._replace(seen=0b101)),
        "prompted { prompt { prompt_id: 300 class: PROMPT_CLASS_CLAIM "
        "choices { hu { card: CARD_ZI_SMALL_7 } } choices { pass { } } "
        "default_choice: 1 } }",
    ),
    "asked to discard": (
        _asked(DISCARD, None),
        "prompted { prompt { prompt_id: 1 class: PROMPT_CLASS_DISCARD "
        "choices { discard { card: CARD_ZI_SMALL_9 } } } }",
    ),
    "closed": (
        Seen(ev.Closed(2, 4, 1, 0)),
        "prompt_closed { prompt_id: 4 outcome: OUTCOME_TAKEN choice: 0 }",
    ),
    "closed unanswered": (
        Seen(ev.Closed(2, 4, 3, -1)),
        "prompt_closed { prompt_id: 4 outcome: OUTCOME_OUTRANKED }",
    ),
    "returned": (
        Seen(ev.Returned(2, 4, "CHONG_ZHAO_OFF")),
        'returned { card: CARD_ZI_SMALL_4 reason: "CHONG_ZHAO_OFF" }',
    ),
    "noted": (
        Seen(ev.Noted(1, 0, 0b10100), 0, ("hu_closed", b"\x02\x04")),
        'noted { code: "hu_closed" cards: CARD_ZI_SMALL_2 cards: CARD_ZI_SMALL_4 }',
    ),
    "note lifted": (Seen(ev.Noted(1, 0, 0), 0, ("grey", b"")), 'noted { code: "grey" }'),
    "barred": (Seen(ev.Flagged(0, 3), 0, "barred"), 'barred { reason: "chong_zhao" }'),
    "si_shou": (Seen(ev.Flagged(2, 4), 0, "si_shou"), "si_shou { seat: 2 }"),
    "zhi_ting": (
        Seen(ev.Flagged(2, 0), 0, "zhi_ting"),
        "declared { seat: 2 declaration: DECLARATION_ZHI_TING }",
    ),
    "bao_liu_peng": (
        Seen(ev.Flagged(1, 0), 0, "bao_liu_peng"),
        "declared { seat: 1 declaration: DECLARATION_BAO_LIU_PENG }",
    ),
    "won": (
        Seen(ev.Won(1, 7, 3, 0, 1, 1)),
        "won { seat: 1 card: CARD_ZI_SMALL_7 source: WIN_SOURCE_DISCARD from_seat: 0 }",
    ),
    "won on the deal": (Seen(ev.Won(0, 0, 5, -1, 0, 0)), "won { source: WIN_SOURCE_DEAL }"),
    "flower": (Seen(ev.FlowerSet(1, 55)), "flower_set { seat: 1 card: CARD_BIG_JOKER }"),
    "piles opened": (
        Seen(ev.PilesOpened(), 0, (b"\x15\x16", b"", b"\x36")),
        "piles_opened { piles { cards: CARD_SPADE_1 cards: CARD_SPADE_2 } piles { } "
        "piles { cards: CARD_SMALL_JOKER } }",
    ),
    "hai_lao": (Seen(ev.HaiLaoStarted(2)), "hai_lao_started { seat: 2 }"),
    "xing": (Seen(ev.Xing(7, 1)), "xing_turned { card: CARD_ZI_SMALL_7 from_wall: true }"),
    "ended": (
        Seen(ev.Ended(1), 0, REVEAL),
        """round_ended { outcome: ROUND_OUTCOME_WIN
        hands { cards: CARD_ZI_SMALL_1 cards: CARD_ZI_SMALL_2 melds { kind: MELD_KIND_CHI
          cards: CARD_ZI_SMALL_1 cards: CARD_ZI_SMALL_2 cards: CARD_ZI_SMALL_3
          claimed: CARD_ZI_SMALL_2 source: 1 from_discard: true } }
        hands { }
        hands { cards: CARD_ZI_SMALL_3 melds { kind: MELD_KIND_TI cards: CARD_ZI_BIG_10
          cards: CARD_ZI_BIG_10 cards: CARD_ZI_BIG_10 cards: CARD_ZI_BIG_10 }
          melds { kind: MELD_KIND_TI cards: CARD_ZI_SMALL_5 cards: CARD_ZI_SMALL_5
          cards: CARD_ZI_SMALL_5 cards: CARD_ZI_SMALL_5 claimed: CARD_ZI_SMALL_5 source: 0
          steps: MELD_KIND_PENG steps: MELD_KIND_WEI } }
        wall: CARD_ZI_SMALL_9
        seed: "ssssssssssssssssssssssssssssssss" nonce: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" }""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_event_says_what_happened(name):
    """The parsed bytes are the expected message, and its own serialization is as long."""
    seen, expected = CASES[name]
    data = events.event_bytes(seen)
    wanted = text_format.Parse(expected, pb.Event())
    assert pb.Event.FromString(data) == wanted
    assert len(data) == wanted.ByteSize()


def test_every_kind_that_is_shown_has_a_form():
    """The view shows exactly the kinds that have bytes, and a case stands for each."""
    shown = set(view._FORMS)
    assert shown == {type(seen.event) for seen, _ in CASES.values()} == set(events._MAKERS)


def test_a_hidden_face_changes_no_size():
    """What others receive is as long as what the owner receives (M9)."""
    pairs = [
        (ev.Dealt(2, b"\x01\x02\x03"), ev.Dealt(2, HIDDEN_3)),
        (ev.Drew(1, 5, 1, 0, 0, 2), ev.Drew(1, HIDDEN, 1, 0, 0, 0)),
        (
            ev.Melded(1, Meld(MeldKind.AN_GANG_YUAN, b"\x32" * 5, 0, -1, False, YUAN), -1, 0, ()),
            ev.Melded(1, Meld(MeldKind.AN_GANG, HIDDEN_5, 0, -1, False, LATER), -1, 0, ()),
        ),
        (
            ev.Melded(1, Meld(MeldKind.WEI, b"\x05" * 3, 5, 1), -1, 1, ()),
            ev.Melded(1, Meld(MeldKind.WEI, HIDDEN_3, HIDDEN, 1), -1, 1, ()),
        ),
    ]
    for own, others in pairs:
        one, other = (events.event_bytes(Seen(event, 9)) for event in (own, others))
        assert one != other
        assert len(one) == len(other)


def test_equal_fields_of_other_kinds_stay_apart():
    """Tuples of different kinds compare equal; their bytes must not be mixed up."""
    assert ev.Discarded(1, 2) == ev.Joined(1, 2)
    kinds = {
        pb.Event.FromString(events.event_bytes(Seen(event))).WhichOneof("kind")
        for event in (ev.Discarded(1, 2), ev.Joined(1, 2), ev.Discarded(1, 2))
    }
    assert kinds == {"discarded", "card_joined"}


def test_forms_of_a_private_event():
    """An event for one seat has no public form; its record is complete."""
    told = Seen(ev.Returned(2, 4, "X"))
    formed = Formed(told.event, None, ((2, told),))
    (record,) = map(rules_pb2.EventRecord.FromString, events.records([formed]))
    assert record.public == b""
    assert [(f.seat, f.event) for f in record.private] == [(2, events.event_bytes(told))]
    assert record.record == encode_event(formed.event)


def test_records_travel_with_the_last_that_is_told():
    """No record is lost, whether a told event follows or not; the order is kept."""
    untold = [Formed(ev.Moved(3), None, ()), Formed(ev.Kept(0, -1), None, ())]
    told = Formed(ev.Turn(1), Seen(ev.Turn(1)), ())
    made = events.records([told, *untold, told, untold[0]])
    first, last = map(rules_pb2.EventRecord.FromString, made)
    assert first.public == last.public == events.event_bytes(Seen(ev.Turn(1)))
    assert first.record == b""
    assert decode_events(last.record) == [
        ev.Turn(1),
        ev.Moved(3),
        ev.Kept(0, -1),
        ev.Turn(1),
        ev.Moved(3),
    ]


def test_records_of_a_step_that_tells_nothing():
    """They travel in a part without a form."""
    untold = [Formed(ev.Moved(3), None, ()), Formed(ev.Kept(0, -1), None, ())]
    (only,) = map(rules_pb2.EventRecord.FromString, events.records(untold))
    assert (only.public, len(only.private)) == (b"", 0)
    assert decode_events(only.record) == [ev.Moved(3), ev.Kept(0, -1)]
