"""MCP in the server: real uvicorn, the official client, keys, tenants, sessions."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from bethink.access.reception import Reception
from bethink.doors.http.app import create_app
from bethink.doors.http.limits import MOST_BYTES
from bethink.settings import Settings
from tests.doors.mcp.asking import LONG, MODES, environment, over_http, run, served

Key = Callable[..., str]


@pytest.fixture
def reception(tmp_path: Path) -> Reception:
    return Reception(Settings(store=str(tmp_path / "m.db"), embedder="hashing"))


@pytest.fixture
def key(reception: Reception) -> Key:
    def make(*scopes: str, **options: Any) -> str:
        made = reception.create_key(name="测试", scopes=scopes or ("admin",), **options)
        return made.key

    return make


@pytest.fixture
def url(reception: Reception, key: Key) -> Iterator[str]:
    key()  # so that the server is not open
    with served(create_app(reception)) as address:
        yield address


@pytest.mark.parametrize("mode", MODES)
def test_the_same_tools_with_a_key(url: str, key: Key, mode: str) -> None:
    mine = key("read", "write")

    async def body() -> None:
        async with over_http(url, mine, mode) as ask:
            told = (await ask("remember", text="Mei prefers dark mode. 小美喜欢深色主题。")).data
            for question in ("which theme does Mei like?", "小美喜欢什么主题？"):
                assert (await ask("recall", question=question)).data["hits"][0]["id"] == told["id"]
            assert (await ask("status")).data["may"] == ["read", "offer", "write"]
            assert (await ask("forget", id=told["id"])).data["action"] == "forgotten"
            asked = (await ask("recall", question="主题 theme " * 10_000)).data
            assert "its middle was not read" in asked["reasons"][0]
            prompt = await ask.client.get_prompt("use_memory", {"language": "zh"})
            assert "recall" in str(prompt.messages[0].content)

    run(body)


def posted(url: str, message: object, **headers: str) -> httpx2.Response:
    ready = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return httpx2.post(url, content=body, headers={**ready, **headers}, timeout=60)


def hello(version: str = "2025-06-18") -> dict[str, Any]:
    about = {"name": "by hand", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": about}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def opened(url: str, key: str) -> str:
    answer = posted(url, hello(), **bearer(key))
    assert answer.status_code == 200, answer.text
    return answer.headers["mcp-session-id"]


def test_no_key_no_answer(url: str, key: Key, reception: Reception) -> None:
    revoked = key("read")
    reception.revoke_key(revoked.split("_")[1])
    wrong = key("read")[:-4] + "0000"
    for headers in ({}, bearer(revoked), bearer(wrong), bearer("nonsense"), {"Authorization": "x"}):
        for method in ("POST", "GET", "DELETE"):
            answer = httpx2.request(method, url, headers=headers, json=hello())
            assert answer.status_code == 401, (headers, method)
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["code"] == "unauthorised"


def test_a_key_that_is_revoked_ends_its_session(url: str, key: Key, reception: Reception) -> None:
    mine = key("read")
    session = opened(url, mine)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert posted(url, ping, **bearer(mine), **{"mcp-session-id": session}).status_code == 200
    reception.revoke_key(mine.split("_")[1])
    assert posted(url, ping, **bearer(mine), **{"mcp-session-id": session}).status_code == 401


def test_a_session_is_nobody_elses(url: str, key: Key) -> None:
    mine, other = key("admin"), key("admin")
    session = {"mcp-session-id": opened(url, mine)}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    made_up = {"mcp-session-id": "0" * 32}
    refused = posted(url, ping, **bearer(other), **session)
    unknown = posted(url, ping, **bearer(other), **made_up)
    assert refused.status_code == unknown.status_code == 404
    assert refused.text == unknown.text  # nor can one learn that it is there
    for method in ("GET", "DELETE"):
        taken = httpx2.request(
            method, url, headers={**bearer(other), **session, "Accept": "text/event-stream"}
        )
        assert taken.status_code == 404
    assert posted(url, ping, **bearer(mine), **session).status_code == 200


def test_the_caller_is_that_of_the_request(url: str, key: Key) -> None:
    """Not that of whoever spoke before: two keys take turns, in two tenants."""
    first, second = key("admin"), key("admin", spaces=["work"])

    async def body() -> None:
        async with over_http(url, first) as mine, over_http(url, second) as theirs:
            for n in range(5):
                await mine("remember", text=f"CANARY number {n} 金丝雀", space="home")
                await theirs("remember", text=f"work item {n} 工作", space="work")
                assert (await theirs("status")).data["memories"] == n + 1
                assert (await mine("status")).data["memories"] == 2 * (n + 1)
            seen = [
                (await theirs("recall", question="CANARY 金丝雀")).text,
                (await theirs("recall", question="CANARY", spaces=["home"])).text,
                (await theirs("recent")).text,
                str(await theirs.client.list_resources()),
            ]
            assert "CANARY number" not in "".join(seen)
            assert "金丝雀" not in "".join(seen)

    run(body)


def test_tenants_are_apart(url: str, key: Key, reception: Reception) -> None:
    reception.create_tenant("acme")
    ours, theirs = key("admin"), key("admin", tenant="acme")

    async def body() -> None:
        async with over_http(url, ours) as here, over_http(url, theirs) as there:
            kept = (await here("remember", text="Our canary sings. 金丝雀在唱歌。")).data
            assert (await there("status")).data["memories"] == 0
            assert (await there("get", id=kept["id"])).error["code"] == "not_found"
            assert (await there("forget", id=kept["id"])).error["code"] == "not_found"
            assert (await there("recall", question="canary 金丝雀")).data["hits"] == []
            with pytest.raises(MCPError) as refused:
                await there.client.read_resource(f"memory://global/{kept['id']}")
            assert refused.value.code == types.INVALID_PARAMS
            assert (await here("get", id=kept["id"])).data["text"].startswith("Our canary")

    run(body)


def test_scopes_say_what_is_listed_and_done(url: str, key: Key) -> None:
    reading = {"recall", "get", "recent", "status", "context", "search", "fetch"}

    async def body() -> None:
        async with over_http(url, key("write")) as writer:
            assert await writer.names() == {"remember", "revise", "forget"}
            kept = (await writer("remember", text="写下的 written")).data
            assert (await writer("recall", question="written")).error["code"] == "forbidden"
            assert (await writer.client.list_resources()).resources == []
            with pytest.raises(MCPError, match="no scope 'read'"):
                await writer.client.read_resource("memory://spaces")
        async with over_http(url, key("read")) as reader:
            assert await reader.names() == reading
            assert (await reader("forget", id=kept["id"])).error["code"] == "forbidden"
            assert (await reader("remember", text="x")).error["code"] == "forbidden"
        async with over_http(url, key("review")) as reviewer:
            assert await reviewer.names() == set()

    run(body)


def test_who_may_only_offer_offers(url: str, key: Key) -> None:
    async def body() -> None:
        async with over_http(url, key("offer")) as agent, over_http(url, key()) as admin:
            assert await agent.names() == {"remember"}
            said = (await agent("remember", text=LONG, source="mail 邮件")).data
            assert (said["action"], said["tier"], said["decision"]) == (
                "offered",
                "working",
                "admitted",
            )
            assert "a person decides" in said["notes"][0]
            assert (await admin("status")).data["memories"] == 0  # nothing of it is long-term
            found = (await admin("recall", question="预算会议 budget meetings")).data
            assert all(hit["verified"] is False for hit in found["hits"])
            short = (await agent("remember", text="too short 太短")).data
            assert (short["tier"], short["decision"]) == ("quarantine", "ignored")
            assert "kept apart" in short["notes"][0]
            refused = await agent("remember", text=LONG, supersedes="x")
            assert refused.error["code"] == "invalid_input"

    run(body)


def test_the_rate_is_that_of_the_key(url: str, key: Key) -> None:
    few, many = key("read", per_minute=3), key("read")
    session = {"mcp-session-id": opened(url, few)}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    answers = [posted(url, ping, **bearer(few), **session) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0
    assert "too many requests" in answers[-1].json()["detail"]
    opened(url, many)


def test_other_sites_are_turned_away(url: str, key: Key) -> None:
    mine = bearer(key())
    port = url.split(":")[2].split("/")[0]
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"Host": f"evil.example:{port}"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"http://127.0.0.1:{port}"}, 200),
    ):
        assert posted(url, hello(), **mine, **headers).status_code == status, headers


def test_malformed_requests_hurt_nobody(url: str, key: Key) -> None:
    mine = key()
    session = {"mcp-session-id": opened(url, mine)}
    everything = {**bearer(mine), **session}
    for broken in (
        b"{",
        b"",
        b"nonsense \xff\xfe",
        b"[]",
        b"null",
        b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 12, "method": "tools/call", "params": '
        b'{"name": "remember", "arguments": {"text": "half \\ud800"}}}',
        b"[" * 100_000,
        b'"' + b"x" * 5_000_000 + b'"',
    ):
        answer = posted(url, broken, **everything)
        assert answer.status_code < 500, (broken[:40], answer.status_code, answer.text)
        assert posted(url, {"jsonrpc": "2.0", "id": 2, "method": "ping"}, **everything).text
    for odd in ({"Content-Type": "text/plain"}, {"Accept": "image/png"}):
        assert 400 <= posted(url, hello(), **bearer(mine), **odd).status_code < 500
    assert posted(url, hello(), **bearer(mine), **{"mcp-protocol-version": "1"}).status_code == 400
    opened(url, mine)


def test_what_is_too_large_is_a_problem_like_any_other(url: str, key: Key) -> None:
    mine = key()
    large = b'"' + b"x" * MOST_BYTES + b'"'
    for content in (large, iter([large[:5_000_000], large[5_000_000:]])):  # and without its length
        headers = {"Content-Type": "application/json", "Accept": "*/*", **bearer(mine)}
        answer = httpx2.post(url, content=content, headers=headers, timeout=60)
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["code"] == "too_large"
    opened(url, mine)


def test_sessions_of_one_key_do_not_take_everybodys_room(url: str, key: Key) -> None:
    greedy, other = key("read"), key("read")
    sessions = [opened(url, greedy) for _ in range(200)]
    refused = posted(url, hello(), **bearer(greedy))
    assert refused.status_code == 429
    assert refused.json()["code"] == "too_many_sessions"
    assert int(refused.headers["Retry-After"]) > 0
    opened(url, other)
    headers = {**bearer(greedy), "mcp-session-id": sessions[0]}
    assert httpx2.delete(url, headers=headers).status_code == 200
    opened(url, greedy)


def test_a_question_that_is_given_up_stops_nobody(url: str, key: Key) -> None:
    mine = key()

    async def body() -> None:
        async with over_http(url, mine) as ask:
            await ask("remember", text="It stays. 它还在。")
            for _ in range(10):
                with anyio.move_on_after(0.001):
                    await ask("recall", question="does it stay? 还在吗")
            assert (await ask("recall", question="stays 它还在")).data["hits"]

    run(body)


def test_many_at_once_and_large(url: str, key: Key) -> None:
    mine = key()
    text = "很长的一段话 a long passage\n" * 20_000

    async def body() -> None:
        async with over_http(url, mine) as ask:
            kept = (await ask("remember", text=text)).data
            found: list[str] = []

            async def get() -> None:
                found.append((await ask("get", id=kept["id"])).data["text"])

            async with anyio.create_task_group() as all_at_once:
                for _ in range(8):
                    all_at_once.start_soon(get)
            assert [one.split() for one in found] == [text.split()] * 8

    run(body)


def test_the_server_ends_while_a_client_listens(tmp_path: Path) -> None:
    """Through the command itself: it is what ends streams when it is told to stop."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    program = ["-m", "bethink.doors.cli.main", "serve", "--port", str(port)]
    with subprocess.Popen(
        [sys.executable, *program], env=environment(tmp_path / "m.db"), stderr=subprocess.PIPE
    ) as process:
        until_it_answers(url, process)
        session = posted(url, hello()).headers["mcp-session-id"]
        headers = {"mcp-session-id": session, "Accept": "text/event-stream"}
        with httpx2.stream("GET", url, headers=headers, timeout=60) as stream:
            assert stream.status_code == 200
            process.terminate()
            for _ in stream.iter_raw():
                pass  # until it ends; a hang is ended by the timeout
        assert process.wait(60) in (0, -15)
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    while True:
        assert process.poll() is None
        try:
            httpx2.get(url.replace("/mcp", "/health/live"), timeout=60)
        except httpx2.ConnectError:
            time.sleep(0.05)
        else:
            return


def test_what_was_done_is_in_the_audit_trail(url: str, key: Key, reception: Reception) -> None:
    mine = key("write")

    async def body() -> None:
        async with over_http(url, mine) as ask:
            await ask("remember", text="secret words 秘密", id="chosen")

    run(body)
    with reception.desk(reception.caller(key(), door="test")) as desk:
        assert desk.get("chosen")["text"] == "secret words 秘密"
    noted = [str(entry) for entry in reception.audit.list()]
    assert any("remember" in line and "chosen" in line and "mcp" in line for line in noted)
    assert "secret words" not in "".join(noted)


def test_open_without_keys_on_this_machine(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "open.db"), embedder="hashing")

    async def body() -> None:
        async with over_http(address) as ask:
            assert (await ask("remember", text="open door 开着的门")).data["action"] == "created"

    with served(create_app(Reception(settings, open_to_all=True))) as address:
        run(body)
