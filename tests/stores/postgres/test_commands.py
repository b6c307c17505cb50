"""Commands on a store that is no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.servers.postgres_server import PostgresServer


@pytest.fixture
def on_postgres(cli: Cli, server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("BETHINK_STORE", server.new_database())
    assert cli("remember", "预算会议在周五 the budget meeting").code == 0
    return cli


def test_status_says_where_the_store_is_with_an_engine_beside_it_too(on_postgres: Cli) -> None:
    alone = on_postgres("status").json["store"]
    assert alone.startswith("postgresql://")
    beside = on_postgres("status", "--retriever", "qdrant://127.0.0.1:1/memories").json["store"]
    assert beside == alone


def test_folders_are_for_stores_in_files(on_postgres: Cli, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "预算.md").write_text("# 预算 budget\n\n周五\n", "utf-8")
    for words in (["source", "add", "docs"], ["source", "remove", "docs"], ["sync"]):
        refused = on_postgres(*words)
        assert refused.code == 2
        assert refused.error["message"].startswith("only a store in a file can have books")
    assert on_postgres("source", "list").json == []
    assert "source add" not in on_postgres("source", "list", "--text").out
    assert on_postgres("init", "--yes").json["suggestions"] == []
