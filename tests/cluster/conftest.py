"""One cluster for all tests that do not harm it."""

import pytest_asyncio

from tests.cluster.cluster_nodes import running


@pytest_asyncio.fixture(scope="session")
async def cluster(tmp_path_factory):
    """Four running services, shared."""
    home = tmp_path_factory.mktemp("cluster")
    async with running(home, {"PAIJU_MATCH_QUEUE_BYTES": "100000"}) as nodes:
        yield nodes
