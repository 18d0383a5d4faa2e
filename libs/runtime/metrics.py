"""Prometheus metrics of one process and their HTTP page; labels are bound once, not per call."""

import asyncio
from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

# A series of times for every series of counts, which nobody reads.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library leaves it untyped

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0)
_REQUEST_SECONDS = 5.0


class Metrics:
    """The registry of one service; names get the prefix `paiju_`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, CPU, open files, start time

    def counter(self, name: str, text: str, *labels: str) -> Counter:
        """A count; bind its labels once and keep the child."""
        return Counter(f"paiju_{name}", text, labels, registry=self.registry)

    def gauge(self, name: str, text: str, *labels: str) -> Gauge:
        """A level."""
        return Gauge(f"paiju_{name}", text, labels, registry=self.registry)

    def histogram(
        self, name: str, text: str, *labels: str, buckets: tuple[float, ...] = SECONDS
    ) -> Histogram:
        """A distribution, seconds unless told otherwise."""
        return Histogram(f"paiju_{name}", text, labels, registry=self.registry, buckets=buckets)


class MetricsPage:
    """GET /metrics, /healthz (may it get work?) and /livez (does its loop run?) on an own port."""

    def __init__(self, metrics: Metrics, ready: Callable[[], bool]) -> None:
        self._metrics = metrics
        self._ready = ready
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listens; returns the port. OSError if it cannot."""
        self._server = await asyncio.start_server(self._answer, host, port, limit=8192)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Stops listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def page(self, path: str) -> tuple[str, str, bytes]:
        """Status line, content type and body of a path."""
        if path == "/metrics":
            return "200 OK", CONTENT_TYPE_LATEST, generate_latest(self._metrics.registry)
        if path == "/healthz":
            ready = self._ready()
            status = "200 OK" if ready else "503 Service Unavailable"
            return status, "text/plain", b"ok\n" if ready else b"not ready\n"
        if path == "/livez":
            return "200 OK", "text/plain", b"alive\n"
        return "404 Not Found", "text/plain", b"not found\n"

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readline(), _REQUEST_SECONDS)
            words = line.decode("latin-1").split()
            path = words[1] if len(words) == 3 and words[0] in ("GET", "HEAD") else ""
            status, kind, body = self.page(path.partition("?")[0])
            head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
            writer.write(head.encode() + b"connection: close\r\n\r\n")
            if words[:1] != ["HEAD"]:
                writer.write(body)
            await writer.drain()
        except (TimeoutError, ValueError, ConnectionError):
            pass  # a scraper that went away or never spoke HTTP needs no answer
        finally:
            writer.close()
