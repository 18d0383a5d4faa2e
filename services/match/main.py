"""The match service as a process: `python -m services.match.main`."""

import secrets
import sys
from pathlib import Path

from libs.runtime import clients
from libs.runtime.db import Database
from libs.runtime.server import App, Service, run
from libs.runtime.settings import Settings
from libs.runtime.writable import Writable
from services.match.clients import GrpcLedger, GrpcRules, GrpcScoring
from services.match.feed import Bound
from services.match.gauges import Gauges
from services.match.keys import audit_token, vault_of
from services.match.port import Ports
from services.match.service import MatchCore, Setup
from services.match.servicer import MatchServicer, handlers
from services.match.session import Streams
from services.match.store import Store

MIGRATIONS = Path(__file__).parent / "migrations"


async def setup(app: App) -> None:
    """Opens the database, takes the open matches over, serves."""
    settings = app.settings
    token = audit_token(settings)
    database = await Database.open(
        settings.text("DATABASE_URL", "sqlite:///var/match.db"), MIGRATIONS
    )
    app.on_close(database.close)
    app.spawn(Writable(app, database).run(), "database")
    store = Store(database)
    vault = vault_of(settings, await store.some_key())
    core = MatchCore(
        Setup(
            store,
            _ports(app, settings),
            vault,
            app.clock,
            Gauges(app.metrics),
            app.log,
            secrets.token_hex(16),
        )
    )
    bound = Bound(settings.integer("QUEUE_BYTES", 4 << 20), settings.integer("QUEUE_ITEMS", 20_000))
    streams = Streams(core.hub, bound)
    servicer = MatchServicer(core.hub, streams, token)
    app.server.add_generic_rpc_handlers((handlers(servicer),))
    for number, loop in enumerate(core.loops()):
        app.spawn(loop, f"stage-{number}")
    await core.resume()
    app.spawn(core.wheel.run(), "wheel")
    app.spawn(core.beats.run(app.healthy, core.park), "beat")
    app.spawn(_drain(app, core, streams), "drain")


def _ports(app: App, settings: Settings) -> Ports:
    trust = clients.credentials(settings)
    defaults = {"RULES": "127.0.0.1:7402", "SCORING": "127.0.0.1:7403", "LEDGER": "127.0.0.1:7404"}
    channels = [
        clients.channel(settings.text(f"{name}_TARGET", target), trust)
        for name, target in defaults.items()
    ]
    for channel in channels:
        app.on_close(channel.close)
    return Ports(GrpcRules(channels[0]), GrpcScoring(channels[1]), GrpcLedger(channels[2]))


async def _drain(app: App, core: MatchCore, streams: Streams) -> None:
    await app.draining.wait()
    if app.failed.is_set():
        core.hub.draining = True  # a stage that failed never comes to rest
    else:
        await core.drain()
    streams.drain()


SERVICE = Service("match", 7401, 7411, setup)

if __name__ == "__main__":
    sys.exit(run(SERVICE))
