"""A stage of the pipeline: takes whatever has arrived as one list (`architecture.md`, batches)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_LONG = 64
"""So many that company would save little."""


def _nothing() -> None:
    """Nobody waits for a stage to come to rest."""


class Stage(Generic[T]):
    """Batches form by themselves: what arrives while a list is worked on is the next list.

    A list is under way until the stage it goes `to` is through with one, too: short lists that
    chase each other cost more than they save. Only a long one goes at once.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[list[T]], Awaitable[None]],
        limit: int,
        to: "Stage[Any] | None" = None,
    ) -> None:
        self.name = name
        self.busy = False
        self.rested: Callable[[], None] = _nothing
        self._work = work
        self._limit = limit
        self._items: list[T] = []
        self._wake = asyncio.Event()
        self._to = to
        self._behind: list[Stage[Any]] = []
        self._free = True
        if to is not None:
            to._behind.append(self)

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: T) -> None:
        """Hands an item over."""
        self._items.append(item)
        self._wake.set()

    async def run(self) -> None:
        """Works for ever."""
        while True:
            while not self._may_go():
                self._wake.clear()
                await self._wake.wait()
            self._free = False
            batch = self._items[: self._limit]
            del self._items[: self._limit]
            self.busy = True
            await self._work(batch)
            self.busy = False
            self.rested()
            for stage in self._behind:
                stage.let_go()
            if self._to is not None:
                self._to._wake.set()

    def let_go(self) -> None:
        """The stage behind this one is through with a list."""
        self._free = True
        self._wake.set()

    def _may_go(self) -> bool:
        if not self._items:
            return False
        if self._behind and len(self._items) < _LONG and any(s.busy for s in self._behind):
            return False
        to = self._to
        at_rest = to is None or not (to.busy or to._items)
        return at_rest or self._free or len(self._items) >= _LONG
