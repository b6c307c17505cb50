"""MCP, by the official client: over HTTP with a key, or with a process over stdio."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from bethink.doors.mcp.data import DATA, excerpt, labelled
from bethink.text.tokens import count_tokens
from tests.scenarios.scenario import Json

TOOLS = {
    "recall": "recall",
    "context": "context",
    "remember": "remember",
    "offer": "remember",
    "get": "get",
    "revise": "revise",
    "forget": "forget",
    "list": "recent",
    "status": "status",
    "search_knowledge": "search_knowledge",
    "ask": "ask",
}
ARGUMENTS = {"parents": "made_from"}


class OverMcp:
    def __init__(
        self,
        portal: BlockingPortal,
        client: Client,
        helper: Callable[[str, Mapping[str, Json]], Json],
    ) -> None:
        self._portal = portal
        self._client = client
        self.help_out = helper

    def call(self, verb: str, given: Mapping[str, Json]) -> Json:
        sent = {ARGUMENTS.get(name, name): value for name, value in given.items()}
        if verb == "offer":
            sent["heard"] = True
        result = self._portal.call(self._client.call_tool, TOOLS[verb], sent)
        told = result.structured_content
        assert isinstance(told, dict) and result.is_error == ("error" in told), result
        (text,) = result.content
        said = getattr(text, "text", "")  # for clients that read text alone
        assert told["error"]["message"] == said if result.is_error else json.loads(said) == told
        return told


@contextmanager
def over_http(portal: BlockingPortal, address: str, key: str) -> Iterator[Client]:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30)
    client = Client(streamable_http_client(f"{address}/mcp", http_client=http))
    try:
        with portal.wrap_async_context_manager(client) as opened:
            yield opened
    finally:
        portal.call(http.aclose)


@contextmanager
def over_stdio(portal: BlockingPortal, process: StdioServerParameters) -> Iterator[Client]:
    with portal.wrap_async_context_manager(Client(process)) as opened:
        yield opened


# What a model reads: the answer of the others, with what this door adds and without what it leaves
# out, for every field costs tokens in every turn. Exactly this, and nothing else.

HIT = (
    "id", "space", "text", "score", "kind", "tags", "source", "tier", "verified", "contradicted_by",
    "occurred_at",
    "updated_at",
)  # fmt: skip
KEPT = (
    "id", "space", "text", "kind", "tags", "source", "occurred_at", "created_at", "updated_at",
)  # fmt: skip
OFFERED = ("id", "space", "tier", "decision", "reason")
CITED = (
    "number", "title", "heading", "address", "page", "unit", "memory_id", "document", "verified",
)  # fmt: skip
ANSWERED = ("answer", "by", "known", "uncited", "unsupported", "status", "reasons")
MAY = ["read", "offer", "write", "review", "admin"]


def as_models_see(verb: str, given: Mapping[str, Json], answer: Json) -> Json:
    if "error" in answer:
        return answer
    if verb == "recall":
        return _recalled(answer, explained=bool(given.get("explain")))
    if verb == "context":
        text = labelled(answer["text"], str(given.get("language", "en")))
        return {**answer, "text": text, "tokens": count_tokens(text)}
    if verb == "offer":
        return {name: answer[name] for name in OFFERED}
    if verb == "get":
        return {"notice": DATA, **answer, "verified": _verified(answer)}
    if verb == "list":
        memories = [_in_a_list(memory) for memory in answer["memories"]]
        rest = {"cursor": answer["cursor"], "reasons": answer["reasons"]}
        return {"notice": DATA, "memories": memories, **rest}
    if verb == "status":
        return {**answer, "may": MAY}
    if verb == "search_knowledge":
        return {
            "notice": DATA,
            "passages": [
                _cited(hit["citation"])
                | {"text": hit["text"], "match_types": hit["citation"]["match_types"]}
                for hit in answer["hits"]
            ],
            **{name: answer[name] for name in ("status", "reasons", "confidence", "tokens_used")},
        }
    if verb == "ask":
        cited = [_cited(one) for one in answer["citations"]]
        told = {name: answer[name] for name in ANSWERED}
        return {"notice": DATA, **told, "citations": cited}
    return answer


def as_offered(answer: Json) -> Json:
    """What `remember` says of what was only heard, without what it says of every write."""
    if "error" in answer:
        return answer
    assert answer["action"] == "offered" and not answer["embedded"] and not answer["passages"]
    assert len(answer["notes"]) == 1
    return {name: answer[name] for name in OFFERED}


def _recalled(answer: Json, *, explained: bool) -> Json:
    seen = {"notice": DATA, **{key: value for key, value in answer.items() if key != "query"}}
    if not explained:
        seen["hits"] = [_hit(hit) for hit in answer["hits"]]
        seen["nearest"] = answer["nearest"] and _hit(answer["nearest"])
    return seen


def _hit(hit: Mapping[str, Any]) -> Json:
    return {name: hit[name] for name in HIT}


def _cited(citation: Mapping[str, Any]) -> Json:
    return {name: citation[name] for name in CITED}


def _in_a_list(memory: Mapping[str, Any]) -> Json:
    text, more = excerpt(memory["text"])
    seen = {name: memory[name] for name in KEPT} | {"text": text, "verified": _verified(memory)}
    return seen | ({"part": True} if more else {})


def _verified(memory: Mapping[str, Any]) -> bool:
    return bool(memory["provenance"].get("trust") != "unverified")
