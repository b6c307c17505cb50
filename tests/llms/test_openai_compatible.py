"""The client, against a real server on a local port that speaks `/chat/completions`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from bethink.errors import LLMError
from bethink.llms.loading import llm_named
from bethink.llms.openai_compatible import OpenAICompatibleLLM
from bethink.settings import Settings
from tests.embedders.serving import Reply, Request, Server, server_at
from tests.llms.chatting import say

KEY = "sk-Very-Secret-0123456789"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.fixture
def server() -> Iterator[Server]:
    with server_at("/v1", lambda request: say('{"a": "好"}')) as one:
        yield one


@pytest.fixture
def llm(server: Server) -> Iterator[OpenAICompatibleLLM]:
    one = OpenAICompatibleLLM("small", endpoint=server.address, key=f" {KEY}\n")
    yield one
    one.close()


def ask(llm: OpenAICompatibleLLM, *, schema: Any = None, seconds: float = 20.0) -> str:
    return llm.complete("Do 这个.", "data \ud800 数据", schema=schema, seconds=seconds)


def test_what_is_sent(server: Server, llm: OpenAICompatibleLLM) -> None:
    assert ask(llm, schema=SCHEMA) == '{"a": "好"}'
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Do 这个."},
            {"role": "user", "content": "data ? 数据"},
        ],
        "temperature": 0,
        "max_tokens": 1000,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        },
    }


def test_plain_text_needs_no_form(server: Server, llm: OpenAICompatibleLLM) -> None:
    ask(llm)
    assert "response_format" not in server.requests[0].json


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_knows_no_schemas_is_asked_without(
    server: Server, llm: OpenAICompatibleLLM, status: int
) -> None:
    def answer(request: Request) -> Reply:
        if "response_format" in request.json:
            return Reply(status, b"unknown field response_format")
        return say("{}")

    server.answer = answer
    assert ask(llm, schema=SCHEMA) == "{}"
    assert len(server.requests) == 2
    assert ask(llm, schema=SCHEMA) == "{}"
    assert len(server.requests) == 3  # it is remembered


def test_a_busy_server_is_asked_again(server: Server, llm: OpenAICompatibleLLM) -> None:
    server.busy_until_the_third(503, say("done"))
    assert ask(llm) == "done"
    assert len(server.requests) == 3


def test_it_gives_up_and_says_why(server: Server, llm: OpenAICompatibleLLM) -> None:
    server.answer = lambda request: Reply(503, "打烊了".encode(), {"retry-after": "0"})
    with pytest.raises(LLMError, match="cannot be used: it answered 503: 打烊了"):
        ask(llm)
    assert len(server.requests) == 3


def test_no_waiting_beyond_the_time_that_is_left(server: Server, llm: OpenAICompatibleLLM) -> None:
    server.answer = lambda request: Reply(429, b"slow down", {"retry-after": "3600"})
    with pytest.raises(LLMError, match="429"):
        ask(llm, seconds=30)
    assert len(server.requests) == 1


def test_no_time_no_question(server: Server, llm: OpenAICompatibleLLM) -> None:
    with pytest.raises(LLMError, match="there was no time left"):
        ask(llm, seconds=0)
    assert server.requests == []


def test_a_silent_server_is_left(server: Server, llm: OpenAICompatibleLLM) -> None:
    done = threading.Event()

    def answer(request: Request) -> Reply:
        done.wait(20)
        return say("too late")

    server.answer = lambda request: Reply(401, b"")
    with pytest.raises(LLMError, match="401"):
        ask(llm)  # so that loading the client is not part of the time below
    server.answer = answer
    with pytest.raises(LLMError, match="ReadTimeout"):
        ask(llm, seconds=0.5)
    done.set()


@pytest.mark.parametrize("status", [401, 403, 404, 301])
def test_what_will_not_change_is_not_asked_again(
    server: Server, llm: OpenAICompatibleLLM, status: int
) -> None:
    server.refuse(status, KEY)
    with pytest.raises(LLMError, match=f"answered {status}") as caught:
        ask(llm)
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"\xff", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{}]}',
     b'{"choices": [{"message": {"content": null}}]}', b'{"choices": {"0": 1}}',
     b'{"choices": [{"message": {"content": " "}}]}', b"[" * 100_000],
)  # fmt: skip
def test_nonsense_is_refused(server: Server, llm: OpenAICompatibleLLM, body: bytes) -> None:
    server.answer = lambda request: Reply(body=body)
    with pytest.raises(LLMError, match="it sent no text; is it a chat completions API"):
        ask(llm)


def test_a_flood_is_cut_off(server: Server, llm: OpenAICompatibleLLM) -> None:
    server.answer = lambda request: Reply(body=b" " * 3_000_000)
    with pytest.raises(LLMError, match="more than 1,000,000 bytes"):
        ask(llm)


def test_nobody_there() -> None:
    llm = OpenAICompatibleLLM("m", endpoint="http://me:pass-word@127.0.0.1:1/v1", key=KEY)
    with pytest.raises(LLMError, match="ConnectError") as caught:
        ask(llm)
    llm.close()
    for secret in (KEY, "pass-word"):
        assert secret not in str(caught.value)


@pytest.mark.parametrize("endpoint", ["not an address", "ftp://x/v1", "//x"])
def test_a_bad_address(endpoint: str) -> None:
    llm = OpenAICompatibleLLM("m", endpoint=endpoint)
    with pytest.raises(LLMError, match="bethink config set llm_endpoint URL"):
        ask(llm)
    llm.close()


def test_a_bad_key() -> None:
    with pytest.raises(LLMError, match="bethink config set llm_endpoint_key") as caught:
        OpenAICompatibleLLM("m", endpoint="http://x", key=f"{KEY}钥")
    assert KEY not in str(caught.value)


def test_the_key_is_never_shown(llm: OpenAICompatibleLLM) -> None:
    assert KEY not in repr(llm) + str(llm) + llm.name


def test_a_missing_extra_is_named(
    llm: OpenAICompatibleLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(LLMError, match=r"pip install 'bethink\[http\]'"):
        ask(llm)


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"llm_endpoint": "{}", "llm_endpoint_key": "llm-key"}, "Bearer llm-key"),
        ({"endpoint": "{}", "endpoint_key": "its-key"}, "Bearer its-key"),
        # a key of one address is never sent to another
        ({"llm_endpoint": "{}", "endpoint": "http://x", "endpoint_key": "its-key"}, None),
        ({"endpoint": "{}", "llm_endpoint_key": "llm-key"}, None),
    ],
)
def test_which_address_gets_which_key(
    server: Server, settings: dict[str, str], key: str | None
) -> None:
    filled: Any = {name: value.format(server.address) for name, value in settings.items()}
    llm = llm_named("openai:small", Settings(**filled))
    assert isinstance(llm, OpenAICompatibleLLM)
    assert ask(llm)
    llm.close()
    assert server.requests[0].headers.get("authorization") == key
