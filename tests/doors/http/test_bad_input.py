"""Whatever is sent, the answer says what is wrong and nothing breaks."""

from __future__ import annotations

import json
import socket

import httpx
import pytest
from starlette.responses import Response

from tests.doors.http.served import Served

MEMORY = "/v1/memories"
NAN, INFINITY = '{"text": "甲", "confidence": NaN}', '{"text": "甲", "confidence": 1e999}'


def problem(answer: httpx.Response, status: int, code: str, *words: str) -> None:
    told = answer.json()
    assert (answer.status_code, told["code"]) == (status, code), told
    assert answer.headers["content-type"] == "application/problem+json"
    for word in words:
        assert word in told["detail"], told["detail"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"text": 5}', "body.text"),
        ('{"text": ""}', "text"),
        ('{"text": "   \\n"}', "text"),
        ("{}", "body.text: it is needed"),
        ("[]", "JSON object"),
        ('"文字"', "JSON object"),
        ("null", "body"),
        ("", "a body is needed"),
        ("{", "no JSON"),
        ('{"text": "甲", "colour": 1}', "body.colour: there is no such field"),
        ('{"text": "甲", "provenance": {"trust": "verified"}}', "provenance"),
        ('{"text": "甲", "space": "../../etc"}', "space"),
        ('{"text": "甲", "id": "has space"}', "id"),
        ('{"text": "甲", "tags": "ui"}', "body.tags"),
        ('{"text": "甲", "confidence": 2}', "confidence"),
        ('{"text": "甲", "confidence": "0.5"}', "body.confidence"),
        (NAN, "confidence"),
        (INFINITY, "confidence"),
        ('{"text": "甲", "metadata": {"a": NaN}}', ""),
        ('{"text": "甲", "occurred_at": "gestern"}', "occurred_at"),
        ('{"text": "甲", "merge": "never"}', "merge"),
        ('{"text": "\\ud800"}', ""),
        ('{"text": "甲", "metadata": {"a": "\\udfff"}}', ""),
        ('{"text": "甲", "\\ud800": 1}', "body"),
        ('{"text": "甲", "tags": ["\\ud800"]}', ""),
    ],
)
@pytest.mark.parametrize("key", [None, "k1"])
def test_a_memory_that_cannot_be_taken(
    client: httpx.Client, body: str, words: str, key: str | None
) -> None:
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    answer = client.post(MEMORY, content=body, headers=headers)
    problem(answer, 422, "invalid_input", words)
    assert client.get(MEMORY).json()["memories"] == []


def test_deep_and_long_json(client: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    deep = '{"text": "甲", "metadata": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}"
    problem(client.post(MEMORY, content=deep, headers=headers), 400, "invalid_input", "JSON")
    digits = '{"text": "甲", "metadata": {"a": ' + "9" * 5_000 + "}}"
    assert client.post(MEMORY, content=digits, headers=headers).status_code in (400, 422)
    answer = client.post(MEMORY, content=b'{"text": "\xff\xfe"}', headers=headers)
    assert answer.status_code in (400, 422)
    assert client.get(MEMORY).json()["memories"] == []


def test_what_is_not_sent_as_json_says_so(client: httpx.Client) -> None:
    form = client.post(MEMORY, data={"text": "甲"})
    problem(form, 422, "invalid_input", "Content-Type")
    plain = client.post(
        MEMORY, content='{"text": "甲"}', headers={"Content-Type": "text/plain"}
    )  # what a page of another site could send without asking
    problem(plain, 422, "invalid_input", "Content-Type")


@pytest.mark.parametrize(
    "body",
    [
        {"question": ""},
        {"question": "预算", "limit": 0},
        {"question": "预算", "limit": 10**30},
        {"question": "预算", "budget": -1},
        {"question": "预算", "where": {"nobody": 1}},
        {"question": "预算", "where": {"kind": {"$or": [1]}}},
        {"question": "预算", "preset": "没有"},
        {"question": "预算", "spaces": []},
        {"question": "预算", "spaces": "work"},
        {"question": "预算", "as_of": "不久"},
        {"question": "预算", "deadline": -1},
        {"question": "预算", "floor": 3},
        {"question": "预算", "unverified_share": 7},
        {"question": "预算", "words": "yes"},
        {"question": ["预算"]},
        {"prompt": "预算"},
    ],
)
def test_a_question_that_cannot_be_asked(client: httpx.Client, body: object) -> None:
    assert client.post(MEMORY, json={"text": "预算会议"}).status_code == 201
    answer = client.post("/v1/recall", json=body)
    problem(answer, 422, answer.json()["code"])
    assert answer.json()["code"] in ("invalid_input", "invalid_filter")


def test_what_is_not_there(client: httpx.Client) -> None:
    problem(client.get("/v1/memories/没有"), 404, "not_found", "没有")
    problem(client.get("/v1/offers/没有"), 404, "not_found")
    problem(client.get("/v1/nothing"), 404, "not_found", "/docs")
    problem(client.get("/v1/memories/"), 404, "not_found")
    problem(client.put(MEMORY), 405, "method_not_allowed", "PUT")
    space = client.post("/v1/recall", json={"question": "预算", "spaces": ["没有"]})
    assert (space.status_code, space.json()["status"]) == (200, "empty")
    assert space.json()["reasons"] == ["nothing was remembered in the space '没有' yet"]
    problem(client.delete("/v1/spaces/没有"), 404, "unknown_space")


def test_an_id_that_is_taken(client: httpx.Client) -> None:
    assert client.post(MEMORY, json={"text": "甲", "id": "一"}).status_code == 201
    taken = client.post(MEMORY, json={"text": "B is another", "id": "一"})
    problem(taken, 409, "conflict", "一")


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        (MEMORY, {"limit": "many"}),
        (MEMORY, {"limit": "0"}),
        (MEMORY, {"limit": "9" * 40}),
        (MEMORY, {"cursor": "没有"}),
        (MEMORY, {"cursor": "-1"}),
        (MEMORY, {"cursor": "9" * 40}),
        (MEMORY, {"where": "{"}),
        (MEMORY, {"where": "[1]"}),
        (MEMORY, {"where": '{"kind": NaN}'}),
        (MEMORY, {"where": '{"confidence": {"gt": 1e999}}'}),
        (MEMORY, {"newest_first": "maybe"}),
        (MEMORY, {"spaces": "work"}),
        ("/v1/recall", {}),
        ("/v1/recall", {"q": "预算", "where": "{}"}),
        ("/v1/offers", {"decision": "没有"}),
        ("/v1/offers", {"cursor": "x"}),
        ("/v1/events", {"after": "-1"}),
        ("/v1/events", {"after": "x"}),
        ("/v1/events", {"limit": "1000000000"}),
        ("/v1/events/stream", {"after": "-1"}),
        ("/v1/events/stream", {"after": "999999"}),
        ("/v1/events/stream", {"after": "9" * 40}),
        ("/v1/working", {"limit": "0"}),
        ("/v1/sources", {}),
        ("/v1/settings", {"tenant": "other"}),
        ("/v1/status", {"space": "work"}),
    ],
)
def test_parameters_that_cannot_be(
    client: httpx.Client, path: str, parameters: dict[str, str]
) -> None:
    is_object = path == MEMORY and parameters.get("where", "").startswith('{"')
    code = "invalid_filter" if is_object else "invalid_input"
    problem(client.get(path, params=parameters), 422, code)


