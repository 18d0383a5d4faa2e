"""Whether this process can do its work: noted once a second, and made good if it could not (M4).

A stopped process, a database that takes no writes and an engine that does not answer are outages
like a restart: players cannot act, so no deadline may pass. Timers are held from the first beat
that fails or is late; when all is well again every open deadline is extended by the outage.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from libs.runtime.errors import PaijuError
from services.match.hub import Hub
from services.match.jobs import TimerDue

_SECONDS = 1.0
_LATE_MS = 2_500
"""A beat this late is an outage: the process was stopped, or the database was locked."""


class Beats:
    """The beats of one owner. Nothing is held before `watch`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._parts = hub.parts
        self._well_ms = 0
        self._away = ""
        self._watching = False
        self._noted = True
        hub.held = self.held

    def watch(self) -> None:
        """From now on a beat is due each second."""
        self._watching, self._well_ms = True, self._parts.wheel.clock.now_ms()

    def held(self) -> bool:
        """Whether timers must wait: players may be unable to act, or were until just now."""
        if not self._watching:
            return False
        return bool(self._away) or self._late()

    def _late(self) -> bool:
        return self._parts.wheel.clock.now_ms() - self._well_ms >= _LATE_MS

    async def run(
        self, healthy: Callable[[bool], Awaitable[None]], park: Callable[[], None]
    ) -> None:
        """Beats for ever. A database that cannot be written is told to `healthy`."""
        self.watch()
        while True:
            await asyncio.sleep(_SECONDS)
            await healthy(await self.once())
            park()

    async def note(self) -> bool:
        """Whether the database took the beat, from which the next owner measures an outage."""
        parts = self._parts
        noted = await parts.store.beat(parts.owner, parts.wheel.clock.now_ms())
        if noted != self._noted:
            self._noted = noted
            if noted:
                parts.log.info("beat_back")
            else:
                parts.log.error("beat_failed")
        return noted

    async def once(self) -> bool:
        """One beat, and what follows from it; whether the database took it."""
        noted = await self.note()
        away = await self._missing() if noted else "database"
        if away:
            if away != self._away:
                self._parts.log.warning("outage", of=away)
            self._away = away
        elif self._away or self._late():
            await self._make_good()
        else:
            self._well_ms = self._parts.wheel.clock.now_ms()
        return noted

    async def _missing(self) -> str:
        try:
            await self._parts.ports.rules.step([])
        except PaijuError:
            return "rules-engine"
        return ""

    async def _make_good(self) -> None:
        parts = self._parts
        try:
            timed = await parts.store.timed_matches()
        except PaijuError:
            self._away = "database"
            return
        now = parts.wheel.clock.now_ms()
        outage, of = now - self._well_ms, self._away or "match"
        self._away, self._well_ms = "", now
        parts.log.warning("outage_over", of=of, ms=outage)
        self._owe({*timed, *self._hub.slots}, outage)

    def _owe(self, match_ids: Iterable[str], outage_ms: int) -> None:
        """Matches whose deadlines are extended before anything else happens to them."""
        hub = self._hub
        for match_id in match_ids:
            if hub.quarantine.refusal(match_id, TimerDue()) is None:
                slot = hub.slot_of(match_id)
                slot.owed_ms += outage_ms
                hub.ahead(slot, TimerDue())
                hub.pump(slot)
