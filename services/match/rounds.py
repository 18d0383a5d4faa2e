"""The course of a round as the match sees it: prompts and their times, ends, scores, settlement."""

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import orjson

from libs.runtime.errors import PaijuError, refuse
from services.match import wire
from services.match.jobs import (
    CloseByPlatform,
    Done,
    LedgerClosed,
    MatchFinished,
    Scored,
    SeatCommand,
    Settled,
    StartRound,
    TimerDue,
)
from services.match.lobby import check_open, end_by_platform, make_ready, tell_trustees
from services.match.model import Asked, Control, Phase, Seat
from services.match.port import (
    Input,
    OpenPrompt,
    PromptClass,
    StartItem,
    Status,
    StepItem,
    Stepped,
)
from services.match.rows import Kind, LogEvent
from services.match.table import Draft, RoundSheet, Table

AUTO_PAUSE_MS = 1000
# Looking a member up in its enum costs a quarter of a microsecond: hot ones are bound once.
_TABLE = Kind.TABLE
_DISCARD = PromptClass.DISCARD
_ADVANCE, _ENDED = Status.ADVANCE, Status.ENDED
_ANSWER = Input.ANSWER
_event: Callable[[tuple[Any, ...]], LogEvent] = partial(tuple.__new__, LogEvent)
"""A LogEvent of a tuple, without the constructor written in Python: one for each event."""
_SECRET_BYTES = 32
_CLOCK, _TIMER = "clock", "timer"
"""Actors: of what follows a pause or begins a round; of what happens because a player's time is
over, or a short pause on 托管."""


def act(table: Table, job: SeatCommand) -> StepItem:
    """A seat answers; only the open prompt can be answered, and once (M6)."""
    control = table.control
    check_open(control)
    seat = control.seats[job.seat]
    if control.round_no == 0:
        refuse("NOT_STARTED", "no round has begun", seat_seq=str(seat.seq))
    if seat.asked is None or seat.asked.prompt_id != job.prompt_id:
        known = 1 <= job.prompt_id <= seat.last_prompt
        reason = "PROMPT_CLOSED" if known else "STALE_PROMPT"
        refuse(reason, "this prompt is not open", seat_seq=str(seat.seq))
    return StepItem(table.state, _ANSWER, table.run_on, job.seat, job.prompt_id, job.choice)


def with_seq(error: PaijuError, seat: Seat) -> PaijuError:
    """A refusal of the engine with the seat's current sequence number (M6)."""
    return PaijuError(error.reason, error.message, **{**error.fields, "seat_seq": str(seat.seq)})


def start_item(table: Table, job: StartRound) -> StartItem:
    """Deals the next round from a fresh secret seed (M8)."""
    meta, control = table.meta, table.control
    job.server_seed = secrets.token_bytes(_SECRET_BYTES)
    job.nonce = secrets.token_bytes(_SECRET_BYTES)
    order = sorted(range(meta.players), key=lambda n: control.seats[n].joined)
    return StartItem(
        meta.game,
        meta.release,
        meta.options,
        meta.players,
        control.round_no + 1,
        control.carry,
        tuple(order),
        None if control.creator < 0 else control.creator,
        meta.match_id,
        job.server_seed,
        job.nonce,
        meta.client_seed,
        meta.pace.run_on,
    )


class _Due(NamedTuple):
    at_ms: int
    kind: Input
    seat: int


def due_step(table: Table, job: TimerDue, now_ms: int) -> StepItem | Draft | None:
    """What has run out, the earliest first; None: nothing (a player was faster)."""
    control = table.control
    found = [
        _Due(seat.asked.due_ms, Input.AUTO if seat.asked.auto_ms else Input.TIMEOUT, n)
        for n, seat in enumerate(control.seats)
        if seat.asked and seat.asked.due_ms
    ]
    if control.advance_ms:
        found.append(_Due(control.advance_ms, Input.ADVANCE, -1))
    first = min(found, default=_Due(now_ms + 1, Input.ADVANCE, -1))
    if first.at_ms > now_ms:
        ready_due = control.ready_ms and control.ready_ms <= now_ms
        return _all_ready(table, now_ms) if ready_due else None
    job.kind, job.seat = first.kind, first.seat
    run_on = table.meta.pace.run_on
    if first.kind is Input.ADVANCE:
        return StepItem(table.state, Input.ADVANCE, run_on)
    asked = control.seats[first.seat].asked
    assert asked is not None
    return StepItem(table.state, first.kind, run_on, first.seat, asked.prompt_id)


def _all_ready(table: Table, now_ms: int) -> Draft:
    """The next-round timer confirms for those who did not (M2)."""
    draft = table.open_draft(_TIMER, "", now_ms)
    for number, seat in enumerate(table.control.seats):
        if not seat.ready:
            make_ready(table, draft, number)
    table.control.ready_ms = 0
    return draft


Driver = SeatCommand | TimerDue | StartRound | CloseByPlatform


