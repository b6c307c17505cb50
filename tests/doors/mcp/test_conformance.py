"""The protocol's own conformance tests (npm `@modelcontextprotocol/conformance`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from tools.pages.mcp_conformance import NOT_OURS

from bethink.access.reception import Reception
from bethink.doors.http.app import create_app
from bethink.doors.mcp.mounting import PATH, mount
from bethink.settings import Settings
from tests.doors.mcp import conformance_server
from tests.doors.mcp.asking import served
from tests.doors.mcp.conforming import outcome

pytestmark = pytest.mark.slow


@pytest.fixture
def reception(tmp_path: Path) -> Reception:
    """Open, for the tests send no key."""
    settings = Settings(store=str(tmp_path / "m.db"), embedder="hashing")
    return Reception(settings, open_to_all=True)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


def test_our_server(reception: Reception, results: Path) -> None:
    with reception.desk(reception.caller(None, door="test")) as desk:
        desk.remember({"text": "something to list 列出来", "space": "工作"})
    with served(create_app(reception)) as url:
        found = outcome(url, results)
    assert found["dns-rebinding-protection"] == []
    assert len(found) >= 32
    failed = {scenario: faults for scenario, faults in found.items() if faults}
    assert failed.keys() == NOT_OURS.keys(), failed


def test_what_is_not_ours_passes_through_our_door(reception: Reception, results: Path) -> None:
    app = create_app(reception)
    app.router.routes[:] = [r for r in app.router.routes if getattr(r, "path", "") != PATH]
    mount(app, reception, StreamableHTTPSessionManager(conformance_server.build()))
    with served(app) as url:
        found = outcome(url, results)
    failed = {scenario: found[scenario] for scenario in NOT_OURS if found[scenario]}
    assert failed.keys() == {"server-sse-polling"}, failed  # it needs a store of answers
