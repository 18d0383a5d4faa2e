"""The life of a service process: bind, set up, serve, drain.

SERVICE = Service("ledger", 7404, 7414, setup)

async def setup(app: App) -> None:
    store = ...
    app.on_close(store.close)
    add_LedgerServiceServicer_to_server(Servicer(store), app.server)

if __name__ == "__main__":
    sys.exit(run(SERVICE))
"""

import asyncio
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from libs.runtime import logs
from libs.runtime.clock import Clock, SystemClock
from libs.runtime.errors import StartupError
from libs.runtime.guard import Guard
from libs.runtime.metrics import Metrics, MetricsPage
from libs.runtime.settings import KNOWN, Listen, Settings, listen_settings, misspelt

PUBLIC_BYTES = 256 * 1024
INTERNAL_BYTES = 16 * 1024 * 1024
_PENDING = 20_000
"""Calls that may wait for the loop. gRPC's own bound is about 1000, beyond which it ends calls at
random as CANCELLED: a thousand gateways that come back at once would meet it."""
_DRAIN_SECONDS = 5.0
_QUIET_SECONDS = 0.02
_STARTING = "start"

Close = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Service:
    """What the runtime needs to know of a service; `name` is also its settings' prefix."""

    name: str
    port: int
    metrics_port: int
    setup: "Callable[[App], Awaitable[None]]"
    message_limit: int = PUBLIC_BYTES


