"""A real server for the session, one for each worker; where it cannot be started, these tests fail.
Each store has keys of its own in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bethink.stores.redis.link import Bounds
from tests.servers.redis_server import RedisServer
from tests.stores.redis.proxy import Proxy

# A busy machine must not look like a Redis that is away.
PATIENT = Bounds(patience=30.0, connecting=30.0, first_pause=0.02, longest_pause=0.1)
# Where it is away on purpose, nobody should wait long.
HASTY = Bounds(patience=0.3, connecting=5.0, first_pause=0.02, longest_pause=0.1)


@pytest.fixture(scope="session")
def server() -> Iterator[RedisServer]:
    with RedisServer.started() as server:
        yield server


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """For a test that kills it, or fills it."""
    with RedisServer.started() as server:
        yield server


@pytest.fixture
def proxy(server: RedisServer) -> Iterator[Proxy]:
    with Proxy(server.socket) as proxy:
        yield proxy