def stepped(table: Table, job: Driver, result: Stepped, now_ms: int) -> Draft:
    """Turns the engine's answer into a draft."""
    control = table.control
    draft = _draft_for(table, job, now_ms)
    _note_driver(control, job)
    _absorb(table, draft, result)
    if isinstance(job, CloseByPlatform):
        _void(table, draft)
    elif result.status is _ENDED:
        _end_round(table, draft, result.carry)
    return draft


def _draft_for(table: Table, job: Driver, now_ms: int) -> Draft:
    if isinstance(job, SeatCommand):
        draft = table.open_draft(job.actor, job.command_id, now_ms)
        draft.seat = job.seat
        return draft
    if isinstance(job, CloseByPlatform):
        return table.open_draft(job.actor, job.command_id, now_ms)
    if isinstance(job, StartRound):
        draft = table.open_draft(_CLOCK, "", now_ms)
        draft.server_seed, draft.nonce = job.server_seed, job.nonce
        return draft
    return table.open_draft(_CLOCK if job.kind is Input.ADVANCE else _TIMER, "", now_ms)


def _note_driver(control: Control, job: Driver) -> None:
    if isinstance(job, SeatCommand):
        control.seats[job.seat].timeouts = 0
        control.seats[job.seat].trustee = False
    elif isinstance(job, StartRound):
        control.phase = Phase.PLAYING
        control.round_no += 1
    elif isinstance(job, TimerDue) and job.kind is Input.TIMEOUT:
        control.seats[job.seat].timeouts += 1


def _absorb(table: Table, draft: Draft, result: Stepped) -> None:
    """State, events, prompts and times after a step."""
    control, pace = table.control, table.meta.pace
    for seat in control.seats:
        seat.trustee = seat.trustee or seat.timeouts >= pace.auto_after
    table.state, control.status = result.state, result.status
    draft.events += [_event((_TABLE, *event)) for event in result.events]
    seen = any(event[0] for event in result.events)
    if seen or draft.actor == _CLOCK:
        # A pause in which nothing is shown hides a question, too (J4): the next begins at its end.
        control.shown_ms = draft.at_ms
    if seen:
        tell_trustees(table, draft, _in_the_open(control, result))
    # A claim by one seat must not shorten or lengthen the pause that others see.
    waits = result.status is _ADVANCE
    control.advance_ms = control.shown_ms + pace.claim_pause_ms if waits else 0
    _ask(table, draft, {prompt.seat: prompt for prompt in result.prompts}, seen)


def _in_the_open(control: Control, result: Stepped) -> list[int]:
    """Seats of which everybody sees that they are or were asked: those with a discard to make."""
    if result.status is _ENDED:
        return list(range(len(control.seats)))
    turns = {n for n, seat in enumerate(control.seats) if _is_turn(seat.asked)}
    return sorted(turns | {prompt.seat for prompt in result.prompts if _is_turn(prompt)})


def _is_turn(asked: Asked | OpenPrompt | None) -> bool:
    return asked is not None and asked.cls is _DISCARD


def _ask(table: Table, draft: Draft, prompts: dict[int, OpenPrompt], seen: bool) -> None:
    """Arms new prompts; tells each deadline to those who may know it (M4)."""
    for number, seat in enumerate(table.control.seats):
        prompt, before = prompts.get(number), seat.asked
        if prompt is None:
            seat.asked = None
            continue
        if before is not None and before.prompt_id == prompt.prompt_id:
            continue
        seat.last_prompt = prompt.prompt_id
        seat.asked = _armed(table, draft.at_ms, prompt, seat.trustee)
        if before is not None and before.cls is prompt.cls is _DISCARD and not seen:
            _ask_again(seat, seat.asked, before, timed_out=draft.actor == _TIMER)
        elif seat.asked.deadline_ms:
            due = wire.Due(number, prompt.cls, seat.asked.budget_ms, seat.asked.deadline_ms)
            draft.events.append(wire.deadline_set(due))


def _ask_again(seat: Seat, asked: Asked, before: Asked, timed_out: bool) -> None:
    """A refused discard, behind closed doors: the others must find no trace of it in time. The
    deadline runs on, 托管 makes no second pause, and time that is over runs out once (M5)."""
    asked.deadline_ms, asked.budget_ms = before.deadline_ms, before.budget_ms
    if asked.auto_ms:
        asked.auto_ms = before.due_ms
    elif timed_out:
        seat.timeouts -= 1


