"""The end of a service: calls under way are answered, later ones are told where they stand."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import grpc
import pytest
from google.rpc import status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.runtime import clients
from libs.runtime.errors import reason_of
from libs.runtime.server import App, Service, serving
from libs.runtime.settings import Settings

ENV = {"PAIJU_TOY_PORT": "0", "PAIJU_TOY_METRICS_PORT": "0", "PAIJU_TOY_DRAIN_SECONDS": "10"}
CODEC = (status_pb2.Status.FromString, status_pb2.Status.SerializeToString)


class Toy:
    """A service whose calls last until they may go."""

    def __init__(self) -> None:
        self.may_go = asyncio.Event()
        self.came = asyncio.Event()
        self.left = asyncio.Event()

    async def wait(self, request, context):
        """Answers when it may."""
        self.came.set()
        try:
            await self.may_go.wait()
        except asyncio.CancelledError:
            self.left.set()
            raise
        return request

    async def stream(self, request, context):
        """One answer."""
        yield request

    async def setup(self, app: App) -> None:
        """Registers both."""
        made = {
            "Wait": grpc.unary_unary_rpc_method_handler(self.wait, *CODEC),
            "Stream": grpc.unary_stream_rpc_method_handler(self.stream, *CODEC),
        }
        handler = grpc.method_handlers_generic_handler("paiju.Toy", made)
        app.server.add_generic_rpc_handlers((handler,))


async def _ends(call) -> str:
    """How a call ended: OK, or its status and reason."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return f"{error.code().name} {reason_of(error).reason}"
    return "OK"


@pytest.fixture
async def toy() -> AsyncIterator[tuple[Toy, App, grpc.aio.Channel, AsyncExitStack]]:
    """A served toy, and what ends it."""
    toy, stack = Toy(), AsyncExitStack()
    service = Service("toy", 0, 0, toy.setup)
    app = await stack.enter_async_context(serving(service, Settings.of("toy", ENV)))
    async with clients.channel(f"127.0.0.1:{app.port}") as channel:
        yield toy, app, channel, stack
    await stack.aclose()


async def test_under_way_is_answered_and_new_is_refused(toy) -> None:
    """SIGTERM in the middle: the old call ends well, new ones say DRAINING, health NOT_SERVING."""
    served, app, channel, stack = toy
    unary = channel.unary_unary("/paiju.Toy/Wait")
    old = asyncio.ensure_future(_ends(unary(b"")))
    await served.came.wait()
    ending = asyncio.create_task(stack.aclose())
    await app.draining.wait()
    assert await _ends(unary(b"")) == "UNAVAILABLE DRAINING"
    stream = channel.unary_stream("/paiju.Toy/Stream")(b"")
    assert await _ends(stream.__aiter__().__anext__()) == "UNAVAILABLE DRAINING"
    health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    assert health.status == health_pb2.HealthCheckResponse.NOT_SERVING
    served.may_go.set()
    assert await old == "OK"
    await ending


async def test_a_crowd_learns_what_became_of_it(toy) -> None:
    """Calls that the service had not looked at when it ended are refused, not CANCELLED."""
    served, _, channel, stack = toy
    served.may_go.set()
    unary = channel.unary_unary("/paiju.Toy/Wait")
    calls = [asyncio.ensure_future(_ends(unary(b""))) for _ in range(800)]
    await served.came.wait()
    await stack.aclose()
    ends = Counter(await asyncio.gather(*calls))
    assert ends["OK"] > 0
    assert set(ends) <= {"OK", "UNAVAILABLE DRAINING"}


async def test_a_caller_that_leaves_is_counted(toy) -> None:
    """A call that ended by its caller's deadline is one that ended, too."""
    served, app, channel, _ = toy
    call = channel.unary_unary("/paiju.Toy/Wait")(b"", timeout=0.2)
    assert await _ends(call) == "DEADLINE_EXCEEDED "
    labels = {"method": "/paiju.Toy/Wait", "code": "CANCELLED"}
    await asyncio.wait_for(served.left.wait(), 5)
    assert app.metrics.registry.get_sample_value("paiju_rpc_total", labels) == 1
