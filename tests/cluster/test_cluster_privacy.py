"""What each seat receives over a whole match, event by event: never a face it may not know.

The events of all seats are laid side by side (M9, Z8, Z11): questions and their outcomes reach one
seat only and are left out; what remains must be the same for all but for hidden faces, and of the
same size.
"""

from collections import Counter
from itertools import pairwise

import pytest_asyncio
from paiju.game.v1 import card_pb2, event_pb2
from paiju.match.v1 import match_pb2 as pb

from tools.bots import Plan, play

OWN = ("prompted", "prompt_closed", "returned")


class Received:
    """Everything each seat received, in order, as bytes and as messages."""

    def __init__(self) -> None:
        self.views: dict[int, list[pb.View]] = {}

    def note(self, seat: int, view: pb.View) -> None:
        """An observer of `Plan.on_view`."""
        self.views.setdefault(seat, []).append(view)

    def table(self, seat: int) -> list[event_pb2.Event]:
        """The events of the table that are not this seat's own business."""
        events = [view.event for view in self.views[seat] if view.HasField("event")]
        return [event for event in events if event.WhichOneof("kind") not in OWN]


@pytest_asyncio.fixture(scope="module")
async def received(cluster):
    """Four rounds of three seats."""
    taken = Received()
    plan = Plan("hengyang_liuhuqiang", 4, 5, on_view=taken.note)
    await play(cluster.target, plan, lambda line: None)
    return taken


def hidden(event: event_pb2.Event) -> bool:
    """Whether a form shows no face at all of the card or cards it is about."""
    body = getattr(event, event.WhichOneof("kind"))
    cards = body.meld.cards if event.HasField("melded") else getattr(body, "cards", [])
    return all(card == card_pb2.CARD_HIDDEN for card in cards or [body.card])


def must_hide(event: event_pb2.Event, following: event_pb2.Event, reader: int) -> bool:
    """Whether `reader` may not know the faces of an event (in the form of who did it)."""
    if event.HasField("dealt"):
        return event.dealt.seat != reader
    if event.HasField("drew") and event.drew.seat != reader:
        return event.drew.replacement or plain_wei(following, event.drew.seat)
    return (
        event.HasField("melded")
        and plain_wei(event, event.melded.seat)
        and (event.melded.seat != reader)
    )


def plain_wei(event: event_pb2.Event, seat: int) -> bool:
    """Whether an event lays a plain 偎 of `seat` (Z9)."""
    laid = event.melded
    return laid.meld.kind == card_pb2.MELD_KIND_WEI and laid.seat == seat


async def test_seats_receive_the_same_but_for_faces_they_may_not_know(received):
    """Hidden forms are hidden, of the same size, and every other form is the same bytes."""
    tables = [received.table(seat) for seat in range(3)]
    assert len({len(table) for table in tables}) == 1
    checked = Counter()
    for row in zip(*(pairwise(table) for table in tables), strict=True):
        events = [event for event, _ in row]
        kind = events[0].WhichOneof("kind")
        body = getattr(events[0], kind)
        actor = getattr(body, "seat", 0) if kind != "round_ended" else 0
        own, following = row[actor]
        for reader in range(3):
            if must_hide(own, following, reader):
                assert hidden(events[reader]), (kind, reader)
                assert events[reader].ByteSize() == own.ByteSize()
                checked[kind] += 1
            else:
                assert events[reader] == own, (kind, reader)
    assert checked["dealt"] == 2 * 3 * 4
    assert checked["melded"] == checked["drew"] - replacements(tables[0]) * 2 > 0


def replacements(events: list[event_pb2.Event]) -> int:
    """How many replacements were drawn (Z3)."""
    return sum(event.drew.replacement for event in events)


async def test_questions_reach_their_seat_alone(received):
    """Every prompt is about cards its reader holds, and prompt numbers have no holes."""
    for views in received.views.values():
        hand: Counter[int] = Counter()
        last = 0
        for view in views:
            event = view.event
            if event.HasField("round_started"):
                last = 0
            if event.HasField("prompted"):
                assert event.prompted.prompt.prompt_id == last + 1
                last += 1
        assert last > 0
        assert not hand


async def test_secrets_of_a_round_come_with_its_end(received):
    """Z30a, M8: seed and nonce are in no byte a seat receives before RoundEnded."""
    for views in received.views.values():
        raw = [view.SerializeToString() for view in views]
        ends = [n for n, view in enumerate(views) if view.event.HasField("round_ended")]
        assert len(ends) == 4
        for at in ends:
            ended = views[at].event.round_ended
            assert len(ended.seed) == len(ended.nonce) == 32
            before = b"".join(raw[:at])
            assert ended.seed not in before
            assert ended.nonce not in before


async def test_sequences_are_dense(received):
    """A seat's numbers count what it receives and nothing else."""
    for views in received.views.values():
        numbers = [view.seat_seq for view in views]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
