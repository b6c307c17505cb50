"""Ids may hold any visible character, and spaces a slash: encoded, each is found by its name."""

from __future__ import annotations

from urllib.parse import quote

import httpx
import pytest

from tests.doors.http.served import LONG

NAMES = [
    "plain",
    "会议纪要",
    "a/b/c",
    "a/history",
    "history",
    "x/why-not",
    "x/undo",
    "batch",
    "promote",
    "50%",
    "%2F",
    "a%2Fhistory",
    "what?now",
    "a#b",
    "a+b&c=d;e",
    "🐼/熊猫",
    "..x",
    "a//b",
    "x/",
    "~.-_!*'()",
    '"<>\\^`{|}',
]


@pytest.mark.parametrize("name", NAMES)
def test_a_memory_under_any_id(client: httpx.Client, name: str) -> None:
    decoy = name.split("/")[0]
    text = f"memory 记忆 of {name}"
    assert client.post("/v1/memories", json={"text": text, "id": name}).status_code == 201
    if decoy not in ("", name):
        client.post("/v1/memories", json={"text": "a decoy 诱饵", "id": decoy})
    path = f"/v1/memories/{quote(name, safe='')}"
    assert client.get(path).json()["text"] == text
    assert client.get(f"{path}/history").json()["memory"]["id"] == name
    assert client.post(f"{path}/reinforce", json={}).json()["id"] == name
    why = client.post(f"{path}/why-not", json={"question": text}).json()
    assert why["memory_id"] == name
    assert client.patch(path, json={"text": text + "!"}).json()["id"] == name
    assert client.delete(path).json()["id"] == name
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("name", NAMES)
def test_an_offer_under_any_id(client: httpx.Client, name: str) -> None:
    made = client.post("/v1/offers", json={"text": f"{LONG} {name}", "id": name})
    assert made.json()["id"] == name
    path = f"/v1/offers/{quote(name, safe='')}"
    assert client.get(path).json()["id"] == name
    assert client.post("/v1/offers/reject", json={"ids": [name]}).status_code == 200
    assert client.post(f"{path}/undo").json()["decision"] == "admitted"


def test_plain_slashes_are_taken_where_they_are_clear(client: httpx.Client) -> None:
    """A proxy may have decoded them."""
    client.post("/v1/memories", json={"text": "甲", "id": "team/a"})
    assert client.get("/v1/memories/team/a").json()["id"] == "team/a"
    assert client.get("/v1/memories/team/a/history").json()["memory"]["id"] == "team/a"


@pytest.mark.parametrize("sent", ["%00", "a%00b", "%2F%00", "%FF%FE", "%ED%A0%80", "%", "%zz"])
def test_what_is_no_id_is_not_there(client: httpx.Client, sent: str) -> None:
    """Sent as it is: a client would encode it again."""
    request = client.build_request("GET", "/v1/memories/x")
    request.url = request.url.copy_with(raw_path=f"/v1/memories/{sent}".encode())
    assert client.send(request).status_code == 404


@pytest.mark.parametrize("space", ["项目/甲", "a/b:c@d", "team/2026/history"])
def test_a_space_is_forgotten_by_its_name(client: httpx.Client, space: str) -> None:
    client.post("/v1/memories", json={"text": "甲 one", "space": space})
    client.post("/v1/memories", json={"text": "乙 two"})
    gone = client.delete(f"/v1/spaces/{quote(space, safe='')}").json()
    assert gone == {"space": space, "forgotten": 1}
    assert len(client.get("/v1/memories").json()["memories"]) == 1
