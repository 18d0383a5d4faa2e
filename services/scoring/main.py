"""Starts the scoring service: `python -m services.scoring.main`."""

import sys

from paiju.scoring.v1.scoring_pb2_grpc import add_ScoringServiceServicer_to_server

from libs.runtime.items import Items
from libs.runtime.server import INTERNAL_BYTES, App, Service, run
from libs.variants import registry
from libs.wire.refusals import refusal_of
from services.scoring.servicer import ScoringServicer


async def setup(app: App) -> None:
    """Loads the games and registers the service."""
    add_ScoringServiceServicer_to_server(
        ScoringServicer(registry(), Items(app.log, refusal_of)), app.server
    )


SERVICE = Service("scoring", 7403, 7413, setup, message_limit=INTERNAL_BYTES)

if __name__ == "__main__":
    sys.exit(run(SERVICE))
