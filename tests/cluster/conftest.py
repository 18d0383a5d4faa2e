"""One cluster for all tests that do not harm it."""

import pytest_asyncio

from tests.cluster.cluster_nodes import running


@pytest_asyncio.fixture(scope="session")
async def cluster(tmp_path_factory):
    """Four running services, shared."""
    async with running(tmp_path_factory.mktemp("cluster")) as nodes:
        yield nodes
