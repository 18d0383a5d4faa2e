"""The server interceptor: no exception text leaves the process, malformed input is refused.

gRPC itself would send `str(exception)` to the client and answer bytes it cannot parse with
INTERNAL; both are repaired here, once per method.
"""

import asyncio
import inspect
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from time import perf_counter
from typing import Any

import grpc
from grpc_status import rpc_status

from libs.runtime.errors import PaijuError, to_status
from libs.runtime.logs import Logger, frames
from libs.runtime.metrics import Metrics

_HEALTH = "/grpc.health."

Handler = Any  # grpc.RpcMethodHandler: its stubs leave the behaviours' types open
Context = Any  # grpc.aio.ServicerContext of any request and response
Find = Callable[[grpc.HandlerCallDetails], Awaitable[Handler]]


class _Refused:
    """Stands for a request that could not be read."""

    def __init__(self, error: PaijuError) -> None:
        self.error = error


class Guard(grpc.aio.ServerInterceptor):
    """Wraps every handler once: sizes, parsing, errors, metrics."""

    def __init__(self, log: Logger, metrics: Metrics, message_limit: int) -> None:
        self._log = log
        self._limit = message_limit
        self._wrapped: dict[str, Handler] = {}
        self.draining = False
        """Whether new calls are refused."""
        self.arrived = 0
        """Calls that ever came."""
        self.under_way = 0
        """Calls with one response that are not answered yet."""
        self._calls = metrics.counter("rpc_total", "Calls ended.", "method", "code")
        self._seconds = metrics.histogram(
            "rpc_seconds", "Time in unary calls that succeeded.", "method"
        )

    async def intercept_service(
        self, continuation: Find, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler:
        """The wrapped handler of a method; unknown methods stay unknown."""
        method = str(handler_call_details.method)
        wrapped = self._wrapped.get(method)
        if wrapped is not None:
            return wrapped
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        self._wrapped[method] = made = self._wrap(method, handler)
        return made

    def _wrap(self, method: str, handler: Handler) -> Handler:
        read = self._reader(handler.request_deserializer)
        write = handler.response_serializer
        calls = _Calls(self, method)
        if handler.request_streaming and handler.response_streaming:
            behaviour = calls.stream_out(handler.stream_stream, incoming=True)
            return grpc.stream_stream_rpc_method_handler(behaviour, read, write)
        if handler.request_streaming:
            behaviour = calls.unary_out(handler.stream_unary, incoming=True)
            return grpc.stream_unary_rpc_method_handler(behaviour, read, write)
        if handler.response_streaming:
            behaviour = calls.stream_out(handler.unary_stream, incoming=False)
            return grpc.unary_stream_rpc_method_handler(behaviour, read, write)
        behaviour = calls.unary_out(handler.unary_unary, incoming=False)
        return grpc.unary_unary_rpc_method_handler(behaviour, read, write)

    def _reader(self, parse: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
        limit = self._limit

        def read(raw: bytes) -> Any:
            if len(raw) > limit:
                return _Refused(
                    PaijuError("LIMIT_EXCEEDED", "message too large", max_bytes=str(limit))
                )
            try:
                return raw if parse is None else parse(raw)
            except Exception:  # the parser's own errors: their text may quote the input
                return _Refused(PaijuError("BAD_REQUEST", "malformed message", field="message"))

        return read

    def counted(self, method: str, code: grpc.StatusCode) -> Callable[[], None]:
        """The bound counter of a method and code."""
        return self._calls.labels(method, code.name).inc

    def timed(self, method: str) -> Callable[[float], None]:
        """The bound histogram of a method."""
        return self._seconds.labels(method).observe

    def hidden(self, method: str, error: Exception) -> PaijuError:
        """Logs an unexpected exception under an id; the client learns the id only."""
        incident = uuid.uuid4().hex[:16]
        self._log.error(
            "handler_failed",
            method=method,
            incident=incident,
            kind=type(error).__qualname__,
            frames=frames(error),
        )
        self._log.debug("handler_failed_text", incident=incident, text=str(error))
        return PaijuError("INTERNAL", "internal error", incident=incident)


class _Calls:
    """The wrapped behaviours of one method."""

    def __init__(self, guard: Guard, method: str) -> None:
        self._guard = guard
        self._method = method
        self._always = method.startswith(_HEALTH)
        self._ok = guard.counted(method, grpc.StatusCode.OK)
        # The caller left or its deadline passed; the handler sees no difference.
        self._left = guard.counted(method, grpc.StatusCode.CANCELLED)

    def unary_out(self, behaviour: Callable[..., Any], incoming: bool) -> Callable[..., Any]:
        """A handler that returns one response."""
        guard, timed = self._guard, self._guard.timed(self._method)

        async def call(request: Any, context: Context) -> Any:
            started = perf_counter()
            guard.under_way += 1
            try:
                self._admit()
                answer = await behaviour(_opened(request, incoming), context)
            except asyncio.CancelledError:
                self._left()
                raise
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # the process's edge: nothing may pass it unmapped
                return await self._abort(context, error)
            finally:
                guard.under_way -= 1
            timed(perf_counter() - started)
            self._ok()
            return answer

        return call

    def stream_out(self, behaviour: Callable[..., Any], incoming: bool) -> Callable[..., Any]:
        """A handler that writes many responses, by `yield` or by `context.write`."""
        if inspect.isasyncgenfunction(behaviour):
            return self._yielding(behaviour, incoming)

        async def call(request: Any, context: Context) -> None:
            try:
                self._admit()
                await behaviour(_opened(request, incoming), context)
            except asyncio.CancelledError:
                self._left()
                raise
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # the process's edge: nothing may pass it unmapped
                await self._abort(context, error)
            else:
                self._ok()

        return call

    def _yielding(self, behaviour: Callable[..., Any], incoming: bool) -> Callable[..., Any]:
        async def call(request: Any, context: Context) -> AsyncIterator[Any]:
            try:
                self._admit()
                async for answer in behaviour(_opened(request, incoming), context):
                    yield answer
            except asyncio.CancelledError:
                self._left()
                raise
            except grpc.aio.AbortError:
                raise
            except Exception as error:  # the process's edge: nothing may pass it unmapped
                await self._abort(context, error)
            else:
                self._ok()

        return call

    def _admit(self) -> None:
        self._guard.arrived += 1
        if self._guard.draining and not self._always:
            raise PaijuError("DRAINING", "this server is shutting down")

    async def _abort(self, context: Context, error: Exception) -> None:
        shown = error if isinstance(error, PaijuError) else self._guard.hidden(self._method, error)
        self._guard.counted(self._method, shown.code)()
        await context.abort_with_status(rpc_status.to_status(to_status(shown)))


def _opened(request: Any, incoming: bool) -> Any:
    if incoming:
        return _checked(request)
    if isinstance(request, _Refused):
        raise request.error
    return request


async def _checked(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        if isinstance(request, _Refused):
            raise request.error
        yield request
