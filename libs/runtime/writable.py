"""Whether a service's database takes writes, as health pages, metrics and the log tell it."""

import asyncio
import time

from libs.runtime.db import Database
from libs.runtime.server import App

_PAUSE_SECONDS = 1.0
_PART = "database"


class Writable:
    """Watches one database: a transaction that fails for the database's own trouble (full disk,
    read-only or broken file, lock held elsewhere, server away) makes the service NOT_SERVING until
    a probe, once a second, could write again. One log line each way, however many calls failed.
    """

    def __init__(self, app: App, database: Database) -> None:
        """Registers the metrics; `run` does the rest."""
        self._app = app
        self._database = database
        self._trouble = asyncio.Event()
        self._why = ""
        self._level = app.metrics.gauge(
            "database_writable", "1 while the database takes writes, 0 after one has failed."
        )
        self._level.set(1)
        self._failures = app.metrics.counter(
            "database_failures_total", "Transactions failed by the database: full, broken, locked."
        )
        database.on_trouble = self._failed

    def _failed(self, why: str) -> None:
        self._failures.inc()
        self._why = why
        self._trouble.set()

    async def run(self) -> None:
        """Watches for ever."""
        while True:
            await self._trouble.wait()
            since = time.monotonic()
            self._level.set(0)
            await self._app.healthy(False, _PART)
            self._app.log.error("database_failed", why=self._why)
            await self._until_writable()
            self._level.set(1)
            await self._app.healthy(True, _PART)
            self._app.log.info("database_back", seconds=round(time.monotonic() - since, 1))

    async def _until_writable(self) -> None:
        while True:
            self._trouble.clear()
            if await self._database.probe() and not self._trouble.is_set():
                return
            await asyncio.sleep(_PAUSE_SECONDS)
