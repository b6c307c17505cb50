"""Two tenants, and two who see a space each, do whatever they like through REST: neither ever sees
anything of the other, in results, counts, errors or events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doors.http.served import LONG, Served, served_on

CANARY = {"a": "canary-alpha 金丝雀甲", "b": "canary-beta 金丝雀乙"}
IDS = ["m1", "会议/一", "shared", "global/m1"]
VERBS = ["remember", "offer", "recall", "get", "list", "forget", "revise", "promote", "reject",
         "status", "events", "digest", "source", "rollback", "history", "why", "context", "search",
         "quarantine", "spaces", "repeat", "working", "export"]  # fmt: skip


class Side(NamedTuple):
    name: str
    client: httpx.Client
    space: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_on(tmp_path_factory.mktemp("tenants") / "m.db", per_minute=1_000_000) as served:
        served.reception.create_tenant("alpha")
        served.reception.create_tenant("beta")
        yield served


@pytest.fixture(scope="module")
def tenants(served: Served) -> dict[str, Side]:
    return {
        "a": Side("a", served.keyed("admin", tenant="alpha", name="key-alpha"), "global"),
        "b": Side("b", served.keyed("admin", tenant="beta", name="key-beta"), "global"),
    }


@pytest.fixture(scope="module")
def neighbours(served: Served) -> dict[str, Side]:
    """In one tenant, each with a space of its own."""
    scopes = ("read", "write", "review")
    return {
        "a": Side("a", served.keyed(*scopes, spaces=["space-a"], name="key-alpha"), "space-a"),
        "b": Side("b", served.keyed(*scopes, spaces=["space-b"], name="key-beta"), "space-b"),
    }


def act(side: Side, verb: str, number: int, memory_id: str) -> httpx.Response:
    """With its own canary in whatever it writes; it asks in the other's words too."""
    client, mine = side.client, CANARY[side.name]
    theirs = CANARY["b" if side.name == "a" else "a"]
    asked = {"question": theirs.split()[1] if number % 2 else theirs.split("-")[0]}
    path = f"/v1/memories/{memory_id.replace('/', '%2F')}"
    told = {"text": f"{mine} {number} {LONG}", "id": memory_id, "source": f"web-{side.name}"}
    match verb:
        case "remember":
            return client.post("/v1/memories", json=told)
        case "offer":
            return client.post("/v1/offers", json={**told, "id": f"o-{memory_id}"})
        case "recall":
            return client.post("/v1/recall", json={**asked, "explain": True})
        case "context" | "search":
            return client.post(f"/v1/{verb}", json=asked)
        case "get":
            return client.get(path)
        case "history":
            return client.get(f"{path}/history")
        case "why":
            return client.post(f"{path}/why-not", json=asked)
        case "list":
            return client.get("/v1/memories", params={"limit": 1 + number % 3})
        case "forget":
            return client.delete(path)
        case "revise":
            return client.patch(path, json={"text": f"{mine} revised {number}"})
        case "promote":
            return client.post("/v1/offers/promote", json={"ids": [f"o-{memory_id}"]})
        case "reject":
            return client.post("/v1/offers/reject", json={"ids": [f"o-{memory_id}"]})
        case "status":
            return client.get("/v1/status")
        case "spaces":
            return client.get("/v1/spaces")
        case "events":
            return client.get("/v1/events", params={"limit": 1000})
        case "digest":
            return client.get("/v1/digest", params={"space": side.space})
        case "quarantine":
            return client.get("/v1/offers")
        case "working":
            return client.get("/v1/working")
        case "source":
            other = "web-b" if side.name == "a" else "web-a"
            return client.get("/v1/sources", params={"source": other})
        case "rollback":
            other = "web-b" if side.name == "a" else "web-a"
            return client.post("/v1/rollback", json={"source": other})
        case "export":
            return client.get("/v1/export")
        case _:
            key = {"Idempotency-Key": f"k{number}"}
            return client.post("/v1/offers", json={"text": f"{mine} {LONG}"}, headers=key)


STEPS = st.lists(
    st.tuples(
        st.sampled_from("ab"), st.sampled_from(VERBS), st.integers(0, 5), st.sampled_from(IDS)
    ),
    min_size=5,
    max_size=25,
)
FEW = settings(
    max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck), deadline=None
)


def _walk(sides: dict[str, Side], steps: list[tuple[str, str, int, str]]) -> None:
    for who, verb, number, memory_id in steps:
        answer = act(sides[who], verb, number, memory_id)
        assert answer.status_code < 500, (verb, answer.text)
        other = "b" if who == "a" else "a"
        said = answer.text + json.dumps(dict(answer.headers))
        asks = verb in ("recall", "context", "why", "events")
        words = (CANARY[other], f"key-{'alpha' if other == 'a' else 'beta'}", f"space-{other}")
        for word in words:
            assert word not in said, (verb, word, answer.text)
        if not asks:  # a question is quoted in its answer and its event
            assert CANARY[other].split()[1] not in said, (verb, answer.text)


@FEW
@given(steps=STEPS)
def test_two_tenants(tenants: dict[str, Side], steps: list[tuple[str, str, int, str]]) -> None:
    _walk(tenants, steps)


@FEW
@given(steps=STEPS)
def test_two_spaces(neighbours: dict[str, Side], steps: list[tuple[str, str, int, str]]) -> None:
    _walk(neighbours, steps)


def test_counts_are_ones_own(served: Served) -> None:
    """What one does changes no number that the other sees."""
    for tenant in ("one", "two"):
        served.reception.create_tenant(tenant)
    mine, yours = served.keyed("admin", tenant="one"), served.keyed("admin", tenant="two")
    yours.post("/v1/memories", json={"text": "乙的 theirs"})

    def seen() -> list[object]:
        paths = ("/v1/status", "/v1/spaces", "/v1/memories", "/v1/offers", "/v1/events",
                 "/v1/working", "/v1/digest", "/v1/settings", "/v1/export")  # fmt: skip
        return [yours.get(path).text for path in paths]

    before = seen()
    for number in range(20):
        mine.post("/v1/memories", json={"text": f"甲的 mine {number}", "id": f"m{number}"})
        mine.post("/v1/offers", json={"text": f"{number} {LONG}"})
        mine.post("/v1/recall", json={"question": "乙的 theirs"})
    mine.put("/v1/settings", json={"name": "floor", "value": 0.9})
    assert seen() == before
    theirs = yours.post("/v1/memories", json={"text": "乙 another", "id": "m3"}).json()
    assert theirs["action"] == "created"  # no id is taken by the other
