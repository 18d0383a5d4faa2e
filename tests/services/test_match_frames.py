"""Glued bytes are what the generated stubs would have made (frames.py, rows.py)."""

import pytest
from google.rpc import status_pb2
from hypothesis import given
from hypothesis import strategies as st
from paiju.game.v1 import event_pb2, sheet_pb2
from paiju.match.v1 import match_pb2 as pb

from services.match import frames, rows, wire
from services.match.rows import Kind, LogEvent, Secrets

NUMBERS = st.integers(0, 2**63 - 1)
FORMS = st.binary(max_size=200)
EVENT = event_pb2.Event(discarded=event_pb2.Event.Discarded(seat=1, card=7))


@given(NUMBERS)
def test_varints_and_views(number: int) -> None:
    """Any number, as protobuf writes it."""
    made = frames.view(number, number, frames.VIEW_EVENT, EVENT.SerializeToString())
    assert pb.View.FromString(made) == pb.View(seat_seq=number, at_ms=number, event=EVENT)


@given(st.integers(-(2**63), 2**63 - 1))
def test_signed_numbers(number: int) -> None:
    """Totals may be negative."""
    event = pb.MatchEvent.FromString(wire.round_scored(b"", [number, -1]).public)
    assert list(event.round_scored.totals) == [number, -1]


def test_updates_replies_and_watch_responses() -> None:
    """Every field number of the hot path."""
    view = pb.View(seat_seq=3, at_ms=4, event=EVENT)
    raw = view.SerializeToString()
    status = status_pb2.Status(code=9, message="no")
    ok = frames.update(frames.named("m"), 0, frames.accepted("c", 5), [raw, raw])
    no = frames.update(frames.named("m"), None, frames.failed("", status.SerializeToString()), [])
    expected = pb.SessionResponse()
    first = expected.updates.add(match_id="m", seat=0, views=[view, view])
    first.reply.command_id, first.reply.accepted.seat_seq = "c", 5
    expected.updates.add(match_id="m").reply.error.CopyFrom(status)
    assert pb.SessionResponse.FromString(ok + no) == expected
    watched = pb.WatchResponse.FromString(frames.watch_response([raw, raw]))
    assert watched == pb.WatchResponse(views=[view, view])


def test_events_around_encoded_parts() -> None:
    """RoundScored and MatchScored embed bytes that scoring made."""
    sheet = sheet_pb2.ScoreSheet(game="g", deltas=[1, -1])
    line = sheet_pb2.SheetLine(code="x", value=-4)
    scored = pb.MatchEvent.FromString(wire.round_scored(sheet.SerializeToString(), [2, -2]).public)
    expected = pb.MatchEvent.RoundScored(sheet=sheet, totals=[2, -2])
    assert scored == pb.MatchEvent(round_scored=expected)
    final = pb.MatchEvent.FromString(wire.match_scored([2, -2], [line.SerializeToString()]).public)
    assert final == pb.MatchEvent(
        match_scored=pb.MatchEvent.MatchScored(finals=[2, -2], lines=[line])
    )


EVENTS = st.lists(
    st.builds(
        LogEvent,
        st.sampled_from(Kind),
        FORMS,
        st.dictionaries(st.integers(0, 3), FORMS.filter(bool), max_size=3).map(
            lambda forms: tuple(sorted(forms.items()))
        ),
        st.just(b""),
    ),
    max_size=5,
)


@given(EVENTS)
def test_columns_keep_every_form(events: list[LogEvent]) -> None:
    """What is laid out for the log reads back."""
    laid = rows.told(events, 4, 1)
    assert rows.unpack(laid.public, laid.private) == events


@given(st.binary(max_size=32), st.lists(FORMS, max_size=4).map(tuple))
def test_secrets_keep_every_part(seed: bytes, records: tuple[bytes, ...]) -> None:
    """The sealed column's content."""
    secrets = Secrets(seed, b"n", records)
    assert rows.unpack_secrets(rows.pack_secrets(secrets)) == secrets


@given(EVENTS, st.integers(0, 3))
def test_a_seat_counts_what_it_receives(events: list[LogEvent], seat: int) -> None:
    """Numbers are dense; an event without a form for the seat leaves no gap."""
    received = [event.form(seat) for event in events if event.form(seat)]
    made = rows.views_for(events, seat, 7, 1)
    assert made == frames.numbered_on(7, rows.told(events, 4, 1).received[seat])
    assert [raw[:2] for raw in made] == [bytes((8, 8 + n)) for n in range(len(received))]
    assert all(raw.endswith(form) for raw, form in zip(made, received, strict=True))


@pytest.mark.parametrize("kind", list(Kind))
def test_audit_events_reach_no_seat(kind: Kind) -> None:
    """OwnerChanged is for the platform and audit only."""
    assert LogEvent(kind, b"x").form(0) == (b"" if kind is Kind.AUDIT else b"x")
