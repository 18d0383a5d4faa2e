"""Match events, matches and snapshots as bytes: the one place, beside the servicers, with stubs.

Each match event is encoded once; the log and every reader get the same bytes.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from paiju.match.v1 import match_pb2 as pb

from services.match import frames
from services.match.model import Control, Meta, Pace, Seat
from services.match.port import Checked, PromptClass
from services.match.rows import Kind, LogEvent

_PRESETS = {
    pb.ClockPolicy.PRESET_FAST: (10_000, 8_000),
    pb.ClockPolicy.PRESET_NORMAL: (20_000, 15_000),
    pb.ClockPolicy.PRESET_SLOW: (60_000, 30_000),
}
_PRESET_READY_MS = 30_000
_PRESET_PAUSE_MS = 400
_AUTO_AFTER = 2


class Due(NamedTuple):
    """A deadline as it is told."""

    seat: int
    cls: PromptClass
    budget_ms: int
    at_ms: int


def pace(clock: pb.ClockPolicy) -> Pace:
    """Resolves a clock policy (match.md M4): presets, or own values."""
    auto_after = clock.auto_after or _AUTO_AFTER
    if clock.preset in _PRESETS:
        discard, claim = _PRESETS[clock.preset]
        return Pace(discard, claim, _PRESET_READY_MS, _PRESET_PAUSE_MS, auto_after)
    if clock.preset == pb.ClockPolicy.PRESET_CUSTOM:
        return Pace(
            clock.discard_ms, clock.claim_ms, clock.ready_ms, clock.claim_pause_ms, auto_after
        )
    return Pace(0, 0, 0, clock.claim_pause_ms, auto_after)


def is_template(template: bytes, match_id: str) -> bool:
    """Whether bytes are the template of a match: damaged ones would spoil a whole list."""
    return pb.Match.FromString(template).match_id == match_id


def template(match_id: str, request: pb.CreateMatchRequest, made: Checked, at_ms: int) -> bytes:
    """The constant part of a Match."""
    match = pb.Match(
        match_id=match_id,
        game=request.game,
        release=made.release,
        players=request.players,
        rounds=request.rounds or 8,
        clock=request.clock,
        reference=request.reference,
        client_seed=request.client_seed,
        created_at_ms=at_ms,
        dissolve=request.dissolve or pb.DISSOLVE_POLICY_ALL,
    )
    match.options.ParseFromString(made.options)
    return match.SerializeToString()


def match(meta: Meta, control: Control, connected: Collection[int]) -> bytes:
    """A Match: the template and what changes; a free seat has no player."""
    changing = pb.Match(
        phase=pb.MatchPhase.ValueType(control.phase),
        round_no=control.round_no,
        totals=control.totals,
        finals=control.finals,
        settled_rounds=control.settled,
        seats=[_seat(n, seat, n in connected) for n, seat in enumerate(control.seats)],
    )
    return meta.template + changing.SerializeToString()


def _seat(number: int, seat: Seat, connected: bool) -> pb.Match.SeatInfo:
    info = pb.Match.SeatInfo(
        seat=number, ready=seat.ready, trustee=seat.trustee_told, connected=connected
    )
    if seat.taken:
        info.player.player_id, info.player.display_name = seat.player_id, seat.name
    return info


def snapshot(match_bytes: bytes, table: bytes | None, dues: Iterable[Due]) -> bytes:
    """A Snapshot around a serialized Table."""
    parts = [frames.field(1, match_bytes)]
    if table is not None:
        parts.append(frames.field(2, table))
    parts.append(frames.fields(3, [_deadline(due).SerializeToString() for due in dues]))
    return b"".join(parts)


def _deadline(due: Due) -> pb.Deadline:
    return pb.Deadline(
        seat=due.seat, budget_ms=due.budget_ms, at_ms=due.at_ms, **{"class": int(due.cls)}
    )


def public(event: pb.MatchEvent) -> LogEvent:
    """A match event for all."""
    return LogEvent(Kind.MATCH, event.SerializeToString())


def seat_joined(seat: int, player_id: str, name: str) -> LogEvent:
    """A player took a seat."""
    player = pb.Player(player_id=player_id, display_name=name)
    return public(pb.MatchEvent(seat_joined=pb.MatchEvent.SeatJoined(seat=seat, player=player)))


def seat_left(seat: int) -> LogEvent:
    """A player left."""
    return public(pb.MatchEvent(seat_left=pb.MatchEvent.SeatLeft(seat=seat)))


def seat_ready(seat: int) -> LogEvent:
    """A seat is ready."""
    return public(pb.MatchEvent(seat_ready=pb.MatchEvent.SeatReady(seat=seat)))


def trustee_changed(seat: int, active: bool) -> LogEvent:
    """托管 began or ended (match.md M5)."""
    changed = pb.MatchEvent.TrusteeChanged(seat=seat, active=active)
    return public(pb.MatchEvent(trustee_changed=changed))


def deadline_set(due: Due) -> LogEvent:
    """A deadline: of a claim for its seat alone, any other for all (match.md M4)."""
    told = pb.MatchEvent(deadline_set=pb.MatchEvent.DeadlineSet(deadline=_deadline(due)))
    if is_public(due):
        return public(told)
    return LogEvent(Kind.MATCH, b"", ((due.seat, told.SerializeToString()),))


def is_public(due: Due) -> bool:
    """Whether everybody may know a deadline."""
    return due.cls in (PromptClass.DISCARD, PromptClass.READY)


def deadlines_extended(outage_ms: int, dues: Sequence[Due]) -> LogEvent:
    """Deadlines were extended; each seat reads the public ones and its own."""

    def form(reader: int | None) -> bytes:
        known = [_deadline(due) for due in dues if is_public(due) or due.seat == reader]
        extended = pb.MatchEvent.DeadlinesExtended(outage_ms=outage_ms, deadlines=known)
        return pb.MatchEvent(deadlines_extended=extended).SerializeToString()

    secret = {due.seat for due in dues if not is_public(due)}
    return LogEvent(Kind.MATCH, form(None), tuple((seat, form(seat)) for seat in sorted(secret)))


def owner_changed(epoch: int) -> LogEvent:
    """A new owner; for the platform and audit only."""
    event = pb.MatchEvent(owner_changed=pb.MatchEvent.OwnerChanged(epoch=epoch))
    return LogEvent(Kind.AUDIT, event.SerializeToString())


def round_scored(sheet: bytes, totals: Sequence[int]) -> LogEvent:
    """RoundScored around a sheet that is already encoded: MatchEvent{5: {1: sheet, 2: totals}}."""
    scored = frames.field(1, sheet) + frames.packed(2, totals)
    return LogEvent(Kind.MATCH, frames.field(5, scored))


def round_settled(round_no: int, tx_id: str) -> LogEvent:
    """A round is in the ledger."""
    settled = pb.MatchEvent.RoundSettled(round_no=round_no, tx_id=tx_id)
    return public(pb.MatchEvent(round_settled=settled))


def match_scored(finals: Sequence[int], lines: Sequence[bytes]) -> LogEvent:
    """MatchScored around encoded lines: MatchEvent{7: {1: finals, 2: lines}}."""
    scored = frames.packed(1, finals) + frames.fields(2, lines)
    return LogEvent(Kind.MATCH, frames.field(7, scored))


def match_closed(reason: str) -> LogEvent:
    """The match is closed."""
    return public(pb.MatchEvent(match_closed=pb.MatchEvent.MatchClosed(reason=reason)))
