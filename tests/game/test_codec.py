"""States and records have one encoding; these bytes may never change unnoticed."""

import random

import pytest

from libs.game import events as ev
from libs.game.actions import PASS, Action, Verb, encode
from libs.game.codec import (
    CodecError,
    decode_event,
    decode_state,
    encode_event,
    encode_state,
)
from libs.game.melds import Meld, MeldKind
from libs.game.state import ALL_SEATS, Open, OpenKind, Prompt, State, WinRecord

CHI = Meld(MeldKind.CHI, b"\x01\x02\x03", 2, 1, True)
TI = Meld(MeldKind.TI, b"\x05" * 4, 5, 0, False, (MeldKind.PENG, MeldKind.WEI))

FULL = State(
    game="toy",
    release=2,
    options=b"\1\0\0\0\7",
    players=2,
    round_no=200,
    dealer=1,
    wall=b"\x06\x07\x08",
    removed=b"\x09",
    commitment=b"c" * 32,
    seed=b"s" * 32,
    nonce=b"n" * 32,
    hands=[[0, 2, 1, 0], [0, 0, 0, 3]],
    melds=[[CHI, TI], []],
    piles=[b"\x0a\x0b", b""],
    flowers=[b"", b"\x37"],
    discarded=[1 << 20, 0],
    marks=[[0, -1], [1 << 40, 3]],
    regs=[7, 0, -5],
    asked=[300, 0],
    phase=4,
    turn=1,
    waiting=1,
    outcome=1,
    open=Open(3, 0, OpenKind.DISCARDED, ALL_SEATS),
    forced=(1, encode(Action(Verb.PAO, 3))),
    win=WinRecord(1, 3, 2, 0, 1, 0),
    xing=12,
    prompts=[
        Prompt(0, 300, 2, (encode(Action(Verb.CHI, 3, (b"\1\2\3", b"\3\3"))), PASS), 1, 0, 299, 1),
        Prompt(1, 1, 1, (encode(Action(Verb.DISCARD, 3)),), 0, 0),
    ],
)
BARE = State(
    game="",
    release=0,
    options=b"",
    players=2,
    round_no=0,
    dealer=0,
    wall=b"",
    removed=b"",
    commitment=b"",
    seed=b"",
    nonce=b"",
    hands=[[0], [0]],
    melds=[[], []],
    piles=[b"", b""],
    flowers=[b"", b""],
    discarded=[0, 0],
    marks=[[], []],
    regs=[],
    asked=[0, 0],
)
STATES = {
    "full": (
        FULL,
        "010202c801040201010c04030203746f790501000000070306070801092063636363636363636363"
        "63636363636363636363636363636363636363636363207373737373737373737373737373737373"
        "737373737373737373737373737373206e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e"
        "6e6e6e6e6e6e6e6e000201000000000307000000000000000000000000000000fbffffffffffffff"
        "000010000000000000000000000000002c0100000000000000000000000000000000000000000000"
        "ffffffffffffffff0000000000010000030000000000000002010202010003010203060501000202"
        "030405050505020a0b0000000137030002ff0202290302030201010002002c010201002b01020209"
        "03030301020302030302010001010001000000000001020203",
    ),
    "bare": (
        BARE,
        "01000200000000000000010000000000000000000000000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000",
    ),
}
EVENTS: tuple[tuple[ev.Event, str], ...] = (
    (
        ev.Started("toy", 2, b"\1\0", 3, 200, 1, b"\1\2\3", b"\3", b"c", b"s", b"n", (0, 2, 70)),
        "0006746f79040401000690030206010203020302630273026e0300048c01",
    ),
    (ev.Dealt(2, b"\1\1\x14"), "010406010114"),
    (ev.Shown(0, 20), "020028"),
    (ev.Joined(0, 20), "030028"),
    (ev.Drew(1, 7, 0, 0, 0, ALL_SEATS), "04020e000000fe03"),
    (ev.Discarded(1, 9), "050212"),
    (
        ev.Melded(0, TI, 1, 1, (CHI, CHI)),
        "0600060501000202030405050505020202010202010003010203010202010003010203",
    ),
    (ev.Unclaimed(1, 9, 0), "07021200"),
    (ev.Turn(-1), "0801"),
    (
        ev.Asked(1, 2, (encode(Action(Verb.PENG, 9)), PASS), 1, 0, 300),
        "090204020404090401000200d804",
    ),
    (ev.Answered(1, 1), "0a0202"),
    (ev.Closed(1, 300, 3, -1), "0b02d8040601"),
    (ev.Returned(1, 9, "CHONG_ZHAO_OFF"), "0c02121c43484f4e475f5a48414f5f4f4646"),
    (ev.Noted(1, 0, 1 << 20), "0d020080808001"),
    (ev.Flagged(2, 3), "0e0406"),
    (ev.Kept(0, -2), "0f0003"),
    (ev.Moved(6), "100c"),
    (ev.Forced(1, encode(Action(Verb.PAO, 3))), "1102042903"),
    (ev.Waiting(1), "1202"),
    (ev.Won(1, 7, 3, 0, 0, 1), "13020e06000002"),
    (ev.Xing(7, 1), "140e02"),
    (ev.Ended(2), "1504"),
    (ev.FlowerSet(1, 55), "16026e"),
    (ev.PilesOpened(), "17"),
    (ev.HaiLaoStarted(2), "1804"),
)


@pytest.mark.parametrize("name", STATES)
def test_a_state_has_these_bytes(name: str) -> None:
    """Golden bytes, and back again."""
    state, golden = STATES[name]
    assert encode_state(state).hex() == golden
    assert decode_state(bytes.fromhex(golden)) == state


@pytest.mark.parametrize(("event", "golden"), EVENTS, ids=[type(e).__name__ for e, _ in EVENTS])
def test_a_record_has_these_bytes(event: ev.Event, golden: str) -> None:
    """Golden bytes, and back again."""
    assert encode_event(event).hex() == golden
    back = decode_event(bytes.fromhex(golden))
    assert back == event
    assert type(back) is type(event)


def test_every_kind_of_record_is_pinned() -> None:
    """A new kind of event is appended and gets its golden bytes."""
    assert [type(event) for event, _ in EVENTS] == list(ev.KINDS)


def test_truncated_or_longer_bytes_are_refused() -> None:
    """Every prefix, and a byte too many, raise CodecError and nothing else."""
    for data, read in (
        (encode_state(FULL), decode_state),
        *((encode_event(event), decode_event) for event, _ in EVENTS),
    ):
        for end in range(len(data)):
            with pytest.raises(CodecError):
                read(data[:end])
        with pytest.raises(CodecError):
            read(data + b"\0")


def test_damaged_bytes_are_refused_or_read_as_another_state() -> None:
    """No damage raises anything but CodecError."""
    rng = random.Random(1)
    data = encode_state(FULL)
    refused = 0
    for _ in range(3000):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] = rng.randrange(256)
        try:
            decode_state(bytes(damaged))
        except CodecError:
            refused += 1
    assert refused > 300


def test_another_version_is_refused() -> None:
    """The first byte is the version."""
    with pytest.raises(CodecError):
        decode_state(b"\2" + encode_state(FULL)[1:])


def test_numbers_of_any_size_come_back() -> None:
    """Zigzag varints of records."""
    for value in (0, 1, -1, 63, 64, -64, -65, 1 << 20, 1 << 62, -(1 << 62)):
        assert decode_event(encode_event(ev.Kept(0, value))) == ev.Kept(0, value)
