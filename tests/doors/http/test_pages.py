"""Lists come in pages: each thing once, whatever is written in between."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.doors.http.served import LONG, Served


def pages(client: httpx.Client, path: str, what: str, **parameters: Any) -> list[list[str]]:
    found: list[list[str]] = []
    cursor: str | None = None
    while True:
        asked = {**parameters, **({"cursor": cursor} if cursor else {})}
        answer = client.get(path, params=asked).json()
        found.append([one["text"] for one in answer[what]])
        cursor = answer["cursor"]
        if cursor is None:
            return found
        assert len(found) < 100


@pytest.mark.parametrize("newest_first", [True, False])
def test_memories(client: httpx.Client, newest_first: bool) -> None:
    texts = [f"第{number}条 note {number}" for number in range(25)]
    for text in texts:
        client.post("/v1/memories", json={"text": text})
    found = pages(client, "/v1/memories", "memories", limit=10, newest_first=newest_first)
    assert [len(page) for page in found] == [10, 10, 5]
    flat = [text for page in found for text in page]
    assert flat == (texts[::-1] if newest_first else texts)


def test_offers(client: httpx.Client) -> None:
    texts = [f"第{number}条 offer {number}. {LONG}" for number in range(7)]
    for text in texts:
        client.post("/v1/offers", json={"text": text})
    found = pages(client, "/v1/offers", "offers", limit=3)
    assert [len(page) for page in found] == [3, 3, 1]
    assert [text for page in found for text in page] == texts[::-1]


def test_events(client: httpx.Client) -> None:
    for number in range(5):
        client.post("/v1/offers", json={"text": f"{number} {LONG}"})
    ids: list[int] = []
    after = 0
    while True:
        page = client.get("/v1/events", params={"after": after, "limit": 2}).json()
        if not page["events"]:
            break
        ids += [event["id"] for event in page["events"]]
        after = page["last"]
    assert len(ids) == len(set(ids)) == 5
    assert ids == sorted(ids)


def test_a_cursor_serves_nobody_else(keyed: Served) -> None:
    everything = keyed.keyed("admin")
    for number in range(6):
        everything.post("/v1/memories", json={"text": f"甲 {number}", "space": "甲"})
        everything.post("/v1/memories", json={"text": f"B {number}", "space": "b"})
    first, second = keyed.keyed("read", spaces=["甲"]), keyed.keyed("read", spaces=["b"])
    found = pages(first, "/v1/memories", "memories", limit=4)
    assert {text[0] for page in found for text in page} == {"甲"}
    cursor = first.get("/v1/memories", params={"limit": 4}).json()["cursor"]
    stolen = second.get("/v1/memories", params={"limit": 4, "cursor": cursor})
    assert (stolen.status_code, stolen.json()["code"]) == (422, "invalid_input")
