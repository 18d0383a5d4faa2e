"""Protobuf messages put together from parts that are already encoded.

The engine encodes an event once; the match stores and forwards those bytes undecoded
(`protocol.md`, `performance.md`: do not rebuild protobufs). Everything a seat receives on a hot
path is therefore glued here: a tag, a length, the bytes. Field numbers are those of
`paiju.match.v1`; `tests/services/test_match_frames.py` compares each with the generated stubs.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

_VARINT = 0
_LEN = 2
_ID_CHARS = 64


def varint(value: int) -> bytes:
    """Base-128 form of a number ≥ 0."""
    return _SMALL[value] if value < _TABLE else _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# Almost every tag, length and sequence number is small: looked up, not computed.
_TABLE = 1 << 14
_SMALL = tuple(_varint(value) for value in range(_TABLE))
_NUMBERED = tuple(b"\x08" + value for value in _SMALL)
_FIELDS = range(32)
_NUMBER_TAGS = tuple(_varint(number << 3 | _VARINT) for number in _FIELDS)
BYTES_TAGS = tuple(_varint(number << 3 | _LEN) for number in _FIELDS)


def sized(payload: bytes) -> bytes:
    """Bytes behind their length."""
    size = len(payload)
    return (_SMALL[size] if size < _TABLE else _varint(size)) + payload


def uint(number: int, value: int) -> bytes:
    """A number field, written even when 0 (for fields with presence)."""
    return _NUMBER_TAGS[number] + varint(value)


def sint64(number: int, value: int) -> bytes:
    """An int64 field; negative numbers take ten bytes."""
    return uint(number, value & 0xFFFF_FFFF_FFFF_FFFF)


def field(number: int, payload: bytes) -> bytes:
    """A bytes, string or message field."""
    size = len(payload)
    return BYTES_TAGS[number] + (_SMALL[size] if size < _TABLE else _varint(size)) + payload


def fields(number: int, payloads: Iterable[bytes]) -> bytes:
    """A repeated message field."""
    return b"".join([field(number, payload) for payload in payloads])


def packed(number: int, values: Iterable[int]) -> bytes:
    """A repeated int64 field."""
    body = b"".join([varint(value & 0xFFFF_FFFF_FFFF_FFFF) for value in values])
    return field(number, body) if body else b""


# View{seat_seq=1, at_ms=2, event=3 | match_event=4 | snapshot=5}
VIEW_EVENT = 3
VIEW_MATCH_EVENT = 4
VIEW_SNAPSHOT = 5


def view(seat_seq: int, at_ms: int, kind: int, payload: bytes) -> bytes:
    """A View around one encoded event or snapshot."""
    return numbered(seat_seq, b"\x10" + varint(at_ms) + field(kind, payload))


def numbered(seat_seq: int, rest: bytes) -> bytes:
    """A View from its rest, which is the same for every seat that reads the same form."""
    return b"\x08" + varint(seat_seq) + rest


def numbered_on(before: int, rests: Sequence[bytes]) -> list[bytes]:
    """Views of a seat whose last number was `before`."""
    return [_numbered(number) + rest for number, rest in enumerate(rests, before + 1)]


def _numbered(number: int) -> bytes:
    return _NUMBERED[number] if number < _TABLE else b"\x08" + _varint(number)


def accepted(command_id: str, seat_seq: int) -> bytes:
    """A Reply that says: it happened."""
    return replied(command_id, uint(1, seat_seq) if seat_seq else b"")


def replied(command_id: str, answer: bytes) -> bytes:
    """A Reply around a serialized Accepted."""
    command = field(1, command_id.encode()) if command_id else b""
    return command + field(2, answer)


def failed(command_id: str, status: bytes) -> bytes:
    """A Reply that carries a serialized google.rpc.Status."""
    command = field(1, command_id.encode()) if command_id else b""
    return command + field(3, status)


def named(match_id: str) -> bytes:
    """The field `match_id` of every message that has one."""
    # What a client calls a match is refused if it is longer; it must not be kept for that.
    return _named(match_id) if len(match_id) <= _ID_CHARS else field(1, match_id.encode())


@lru_cache(maxsize=1 << 16)
def _named(match_id: str) -> bytes:
    return field(1, match_id.encode())


def update(match: bytes, seat: int | None, reply: bytes | None, views: Sequence[bytes]) -> bytes:
    """An Update, framed as an element of SessionResponse.updates; `match` as `named` made it."""
    body = match if seat is None else match + uint(2, seat)
    if reply is not None:
        body += field(3, reply)
    return field(1, body + b"".join([field(4, one) for one in views]) if views else body)


def watch_response(views: list[bytes]) -> bytes:
    """A WatchResponse."""
    return fields(1, views)
