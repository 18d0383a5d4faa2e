"""Matches that cannot go on: whose head cannot be read, or whose handling raises.

Such a match must neither stop the others nor be tried for ever at full speed. A first failure may
be bad luck: the match is read again at its next job. From the second in a row on its jobs are
refused, for pauses that double up to a minute, after each of which it is tried by itself. A row
that becomes durable ends it. The platform's CloseMatch may always try.
"""

import uuid
from collections.abc import Callable
from typing import NamedTuple

from libs.runtime.errors import PaijuError
from libs.runtime.logs import frames
from services.match.jobs import CloseByPlatform, Detach, Job
from services.match.slots import Parts

_FIRST_MS, _MOST_MS = 1_000, 60_000
_SOON_MS = 50


class Stop(NamedTuple):
    """Why a match does not go on, how often in a row, and until when (match clock)."""

    failures: int
    until_ms: int
    error: PaijuError


class Quarantine:
    """The stopped matches of this process."""

    def __init__(self, parts: Parts, again: Callable[[str], None]) -> None:
        """`again` tries a match after its pause."""
        self._parts = parts
        self._again = again
        self._unreadable: set[str] = set()
        self.stops: dict[str, Stop] = {}

    def refusal(self, match_id: str, job: Job) -> PaijuError | None:
        """Why a job is not taken now."""
        stop = self.stops.get(match_id)
        if stop is None or isinstance(job, CloseByPlatform | Detach):
            return None
        return stop.error if self._parts.wheel.clock.now_ms() < stop.until_ms else None

    def stopped(self, match_id: str, error: Exception) -> PaijuError:
        """A job raised; what those who wait for the match are told."""
        before = self.stops.get(match_id)
        failures = before.failures + 1 if before else 1
        pause = min(_MOST_MS, _FIRST_MS << min(failures - 2, 10)) if failures > 1 else 0
        incident = uuid.uuid4().hex[:16]
        self._parts.log.error(
            "match_stopped",
            match=match_id,
            incident=incident,
            failures=failures,
            again_in_ms=pause,
            kind=type(error).__qualname__,
            frames=frames(error),
        )
        why = f"this match is in quarantine: its handling has failed {failures} times in a row"
        told = PaijuError("INTERNAL", why if pause else "internal error", incident=incident)
        wheel = self._parts.wheel
        now = wheel.clock.now_ms()
        self.stops[match_id] = Stop(failures, now + pause, told)
        self._count()
        wheel.at(now + (pause or _SOON_MS), lambda: self._again(match_id))
        return told

    def ended(self, match_id: str) -> None:
        """A row of a match became durable."""
        if self.stops.pop(match_id, None) is not None:
            self._parts.log.info("match_goes_on", match=match_id)
            self._count()

    def unreadable(self, match_id: str, error: Exception) -> None:
        """A head cannot be read; said once."""
        if match_id not in self._unreadable:
            self._unreadable.add(match_id)
            self._parts.log.error("match_unreadable", match=match_id, why=str(error))
            self._count()

    def _count(self) -> None:
        self._parts.gauges.quarantined.set(len(self.stops) + len(self._unreadable))
