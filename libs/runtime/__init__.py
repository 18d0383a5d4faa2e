"""What every service shares: server, clients, settings, errors, logs, metrics, clock, database.

Knows nothing of games.
"""

import os

# gRPC reads this once, when it is first imported: its fork handlers abort busy children.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
