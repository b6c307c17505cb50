"""The application in a program of somebody's own: from an engine, a path or settings, under a test
client, under other names, below another application."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from bethink import Engine, InvalidInput, Settings, create_app

CHINESE, ENGLISH = "预算会议改到周五。", "Mei prefers dark mode."


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="hashing") as engine:
        yield engine


def test_an_engine_is_served_and_stays_open(engine: Engine) -> None:
    engine.remember(CHINESE)
    with TestClient(create_app(engine)) as client:
        told = client.post("/v1/memories", json={"text": ENGLISH})
        assert told.status_code == 201
        for question, text in (("预算会议改到哪天？", CHINESE), ("which mode, Mei?", ENGLISH)):
            answer = client.post("/v1/recall", json={"question": question})
            assert answer.json()["hits"][0]["text"] == text
    assert engine.recall("dark mode").hits[0].text == ENGLISH  # the program goes on with it


@pytest.mark.parametrize("form", ["engine", "text", "path", "settings", "in force"])
def test_what_it_can_be_made_from(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "m.db"
    monkeypatch.setenv("BETHINK_STORE", str(place))
    monkeypatch.setenv("BETHINK_EMBEDDER", "none")
    with Engine(place) as engine:
        engine.remember(CHINESE)
        forms: dict[str, Any] = {
            "engine": engine,
            "text": str(place),
            "path": place,
            "settings": Settings(store=str(place), embedder="none"),
            "in force": None,
        }
        with TestClient(create_app(forms[form])) as client:
            found = client.post("/v1/search", json={"query": "预算会议"}).json()
    assert found["results"][0]["content"] == CHINESE


def test_what_it_cannot_be_made_from() -> None:
    with pytest.raises(InvalidInput, match="takes an Engine, a path, Settings or a Reception"):
        create_app(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("address", ["http://testserver", "http://test", "http://memory.test:80"])
def test_both_kinds_of_test_client_may_ask(engine: Engine, address: str) -> None:
    app = create_app(engine)
    assert TestClient(app, base_url=address).get("/v1/status").status_code == 200

    async def asked() -> int:
        through = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=through, base_url=address) as client:
            return (await client.get("/v1/status")).status_code

    assert asyncio.run(asked()) == 200


def _asked_over_a_network(app: FastAPI, host: str, client: str, server: str) -> int:
    """As a server hands it over: it names the address of its socket, and a proxy may have named the
    client."""
    statuses: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            status = message["status"]
            assert isinstance(status, int)
            statuses.append(status)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": "/version", "raw_path": b"/version", "query_string": b"",
        "root_path": "", "headers": [(b"host", host.encode())],
        "client": (client, 5000), "server": (server, 8321),
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return statuses[0]


@pytest.mark.parametrize("server", ["127.0.0.1", "::1", "10.0.0.5", "/run/bethink.sock"])
@pytest.mark.parametrize("host", ["testserver", "test", "evil.example", "10.0.0.5", "[::1:2]"])
def test_nobody_can_pass_for_a_test_client(engine: Engine, host: str, server: str) -> None:
    app = create_app(engine)
    for client in ("testclient", "127.0.0.1"):  # `X-Forwarded-For: testclient` is easily said
        assert _asked_over_a_network(app, host, client, server) == 421
    # some gateways name as server what the request said; their clients are others
    assert _asked_over_a_network(app, host, "203.0.113.9", host) == 421
    assert _asked_over_a_network(app, "localhost", "127.0.0.1", server) == 200


def test_another_name_is_refused_with_the_parameter_that_allows_it(engine: Engine) -> None:
    app = create_app(engine)
    refused = TestClient(app).get("/v1/status", headers={"Host": "memory.example.org"})
    assert (refused.status_code, refused.json()["code"]) == (421, "wrong_host")
    assert "create_app(…, allowed_hosts=[NAME])" in refused.json()["detail"]
    assert "--allow-host" not in refused.text


@pytest.mark.parametrize("names", [["memory.example.org"], "memory.example.org", ["*"]])
def test_under_another_name_everybody_needs_a_key(engine: Engine, names: list[str] | str) -> None:
    app = create_app(engine, allowed_hosts=names)
    client = TestClient(app)
    there = {"Host": "memory.example.org"}
    assert client.get("/v1/status", headers=there).status_code == 401
    assert client.get("/v1/status").status_code == 401
    made = app.state.reception.create_key(name="小明", scopes=["read"])
    with_key = {**there, "Authorization": f"Bearer {made.key}"}
    assert client.get("/v1/status", headers=with_key).status_code == 200
    app.state.reception.close()


def test_keys_of_a_file_are_asked_for(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        with TestClient(create_app(engine)) as client:
            assert client.get("/v1/status").status_code == 200
            client.app.state.reception.create_key(name="mei", scopes=["read"])  # type: ignore[attr-defined]
            assert client.get("/v1/status").status_code == 401
        with TestClient(create_app(engine)) as client:
            assert client.get("/v1/status").status_code == 401


def test_nothing_is_left_of_what_was_kept_in_memory(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with TestClient(create_app(engine)) as client:
        client.post("/v1/memories", json={"text": CHINESE}, headers={"Idempotency-Key": "1"})
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_below_another_application(engine: Engine) -> None:
    engine.remember(CHINESE)
    outer = FastAPI()
    outer.mount("/memory", create_app(engine))
    client = TestClient(outer)
    answer = client.post("/memory/v1/recall", json={"question": "预算会议改到哪天？"})
    assert answer.json()["hits"][0]["text"] == CHINESE
