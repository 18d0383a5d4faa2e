"""Starts the ledger: `python -m services.ledger.main`."""

import sys
from pathlib import Path

from paiju.ledger.v1.ledger_pb2_grpc import add_LedgerServiceServicer_to_server

from libs.runtime.db import Database
from libs.runtime.server import App, Service, run
from libs.runtime.writable import Writable
from services.ledger.group import GroupCommit
from services.ledger.servicer import Counts, LedgerServicer
from services.ledger.store import Store

MIGRATIONS = Path(__file__).parent / "migrations"


async def setup(app: App) -> None:
    """Opens the database, starts the group commit, registers the service."""
    url = app.settings.text("DATABASE_URL", "sqlite:///var/ledger.db")
    database = await Database.open(url, MIGRATIONS)
    app.on_close(database.close)
    store, counts = Store(database, app.clock.now_ms), Counts(app.metrics, app.log)
    group = GroupCommit(store.post, counts)
    app.spawn(group.run(), "group-commit")
    app.spawn(Writable(app, database).run(), "database")
    servicer = LedgerServicer(group, store, counts)
    add_LedgerServiceServicer_to_server(servicer, app.server)


SERVICE = Service("ledger", 7404, 7414, setup)

if __name__ == "__main__":
    sys.exit(run(SERVICE))
