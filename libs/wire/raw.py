"""Pieces of protobuf wire format, for messages that are put together from parts encoded before.

Building an event field by field through the stubs costs several times what these joins do; every
event of every command passes here. `tests/services/test_wire_events.py` reads all of it back with
the real parsers. As in proto3, a zero without presence is not written.
"""

from collections.abc import Iterable


def varint(value: int) -> bytes:
    """Base-128 form of a number ≥ 0."""
    if value < 0x80:
        return _ONE[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_ONE = tuple(bytes((value,)) for value in range(0x80))


def present(number: int, value: int) -> bytes:
    """A number field that is written even when it is 0 (`optional`)."""
    return varint(number << 3) + varint(value)


def uint(number: int, value: int) -> bytes:
    """A number, enum or bool field."""
    return varint(number << 3) + varint(value) if value else b""


def message(number: int, body: bytes) -> bytes:
    """A message field, written even when empty."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def data(number: int, body: bytes) -> bytes:
    """A bytes or string field, or a packed list of cards (a card is one byte on the wire)."""
    return varint(number << 3 | 2) + varint(len(body)) + body if body else b""


def messages(number: int, bodies: Iterable[bytes]) -> bytes:
    """A repeated message field."""
    return b"".join([message(number, body) for body in bodies])
