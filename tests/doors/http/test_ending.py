"""`bethink serve` in a process of its own: it starts with one command, and ends without losing
what it acknowledged."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from bethink import Engine
from bethink.doors.http.serving import listen
from bethink.settings import Settings
from bethink.testing import working
from tests.doors.http.served import LONG
from tests.doors.running import process


class Running:
    def __init__(self, store: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bethink.doors.cli.main", "serve", "--port", "0", *arguments],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "BETHINK_STORE": str(store),
                "BETHINK_EMBEDDER": "hashing",
                "PYTHONUNBUFFERED": "1",
            },
        )
        self.said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.decode())
            if found := re.search(rb"(http://\S+)", line):
                self.address = found[1].decode()
                return
        raise AssertionError(f"it did not start: {''.join(self.said)}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        self.process.communicate(timeout=60)
        return self.process.returncode


@contextmanager
def running(store: Path, *arguments: str) -> Iterator[Running]:
    one = Running(store, *arguments)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def kept(store: Path) -> set[str]:
    with Engine(store, settings=Settings(store=str(store), embedder="hashing")) as engine:
        return {record["text"] for record in engine.export()}


def test_one_command_and_no_configuration(tmp_path: Path) -> None:
    with running(tmp_path / "m.db") as server:
        assert "OPEN" in "".join(server.said)
        assert server.address.startswith("http://127.0.0.1:")
        client = httpx.Client(base_url=server.address)
        assert client.post("/v1/memories", json={"text": "一条命令 one command"}).status_code == 201
        hits = client.get("/v1/recall", params={"q": "一条命令"}).json()["hits"]
        assert hits[0]["text"] == "一条命令 one command"
        client.close()
        assert server.stop() == 0
    assert kept(tmp_path / "m.db") == {"一条命令 one command"}


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_was_acknowledged_is_there(tmp_path: Path, how: signal.Signals) -> None:
    store = tmp_path / "m.db"
    acknowledged: list[str] = []
    enough, stopping = threading.Event(), threading.Event()

    def write(writer: int) -> None:
        with httpx.Client(base_url=server.address, timeout=30) as client:
            for number in range(10_000):
                text = f"第{number}条 of writer {writer}"
                try:
                    answer = client.post("/v1/memories", json={"text": text})
                except httpx.TransportError:
                    assert stopping.is_set()  # it goes down: nothing was acknowledged
                    return
                assert answer.status_code == 201
                acknowledged.append(text)
                if len(acknowledged) > 60:
                    enough.set()

    with running(store) as server, working(write, range(4)):
        assert enough.wait(60)
        stopping.set()
        assert server.stop(how) == 0
    there = kept(store)
    assert set(acknowledged) <= there
    assert len(there) <= len(acknowledged) + 4  # one more of each, whose answer did not arrive
    checked = process("doctor", "--json", store=store)
    assert checked.returncode == 0, checked.stdout


def test_a_killed_server_loses_nothing_acknowledged(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    with running(store) as server:
        client = httpx.Client(base_url=server.address)
        texts = [f"第{number}条 note" for number in range(20)]
        for text in texts:
            assert client.post("/v1/memories", json={"text": text}).status_code == 201
        client.close()
        server.process.kill()
        server.process.communicate()
    assert kept(store) == set(texts)


def test_listeners_do_not_hold_it_up(tmp_path: Path) -> None:
    """A stream would last for ever, and the server waits half a minute for requests: it ends long
    before that, and tells the listeners."""
    with running(tmp_path / "m.db") as server:
        client = httpx.Client(base_url=server.address, timeout=60)

        def listen(after: int) -> list[str]:
            with client.stream("GET", "/v1/events/stream", params={"after": after}) as stream:
                return list(stream.iter_lines())

        with (
            working(listen, [0], within=30) as listener,
            connect(server.address.replace("http", "ws") + "/ws/events") as watching,
        ):
            watching.send('{"after": 0}')
            httpx.post(f"{server.address}/v1/offers", json={"text": LONG})
            assert json.loads(watching.recv(timeout=30))["kind"] == "tier_change"
            assert server.stop() == 0
            with pytest.raises(ConnectionClosed) as closed:
                watching.recv(timeout=30)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code in (1001, 1012)
        (ended,) = listener.answers()
        assert any(line.startswith("id: ") for line in ended)
        client.close()


def test_with_keys_it_is_closed(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    made = process("keys", "create", "小美", "--scope", "admin", store=store)
    assert made.returncode == 0, made.stderr
    key = json.loads(made.stdout)["key"]
    with running(store, "--host", "0.0.0.0", "--allow-host", "memory.example.org") as server:
        assert "OPEN" not in "".join(server.said)
        address = server.address.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{address}/v1/status").status_code == 401
        bearer = {"Authorization": f"Bearer {key}", "Host": "memory.example.org"}
        assert httpx.get(f"{address}/v1/status", headers=bearer).status_code == 200
        assert server.stop() == 0
    with running(store, "--no-keys") as server:
        assert "OPEN (--no-keys)" in "".join(server.said)
        assert httpx.get(f"{server.address}/v1/status").status_code == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--host", "0.0.0.0"), "bethink keys create"),
        (("--host", "::"), "bethink keys create"),
        (("--host", "0.0.0.0", "--no-keys"), "--no-keys is for this machine only"),
        (("--host", "nowhere.invalid"), ""),
        (("--port", "99999"), "--port"),
        (("--host", "127.0.0.1", "--port", "TAKEN"), "--port"),
    ],
)
def test_where_it_will_not_start(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = process(
            "serve", *(one.replace("TAKEN", port) for one in arguments), store=tmp_path / "m.db"
        )
    assert ran.returncode == 2, ran.stderr
    assert words in json.loads(ran.stderr.splitlines()[-1])["error"]["message"]


def test_on_the_other_loopback(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:  # no IPv6 on this machine: then that is said
        ran = process("serve", "--host", "::1", "--port", "0", store=tmp_path / "m.db")
        assert ran.returncode == 2
        assert b"::1" in ran.stderr
        return
    with running(tmp_path / "m.db", "--host", "::1") as server:
        assert server.address.startswith("http://[::1]:")
        assert httpx.get(f"{server.address}/version").status_code == 200


def test_answers_are_sent_at_once() -> None:
    """asyncio switches Nagle's delay off only for sockets that say that they are TCP."""
    with listen("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_without_the_optional_part_it_says_which(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "for name in ('fastapi', 'starlette', 'uvicorn', 'prometheus_client'):\n"
        "    sys.modules[name] = None\n"  # as if it were not installed
        "from bethink.doors.cli.main import main\n"
        "sys.exit(main(['serve', '--port', '0']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        env={**os.environ, "BETHINK_STORE": str(tmp_path / "m.db")},
    )
    assert ran.returncode == 7, ran.stderr
    assert b"bethink[server]" in ran.stderr
