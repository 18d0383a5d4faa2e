"""What goes down a stream: bounded queues of encoded updates (`protocol.md`, Session).

A queue that grows beyond its bound ends its stream with SLOW_CONSUMER; nothing is lost, since
every seat resumes by its sequence number.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from libs.runtime.errors import PaijuError, to_status
from services.match import frames

_MESSAGE_BYTES = 128 * 1024


_LEAST_BYTES = 64 * 1024


class Bound(NamedTuple):
    """Most bytes and updates that may wait for a stream; `total`: bytes for all streams."""

    bytes: int = 4 * 1024 * 1024
    updates: int = 20_000
    total: int = 256 * 1024 * 1024


class Waiting:
    """What waits for all streams together: one seat could open any number that it never reads."""

    def __init__(self) -> None:
        self.bytes = 0


class Feed(ABC):
    """The queue of one stream; subclasses know the form of its messages."""

    def __init__(self, bound: Bound, together: Waiting | None = None) -> None:
        self.seats: set[tuple[str, int]] = set()
        self.pending = 0
        self.closing = False
        self.error: PaijuError | None = None
        self._bound = bound
        self._together = together or Waiting()
        self._parts: list[bytes] = []
        self._bytes = 0
        self._wake = asyncio.Event()
        self.ended = asyncio.Event()

    @abstractmethod
    def attached(self, place: "Place", seq: int, views: list[bytes]) -> None:
        """A seat is followed from here on; `views` is what it had missed."""

    @abstractmethod
    def refused(self, match_id: str, error: PaijuError) -> None:
        """An attach failed."""

    @abstractmethod
    def views(self, place: "Place", views: list[bytes]) -> None:
        """News of a seat."""

    @abstractmethod
    def replaced(self, place: "Place") -> None:
        """A newer stream follows the seat."""

    def end(self, error: PaijuError, drop: bool = False) -> None:
        """The stream ends with an error, after what waits unless that is dropped."""
        if self.error is None:
            self.error = error
            if drop:
                self.drop()
            self.ended.set()
            self._wake.set()

    def drop(self) -> None:
        """Nothing waits any more."""
        self._parts.clear()
        self._together.bytes -= self._bytes
        self._bytes = 0

    def half_closed(self) -> None:
        """The client sends nothing more: the stream ends when all it asked is answered."""
        self.closing = True
        self._wake.set()

    def answered(self) -> None:
        """One thing less that the client waits for."""
        self.pending -= 1
        if not self.pending:
            self._wake.set()

    @property
    def waiting(self) -> int:
        """Elements that wait."""
        return len(self._parts)

    @property
    def over(self) -> bool:
        """Nothing will come any more."""
        return self.error is not None or (self.closing and not self.pending)

    def push(self, part: bytes) -> None:
        """Queues an encoded element of the stream's messages."""
        if self.error is not None:
            return
        if not self._parts:
            self._wake.set()
        self._parts.append(part)
        self._bytes += len(part)
        self._together.bytes += len(part)
        if self._too_much():
            self.end(PaijuError("SLOW_CONSUMER", "the stream is not read fast enough"), drop=True)

    def _too_much(self) -> bool:
        """When all hold too much together, a stream that is read holds little at any time."""
        bound = self._bound
        if self._bytes > bound.bytes or len(self._parts) > bound.updates:
            return True
        return self._together.bytes > bound.total and self._bytes > _LEAST_BYTES

    def take(self) -> bytes:
        """The next message: as many elements as fit; empty: nothing waits."""
        size = used = 0
        for part in self._parts:
            if used and size + len(part) > _MESSAGE_BYTES:
                break
            size += len(part)
            used += 1
        message = b"".join(self._parts[:used])
        del self._parts[:used]
        self._bytes -= size
        self._together.bytes -= size
        return message

    async def wait(self) -> None:
        """Until something waits or the stream is over."""
        while not self._parts and not self.over:
            self._wake.clear()
            await self._wake.wait()


class Place(NamedTuple):
    """A seat of a match, with the id as a field of the wire."""

    match_id: str
    named: bytes
    seat: int


class SessionFeed(Feed):
    """A gateway's stream: elements are `SessionResponse.updates`."""

    def attached(self, place: Place, seq: int, views: list[bytes]) -> None:
        """A seat is followed from here on."""
        reply = frames.accepted("", seq)
        self.push(frames.update(place.named, place.seat, reply, views))

    def refused(self, match_id: str, error: PaijuError) -> None:
        """An attach failed."""
        status = to_status(error).SerializeToString()
        self.push(frames.update(frames.named(match_id), None, frames.failed("", status), []))

    def views(self, place: Place, views: list[bytes]) -> None:
        """News of a seat."""
        self.push(frames.update(place.named, place.seat, None, views))

    def replaced(self, place: Place) -> None:
        """Only this seat is lost; the stream goes on."""
        error = PaijuError("REPLACED", "a newer stream follows the seat")
        status = to_status(error).SerializeToString()
        self.push(frames.update(place.named, place.seat, frames.failed("", status), []))


class WatchFeed(Feed):
    """A single seat's stream: elements are `WatchResponse.views`."""

    def attached(self, place: Place, seq: int, views: list[bytes]) -> None:
        """What was missed."""
        self._push_all(views)

    def refused(self, match_id: str, error: PaijuError) -> None:
        """The stream ends."""
        self.end(error)

    def views(self, place: Place, views: list[bytes]) -> None:
        """News of the seat."""
        self._push_all(views)

    def replaced(self, place: Place) -> None:
        """The stream ends."""
        self.end(PaijuError("REPLACED", "a newer stream follows the seat"))

    def _push_all(self, views: Sequence[bytes]) -> None:
        if views:
            self.push(frames.watch_response(list(views)))


class SessionReply:
    """The answer of a command that came on a Session."""

    __slots__ = ("_command_id", "_feed", "_match", "_seat")

    def __init__(self, feed: SessionFeed, match_id: str, seat: int, command_id: str) -> None:
        self._feed = feed
        self._match = frames.named(match_id)
        self._seat = seat
        self._command_id = command_id
        feed.pending += 1

    def done(self, answer: bytes, views: Sequence[bytes] = ()) -> None:
        """It happened; answer and views travel as one update."""
        self._send(frames.replied(self._command_id, answer), views)

    def refuse(self, error: PaijuError) -> None:
        """It did not."""
        self._send(frames.failed(self._command_id, to_status(error).SerializeToString()), ())

    def _send(self, reply: bytes, views: Sequence[bytes]) -> None:
        self._feed.push(frames.update(self._match, self._seat, reply, views))
        self._feed.answered()


class FutureReply:
    """The answer of a unary call."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def done(self, answer: bytes, views: Sequence[bytes] = ()) -> None:
        """It happened."""
        if not self.future.done():
            self.future.set_result(answer)

    def refuse(self, error: PaijuError) -> None:
        """It did not."""
        if not self.future.done():
            self.future.set_exception(error)