def _armed(table: Table, at_ms: int, prompt: OpenPrompt, trustee: bool) -> Asked:
    pace = table.meta.pace
    budget = pace.budget(prompt.cls)
    asked = Asked(prompt.prompt_id, prompt.cls, at_ms + budget if budget else 0, budget)
    if trustee and prompt.cls is PromptClass.DISCARD:
        asked.auto_ms = at_ms + AUTO_PAUSE_MS
    elif trustee:
        # A claim is answered within the pause in which nobody else could tell, the second of two
        # behind one pause too: it counts from what everybody saw last.
        pause = min(AUTO_PAUSE_MS, pace.claim_pause_ms // 2)
        asked.auto_ms = max(at_ms, table.control.shown_ms + pause)
    return asked


def _stop_round(table: Table) -> None:
    control = table.control
    control.advance_ms, control.status = 0, Status.ENDED
    for seat in control.seats:
        seat.ready, seat.asked = False, None


def _end_round(table: Table, draft: Draft, carry: bytes) -> None:
    """RoundEnded and the outbox row `score` in one commit (protocol.md, Round end)."""
    control = table.control
    _stop_round(table)
    last = control.round_no >= table.meta.rounds
    control.phase = Phase.FINISHING if last else Phase.BETWEEN
    control.carry, control.scoring = carry, True
    draft.marks = True
    draft.outbox.append(("score", b""))


def _void(table: Table, draft: Draft) -> None:
    """The platform ended the match inside a round: no score, no payments for it (M7)."""
    _stop_round(table)
    table.control.phase = Phase.BETWEEN
    end_by_platform(table, draft)


def done(table: Table, job: Done, now_ms: int) -> Draft:
    """The result of an outbox row."""
    control = table.control
    actor = "scoring" if isinstance(job, Scored | MatchFinished) else "ledger"
    draft = table.open_draft(actor, f"{job.task.kind}:{job.task.version}", now_ms)
    draft.done = job.task
    if isinstance(job, Scored):
        _scored(table, draft, job)
    elif isinstance(job, Settled):
        control.settled += 1
        round_no = orjson.loads(job.task.payload)["round_no"]
        draft.sheet = RoundSheet(round_no, tx_id=job.tx_id)
        draft.events.append(wire.round_settled(round_no, job.tx_id))
    elif isinstance(job, MatchFinished):
        control.finals = list(job.result.finals)
        draft.events.append(wire.match_scored(control.finals, job.result.lines))
        close = {"adjustments": job.result.adjustments, "at_ms": draft.at_ms}
        draft.outbox.append(("close", orjson.dumps(close)))
        draft.marks = True
    else:
        assert isinstance(job, LedgerClosed)
        control.phase = Phase.CLOSED
        control.close_reason = control.close_reason or "finished"
        draft.events.append(wire.match_closed(control.close_reason))
    return draft


def _scored(table: Table, draft: Draft, job: Scored) -> None:
    control = table.control
    deltas = job.sheet.deltas
    control.totals = [total + delta for total, delta in zip(control.totals, deltas, strict=True)]
    control.scored += 1
    control.scoring = False
    draft.sheet = RoundSheet(control.round_no, job.sheet.sheet)
    draft.events.append(wire.round_scored(job.sheet.sheet, control.totals))
    settle = {
        "round_no": control.round_no,
        "deltas": deltas,
        "log_hash": control.mark.hex(),
        "at_ms": draft.at_ms,
    }
    draft.outbox.append(("settle", orjson.dumps(settle)))
    if control.phase is Phase.FINISHING:
        draft.outbox.append(("finish", b""))
        return
    budget = table.meta.pace.ready_ms
    if budget and not all(seat.ready for seat in control.seats):
        control.ready_ms = draft.at_ms + budget
        draft.events += [wire.deadline_set(due) for due in table.dues()]


def _extend(table: Table, draft: Draft, outage_ms: int) -> None:
    """Later by the outage; nobody had more than a whole budget left when it began."""
    control, now_ms = table.control, draft.at_ms
    for seat in control.seats:
        asked = seat.asked
        if asked is not None and asked.deadline_ms:
            asked.deadline_ms = min(asked.deadline_ms + outage_ms, now_ms + asked.budget_ms)
    if control.ready_ms:
        control.ready_ms = min(control.ready_ms + outage_ms, now_ms + table.meta.pace.ready_ms)
    draft.events.append(wire.deadlines_extended(outage_ms, table.dues()))


def _timed(table: Table) -> bool:
    """Whether there could be a deadline: whether a claim's is open is its seat's secret."""
    control = table.control
    playing = control.phase is Phase.PLAYING and table.meta.pace.timed
    return playing or control.ready_ms > 0


def extended(table: Table, outage_ms: int, now_ms: int) -> Draft | None:
    """Nobody could act for a while though the owner is the same (M4); None: nothing is timed."""
    if not _timed(table):
        return None
    draft = table.open_draft(_CLOCK, "", now_ms)
    draft.extended_ms = outage_ms
    _extend(table, draft, outage_ms)
    return draft


def adopt(table: Table, owner: str, outage_ms: int, now_ms: int) -> Draft:
    """This process owns the match now; no seat loses because the service was down (M4)."""
    table.epoch += 1
    table.owner = owner
    draft = table.open_draft("owner", f"epoch:{table.epoch}", now_ms)
    draft.events.append(wire.owner_changed(table.epoch))
    if outage_ms > 0 and _timed(table):
        _extend(table, draft, outage_ms)
    return draft
