"""A stage of the pipeline: takes whatever has arrived as one list (`architecture.md`, batches)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


def _nothing() -> None:
    """Nobody waits for a stage to come to rest."""


class Stage(Generic[T]):
    """Batches form by themselves: what arrives while a list is worked on is the next list."""

    def __init__(self, name: str, work: Callable[[list[T]], Awaitable[None]], limit: int) -> None:
        self.name = name
        self.busy = False
        self.rested: Callable[[], None] = _nothing
        self._work = work
        self._limit = limit
        self._items: list[T] = []
        self._wake = asyncio.Event()

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: T) -> None:
        """Hands an item over."""
        self._items.append(item)
        self._wake.set()

    async def run(self) -> None:
        """Works for ever."""
        while True:
            if not self._items:
                self._wake.clear()
                await self._wake.wait()
            batch = self._items[: self._limit]
            del self._items[: self._limit]
            self.busy = True
            await self._work(batch)
            self.busy = False
            self.rested()