@dataclass
class App:
    """One running service, as its setup sees it."""

    settings: Settings
    server: grpc.aio.Server
    log: logs.Logger
    metrics: Metrics
    clock: Clock = field(default_factory=SystemClock)
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    failed: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    metrics_port: int = 0
    serving: bool = False
    checker: health.aio.HealthServicer = field(default_factory=health.aio.HealthServicer)
    _closers: list[Close] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _unwell: set[str] = field(default_factory=lambda: {_STARTING})

    async def healthy(self, well: bool, part: str = "") -> None:
        """A service that cannot do its work for now says so, on both health pages.

        It serves while all of its parts are well.
        """
        (self._unwell.discard if well else self._unwell.add)(part)
        serves = not self._unwell
        if serves is not self.serving and not self.draining.is_set():
            self.serving = serves
            status = health_pb2.HealthCheckResponse
            await self.checker.set("", status.SERVING if serves else status.NOT_SERVING)

    def on_close(self, close: Close) -> None:
        """Registers what ends with the service; the last registered is closed first."""
        self._closers.append(close)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Runs a background task; if it fails, the whole service stops and is restarted."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failed.set()
            self.log.error(
                "task_failed",
                task=task.get_name(),
                kind=type(error).__qualname__,
                frames=logs.frames(error),
            )

    async def close(self) -> None:
        """Ends background tasks, then runs the closers, newest first."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while self._closers:
            await self._closers.pop()()


def server_options(message_limit: int) -> list[tuple[str, int]]:
    """Channel arguments of every server.

    The transport accepts twice the limit, so that a message somewhat too large is refused with a
    reason (LIMIT_EXCEEDED); beyond that gRPC itself answers RESOURCE_EXHAUSTED.
    """
    return [
        ("grpc.so_reuseport", 0),
        ("grpc.server.max_pending_requests", _PENDING),
        ("grpc.server.max_pending_requests_hard_limit", _PENDING),
        ("grpc.max_receive_message_length", message_limit * 2),
        ("grpc.max_send_message_length", INTERNAL_BYTES),
        ("grpc.http2.bdp_probe", 0),  # bounds what a client that stops reading makes us hold
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.http2.min_ping_interval_without_data_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
    ]


@asynccontextmanager
async def serving(service: Service, settings: Settings | None = None) -> AsyncIterator[App]:
    """Serves until the block ends, then drains; tests use it with PORT=0."""
    settings = settings or Settings.of(service.name)
    log = logs.configure(service.name, settings.text("LOG_LEVEL", "info"))
    _warn_misspelt(settings, log)
    drain = settings.seconds("DRAIN_SECONDS", _DRAIN_SECONDS)
    listen = listen_settings(settings, service.port, service.metrics_port)
    metrics = Metrics()
    guard = Guard(log, metrics, service.message_limit)
    server = grpc.aio.server(
        interceptors=[guard],
        options=server_options(service.message_limit),
    )
    app = App(settings, server, log, metrics)
    page, served = MetricsPage(metrics, lambda: app.serving), False
    health_pb2_grpc.add_HealthServicer_to_server(app.checker, server)
    await app.checker.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    try:
        await _bind(app, service.name, listen, page)
        await service.setup(app)
        await server.start()
        await app.healthy(True, _STARTING)
        served = True
        log.info("serving", host=listen.host, port=app.port, metrics_port=app.metrics_port)
        yield app
    finally:
        app.serving = False
        await app.checker.enter_graceful_shutdown()
        app.draining.set()
        await server.stop(await _drained(guard, drain))
        await app.close()
        await page.stop()
        if served:  # a start that failed has its own line
            log.info("stopped")


def _warn_misspelt(settings: Settings, log: logs.Logger) -> None:
    """A start is not refused for a variable that only looks like a setting: others set some, too
    (the links of containers), and another release has others."""
    name = settings.service.upper()
    for found, nearest in misspelt(settings.env, name) if name in KNOWN else ():
        log.warning("unknown_setting", variable=found, nearest=nearest)


async def _drained(guard: Guard, most: float) -> float:
    """Refuses new calls until those under way are answered; what is left of `most` seconds.

    A server that stops at once ends the calls it has not looked at yet as CANCELLED, which no
    client repeats: they are let in and told DRAINING. How many wait is not to be known, but they
    follow each other at once.
    """
    guard.draining = True
    clock = asyncio.get_running_loop().time
    end, arrived = clock() + most, -1
    while (guard.under_way or guard.arrived != arrived) and clock() < end:
        arrived = guard.arrived
        await asyncio.sleep(_QUIET_SECONDS)
    return max(0.0, end - clock())


async def _bind(app: App, name: str, listen: Listen, page: MetricsPage) -> None:
    for port in (listen.port, listen.metrics_port):
        check_port(name, listen.host, port)
    address = f"{listen.host}:{listen.port}"
    try:
        if listen.tls is None:
            app.port = app.server.add_insecure_port(address)
        else:
            app.port = app.server.add_secure_port(address, _credentials(listen))
        app.metrics_port = await page.start(listen.host.strip("[]"), listen.metrics_port)
    except (OSError, RuntimeError):
        raise StartupError(f"{name}: cannot listen on {address}") from None


def check_port(name: str, host: str, port: int) -> None:
    """StartupError if nobody can listen there now."""
    # gRPC reports a port in use only as a failed bind; the socket says why.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
            probe.listen(1)
        except OSError as error:
            raise StartupError(f"{name}: port {port} on {host}: {error.strerror}") from None


def _credentials(listen: Listen) -> grpc.ServerCredentials:
    assert listen.tls is not None
    return grpc.ssl_server_credentials(
        [(listen.tls.key, listen.tls.cert)],
        root_certificates=listen.tls.client_ca,
        require_client_auth=listen.tls.client_ca is not None,
    )


async def _serve(service: Service, settings: Settings) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with serving(service, settings) as app:
        gc.collect()
        gc.freeze()  # what lives now lives as long as the process
        gc.set_threshold(20_000, 20, 50)
        waits = [asyncio.create_task(stop.wait()), asyncio.create_task(app.failed.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return 1 if app.failed.is_set() else 0


def run(service: Service, settings: Settings | None = None) -> int:
    """Runs a service until SIGTERM or SIGINT; returns the exit code."""
    os.umask(0o077)  # what a service writes is its owner's only
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # its memory holds hands, seeds and keys
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            return runner.run(_serve(service, settings or Settings.of(service.name)))
    except StartupError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it installs, else the standard loop."""
    try:
        import uvloop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
