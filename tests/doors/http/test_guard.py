"""Names and pages that are not ours are turned away (DNS rebinding)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.doors.http.served import Served, served_on

PATHS = ("/v1/status", "/health/live", "/docs", "/openapi.json", "/", "/mcp", "/nothing")


@pytest.fixture
def behind_a_proxy(tmp_path: Path) -> Iterator[Served]:
    names = ["0.0.0.0", "memory.example.org", "::2"]
    with served_on(tmp_path / "m.db", open_to_all=True, allowed_hosts=names) as served:
        yield served


def _asked(
    client: httpx.Client, host: str, origin: str | None = None, path: str = "/version"
) -> httpx.Response:
    headers = {"Host": host} | ({} if origin is None else {"Origin": origin})
    return client.get(path, headers=headers)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8321",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@localhost",
        "localhost@evil.example",
        "localhost:80@evil.example",
        "[::1].evil.example",
        "[::1",
        "",
        "10.0.0.5",
        "0.0.0.0",
        "*",
        "localhost:port",
        "localhost:8321:8321",
        "localhost/evil",
    ],
)
def test_under_another_name_nobody_is_served(served: Served, host: str) -> None:
    for path in PATHS:
        answer = _asked(served.client(), host, path=path)
        assert (answer.status_code, answer.json()["code"]) == (421, "wrong_host")
        assert "allowed_hosts=" in answer.json()["detail"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8321", "[::1]:8321"])
def test_loopback_has_three_names(served: Served, host: str) -> None:
    assert _asked(served.client(), host).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example",
        "null",
        "",
        "file://",
        "http://localhost:3000",  # another program's page on this machine
        "http://127.0.0.1",
        "http://localhost:PORT@evil.example",
        "http://[",
        "http://localhost.evil.example:PORT",
        "chrome-extension://abc",
        "localhost:PORT",
    ],
)
def test_pages_of_others_may_not_ask(served: Served, origin: str) -> None:
    client = served.client()
    origin = origin.replace("PORT", str(served.port))
    answer = _asked(client, f"localhost:{served.port}", origin)
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_origin")
    told = client.post("/v1/memories", json={"text": "甲"}, headers={"Origin": origin})
    assert told.status_code == 403
    assert client.get("/v1/memories").json()["memories"] == []
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(served.socket_address, additional_headers={"Origin": origin}),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_our_own_page_may_ask(served: Served) -> None:
    for name in ("localhost", "127.0.0.1", "[::1]"):
        place = f"{name}:{served.port}"
        assert _asked(served.client(), place, f"http://{place}").status_code == 200
    with connect(
        served.socket_address, origin=Origin(f"http://127.0.0.1:{served.port}")
    ) as watching:
        watching.send("{}")


def test_a_socket_under_another_name_is_refused(served: Served) -> None:
    there = socket.create_connection(("127.0.0.1", served.port))
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"ws://evil.example:{served.port}/ws/events", sock=there),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_names_that_were_allowed(behind_a_proxy: Served) -> None:
    client = behind_a_proxy.client()
    assert _asked(client, "memory.example.org").status_code == 200
    assert _asked(client, "MEMORY.example.org:443").status_code == 200
    assert _asked(client, "[::2]:8321").status_code == 200
    assert _asked(client, "localhost").status_code == 200  # for health checks beside it
    assert _asked(client, "example.org").status_code == 421
    same = _asked(client, "memory.example.org", "https://memory.example.org")
    assert same.status_code == 200
    rewritten = _asked(client, "127.0.0.1:8321", "https://memory.example.org")
    assert rewritten.status_code == 200  # a proxy that tells its own Host
    assert _asked(client, "memory.example.org", "http://localhost:3000").status_code == 403


def test_no_page_elsewhere_may_read_an_answer(served: Served) -> None:
    answer = served.client().options(
        "/v1/memories",
        headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]
