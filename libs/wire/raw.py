"""Pieces of protobuf wire format, for messages that are put together from parts encoded before.

Building an event field by field through the stubs costs several times what these joins do; every
event of every command passes here. `tests/services/test_wire_events.py` reads all of it back with
the real parsers. As in proto3, a zero without presence is not written. Field numbers are 1 to 31.
"""

from collections.abc import Iterable


def varint(value: int) -> bytes:
    """Base-128 form of a number ≥ 0."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_NUMBERS = range(32)
_SHORT = range(0x80)
_MOST = 1 << 14
_SIZES = tuple(varint(size) for size in range(_MOST))
_TAGS = tuple(varint(n << 3 | 2) for n in _NUMBERS)
# Head and value of short fields, ready made: nearly all fields of an event are short.
_VALUES = tuple(tuple(varint(n << 3) + varint(v) for v in _SHORT) for n in _NUMBERS)
_HEADS = tuple(tuple(varint(n << 3 | 2) + varint(size) for size in _SHORT) for n in _NUMBERS)


def present(number: int, value: int) -> bytes:
    """A number field that is written even when it is 0 (`optional`)."""
    if value < 0x80:
        return _VALUES[number][value]
    return varint(number << 3) + varint(value)


def uint(number: int, value: int) -> bytes:
    """A number, enum or bool field."""
    return present(number, value) if value else b""


def message(number: int, body: bytes) -> bytes:
    """A message field, written even when empty."""
    size = len(body)
    if size < 0x80:
        return _HEADS[number][size] + body
    return _TAGS[number] + (_SIZES[size] if size < _MOST else varint(size)) + body


def data(number: int, body: bytes) -> bytes:
    """A bytes or string field, or a packed list of cards (a card is one byte on the wire)."""
    return message(number, body) if body else b""


def messages(number: int, bodies: Iterable[bytes]) -> bytes:
    """A repeated message field."""
    return b"".join([message(number, body) for body in bodies])
