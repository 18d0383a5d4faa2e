"""Seats and readiness: joining, leaving, ready, back from 托管, closing (match.md M2, M5, M7)."""

from collections.abc import Collection
from typing import NamedTuple

from libs.runtime.errors import refuse
from services.match import frames, wire
from services.match.jobs import CloseByPlatform, Join, SeatCommand, Verb
from services.match.model import Asked, Control, Meta, Phase, Seat
from services.match.port import Input, StepItem
from services.match.seal import MatchKey, genesis, token_hash
from services.match.table import Created, Draft, Table

_FORMER_TOKENS = 8
_OVER = (Phase.FINISHING, Phase.CLOSED)


class NewMatch(NamedTuple):
    """A checked CreateMatch."""

    meta: Meta
    creator: tuple[str, str] | None
    command_id: str
    req_hash: bytes
    owner: str
    wrapped_key: bytes


def create(new: NewMatch, key: MatchKey, now_ms: int) -> tuple[Table, Draft]:
    """A match with its first row, which opens the first epoch; the creator takes seat 0 (M2)."""
    meta = new.meta
    control = Control([Seat() for _ in range(meta.players)], [0] * meta.players)
    table = Table(meta, control, key, new.owner, epoch=1, tail=genesis(meta.match_id))
    draft = table.open_draft("platform", new.command_id, now_ms)
    draft.req_hash = new.req_hash
    draft.events.append(wire.owner_changed(table.epoch))
    if new.creator is not None:
        take_seat(table, draft, 0, new.creator)
        control.creator = 0
    draft.created = Created(
        meta.dump(), new.wrapped_key, meta.game, meta.reference, meta.created_at_ms
    )
    draft.answer = frames.field(1, table.match_bytes())
    return table, draft


def check_open(control: Control) -> None:
    """Refuses what needs a match that is not over."""
    if control.phase in _OVER:
        refuse("MATCH_CLOSED", "the match is over")


def take_seat(table: Table, draft: Draft, number: int, player: tuple[str, str]) -> str:
    """Seats a player; returns the seat's token, of which only the hash is kept."""
    control = table.control
    token = table.key.token(number, draft.command_id)
    control.joins += 1
    seq = control.seats[number].seq
    hashed = token_hash(token)
    control.seats[number] = Seat(*player, joined=control.joins, token_hash=hashed, seq=seq)
    draft.events.append(wire.seat_joined(number, *player))
    return token


def join(table: Table, job: Join, now_ms: int) -> Draft:
    """The next free seat (M2); the answer is a JoinResponse without the token."""
    control = table.control
    check_open(control)
    if any(seat.player_id == job.player_id for seat in control.seats):
        refuse("BAD_REQUEST", "the player is seated already", field="player.player_id")
    number = next((n for n, seat in enumerate(control.seats) if not seat.taken), None)
    if number is None:
        refuse("MATCH_FULL", "no seat is free")
    draft = table.open_draft(job.actor, job.command_id, now_ms)
    take_seat(table, draft, number, (job.player_id, job.name))
    at = frames.uint(1, number) if number else b""
    draft.answer = at + frames.field(3, table.match_bytes())
    return draft


def seat_command(table: Table, job: SeatCommand, now_ms: int) -> Draft | None:
    """READY, LEAVE or BACK; None: it changes nothing and needs no row."""
    control = table.control
    check_open(control)
    plan = {Verb.READY: _ready, Verb.LEAVE: _leave, Verb.BACK: _back}[job.verb]
    seat = control.seats[job.seat]
    if not _away(seat) and (job.verb is Verb.BACK or _is_ready(control, seat, job.verb)):
        return None
    draft = table.open_draft(job.actor, job.command_id, now_ms)
    draft.seat = job.seat
    plan(table, draft, seat)
    return draft


def _ready(table: Table, draft: Draft, seat: Seat) -> None:
    if table.control.phase is Phase.PLAYING:
        refuse("ALREADY_STARTED", "a round is being played", seat_seq=str(seat.seq))
    assert draft.seat is not None
    back(table, draft, draft.seat)
    if not seat.ready:
        make_ready(table, draft, draft.seat)


def make_ready(table: Table, draft: Draft, number: int) -> None:
    """A seat is ready; the timer stops when nobody is missing."""
    control = table.control
    control.seats[number].ready = True
    if all(seat.ready for seat in control.seats):
        control.ready_ms = 0
    draft.events.append(wire.seat_ready(number))


def _leave(table: Table, draft: Draft, seat: Seat) -> None:
    control, number = table.control, draft.seat
    assert number is not None
    if control.phase is not Phase.OPEN:
        refuse("ALREADY_STARTED", "the match has started", seat_seq=str(seat.seq))
    control.left = [*control.left, (seat.token_hash, number)][-_FORMER_TOKENS:]
    if control.creator == number:
        control.creator = -1
    control.seats[number] = Seat(seq=seat.seq)
    draft.events.append(wire.seat_left(number))


def _back(table: Table, draft: Draft, _seat: Seat) -> None:
    assert draft.seat is not None
    back(table, draft, draft.seat)


def _is_ready(control: Control, seat: Seat, verb: Verb) -> bool:
    return verb is Verb.READY and seat.ready and control.phase is not Phase.PLAYING


def _away(seat: Seat) -> bool:
    automatic = isinstance(seat.asked, Asked) and seat.asked.auto_ms
    return bool(seat.timeouts or seat.trustee or seat.trustee_told or automatic)


def back(table: Table, draft: Draft, number: int) -> None:
    """Ends 托管 (M5): the player is there again."""
    seat = table.control.seats[number]
    seat.timeouts, seat.trustee = 0, False
    if isinstance(seat.asked, Asked):
        seat.asked.auto_ms = 0
    tell_trustees(table, draft, {number})


def tell_trustees(table: Table, draft: Draft, seats: Collection[int]) -> None:
    """Tells who of `seats` is on 托管 by now.

    A change caused by a claim waits until the seat's own turn: told earlier, by itself or with
    what others do next, it would show that the seat had been asked (Z8).
    """
    for number in seats:
        seat = table.control.seats[number]
        if seat.trustee != seat.trustee_told:
            seat.trustee_told = seat.trustee
            draft.events.append(wire.trustee_changed(number, seat.trustee))


def close(table: Table, job: CloseByPlatform, now_ms: int) -> Draft | StepItem:
    """The platform ends the match: a running round is aborted first, finished ones stand (M7)."""
    control = table.control
    check_open(control)
    if control.phase is Phase.PLAYING:
        return StepItem(table.state, Input.ABORT, run_on=True)
    draft = table.open_draft(job.actor, job.command_id, now_ms)
    end_by_platform(table, draft)
    return draft


def end_by_platform(table: Table, draft: Draft) -> None:
    """Ends what is not being played; a match without any round needs no settlement."""
    control = table.control
    control.close_reason, control.ready_ms = "platform", 0
    if control.phase is Phase.OPEN:
        control.phase = Phase.CLOSED
        draft.events.append(wire.match_closed(control.close_reason))
    else:
        control.phase = Phase.FINISHING
        if not control.scoring:
            draft.outbox.append(("finish", b""))
    draft.answer = frames.field(1, table.match_bytes())
