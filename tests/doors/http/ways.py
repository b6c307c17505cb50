"""One way to call every route: what it needs, and what it takes. A new route must be listed here,
or the tests fail."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi import FastAPI
from fastapi.routing import APIRoute

from bethink.access.caller import Scope
from bethink.shelf import made_id
from bethink.story.shelf import Point

OPEN = frozenset({
    ("GET", "/health/live"), ("GET", "/health/ready"), ("GET", "/version"),
    ("GET", "/docs"), ("GET", "/openapi.json"), ("GET", "/"),
})  # fmt: skip
# Doors that ask for the key in their own way, with tests of their own (test_live, tests/doors/mcp);
# and files that hold nothing of anybody's (tests/doors/web).
OF_THEIR_OWN = frozenset({"/ws/events", "/mcp", "/page"})


class Way(NamedTuple):
    scope: Scope
    body: Any = None
    parameters: dict[str, str] = {}  # noqa: RUF012  (never changed)
    content: bytes | None = None


ASK, REVIEW = Way(Scope.READ), Way(Scope.REVIEW)
QUESTION = {"question": "预算 budget"}

_BASE = "/v1/knowledge/{base}"

_AT = {"chapter": 1, "scene": 1}
_ASKED_AT = {"chapter": "1", "scene": "1"}
_THREAD = made_id("river", "thread", Point(1, 1), "谁？")

WAYS: dict[tuple[str, str], Way] = {
    ("POST", "/v1/recall"): Way(Scope.READ, QUESTION),
    ("GET", "/v1/recall"): Way(Scope.READ, parameters={"q": "预算"}),
    ("POST", "/v1/search"): Way(Scope.READ, QUESTION),
    ("POST", "/v1/context"): Way(Scope.READ, QUESTION),
    ("POST", "/v1/memories"): Way(Scope.WRITE, {"text": "新的 new"}),
    ("POST", "/v1/memories/batch"): Way(Scope.WRITE, {"memories": [{"text": "新的 new"}]}),
    ("GET", "/v1/memories"): ASK,
    ("GET", "/v1/memories/{memory_id}"): ASK,
    ("GET", "/v1/memories/{memory_id}/history"): ASK,
    ("POST", "/v1/memories/{memory_id}/reinforce"): Way(Scope.WRITE, {}),
    ("POST", "/v1/memories/{memory_id}/why-not"): Way(Scope.READ, QUESTION),
    ("PATCH", "/v1/memories/{memory_id}"): Way(Scope.WRITE, {"text": "改了 changed"}),
    ("DELETE", "/v1/memories/{memory_id}"): Way(Scope.WRITE),
    ("POST", "/v1/offers"): Way(Scope.OFFER, {"text": "听说 heard"}),
    ("GET", "/v1/offers"): REVIEW,
    ("GET", "/v1/offers/{offer_id}"): REVIEW,
    ("POST", "/v1/offers/promote"): Way(Scope.REVIEW, {"ids": ["OFFER"]}),
    ("POST", "/v1/offers/reject"): Way(Scope.REVIEW, {"ids": ["OFFER"]}),
    ("POST", "/v1/offers/restore"): Way(Scope.REVIEW, {"ids": ["OFFER"]}),
    ("POST", "/v1/offers/{offer_id}/undo"): REVIEW,
    ("PUT", "/v1/story/{project}/cast"): Way(Scope.WRITE, {"characters": [{"name": "林婉"}]}),
    ("GET", "/v1/story/{project}/cast"): ASK,
    ("POST", "/v1/story/{project}/scenes"): Way(Scope.WRITE, {**_AT, "text": "林婉来了 came"}),
    ("POST", "/v1/story/{project}/chapters"): Way(Scope.WRITE, {"chapter": 2, "text": "雨 rain"}),
    ("POST", "/v1/story/{project}/context"): Way(Scope.READ, {"chapter": 2, "scene": 1}),
    ("POST", "/v1/story/{project}/search"): Way(Scope.READ, {"query": "雨 rain"}),
    ("GET", "/v1/story/{project}/state"): Way(
        Scope.READ, parameters={**_ASKED_AT, "entity": "林婉"}
    ),
    ("GET", "/v1/story/{project}/states"): Way(Scope.READ, parameters=_ASKED_AT),
    ("POST", "/v1/story/{project}/states"): Way(
        Scope.WRITE, {**_AT, "entity": "林婉", "facts": {"arm": "伤"}}
    ),
    ("GET", "/v1/story/{project}/timeline"): Way(Scope.READ, parameters=_ASKED_AT),
    ("GET", "/v1/story/{project}/threads"): ASK,
    ("POST", "/v1/story/{project}/threads"): Way(Scope.WRITE, {**_AT, "text": "谁？"}),
    ("POST", "/v1/story/{project}/threads/close"): Way(Scope.WRITE, {**_AT, "id": _THREAD}),
    ("POST", "/v1/story/{project}/move"): Way(Scope.WRITE, {"chapter": 2, "to_chapter": 7}),
    ("DELETE", "/v1/story/{project}/scenes"): Way(Scope.WRITE, parameters=_ASKED_AT),
    ("GET", "/v1/caller"): ASK,
    ("GET", "/v1/knowledge"): ASK,
    ("POST", f"{_BASE}/documents"): Way(
        Scope.WRITE, parameters={"name": "新.md"}, content="# 新\nnew".encode()
    ),
    ("GET", f"{_BASE}/documents"): ASK,
    ("GET", f"{_BASE}/documents/{{document}}"): ASK,
    ("PUT", f"{_BASE}/documents/{{document}}"): Way(Scope.WRITE, content=b"# Guide\nanother"),
    ("POST", f"{_BASE}/documents/{{document}}/disable"): Way(Scope.WRITE),
    ("POST", f"{_BASE}/documents/{{document}}/enable"): Way(Scope.WRITE),
    ("DELETE", f"{_BASE}/documents/{{document}}"): Way(Scope.WRITE),
    ("POST", f"{_BASE}/faq"): Way(Scope.WRITE, {"question": "新问题？", "answers": ["新 new"]}),
    ("POST", f"{_BASE}/faq/import"): Way(Scope.WRITE, content="问题,答案\n几点？,十点\n".encode()),
    ("GET", f"{_BASE}/faq"): ASK,
    ("GET", f"{_BASE}/faq/{{entry}}"): ASK,
    ("POST", f"{_BASE}/faq/{{entry}}/disable"): Way(Scope.WRITE),
    ("POST", f"{_BASE}/faq/{{entry}}/enable"): Way(Scope.WRITE),
    ("DELETE", f"{_BASE}/faq/{{entry}}"): Way(Scope.WRITE),
    ("POST", f"{_BASE}/search"): Way(Scope.READ, {"query_text": "预算 budget"}),
    ("POST", f"{_BASE}/ask"): Way(Scope.READ, {"query_text": "预算 budget"}),
    ("GET", "/v1/working"): ASK,
    ("GET", "/v1/digest"): REVIEW,
    ("POST", "/v1/digest/apply"): Way(Scope.REVIEW, {}),
    ("GET", "/v1/sources"): Way(Scope.REVIEW, parameters={"source": "网页"}),
    ("POST", "/v1/rollback"): Way(Scope.REVIEW, {"source": "网页"}),
    ("GET", "/v1/events"): ASK,
    ("GET", "/v1/events/stream"): ASK,
    ("GET", "/v1/export"): Way(Scope.ADMIN),
    ("POST", "/v1/import"): Way(Scope.ADMIN, content=b'{"text": "imported"}\n'),
    ("GET", "/v1/status"): ASK,
    ("GET", "/v1/spaces"): ASK,
    ("DELETE", "/v1/spaces/{space}"): Way(Scope.ADMIN),
    ("GET", "/v1/presets"): ASK,
    ("GET", "/v1/settings"): Way(Scope.ADMIN),
    ("PUT", "/v1/settings"): Way(Scope.ADMIN, {"name": "floor", "value": 0.2}),
    ("GET", "/v1/doctor"): Way(Scope.ADMIN),
    ("POST", "/v1/reindex"): Way(Scope.ADMIN, {}),
    ("GET", "/metrics"): ASK,
}


def ways_of(app: FastAPI) -> set[tuple[str, str]]:
    """Every way into the application, as its routes say."""
    found: set[tuple[str, str]] = set()
    for route in app.routes:
        path = getattr(route, "path_format", "") if isinstance(route, APIRoute) else ""
        path = path or getattr(route, "path", "")
        if path in OF_THEIR_OWN:
            continue
        methods: set[str] = getattr(route, "methods", None) or {"?"}
        found |= {(method, path) for method in methods if method != "HEAD"}
    return found
