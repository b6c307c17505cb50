from __future__ import annotations

import pytest

from bethink.settings import Settings
from tests.servers.postgres_server import PostgresServer
from tests.stores.postgres.conftest import server as server


@pytest.fixture
def settings(server: PostgresServer) -> Settings:
    """A database of its own: keys and tenants are of a whole database."""
    return Settings(store=server.new_database(), embedder="hashing")
