"""The match service put together from its parts; tests put it together with others."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from libs.runtime.clock import Clock
from libs.runtime.logs import Logger
from services.match.beats import Beats
from services.match.gauges import Gauges
from services.match.hub import Hub
from services.match.jobs import TimerDue
from services.match.outbox import Outbox
from services.match.port import Ports
from services.match.seal import Vault
from services.match.slots import Limits, Parts, Slot
from services.match.store import Store
from services.match.timers import MatchClock, Wheel

_PARK_MS = 60_000


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match service is made of."""

    store: Store
    ports: Ports
    vault: Vault
    clock: Clock
    gauges: Gauges
    log: Logger
    owner: str
    limits: Limits = Limits()  # noqa: RUF009 - an immutable value


class MatchCore:
    """Hub, outbox and wheel of one owner."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.clock = MatchClock(setup.clock)
        self.wheel = Wheel(self.clock)
        parts = Parts(
            setup.store,
            setup.ports,
            setup.vault,
            self.wheel,
            setup.gauges,
            setup.log,
            setup.owner,
            setup.limits,
        )
        self.outbox = Outbox(parts)
        self.hub = Hub(parts, self.outbox)
        self.outbox.hub = self.hub
        self.beats = Beats(self.hub)
        self.stages = [*self.hub.stages(), *self.outbox.stages()]
        self._rest = asyncio.Event()
        for stage in self.stages:
            stage.rested = self._rest.set

    def loops(self) -> list[Coroutine[Any, Any, None]]:
        """What must run all the time, time itself excepted."""
        return [stage.run() for stage in self.stages]

    async def quiet(self) -> None:
        """Until nothing is under way; what waits for its time does not count."""
        while self.hub.waiting or any(len(stage) or stage.busy for stage in self.stages):
            self._rest.clear()
            await self._rest.wait()

    async def resume(self) -> None:
        """Takes every open match over, with its timers, and every outbox row (M4)."""
        store = self.setup.store
        await store.tune()
        behind = self.clock.catch_up(await store.newest_at_ms())
        if behind:
            self.setup.log.warning("clock_set_back", ms=behind)
        self.hub.beats = await store.beats()
        await self.beats.note()
        for match_id in await store.open_matches():
            self.hub.submit(match_id, TimerDue())
        for task in await store.todo():
            self.outbox.add(task)

    def park(self) -> None:
        """Matches that nobody follows and nothing waits for leave memory."""
        old = self.wheel.clock.now_ms() - _PARK_MS
        for slot in list(self.hub.slots.values()):
            if _parkable(slot) and slot.used_ms <= old:
                self.hub.forget(slot)

    async def drain(self) -> None:
        """Takes no new commands; what is under way becomes durable and is answered."""
        self.hub.draining = True
        await self.quiet()


def _parkable(slot: Slot) -> bool:
    return not (slot.busy or slot.queue or slot.attached or slot.lost or slot.owed_ms)
