"""Anybody can re-deal a round from what its readers received, and notices any change (M8)."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from paiju.game.v1 import event_pb2 as pb

from libs.game import engine as en
from libs.game import events as ev
from libs.game.deal import Seed
from libs.variants import registry
from tests.conformance.contract import Walk
from tests.conformance.heard import Due, heard
from tests.conformance.kit import random_habit, random_input
from tools.verify import Mismatch, main, redeal

GAME = ("hengyang_liuhuqiang", 1)
CHECKED = {
    "dealt": ["cards"],
    "card_shown": ["card"],
    "round_started": ["commitment"],
    "drew": ["card"],
    "round_ended": ["wall", "removed", "seed", "nonce"],
}
"""Fields that follow from the seed."""


def events_of(reader: int, number: int) -> list[pb.Event]:
    """A random two-player round with removed cards, as a reader received it."""
    rng = random.Random(number)
    options = registry()[GAME].options(chou_di=rng.choice((0, 20)))
    seed = Seed(rng.randbytes(32), rng.randbytes(32), "m1", b"salt")
    walk = Walk(registry(), en.Start(GAME[0], options, 2, 5, seed), run_on=True)
    walk.begin()
    while walk.last.status != en.ENDED:
        walk.put(random_input(walk.last.prompts, random_habit(rng), rng))
    formed = [f for step in walk.steps for f in step.events]
    return [
        pb.Event.FromString(told.data)
        for told in heard(options, formed, reader, 0)
        if not isinstance(told.event, ev.Asked | Due)
    ]


@pytest.mark.parametrize("reader", [-1, 0, 1])
def test_every_reader_can_verify_a_round(reader: int) -> None:
    """Seats and spectators alike, with what they themselves received."""
    for number in range(12):
        found = redeal(events_of(reader, number), "m1", b"salt")
        assert found.compared >= 20
        assert len(found.deck) == 80


def swapped(cards: Iterable[Any]) -> list[Any]:
    """The last card is another one."""
    *kept, last = cards
    return [*kept, last % 20 + 1]


def test_each_change_is_noticed() -> None:
    """Another match, client seed, nonce, seed, hand, shown card, wall or removed card."""
    events = events_of(0, 1)
    for match_id, client in (("m2", b"salt"), ("m1", b"")):
        with pytest.raises(Mismatch):
            redeal(events, match_id, client)
    changes = 0
    for at, event in enumerate(events):
        kind = str(event.WhichOneof("kind"))
        part = getattr(event, kind)
        for field in CHECKED.get(kind, []):
            value = getattr(part, field)
            if not value or value == 99 or (kind == "dealt" and value[0] == 99):
                continue
            changed = pb.Event()
            changed.CopyFrom(event)
            inner = getattr(changed, kind)
            if isinstance(value, bytes):
                setattr(inner, field, value[::-1])
            elif isinstance(value, int):
                setattr(inner, field, value % 20 + 1)
            else:
                getattr(inner, field)[:] = swapped(value)
            with pytest.raises(Mismatch):
                redeal([*events[:at], changed, *events[at + 1 :]], "m1", b"salt")
            changes += 1
    assert changes > 8


def test_other_hands_at_the_end_are_noticed() -> None:
    """What a seat shows at the end must be what it was dealt, drew and claimed (Z30a)."""
    *events, last = events_of(-1, 1)
    hand = last.round_ended.hands[0]
    hand.cards[:] = swapped(hand.cards)
    with pytest.raises(Mismatch, match="seat 0"):
        redeal([*events, last], "m1", b"salt")


def test_the_command_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Proto JSON, one event a line; exit 1 and one line for a wrong match id."""
    path = tmp_path / "round.jsonl"
    path.write_text(
        "\n".join(json_format.MessageToJson(event, indent=None) for event in events_of(-1, 3))
    )
    args = [str(path), "--match", "m1", "--client-seed", b"salt".hex()]
    assert main(args) == 0
    assert "the deck follows from the committed seed" in capsys.readouterr().out
    assert main([str(path), "--match", "m9"]) == 1
    assert capsys.readouterr().err == "verify: the seed is not the one that was committed to\n"
