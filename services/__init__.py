"""The four services of the cluster."""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
# Before gRPC is imported anywhere: its fork handlers can abort a child of a busy process.
