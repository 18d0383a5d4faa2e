"""Time as a port: code asks a Clock, tests inject one that stands still."""

import time
from typing import Protocol


class Clock(Protocol):
    """Milliseconds, whole numbers."""

    def now_ms(self) -> int:
        """Wall time since 1970; never decreases within a process."""

    def monotonic_ms(self) -> int:
        """Time since an arbitrary start; immune to steps of the wall clock."""


class SystemClock:
    """The machine's clock; a backward step of the wall clock is held, not followed."""

    def __init__(self) -> None:
        self._latest = 0

    def now_ms(self) -> int:
        """Wall time since 1970; never decreases within a process."""
        self._latest = max(self._latest, time.time_ns() // 1_000_000)
        return self._latest

    def monotonic_ms(self) -> int:
        """Time since an arbitrary start."""
        return time.monotonic_ns() // 1_000_000


class ManualClock:
    """A clock that moves only when told."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now = now_ms

    def now_ms(self) -> int:
        """Wall time."""
        return self._now

    def monotonic_ms(self) -> int:
        """The same counter."""
        return self._now

    def advance(self, ms: int) -> None:
        """Moves forward."""
        if ms < 0:
            raise ValueError("time does not run backwards")
        self._now += ms
