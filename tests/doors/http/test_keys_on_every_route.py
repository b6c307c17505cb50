"""Every route × {no key, malformed, unknown, revoked, expired, of another tenant, of another space,
without the scope}, from the routes themselves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from bethink.access.caller import Scope, scopes_of
from bethink.access.keys import PREFIX
from bethink.testing import FakeClock
from tests.doors.http.served import LONG, Served, served_on
from tests.doors.http.ways import OPEN, WAYS, ways_of

CANARY = "canary 金丝雀"


class House(NamedTuple):
    """A server with something in it, and people of all kinds before its door."""

    served: Served
    memory: str
    offer: str
    keys: dict[str, str]

    def send(self, way: tuple[str, str], key: str | None, **headers: str) -> httpx.Response:
        method, path = way
        told = WAYS[way]
        path = path.replace("{memory_id}", self.memory).replace("{offer_id}", self.offer)
        body = told.body
        if isinstance(body, dict) and "ids" in body:
            body = {"ids": [self.offer]}
        client = self.served.client(key)
        if path == "/v1/events/stream":  # it does not end by itself
            with client.stream(method, path, params=told.parameters, headers=headers) as answer:
                if answer.status_code != 200:
                    answer.read()
                return answer
        return client.request(
            method,
            path.replace("{space}", "work")
            .replace("{project}", "river")
            .replace("{base}", "手册")
            .replace("{document}", "指南.md")
            .replace("{entry}", "怎么退款？"),
            params=told.parameters,
            json=body,
            content=told.content,
            headers=headers,
        )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    clock = FakeClock()
    store: Path = tmp_path_factory.mktemp("house") / "m.db"
    with served_on(store, per_minute=1_000_000, clock=clock) as served:
        owner = served.keyed("admin")
        memory = owner.post("/v1/memories", json={"text": CANARY, "space": "work"}).json()["id"]
        offer = owner.post(
            "/v1/offers", json={"text": f"{CANARY} {LONG}", "space": "work", "source": "网页"}
        ).json()["id"]
        owner.post(
            "/v1/knowledge/手册/documents", params={"name": "指南.md"}, content=f"# {CANARY}"
        ).raise_for_status()
        owner.post(
            "/v1/knowledge/手册/faq", json={"question": "怎么退款？", "answers": [CANARY]}
        ).raise_for_status()
        served.reception.create_tenant("other")
        expired = served.key("admin", expires_at=clock() + timedelta(hours=1))
        clock.advance(hours=2)
        revoked = served.key("admin")
        served.reception.revoke_key(revoked.split("_")[1])
        owned = served.key("admin")
        keys = {
            "malformed": "hello",
            "wrong prefix": owned.replace(PREFIX, "sk_"),
            "half": owned[:-10],
            "unknown": f"{PREFIX}{'0' * 16}_{'0' * 64}",
            "wrong secret": owned[:-4] + ("0000" if owned[-4:] != "0000" else "1111"),
            "revoked": revoked,
            "expired": expired,
            "other tenant": served.key("admin", tenant="other"),
            "other space": served.key("admin", spaces=["elsewhere"]),
            "owner": owned,
        }
        for scope in Scope:
            keys[f"only {scope.value}"] = served.key(scope.value)
        yield House(served, memory, offer, keys)


def test_every_route_is_listed(house: House) -> None:
    there = ways_of(house.served.app)
    assert there - WAYS.keys() - OPEN == set(), "a new route: list it in tests/doors/http/ways.py"
    assert (WAYS.keys() | OPEN) - there == set(), "these routes are gone"


REFUSED = ["none", "malformed", "wrong prefix", "half", "unknown", "wrong secret", "revoked",
           "expired"]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_without_a_key_that_holds(house: House, way: tuple[str, str]) -> None:
    said = set()
    for name in REFUSED:
        answer = house.send(way, house.keys.get(name))
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised"), name
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert CANARY not in answer.text
        if name != "none":
            said.add(answer.json()["detail"])
    assert len(said) == 1  # which of these it is, nobody learns


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_what_is_no_bearer_key(house: House, way: tuple[str, str]) -> None:
    for sent in ("Basic cms6eA==", "Bearer", "bk_x", "bearer  x y", ""):
        assert house.send(way, None, Authorization=sent).status_code == 401, sent


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_without_the_scope(house: House, way: tuple[str, str]) -> None:
    needed = WAYS[way].scope
    for scope in Scope:
        if needed in scopes_of([scope.value]):
            continue
        answer = house.send(way, house.keys[f"only {scope.value}"])
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), scope
        assert needed.value in answer.json()["detail"]
        assert CANARY not in answer.text


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("who", ["other tenant", "other space"])
def test_others_see_nothing_of_it(house: House, way: tuple[str, str], who: str) -> None:
    path = way[1]
    answer = house.send(way, house.keys[who])
    if path == "/v1/events/stream":
        assert answer.status_code == 200  # and nothing comes: test_live
        return
    assert "金丝雀" not in answer.text
    assert house.offer not in answer.text or answer.status_code == 404
    if path == "/metrics":
        assert answer.status_code == 403
    elif "{memory_id}" in path or "{offer_id}" in path:
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    elif "{space}" in path or "{document}" in path or "{entry}" in path:
        assert answer.status_code == 404
    elif "{base}" in path and who == "other space":
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_space")
    owner = house.served.client(house.keys["owner"])
    assert owner.get(f"/v1/memories/{house.memory}").json()["text"] == CANARY
    (document,) = owner.get("/v1/knowledge/手册/documents").json()["documents"]
    assert (document["title"], document["enabled"]) == (CANARY, True)
    (entry,) = owner.get("/v1/knowledge/手册/faq").json()["entries"]
    assert (entry["answers"], entry["enabled"]) == ([CANARY], True)
    assert owner.get(f"/v1/offers/{house.offer}").json()["decision"] == "admitted"


def test_the_owner_gets_through_everywhere(house: House, tmp_path: Path) -> None:
    """In an order in which nothing is gone before it is asked for."""
    last = [("DELETE", "/v1/memories/{memory_id}"), ("DELETE", "/v1/spaces/{space}")]
    undo = ("POST", "/v1/offers/{offer_id}/undo")
    ways = [way for way in WAYS if way not in (*last, undo)]
    for way in (*ways, *last):
        answer = house.send(way, house.keys["owner"])
        assert answer.status_code < 300, (way, answer.text)
        if way in (("POST", "/v1/offers/promote"), ("POST", "/v1/offers/reject")):
            assert house.send(undo, house.keys["owner"]).status_code == 200


def test_the_first_key_closes_an_open_server(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", open_until_keys=True) as served:
        assert served.client().get("/v1/status").status_code == 200
        key = served.key("read")
        assert served.client().get("/v1/status").status_code == 401
        assert served.client(key).get("/v1/status").status_code == 200
        served.reception.revoke_key(key.split("_")[1])
        assert served.client().get("/v1/status").status_code == 401


def test_what_is_sent_beside_the_key_makes_nobody_another(house: House) -> None:
    """Tenant and spaces come from the key alone."""
    key = house.keys["other tenant"]
    headers = {"X-Tenant": "default", "Tenant": "default", "X-Forwarded-User": "admin"}
    client = house.served.client(key, headers=headers)
    assert client.get(f"/v1/memories/{house.memory}").status_code == 404
    assert client.get("/v1/memories", params={"tenant": "default"}).status_code == 422
    told = client.post("/v1/recall", json={"question": CANARY, "tenant": "default"})
    assert told.status_code == 422
    beyond = client.post("/v1/recall", json={"question": CANARY, "spaces": ["work"]})
    assert beyond.status_code == 200  # a space of this name was never seen in that tenant
    assert (beyond.json()["status"], beyond.json()["hits"]) == ("empty", [])
