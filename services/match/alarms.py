"""When a match must be looked at again: deadlines, pauses, and after something failed."""

from collections.abc import Callable

from services.match.jobs import Job, StartRound, TimerDue
from services.match.slots import Parts, Slot

_MOST_BACKOFF_MS = 5_000
_FIRST_BACKOFF_MS = 50
_QUIET_MS = 10_000
_HELD_MS = 1_000


class Alarms:
    """Puts matches on the wheel; a match stands on it once for its earliest time."""

    def __init__(
        self,
        parts: Parts,
        submit: Callable[[str, Job], None],
        ahead: Callable[[Slot, Job], None],
    ) -> None:
        """`submit` queues a job of a match by name, `ahead` puts one before all others."""
        self._wheel, self._log = parts.wheel, parts.log
        self._told_ms = -_QUIET_MS
        self._submit = submit
        self._ahead = ahead

    def arm(self, slot: Slot) -> None:
        """After every change: the next deadline, and the next round if it can begin."""
        table = slot.table
        if table is None:
            return
        if table.control.may_start and not any(isinstance(j, StartRound) for j in slot.queue):
            if slot.not_before_ms > self._wheel.clock.now_ms():
                self._at(slot, slot.not_before_ms)
            else:
                self._ahead(slot, StartRound())
        due = table.control.due_ms
        if due:
            self._at(slot, max(due, slot.not_before_ms))

    def back_off(self, slot: Slot, reason: str) -> None:
        """What happens by itself is tried again later, after growing pauses."""
        if self._is_news(slot, reason):
            self._log.warning("job_failed", match=slot.match_id, reason=reason)
        slot.failures += 1
        wait = min(_MOST_BACKOFF_MS, _FIRST_BACKOFF_MS * 2 ** min(slot.failures, 10))
        slot.not_before_ms = self._wheel.clock.now_ms() + wait
        self._at(slot, slot.not_before_ms)

    def later(self, slot: Slot) -> None:
        """What is due by itself must wait: it is looked at again in a second."""
        self._at(slot, self._wheel.clock.now_ms() + _HELD_MS)

    def _is_news(self, slot: Slot, reason: str) -> bool:
        """Each match's first failure; what is away fails them all and is told for one of them."""
        if reason != "UPSTREAM_UNAVAILABLE":
            return not slot.failures
        now = self._wheel.clock.monotonic_ms()
        told, self._told_ms = self._told_ms, now
        return now - told >= _QUIET_MS

    def _at(self, slot: Slot, due_ms: int) -> None:
        if slot.armed_ms and slot.armed_ms <= due_ms:
            return
        slot.armed_ms = due_ms
        self._wheel.at(due_ms, lambda: self._woken(slot, due_ms))

    def _woken(self, slot: Slot, due_ms: int) -> None:
        # The slot may have left memory meanwhile: the match is named, not the object.
        if slot.armed_ms == due_ms:
            slot.armed_ms = 0
        self._submit(slot.match_id, TimerDue())