def test_events_after_one_that_never_was(client: httpx.Client) -> None:
    far = client.get("/v1/events", params={"after": str(2**70)})
    assert far.status_code in (200, 422)
    wrong = client.get("/v1/events/stream", headers={"Last-Event-ID": "yesterday"})
    problem(wrong, 422, "invalid_input", "Last-Event-ID")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{\n", "line 1"),
        (b'{"text": "\xe7\x94\xb2"}\n\n[1]\n', "line 3"),
        (b'{"id": "a", "text": 5}', "text"),
        (b"\xff\xfe", "line 1"),
        (b"[" * 100_000, "line 1"),
    ],
)
def test_an_import_that_cannot_be_taken(client: httpx.Client, body: bytes, words: str) -> None:
    problem(client.post("/v1/import", content=body), 422, "invalid_input", words)


def test_settings_that_cannot_be_set(client: httpx.Client) -> None:
    for body in (
        {"name": "store", "value": "/etc/passwd"},
        {"name": "endpoint", "value": "http://evil.example"},
        {"name": "floor", "value": "high"},
        {"name": "floor"},
        {"name": "floor", "value": float(7)},
    ):
        problem(client.put("/v1/settings", json=body), 422, "invalid_input")


def test_decisions_that_cannot_be_made(client: httpx.Client) -> None:
    assert client.post("/v1/offers/promote", json={"ids": ["没有"]}).status_code == 404
    assert client.post("/v1/offers/promote", json={"ids": []}).status_code in (200, 422)
    assert client.post("/v1/offers/没有/undo").status_code == 404
    problem(client.post("/v1/offers/reject", json={"ids": "x"}), 422, "invalid_input")


def test_bytes_that_are_no_http(served: Served) -> None:
    for rubbish in (
        b"\x00\xff" * 50 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        "你好\r\n\r\n".encode(),
    ):
        with socket.create_connection(("127.0.0.1", served.port)) as raw:
            raw.sendall(rubbish)
            assert b"200 OK" not in raw.recv(4096)
    assert served.client().get("/health/live").status_code == 200


def test_of_what_nobody_expected_only_its_number_is_told(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(request: object) -> Response:
        raise RuntimeError("secret /path/of/somebody")

    served.app.add_route("/v1/broken", broken)
    client = served.client()
    answer = client.get("/v1/broken")
    told = answer.json()
    assert (answer.status_code, told["code"]) == (500, "internal_error")
    assert "secret" not in json.dumps(told)
    assert told["request_id"] == answer.headers["x-request-id"]
    assert told["request_id"] in caplog.text
    assert "/path/of/somebody" in caplog.text  # for whoever runs the server
    assert client.get("/health/live").status_code == 200


@pytest.mark.parametrize("name", ["question", "query"])
def test_a_question_may_be_called_a_query(client: httpx.Client, name: str) -> None:
    client.post("/v1/memories", json={"text": "Mei prefers dark mode 小美喜欢深色"})
    for asked in (
        client.post("/v1/recall", json={name: "深色 dark mode", "match_count": 1, "floor": 0}),
        client.post("/v1/search", json={name: "深色 dark mode", "vector_threshold": -1}),
        client.get("/v1/recall", params={name: "深色 dark mode"}),
    ):
        assert asked.status_code == 200 and "小美" in asked.text
    twice = client.post("/v1/recall", json={"question": "x", "query": "y"})
    problem(twice, 422, "invalid_input", "query: the same as question")
    none = client.get("/v1/recall")
    problem(none, 422, "invalid_input", "q, question or query")
    wrong = client.post("/v1/knowledge/kb/search", json={name: "x", "limit": 0})
    problem(wrong, 422, "invalid_input", "limit: expected a whole number from 1")
