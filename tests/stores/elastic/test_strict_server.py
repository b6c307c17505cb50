"""The server of these tests refuses what is not documented; else they would prove nothing."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from bethink.stores.elastic.mapping import base_index, vectors_index
from tests.stores.elastic.strict_server import StrictServer

JSON = "application/json"
LINES = "application/x-ndjson"


def send(
    server: StrictServer, method: str, path: str, body: Any = None, kind: str = JSON
) -> tuple[int, str]:
    """The status and the type of the error."""
    content = body if isinstance(body, str) or body is None else json.dumps(body)
    answer = httpx.request(
        method,
        f"http://127.0.0.1:{server.port}{path}",
        content=content,
        headers={"Content-Type": kind} if body is not None else {},
    )
    told = answer.json()
    return answer.status_code, told["error"]["type"] if "error" in told else ""


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "/Upper", base_index(), 400),
        ("PUT", "/_hidden", base_index(), 405),
        ("PUT", "/x", {"mappings": {}, "nonsense": 1}, 400),
        ("GET", "/words/_search", None, 405),
        ("POST", "/nowhere/_search", {}, 404),
        ("POST", "/words/_search?unknown=1", {}, 400),
        ("POST", "/words/_search", {"sise": 3}, 400),
        ("POST", "/words/_search", {"size": 10_001}, 400),
        ("POST", "/words/_search", {"query": {"trem": {"space": "x"}}}, 400),
        ("POST", "/words/_search", {"query": {"term": {"space": {"valeu": "x"}}}}, 400),
        ("POST", "/words/_search", {"query": {"term": {"version": "x"}}}, 400),
        ("POST", "/words/_search", {"query": {"range": {"created_at": {"from": 1}}}}, 400),
        ("POST", "/words/_search", {"query": {"bool": {"must_nut": []}}}, 400),
        ("POST", "/words/_search", {"sort": [{"version": "asc"}]}, 400),
        ("POST", "/words/_search", {"aggs": {"a": {"summe": {"field": "length"}}}}, 400),
        ("POST", "/meaning/_search", {"knn": {"field": "vector", "query_vector": [1.0], "k": 1,
         "num_candidates": 1, "filter": {"match_all": {}}}}, 400),
        ("POST", "/words/_delete_by_query?conflicts=ignore", {"query": {"match_all": {}}}, 400),
        ("POST", "/words/_delete_by_query", {"querry": {"match_all": {}}}, 400),
        ("DELETE", "/wor*", None, 400),
    ],
)  # fmt: skip
def test_what_is_not_documented_is_refused(
    elastic: StrictServer, method: str, path: str, body: Any, status: int
) -> None:
    assert send(elastic, "PUT", "/words", base_index()) == (200, "")
    assert send(elastic, "PUT", "/meaning", vectors_index(2)) == (200, "")
    assert send(elastic, method, path, body)[0] == status
    assert send(elastic, "POST", "/words/_search", {"query": {"match_all": {}}}) == (200, "")


def test_lines_end_with_a_line_end_and_say_what_they_are(elastic: StrictServer) -> None:
    send(elastic, "PUT", "/words", base_index())
    action = json.dumps({"index": {"_index": "words", "_id": "1"}})
    document = json.dumps({"memory": "a", "space": "空间"})
    assert send(elastic, "POST", "/_bulk", f"{action}\n{document}", LINES)[0] == 400
    assert send(elastic, "POST", "/_bulk", f"{action}\n{document}\n", "text/plain")[0] == 406
    assert send(elastic, "POST", "/_bulk", f"{action}\n{document}\n", LINES) == (200, "")
    assert elastic.indexes["words"].searched() == []  # nobody asked for a refresh


def test_documents_are_held_to_the_mapping(elastic: StrictServer) -> None:
    send(elastic, "PUT", "/words", base_index())
    for document in ({"nobody": 1}, {"memory": 1}, {"created_at": 0.5}, {"confidence": True}):
        lines = [{"index": {"_index": "words", "_id": "1"}}, document]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        assert send(elastic, "POST", "/_bulk?refresh=true", text, LINES) == (200, "")
        assert elastic.indexes["words"].live == {}
