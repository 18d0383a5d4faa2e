"""Channels between services on a machine that is slow to answer."""

import asyncio
from contextlib import asynccontextmanager

from paiju.rules.v1 import rules_pb2
from paiju.rules.v1.rules_pb2_grpc import RulesServiceStub

from libs.runtime import clients
from libs.runtime.server import serving
from libs.runtime.settings import Settings
from services.rules_engine.main import SERVICE

SLOW_SECONDS = 0.5
"""Longer than the first pause between two attempts to connect."""


@asynccontextmanager
async def slow_way_to(port):
    """A port that leads to another one, its first bytes back only after a while."""

    async def relay(reader, writer, wait):
        await asyncio.sleep(wait)
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def accept(reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(relay(reader, back, 0), relay(there, writer, SLOW_SECONDS))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def test_a_service_that_answers_slowly_is_connected_to():
    """The greeting may take longer than the pause before the next attempt."""
    env = {f"PAIJU_RULES_{name}": "0" for name in ("PORT", "METRICS_PORT", "DRAIN_SECONDS")}
    async with (
        serving(SERVICE, Settings.of(SERVICE.name, env)) as app,
        slow_way_to(app.port) as port,
        clients.channel(f"127.0.0.1:{port}") as channel,
    ):
        stub = RulesServiceStub(channel)
        listed = await stub.ListVariants(rules_pb2.ListVariantsRequest())
        assert len(listed.variants) == 5
