"""Secrets at rest: keys, sealed columns, seat tokens, and the hash chain of the log.

Every match has its own AES-256-GCM key, stored wrapped by the key of the settings. A seat token is
derived from the match key and the command that asked for it, so that a repeat of the command
answers with the same token and only its hash is ever stored.
"""

import base64
import hashlib
import hmac
import os
import secrets
import struct
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_NONCE_BYTES = 12
_NONCE_BULK = 256
_CHAIN = b"paiju-match-log-v1"
_HEAD = struct.Struct(">5Q9Q")


class SealError(Exception):
    """A sealed column was made with another key or was changed."""


class _Nonces:
    """Random nonces, drawn from the system in bulk: one call each costs more than the cipher."""

    def __init__(self) -> None:
        self._pool: list[bytes] = []

    def next(self) -> bytes:
        """A nonce that was never given out before."""
        if not self._pool:
            raw = os.urandom(_NONCE_BYTES * _NONCE_BULK)
            self._pool = [raw[n : n + _NONCE_BYTES] for n in range(0, len(raw), _NONCE_BYTES)]
        return self._pool.pop()


_NONCES = _Nonces()


class MatchKey:
    """The key of one match."""

    __slots__ = ("_box", "_raw")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._box = AESGCM(raw)

    def seal(self, plain: bytes, place: bytes) -> bytes:
        """Hides bytes; `place` (match, version, column) is bound in, so nothing can be moved."""
        if not plain:
            return b""
        nonce = _NONCES.next()
        return nonce + self._box.encrypt(nonce, plain, place)

    def open(self, sealed: bytes, place: bytes) -> bytes:
        """What `seal` hid."""
        if not sealed:
            return b""
        try:
            return self._box.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], place)
        except (InvalidTag, ValueError):
            raise SealError("a sealed column cannot be opened") from None

    def token(self, seat: int, command_id: str) -> str:
        """The seat token that a command gave out."""
        text = f"seat-token\0{seat}\0{command_id}".encode()
        digest = hmac.digest(self._raw, text, "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class Vault:
    """Wraps match keys with the key of the settings."""

    def __init__(self, key: bytes) -> None:
        """`key` has 32 bytes."""
        if len(key) != KEY_BYTES:
            raise ValueError(f"the match key must have {KEY_BYTES} bytes")
        self._key = key
        self._box = AESGCM(key)

    def new_key(self, match_id: str) -> tuple[MatchKey, bytes]:
        """A fresh match key and its wrapped form."""
        raw = secrets.token_bytes(KEY_BYTES)
        nonce = os.urandom(_NONCE_BYTES)
        return MatchKey(raw), nonce + self._box.encrypt(nonce, raw, match_id.encode())

    def unwrap(self, match_id: str, wrapped: bytes) -> MatchKey:
        """The match key inside its wrapped form."""
        try:
            raw = self._box.decrypt(
                wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], match_id.encode()
            )
        except (InvalidTag, ValueError):
            raise SealError("a match key cannot be unwrapped: is it the right key?") from None
        return MatchKey(raw)

    def match_id(self, caller: str, command_id: str) -> str:
        """The id of the match that a caller's CreateMatch command makes: one command, one match."""
        digest = hmac.digest(self._key, f"match-id\0{caller}\0{command_id}".encode(), "sha256")
        return base64.b32encode(digest[:15]).decode().lower()


def token_hash(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()


def same_token(stored: bytes, given: bytes) -> bool:
    """Compares hashes in constant time."""
    return hmac.compare_digest(stored, given)


class Stored(NamedTuple):
    """The columns of a log row, as stored; the chain covers exactly these bytes."""

    match_id: str
    version: int
    n_events: int
    epoch: int
    actor: str
    command_id: str
    req_hash: bytes
    answer: bytes
    seat_seq: bytes
    at_ms: int
    public: bytes
    private: bytes
    sealed: bytes
    round_no: int


def genesis(match_id: str) -> bytes:
    """The hash before version 1."""
    return hashlib.sha256(_CHAIN + match_id.encode()).digest()


def chain(tail: bytes, row: Stored) -> bytes:
    """The hash of a row that follows `tail`."""
    blobs = (
        row.match_id.encode(),
        row.actor.encode(),
        row.command_id.encode(),
        row.req_hash,
        row.answer,
        row.seat_seq,
        row.public,
        row.private,
        row.sealed,
    )
    numbers = (row.version, row.n_events, row.epoch, row.at_ms, row.round_no)
    head = _HEAD.pack(*numbers, *map(len, blobs))
    return hashlib.sha256(b"".join((_CHAIN, tail, head, *blobs))).digest()


def first_broken(match_id: str, rows: list[tuple[Stored, bytes]]) -> int | None:
    """The version of the first row that does not continue the chain; None: it is whole."""
    tail = genesis(match_id)
    for expected, (row, stored_hash) in enumerate(rows, start=1):
        tail = chain(tail, row)
        if row.version != expected or row.match_id != match_id or tail != stored_hash:
            return expected
    return None
