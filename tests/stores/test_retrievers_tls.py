"""Engines behind TLS, with a certificate that only a file of one's own vouches for."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from bethink.beside import with_retrievers
from bethink.errors import SettingsError, StoreUnavailable
from bethink.stores.composite import CompositeStore
from bethink.stores.elastic.retriever import ElasticRetriever
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.qdrant.retriever import QdrantRetriever
from bethink.stores.retriever_address import parse_address
from tests.servers.qdrant_server import QdrantServer
from tests.stores.elastic.strict_server import StrictServer
from tests.stores.qdrant.conftest import qdrant_binary as qdrant_binary
from tests.stores.qdrant.conftest import server as server


@pytest.fixture
def authority(tmp_path: Path) -> trustme.CA:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return authority


@contextmanager
def behind_tls(port: int, authority: trustme.CA) -> Iterator[int]:
    """The port of whoever passes everything on to this one."""
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(here)
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=(client,), daemon=True).start()

    def talk(plain: socket.socket) -> None:
        with plain, socket.create_connection(("127.0.0.1", port)) as other:
            try:
                client = here.wrap_socket(plain, server_side=True)
            except (ssl.SSLError, OSError):  # they do not trust us
                return
            with client:
                back = threading.Thread(target=pass_on, args=(other, client), daemon=True)
                back.start()
                pass_on(client, other)
                back.join()

    def pass_on(one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:  # somebody hung up
            return

    threading.Thread(target=serve, daemon=True).start()
    yield listening.getsockname()[1]
    listening.close()


def test_qdrant(server: QdrantServer, authority: trustme.CA, tmp_path: Path) -> None:
    with behind_tls(server.port, authority) as port:
        address = f"qdrant://localhost:{port}/memories?ca={tmp_path}/ca.pem"
        trusting = QdrantRetriever(parse_address(address))
        assert trusting.position() is None
        trusting.close()
        stranger = QdrantRetriever(parse_address(f"qdrant://localhost:{port}/memories?tls=yes"))
        with pytest.raises(StoreUnavailable, match="certificate"):
            stranger.position()
        stranger.close()


@pytest.mark.parametrize("opensearch", [False, True])
def test_elasticsearch_and_opensearch(
    opensearch: bool, authority: trustme.CA, tmp_path: Path
) -> None:
    version = "2.19.0" if opensearch else "9.1.0"
    with (
        StrictServer.started(opensearch=opensearch, version=version) as elastic,
        behind_tls(elastic.port, authority) as port,
    ):
        scheme = "opensearch" if opensearch else "elasticsearch"
        plain = f"{scheme}://localhost:{port}/memories"
        trusting = ElasticRetriever(parse_address(f"{plain}?ca={tmp_path}/ca.pem"))
        assert trusting.position() is None
        trusting.close()
        stranger = ElasticRetriever(parse_address(f"{plain}?tls=yes"))
        with pytest.raises(StoreUnavailable, match=r"(?i)certificate"):
            stranger.position()
        stranger.close()


def test_what_cannot_vouch_for_anybody_is_said(tmp_path: Path) -> None:
    rubbish = tmp_path / "证书.pem"
    rubbish.write_text("no certificate")
    with pytest.raises(SettingsError, match="must be a file of certificates"):
        parse_address(f"qdrant://h/x?ca={tmp_path}/none.pem")
    with pytest.raises(SettingsError, match="GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):
        parse_address(f"qdrant://h/x?ca={rubbish}&grpc=6334")
    assert parse_address(f"qdrant://h/x?ca={rubbish}").tls
    store = with_retrievers(InMemoryStore(), [f"qdrant://127.0.0.1:1/x?ca={rubbish}"])
    assert isinstance(store, CompositeStore)
    assert "holds no certificates" in "".join(store.shortcomings())
    store.close()
