"""What a seat gets when a stream begins to follow it: a snapshot, or what it has missed.

A gap is rebuilt from the log, in which every view is kept; nothing is asked of the engine for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.runtime.errors import PaijuError, refuse
from libs.runtime.logs import frames as frames_of
from services.match import frames, wire
from services.match.jobs import Attach
from services.match.port import ViewItem
from services.match.rows import sequences, views_for
from services.match.seal import MatchKey, Stored
from services.match.slots import Parts, Slot
from services.match.store import Store
from services.match.table import Table, events_of

_PAGE = 64
_MOST_ROWS = 256
"""Some rounds of a match; more of them cost more than a snapshot does."""


@dataclass(slots=True)
class Wanted:
    """An attach of a seat whose sequence number is `seq` now."""

    job: Attach
    match_id: str
    seq: int
    version: int
    at_ms: int
    key: MatchKey
    state: bytes
    match_bytes: bytes
    dues: list[wire.Due]


def wanted(match_id: str, table: Table, job: Attach, connected: set[int]) -> Wanted:
    """What must be known of a table to answer an attach."""
    seat = table.control.seats[job.seat]
    if job.after_seq > seat.seq:
        refuse("BAD_REQUEST", "after_seq is ahead of the seat", field="after_seq")
    return Wanted(
        job,
        match_id,
        seat.seq,
        table.version,
        table.at_ms,
        table.key,
        table.state,
        table.match_bytes(connected | {job.seat}),
        table.dues_known_to(job.seat),
    )


def finish(slot: Slot, one: Wanted, views: list[bytes]) -> None:
    """The stream follows the seat; the newest attach wins."""
    feed, seat = one.job.feed, one.job.seat
    older = slot.attached.get(seat)
    if feed.error is None:
        if older is not None and older is not feed:
            older.replaced(slot.place(seat))
        slot.attached[seat] = feed
        feed.seats.add((slot.match_id, seat))
        feed.attached(slot.place(seat), one.seq, views)
    feed.answered()


async def missed(parts: Parts, batch: Sequence[Wanted]) -> list[list[bytes] | PaijuError]:
    """The views that each attach begins with."""
    answers: list[list[bytes] | PaijuError | None] = [
        await _resumed(parts, one) if one.job.after_seq else None for one in batch
    ]
    lacking = [n for n, answer in enumerate(answers) if answer is None]
    snapshots = await _snapshots(parts, [batch[n] for n in lacking])
    for n, snapshot in zip(lacking, snapshots, strict=True):
        answers[n] = snapshot
    return [answer for answer in answers if answer is not None]


async def _resumed(parts: Parts, one: Wanted) -> list[bytes] | PaijuError | None:
    try:
        return await _gap(parts.store, one)
    except PaijuError as error:
        return error
    except Exception as error:  # a damaged row must not end the stage: the head still serves
        kind = type(error).__qualname__
        parts.log.error("row_unreadable", match=one.match_id, kind=kind, frames=frames_of(error))
        return None


async def _snapshots(parts: Parts, batch: Sequence[Wanted]) -> list[list[bytes] | PaijuError]:
    items = [ViewItem(one.state, one.job.seat) for one in batch if one.state]
    try:
        tables = list(await parts.ports.rules.view(items)) if items else []
    except PaijuError as error:
        tables = [error] * len(items)
    tables.reverse()
    now_ms = parts.wheel.clock.now_ms()
    return [_snapshot(one, tables.pop() if one.state else None, now_ms) for one in batch]


def _snapshot(
    one: Wanted, table: bytes | PaijuError | None, now_ms: int
) -> list[bytes] | PaijuError:
    """Its time is now: that of the newest row would tell when somebody passed unseen (Z8)."""
    if isinstance(table, PaijuError):
        return table
    body = wire.snapshot(one.match_bytes, table, one.dues)
    at_ms = max(one.at_ms, now_ms)
    return [frames.view(one.seq, at_ms, frames.VIEW_SNAPSHOT, body)]


async def _gap(store: Store, one: Wanted) -> list[bytes] | None:
    """The views after `after_seq`; None: the gap is too long."""
    after, rows = one.job.after_seq, list[Stored]()
    below = one.version + 1
    while after < one.seq:
        page = await store.newest(one.match_id, below, _PAGE)
        for row in page:
            if _seq_after(row, one.job.seat) <= after:
                return _views(one, rows)
            rows.append(row)
        if not page or len(rows) >= _MOST_ROWS:
            return _views(one, rows) if not page else None
        below = page[-1].version
    return []


def _seq_after(row: Stored, seat: int) -> int:
    return sequences(row.seat_seq)[seat]


def _views(one: Wanted, newest_first: list[Stored]) -> list[bytes]:
    """Numbers the views backwards from the seat's sequence number after each row."""
    seat, found = one.job.seat, list[bytes]()
    for row in reversed(newest_first):
        events = events_of(row, one.key)
        received = sum(1 for event in events if event.form(seat))
        found += views_for(events, seat, _seq_after(row, seat) - received, row.at_ms)
    return found[len(found) - (one.seq - one.job.after_seq) :]
