"""Running Paiju: the local cluster, setting up, images."""

import os
import signal
import sys

# Before anything imports gRPC: the runner starts processes while its channels are busy.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

if sys.argv[:1] == ["-m"]:
    # A command of this package is being started (Python calls itself so until it has found the
    # module): Ctrl-C during the imports ends it without a traceback; it has no children yet.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
