"""Lines that a person types, from a terminal or a pipe, without holding up the event loop."""

import asyncio
import os
import threading
from collections.abc import Iterable
from typing import Protocol

_BYTES = 4096


class Source(Protocol):
    """Where lines come from."""

    async def line(self) -> str | None:
        """The next line without its end; None when there will be no more."""


class Script:
    """Lines known before; for demos and tests."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        """Nothing more comes after `lines`."""
        self._lines = iter(lines)

    async def line(self) -> str | None:
        """The next line of the script."""
        return next(self._lines, None)


class Typed:
    """Lines of a file descriptor, read by a thread of their own.

    It reads the descriptor itself: a thread that waits inside sys.stdin would hold its lock when
    the program ends. Being a daemon it never keeps the program up.
    """

    def __init__(self, descriptor: int) -> None:
        """Starts to read."""
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._descriptor = descriptor
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def line(self) -> str | None:
        """The next line that was typed."""
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
        return line

    def _read(self) -> None:
        rest = b""
        while data := self._some():
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                self._put(line.decode("utf-8", "replace").rstrip("\r"))
        if rest:
            self._put(rest.decode("utf-8", "replace"))
        self._put(None)

    def _some(self) -> bytes:
        try:
            return os.read(self._descriptor, _BYTES)
        except OSError:  # a closed terminal
            return b""

    def _put(self, line: str | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
