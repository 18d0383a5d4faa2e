"""The shuffle (match.md M8): version 1, documented so that anybody can re-deal and compare.

    commitment = SHA256("paiju-commit-1" | match | round | seed | nonce | client seed)
    key        = HMAC-SHA256(seed, "paiju-deck-1" | match | round | release | client seed)
    stream     = HMAC-SHA256(key, counter) for counter = 0, 1, … (8 bytes, big-endian)

Texts are length-prefixed (2 bytes), numbers 4 bytes big-endian. Indices come from the stream one
byte at a time by rejection sampling; the deck, in face order, is shuffled by Fisher-Yates from
the last place down.
"""

import hashlib
import hmac
from collections.abc import Iterator
from typing import NamedTuple


class Seed(NamedTuple):
    """What a round's order of cards comes from: 32-byte `server` seed and `nonce`."""

    server: bytes
    nonce: bytes
    match_id: str
    client: bytes = b""


def _text(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def commitment(seed: Seed, round_no: int) -> bytes:
    """32 bytes that bind the order of cards without telling it: both seeds are in them, so that
    no client seed can be chosen afterwards."""
    body = _text(seed.match_id.encode()) + _number(round_no) + seed.server + seed.nonce
    return hashlib.sha256(b"paiju-commit-1" + body + _text(seed.client)).digest()


def stream(seed: Seed, round_no: int, release: int) -> Iterator[int]:
    """The endless byte stream of a round."""
    label = b"paiju-deck-1" + _text(seed.match_id.encode()) + _number(round_no)
    key = hmac.digest(seed.server, label + _number(release) + _text(seed.client), "sha256")
    counter = 0
    while True:
        yield from hmac.digest(key, counter.to_bytes(8, "big"), "sha256")
        counter += 1


def below(n: int, source: Iterator[int]) -> int:
    """A number in 0..n-1 (n ≤ 256), each equally likely: bytes in the last partial block are
    thrown away."""
    limit = 256 - 256 % n
    while True:
        byte = next(source)
        if byte < limit:
            return byte % n


def shuffle(cards: bytes, source: Iterator[int]) -> bytes:
    """`cards` in an order taken from the stream."""
    deck = bytearray(cards)
    for last in range(len(deck) - 1, 0, -1):
        other = below(last + 1, source)
        deck[last], deck[other] = deck[other], deck[last]
    return bytes(deck)
