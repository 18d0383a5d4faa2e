"""Events as the log keeps them, and what each seat receives of them.

A row's `public` column holds every event's public form, `private` the forms of single seats,
`sealed` the round's secrets and the engine's records. Nothing is decoded on the way.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

from services.match import frames


class Kind(IntEnum):
    """Who an event is for; TABLE and MATCH are the field numbers of View."""

    AUDIT = 1
    TABLE = frames.VIEW_EVENT
    MATCH = frames.VIEW_MATCH_EVENT


class LogEvent(NamedTuple):
    """One event; an empty `public` means that seats without a form of their own get nothing."""

    kind: Kind
    public: bytes
    private: tuple[tuple[int, bytes], ...] = ()
    record: bytes = b""

    def form(self, seat: int) -> bytes:
        """What a seat receives; empty: nothing, and it is not counted."""
        if self.kind is Kind.AUDIT:
            return b""
        for owner, form in self.private:
            if owner == seat:
                return form
        return self.public


class Secrets(NamedTuple):
    """The sealed part of a row."""

    server_seed: bytes
    nonce: bytes
    records: tuple[bytes, ...]


NO_SECRETS = Secrets(b"", b"", ())


class Received(NamedTuple):
    """A form that a seat receives; seats that read the same form share the object."""

    kind: Kind
    form: bytes


def received(events: Sequence[LogEvent], seats: int) -> list[list[Received]]:
    """What each seat receives."""
    found: list[list[Received]] = [[] for _ in range(seats)]
    for event in events:
        if event.kind is Kind.AUDIT:
            continue
        shared = Received(event.kind, event.public) if event.public else None
        own = dict(event.private)
        for seat, forms in enumerate(found):
            if seat in own:
                forms.append(Received(event.kind, own[seat]))
            elif shared:
                forms.append(shared)
    return found


class Rests:
    """Views of one row without their numbers, each encoded once for all its readers."""

    def __init__(self, at_ms: int) -> None:
        self._at = b"\x10" + frames.varint(at_ms)
        self._made: dict[int, bytes] = {}

    def views(self, forms: Sequence[Received], before: int) -> list[bytes]:
        """The views of a seat whose number was `before`."""
        return [
            frames.numbered(number, self._rest(form))
            for number, form in enumerate(forms, before + 1)
        ]

    def _rest(self, form: Received) -> bytes:
        made = self._made.get(id(form))
        if made is None:
            made = self._made[id(form)] = self._at + frames.field(form.kind, form.form)
        return made


def views_for(events: Sequence[LogEvent], seat: int, before: int, at_ms: int) -> list[bytes]:
    """The Views of a seat, numbered on from `before` (dense: only what it receives counts)."""
    views = []
    for event in events:
        form = event.form(seat)
        if form:
            before += 1
            views.append(frames.view(before, at_ms, event.kind, form))
    return views


def pack_public(events: Sequence[LogEvent]) -> bytes:
    """The `public` column."""
    return b"".join([bytes((e.kind,)) + _sized(e.public) for e in events])


def pack_private(events: Sequence[LogEvent]) -> bytes:
    """The `private` column, before it is sealed; empty if no seat has a form of its own."""
    return b"".join(
        [
            frames.varint(index) + bytes((seat,)) + _sized(form)
            for index, event in enumerate(events)
            for seat, form in event.private
        ]
    )


def pack_secrets(secrets: Secrets) -> bytes:
    """The `sealed` column, before it is sealed; empty if there is nothing to hide."""
    if secrets == NO_SECRETS:
        return b""
    return b"".join(map(_sized, (secrets.server_seed, secrets.nonce, *secrets.records)))


def unpack(public: bytes, private: bytes) -> list[LogEvent]:
    """The events of a row (without records)."""
    reader = _Reader(public)
    events = [LogEvent(Kind(reader.byte()), reader.sized()) for _ in reader]
    forms: dict[int, list[tuple[int, bytes]]] = {}
    reader = _Reader(private)
    for _ in reader:
        index = reader.varint()
        forms.setdefault(index, []).append((reader.byte(), reader.sized()))
    return [e._replace(private=tuple(forms.get(n, ()))) for n, e in enumerate(events)]


def unpack_secrets(sealed: bytes) -> Secrets:
    """The secrets of a row."""
    reader = _Reader(sealed)
    parts = [reader.sized() for _ in reader]
    return Secrets(parts[0], parts[1], tuple(parts[2:])) if parts else NO_SECRETS


def _sized(part: bytes) -> bytes:
    return frames.varint(len(part)) + part


class _Reader:
    """Reads a column; iterating goes on until its end."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0

    def __iter__(self) -> Iterator[None]:
        while self._at < len(self._raw):
            yield None

    def byte(self) -> int:
        self._at += 1
        return self._raw[self._at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def sized(self) -> bytes:
        length = self.varint()
        self._at += length
        return self._raw[self._at - length : self._at]


def sequences(stored: bytes) -> list[int]:
    """The counters of all seats after a row."""
    reader = _Reader(stored)
    return [reader.varint() for _ in reader]
