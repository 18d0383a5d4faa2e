"""Starts the rules engine: `python -m services.rules_engine.main`."""

import sys

import grpc

from libs.runtime.items import Items
from libs.runtime.server import INTERNAL_BYTES, App, Service, run
from libs.variants import registry
from libs.wire.refusals import refusal_of
from services.rules_engine.servicer import SERVICE as NAME
from services.rules_engine.servicer import Handlers, Rules


async def setup(app: App) -> None:
    """Loads the games and registers the service."""
    handlers = Handlers(Rules(registry()), Items(app.log, refusal_of)).table()
    app.server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(NAME, dict(handlers)),)
    )


SERVICE = Service("rules", 7402, 7412, setup, message_limit=INTERNAL_BYTES)

if __name__ == "__main__":
    sys.exit(run(SERVICE))
