"""A heap of things to do later; it lives in memory and is rebuilt from the heads."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

from libs.runtime.clock import Clock

Call = Callable[[], None]


class MatchClock:
    """Wall time read once, then monotonic: a step of the wall clock takes no player's time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = clock.now_ms() - clock.monotonic_ms()

    def now_ms(self) -> int:
        """Unix milliseconds as this process counts them."""
        return self._clock.monotonic_ms() + self._offset

    def catch_up(self, ms: int) -> int:
        """Counts on from a time that the log knows, if wall time was set back since; by how much.

        A match's clock never runs backwards: its deadlines would else lie that far ahead.
        """
        behind = max(0, ms - self.now_ms())
        self._offset += behind
        return behind

    def monotonic_ms(self) -> int:
        """Time since an arbitrary start."""
        return self._clock.monotonic_ms()


class Wheel:
    """Calls back at a time; a call that is no longer wanted finds nothing to do."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._heap: list[tuple[int, int, Call]] = []
        self._order = count()
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._heap)

    def at(self, due_ms: int, call: Call) -> None:
        """Calls at or after a time."""
        heapq.heappush(self._heap, (due_ms, next(self._order), call))
        if self._heap[0][0] == due_ms:
            self._changed.set()

    def fire(self) -> int:
        """Calls what is due; how many that were."""
        now, fired = self.clock.now_ms(), 0
        while self._heap and self._heap[0][0] <= now:
            heapq.heappop(self._heap)[2]()
            fired += 1
        return fired

    async def run(self) -> None:
        """Fires for ever."""
        while True:
            self.fire()
            self._changed.clear()
            wait = self._heap[0][0] - self.clock.now_ms() if self._heap else None
            try:
                await asyncio.wait_for(
                    self._changed.wait(), None if wait is None else max(wait, 0) / 1000
                )
            except TimeoutError:
                continue
