"""A stage of the pipeline: takes whatever has arrived as one list (`architecture.md`, batches)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_LONG = 64
"""So many that company would save little."""
_PATIENCE_SECONDS = 0.05
"""How long a stage waits for its turn: the other one may hang on a service that does not answer."""


def _nothing() -> None:
    """Nobody waits for a stage to come to rest."""


class Stage(Generic[T]):
    """Batches form by themselves: what arrives while a list is worked on is the next list.

    Stages that feed each other take turns (`alternate`): lists that chase each other would be
    short, and a list costs about as much as thirty of its items.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[list[T]], Awaitable[None]],
        limit: int,
        pause: float = 0.0,
    ) -> None:
        """`pause`: seconds between two lists, for work that nobody waits for."""
        self.name = name
        self._pause = pause
        self.busy = False
        self.rested: Callable[[], None] = _nothing
        self._work = work
        self._limit = limit
        self._items: list[T] = []
        self._wake = asyncio.Event()
        self._others: list[Stage[Any]] = []
        self._turn = True

    def __len__(self) -> int:
        return len(self._items)

    def alternate(self, other: "Stage[Any]") -> None:
        """From now on a short list of one waits for the other's list to end."""
        self._others.append(other)
        other._others.append(self)

    def put(self, item: T) -> None:
        """Hands an item over."""
        self._items.append(item)
        self._wake.set()
        if len(self._items) == 1 and self._others and not self._may_go():
            asyncio.get_running_loop().call_later(_PATIENCE_SECONDS, self._give_turn)

    async def run(self) -> None:
        """Works for ever."""
        while True:
            while not self._may_go():
                self._wake.clear()
                await self._wake.wait()
            batch = self._items[: self._limit]
            del self._items[: self._limit]
            self._turn, self.busy = False, True
            await self._work(batch)
            self.busy = False
            self.rested()
            for other in self._others:
                other._give_turn()
            if self._pause:
                await asyncio.sleep(self._pause)

    def _give_turn(self) -> None:
        self._turn = True
        self._wake.set()

    def _may_go(self) -> bool:
        # The stage that ended last gave the others their turn, so that one of them can go.
        if not self._items:
            return False
        if self._turn or len(self._items) >= _LONG:
            return True
        return not any(other.busy or other._items for other in self._others)
