"""A write that is sent again under the same Idempotency-Key is done once."""

from __future__ import annotations

import threading

import httpx
import pytest
from fastapi.routing import APIRoute

from bethink.access.caller import Scope
from bethink.testing import run_at_once
from tests.doors.http.served import LONG, Served
from tests.doors.http.ways import WAYS


def _key(name: str) -> dict[str, str]:
    return {"Idempotency-Key": name}


def test_every_write_takes_a_key(served: Served) -> None:
    writes = [
        route
        for route in served.app.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
        if method != "GET" and WAYS[method, route.path_format].scope is not Scope.READ
    ]
    assert len(writes) >= 14
    for route in writes:
        taken = {field.alias for field in route.dependant.header_params}
        assert "Idempotency-Key" in taken, route.path


def test_told_twice_it_is_remembered_once(client: httpx.Client) -> None:
    body = {"text": "小美喜欢深色主题 dark mode"}
    first = client.post("/v1/memories", json=body, headers=_key("a"))
    again = client.post("/v1/memories", json=body, headers=_key("a"))
    assert again.json() == first.json()
    assert (first.status_code, again.status_code) == (201, 201)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    found = client.get(f"/v1/memories/{first.json()['id']}").json()
    assert found["reinforcement"] == 0
    other = client.post("/v1/memories", json=body, headers=_key("b")).json()
    assert other["action"] == "reinforced"


def test_the_layout_of_the_json_makes_no_difference(client: httpx.Client) -> None:
    json_type = {"Content-Type": "application/json", **_key("a")}
    one = client.post("/v1/memories", content='{"text":"甲","kind":"note"}', headers=json_type)
    same = client.post(
        "/v1/memories", content='{ "kind": "note",\n "text": "\\u7532" }', headers=json_type
    )
    assert same.headers["Idempotency-Replayed"] == "true"
    assert same.json() == one.json()


def test_a_key_that_was_used_for_something_else_is_refused(client: httpx.Client) -> None:
    assert client.post("/v1/memories", json={"text": "甲"}, headers=_key("a")).status_code == 201
    other = client.post("/v1/memories", json={"text": "乙 B"}, headers=_key("a"))
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    route = client.post("/v1/offers", json={"text": "甲"}, headers=_key("a"))
    assert route.status_code == 409
    assert len(client.get("/v1/memories").json()["memories"]) == 1


def test_deeds_on_two_memories_are_two_deeds(client: httpx.Client) -> None:
    ids = [client.post("/v1/memories", json={"text": t}).json()["id"] for t in ("甲方", "B side")]
    assert client.delete(f"/v1/memories/{ids[0]}", headers=_key("a")).status_code == 200
    assert client.delete(f"/v1/memories/{ids[1]}", headers=_key("a")).status_code == 409
    assert client.get(f"/v1/memories/{ids[1]}").status_code == 200
    again = client.delete(f"/v1/memories/{ids[0]}", headers=_key("a"))
    assert (again.status_code, again.json()["action"]) == (200, "forgotten")


def test_what_failed_may_be_tried_again(client: httpx.Client) -> None:
    path = "/v1/memories/later"
    assert client.patch(path, json={"text": "新 new"}, headers=_key("a")).status_code == 404
    assert client.post("/v1/memories", json={"text": "旧 old", "id": "later"}).status_code == 201
    done = client.patch(path, json={"text": "新 new"}, headers=_key("a"))
    assert (done.status_code, done.json()["action"]) == (200, "revised")


@pytest.mark.parametrize("key", ["", "x" * 300, "tab\there"])
def test_a_key_that_is_none(client: httpx.Client, key: str) -> None:
    answer = client.post("/v1/memories", json={"text": "甲"}, headers=_key(key))
    assert answer.status_code == 422
    assert client.get("/v1/memories").json()["memories"] == []


def test_keys_of_two_callers_are_two_keys(keyed: Served) -> None:
    mine, yours = keyed.keyed("admin"), keyed.keyed("admin", name="B")
    first = mine.post("/v1/offers", json={"text": LONG}, headers=_key("a")).json()
    second = yours.post("/v1/offers", json={"text": LONG + "！"}, headers=_key("a"))
    assert second.status_code == 201
    assert second.json()["id"] != first["id"]


def test_many_at_once_are_one(served: Served) -> None:
    together = threading.Barrier(8)

    def send(number: int) -> httpx.Response:
        with served.client() as client:
            together.wait()
            return client.post("/v1/memories", json={"text": "同时 at once"}, headers=_key("a"))

    answers = run_at_once(send, range(8))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
    memory = served.client().get("/v1/memories").json()["memories"]
    assert [one["reinforcement"] for one in memory] == [0]


def test_without_a_key_each_counts(served: Served) -> None:
    client = served.client()
    for _ in range(3):
        client.post("/v1/memories", json={"text": "同时 at once"})
    assert client.get("/v1/memories").json()["memories"][0]["reinforcement"] == 2
