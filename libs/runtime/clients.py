"""Channels to other services, deadlines, and bounded retries of calls that may be repeated."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import grpc

from libs.runtime.server import INTERNAL_BYTES
from libs.runtime.settings import Settings

T = TypeVar("T")

_OPTIONS: list[tuple[str, int]] = [
    ("grpc.enable_http_proxy", 0),  # services talk to each other directly
    ("grpc.enable_retries", 0),  # repeats are decided here, where idempotence is known
    ("grpc.max_receive_message_length", INTERNAL_BYTES),
    ("grpc.max_send_message_length", INTERNAL_BYTES),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    # How long an attempt may take, which is no pause between attempts: a busy machine needs more
    # than the first pause to answer.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]


_GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


class Retry(NamedTuple):
    """How often and how patiently a call is repeated."""

    attempts: int = 4
    first_seconds: float = 0.05
    most_seconds: float = 1.0


DEFAULT_RETRY = Retry()


def channel(target: str, credentials: grpc.ChannelCredentials | None = None) -> grpc.aio.Channel:
    """A channel; make one per target and keep it. Plain text unless credentials are given."""
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=_OPTIONS)
    return grpc.aio.secure_channel(target, credentials, options=_OPTIONS)


def credentials(settings: Settings) -> grpc.ChannelCredentials | None:
    """TLS_CA, and TLS_CERT with TLS_KEY for mutual TLS; None if no authority is set."""
    authority = settings.file("TLS_CA")
    if authority is None:
        return None
    return grpc.ssl_channel_credentials(
        authority, settings.file("TLS_KEY"), settings.file("TLS_CERT")
    )


def remaining(context: Any, most: float, margin: float = 0.05) -> float:
    """The deadline for the next hop: what the caller left, less a margin, at most `most`."""
    left: float | None = context.time_remaining()
    return most if left is None else max(0.0, min(most, left - margin))


async def retrying(call: Callable[[], Awaitable[T]], retry: Retry = DEFAULT_RETRY) -> T:
    """Runs an idempotent call again while it is UNAVAILABLE, with full-jitter pauses.

    CANCELLED counts as that: a server that ends says so of calls that it has not looked at. What
    the caller itself cancels is a CancelledError.
    """
    for attempt in range(retry.attempts - 1):
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() not in _GONE:
                raise
        await asyncio.sleep(pause(attempt, retry))
    return await call()


def pause(attempt: int, retry: Retry = DEFAULT_RETRY) -> float:
    """A random pause below an exponential bound, so that callers do not return in step."""
    bound = min(retry.most_seconds, retry.first_seconds * 2 ** min(attempt, 30))
    return random.uniform(0, bound)  # noqa: S311 - jitter is no secret
