"""Over the network nobody learns where the store is: its host, user and path stand in the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from mcp.shared.exceptions import MCPError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from bethink import Engine
from bethink.access.answering import Refused
from bethink.doors.cli.main import main
from bethink.errors import StoreCorrupt, StoreError
from bethink.settings import Settings
from tests.doors.http.served import Served, served_on, until
from tests.doors.mcp.asking import MODES, on_stdio, over_http, run
from tests.servers.postgres_server import PostgresServer


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    path = tmp_path / "小美的秘密" / "m.db"
    path.parent.mkdir()
    path.write_bytes(b"no store " * 1000)
    return path


@pytest.fixture
def server(damaged: Path) -> Iterator[Served]:
    with served_on(damaged, open_to_all=True) as server:
        yield server


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/memories", None),
        ("POST", "/v1/recall", {"question": "预算 budget"}),
        ("POST", "/v1/memories", {"text": "预算会议改到周五"}),
        ("GET", "/v1/status", None),
    ],
)
def test_rest_hides_the_path_and_the_log_has_it(
    server: Served,
    damaged: Path,
    caplog: pytest.LogCaptureFixture,
    method: str,
    path: str,
    body: dict[str, str] | None,
) -> None:
    answer = server.client().request(method, path, json=body)
    assert answer.status_code == 503
    assert answer.json()["code"] == "store_corrupt"
    assert "log" in answer.json()["detail"]
    assert "秘密" not in answer.text
    (said,) = [r.getMessage() for r in caplog.records if r.name == "bethink.server"]
    assert str(damaged) in said
    assert answer.headers["x-request-id"] in said


def test_a_scene_is_given_what_is_left(server: Served, damaged: Path) -> None:
    body = {
        "chapter": 2,
        "scene": 1,
        "plan": {"title": "Back 归来", "characters": ["林婉"], "beats": ["谁下的毒"]},
        "characters": [{"name": "Lin Wan", "aliases": ["林婉"]}],
    }
    answer = server.client().post("/v1/story/river/context", json=body)
    assert answer.status_code == 200
    context = answer.json()
    assert (context["status"], context["project_id"]) == ("degraded", "river")
    assert context["missing"][0].startswith("store: ")
    assert "谁下的毒" in str(context["phrases"])
    assert "秘密" not in answer.text


@pytest.mark.parametrize("mode", MODES)
def test_mcp_over_http_hides_it_too(
    server: Served, damaged: Path, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    async def body() -> None:
        async with over_http(f"{server.address}/mcp", mode=mode) as ask:
            error = (await ask("recall", question="预算")).error
            assert error["code"] == "store_corrupt"
            assert "秘密" not in error["message"]
            with pytest.raises(MCPError) as refused:
                await ask.client.list_resources()
            assert "秘密" not in str(refused.value)

    run(body)
    assert str(damaged) in caplog.text


def test_live_events_hide_it_too(server: Served, damaged: Path) -> None:
    with connect(server.socket_address) as socket:
        socket.send("{}")
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                socket.recv(timeout=30)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4503
    assert "/" not in closed.value.rcvd.reason


def test_over_stdio_on_the_command_line_and_in_python_all_is_said(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def body() -> None:
        async with on_stdio(damaged) as ask:
            assert str(damaged) in (await ask("recall", question="预算")).error["message"]

    run(body)
    assert main(["recall", "预算", "--store", str(damaged)]) == StoreError.exit_code
    assert str(damaged) in capsys.readouterr().err
    with pytest.raises(StoreCorrupt, match="秘密"):
        Engine(damaged, settings=Settings(embedder="hashing"))


def test_a_database_that_is_away(caplog: pytest.LogCaptureFixture) -> None:
    with PostgresServer.started() as own:
        settings = Settings(store=own.new_database(), embedder="hashing")
        with served_on(Path(), settings=settings, open_to_all=True) as server:
            client = server.client()
            assert client.post("/v1/memories", json={"text": "预算 budget"}).status_code == 201
            own.stop("immediate")
            answers = [
                client.get("/v1/memories"),
                client.post("/v1/recall", json={"question": "预算"}),
                client.post("/v1/memories", json={"text": "会议 on Friday"}),
            ]

            async def body() -> None:
                async with over_http(f"{server.address}/mcp") as ask:
                    said = (await ask("recall", question="预算")).error
                    assert said["code"] == "store_unavailable"
                    assert "try again" in said["message"].lower()
                    assert "bethink@" not in json.dumps(said)
                    assert str(own.folder) not in json.dumps(said)

            run(body)
        for answer in answers:
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
            assert "try again" in answer.json()["detail"].lower()
            for secret in ("bethink@", str(own.folder), "postgresql", ".s.PGSQL", "d1"):
                assert secret not in answer.text
        assert str(own.folder) in caplog.text


_READS = [
    ("GET", "/v1/memories", None),
    ("GET", "/v1/recall?q=预算", None),
    ("GET", "/v1/doctor", None),
    ("POST", "/v1/recall", {"question": "预算"}),
    ("POST", "/v1/context", {"question": "预算 budget"}),
    ("POST", "/v1/search", {"question": "预算 budget"}),
    ("POST", "/v1/memories/m1/why-not", {"question": "预算"}),
    ("POST", "/v1/knowledge/手册/search", {"query_text": "预算"}),
]
_LOOK = "Look whether a change was made"


@pytest.mark.parametrize("workers", [0, 1])
def test_only_who_may_have_changed_something_is_told_to_look(workers: int) -> None:
    with PostgresServer.started() as own:
        settings = Settings(store=own.new_database(), embedder="hashing")
        with served_on(Path(), settings=settings, open_to_all=True, workers=workers) as server:
            client = server.client()
            told = {"text": "预算 budget", "id": "m1"}
            assert client.post("/v1/memories", json=told).status_code == 201
            assert client.post("/v1/recall", json={"question": "预算"}).status_code == 200
            own.stop("immediate")
            for method, path, body in _READS:
                answer = client.request(method, path, json=body)
                assert answer.status_code in (200, 503), (path, answer.text)  # doctor: a finding
                assert _LOOK not in answer.text, path
            write = client.post("/v1/memories", json=told)
            assert (write.status_code, _LOOK in write.text) == (503, True)

            async def tools() -> None:
                async with over_http(f"{server.address}/mcp") as ask:
                    read = (await ask("recall", question="预算")).error
                    assert read["code"] == "store_unavailable"
                    assert _LOOK not in read["message"]
                    written = (await ask("remember", text="会议 on Friday")).error
                    assert _LOOK in written["message"]

            run(tools)


def test_who_did_not_come_in_has_changed_nothing() -> None:
    with PostgresServer.started() as own:
        settings = Settings(store=own.new_database(), embedder="hashing")
        with served_on(Path(), settings=settings) as server:
            client = server.keyed(spaces=["项目"])
            told = {"text": "预算 budget", "space": "项目"}
            assert client.post("/v1/memories", json=told).status_code == 201
            own.stop("immediate")
            refused = client.post("/v1/memories", json=told)
            assert refused.status_code == 503
            assert _LOOK not in refused.text


def test_a_part_of_a_database_that_is_gone(caplog: pytest.LogCaptureFixture) -> None:
    """What is missing from an answer is said in it, in its trace and in the events; where the
    store is, in none of them."""
    with PostgresServer.started() as own:
        address = own.new_database()
        settings = Settings(store=address, embedder="hashing")
        with served_on(Path(), settings=settings, open_to_all=True) as server:
            client = server.client()
            assert client.post("/v1/memories", json={"text": "预算 budget"}).status_code == 201
            with psycopg.connect(address, autocommit=True) as connection:
                (table,) = connection.execute(
                    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'vectors%'"
                ).fetchone() or ("",)
                connection.execute(f"ALTER TABLE bethink.{table} RENAME TO lost".encode())
            answer = client.post("/v1/recall", json={"question": "预算", "explain": True})
            assert answer.json()["status"] == "degraded"
            assert "search_meaning failed: the store is damaged" in answer.json()["reasons"][0]
            assert [hit["text"] for hit in answer.json()["hits"]] == ["预算 budget"]
            until(lambda: "search_meaning failed" in client.get("/v1/events").text)
            for told in (answer, client.get("/v1/events"), client.get("/v1/status")):
                for secret in ("bethink@", str(own.folder), "postgresql", "lost", table):
                    assert secret not in told.text
        assert str(own.folder) in caplog.text


def test_what_is_told_abroad_comes_through_from_another_process() -> None:
    there = StoreError("it is written in /秘密/a.md", abroad="it is written, 但没有索引")
    here = Refused.of(there).error()
    assert isinstance(here, StoreError)
    assert (str(here), here.abroad) == (str(there), there.abroad)
