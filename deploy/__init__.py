"""Running Paiju: the local cluster, setting up, images."""

import os

# Before anything imports gRPC: the runner starts processes while its channels are busy.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
