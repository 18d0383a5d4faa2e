"""What each seat receives over a whole match, event by event: never a face it may not know.

The events of all seats are laid side by side (M9, Z8, Z11): questions and their outcomes reach one
seat only and are left out; what remains must be the same for all but for hidden faces, and of the
same size.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest_asyncio
from paiju.game.v1 import action_pb2, card_pb2, event_pb2
from paiju.match.v1 import match_pb2 as pb

from tools.bot_table import TableView
from tools.bots import Plan, play

OWN = ("prompted", "prompt_closed", "returned", "noted")


class Received:
    """Everything each seat received, in order, as bytes and as messages."""

    def __init__(self, ming_wei: bool) -> None:
        self.ming_wei = ming_wei
        self.views: dict[int, list[pb.View]] = {}

    def note(self, seat: int, view: pb.View) -> None:
        """An observer of `Plan.on_view`."""
        self.views.setdefault(seat, []).append(view)

    def table(self, seat: int) -> list[event_pb2.Event]:
        """The events of the table that are not this seat's own business."""
        events = [view.event for view in self.views[seat] if view.HasField("event")]
        return [event for event in events if event.WhichOneof("kind") not in OWN]


@pytest_asyncio.fixture(scope="module", params=[False, True], ids=["plain", "ming_wei"])
async def received(cluster, request):
    """Four rounds of three seats under a clock that nobody overruns, with a 偎 among them."""
    budgets = {"discard_ms": 600_000, "claim_ms": 600_000, "ready_ms": 600_000}
    clock = pb.ClockPolicy(preset=pb.ClockPolicy.PRESET_CUSTOM, **budgets)
    plan = Plan("hengyang_liuhuqiang", 4, options={"ming_wei": request.param}, clock=clock)
    for _ in range(30):  # about one match in five has no 偎; the cards are the service's secret
        taken = Received(request.param)
        await play(cluster.target, replace(plan, on_view=taken.note), lambda line: None)
        if any(plain_wei(event, event.melded.seat) for event in taken.table(0)):
            return taken
    raise AssertionError("no 偎 in thirty matches")


def hidden(event: event_pb2.Event) -> bool:
    """Whether a form shows no face at all of the card or cards it is about."""
    body = getattr(event, event.WhichOneof("kind"))
    cards = body.meld.cards if event.HasField("melded") else getattr(body, "cards", [])
    return all(card == card_pb2.CARD_HIDDEN for card in cards or [body.card])


def must_hide(pair, reader: int, ming_wei: bool) -> bool:
    """Whether `reader` may not know the faces of an event (in the form of who did it); `pair`
    holds the event and the one after it, which tells whether a draw became a 偎."""
    event, following = pair
    if event.HasField("dealt"):
        return event.dealt.seat != reader
    if event.HasField("drew") and event.drew.seat != reader:
        wei = plain_wei(following, event.drew.seat) and not ming_wei
        return event.drew.replacement or wei
    laid = event.melded.seat
    return event.HasField("melded") and plain_wei(event, laid) and laid != reader and not ming_wei


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
        own = row[actor][0]
        for reader in range(3):
            if must_hide(row[actor], reader, received.ming_wei):
                assert hidden(events[reader]), (kind, reader)
                assert events[reader].ByteSize() == own.ByteSize()
                checked[kind] += 1
            else:
                assert events[reader] == own, (kind, reader)
    assert checked["dealt"] == 2 * 3 * 4
    assert checked["melded"] == checked["drew"] - replacements(tables[0]) * 2
    assert bool(checked["melded"]) is not received.ming_wei


def replacements(events: list[event_pb2.Event]) -> int:
    """How many replacements were drawn (Z3)."""
    return sum(event.drew.replacement for event in events)


async def test_questions_reach_their_seat_alone(received):
    """Prompt numbers have no holes over all rounds; what may be discarded is in the hand."""
    for seat, views in received.views.items():
        table, asked = TableView(seat, 3), 0
        for view in views:
            table.apply(view.event)
            if view.event.HasField("prompted"):
                asked += 1
                prompt = view.event.prompted.prompt
                thrown = {c.discard.card for c in prompt.choices if c.HasField("discard")}
                assert prompt.prompt_id == asked
                assert thrown <= set(+table.hand)
        assert asked


async def test_deadlines_of_claims_are_told_to_their_seat_alone(received):
    """M4: whose discard is due and until when is public, a claim's deadline is not."""
    public = []
    for seat, views in received.views.items():
        news = [view.match_event.deadline_set.deadline for view in views]
        claims = [due for due in news if getattr(due, "class") == action_pb2.PROMPT_CLASS_CLAIM]
        assert all(due.seat == seat for due in claims)
        public.append([due for due in news if due.budget_ms and due not in claims])
    assert public[0] == public[1] == public[2] != []


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
