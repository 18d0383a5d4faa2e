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

# Looking a member up in its enum costs a quarter of a microsecond: hot ones are bound once.
_AUDIT = Kind.AUDIT
_BYTE = tuple(bytes((n,)) for n in range(256))


class Told(NamedTuple):
    """Events as they are stored and told: the two columns, and what each seat receives: Views
    that lack their number, each encoded once for all readers."""

    public: bytes
    private: bytes
    received: list[list[bytes]]


def told(events: Sequence[LogEvent], seats: int, at_ms: int) -> Told:
    """Lays events out in one pass; `private` is not sealed yet."""
    at = b"\x10" + frames.varint(at_ms)
    found: list[list[bytes]] = [[] for _ in range(seats)]
    public: list[bytes] = []
    private: list[bytes] = []
    for index, (kind, shared, own, _) in enumerate(events):
        sized = frames.sized(shared)
        public.append(_BYTE[kind] + sized)
        head = at + frames.BYTES_TAGS[kind]
        view = head + sized if shared and kind is not _AUDIT else b""
        if not own:
            if view:
                for views in found:
                    views.append(view)
            continue
        forms = {}
        for seat, form in own:
            sized = frames.sized(form)
            private.append(frames.varint(index) + _BYTE[seat] + sized)
            forms[seat] = head + sized
        if kind is not _AUDIT:
            for seat, views in enumerate(found):
                if seat in forms:
                    views.append(forms[seat])
                elif view:
                    views.append(view)
    return Told(b"".join(public), b"".join(private), found)


def views_for(events: Sequence[LogEvent], seat: int, before: int, at_ms: int) -> list[bytes]:
    """The Views of a seat, numbered on from `before` (dense: only what it receives counts)."""
    views = []
    for event in events:
        form = event.form(seat)
        if form:
            before += 1
            views.append(frames.view(before, at_ms, event.kind, form))
    return views


def pack_secrets(secrets: Secrets) -> bytes:
    """The `sealed` column, before it is sealed; empty if there is nothing to hide."""
    if secrets == NO_SECRETS:
        return b""
    return b"".join(map(frames.sized, (secrets.server_seed, secrets.nonce, *secrets.records)))


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
