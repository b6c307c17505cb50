"""Live events: replayed from an id, then as they happen, for those who may see them; and nobody
hurts anybody else."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.doors.http.served import LONG, Served, served_on, until


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Served]:
    """One that looks often whether keys still hold, and waits some seconds for a greeting."""
    with served_on(
        tmp_path / "m.db", per_minute=1_000_000, look_seconds=0.1, greeting_seconds=3.0
    ) as served:
        yield served


@contextmanager
def watch(
    served: Served, greeting: object = None, key: str | None = None, **options: Any
) -> Iterator[ClientConnection]:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    with connect(
        served.socket_address, additional_headers=headers, open_timeout=30, **options
    ) as socket:
        socket.send(json.dumps(greeting or {}))
        yield socket


def told(socket: ClientConnection) -> dict[str, Any]:
    event = json.loads(socket.recv(timeout=30))
    assert isinstance(event, dict)
    return event


def closed(socket: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as ended:
        while True:
            socket.recv(timeout=30)
    assert ended.value.rcvd is not None
    return ended.value.rcvd.code, ended.value.rcvd.reason


class Stream:
    """A reader of Server-Sent Events, in a thread of its own."""

    def __init__(self, client: httpx.Client, **options: Any) -> None:
        self.events: list[dict[str, Any]] = []
        self.ids: list[str] = []
        self.ended = threading.Event()
        self._opened = threading.Event()
        self.status = 0
        self.cut_off = False  # it did not end, it broke
        self._thread = threading.Thread(target=self._read, args=(client, options), daemon=True)
        self._thread.start()
        assert self._opened.wait(30)

    def _read(self, client: httpx.Client, options: Any) -> None:
        try:
            with client.stream("GET", "/v1/events/stream", **options) as answer:
                self.status = answer.status_code
                self.kind = answer.headers["content-type"]
                self._opened.set()
                for line in answer.iter_lines():
                    if line.startswith("data: "):
                        self.events.append(json.loads(line.removeprefix("data: ")))
                    elif line.startswith("id: "):
                        self.ids.append(line.removeprefix("id: "))
        except httpx.TransportError:
            self.cut_off = True
        finally:
            self._opened.set()
            self.ended.set()

    def wait_for(self, count: int) -> list[dict[str, Any]]:
        until(lambda: len(self.events) >= count)
        return self.events


def test_a_socket_is_told_what_was_and_what_comes(served: Served) -> None:
    client = served.client()
    first = client.post("/v1/offers", json={"text": LONG}).json()["id"]
    with watch(served, {"after": 0}) as socket:
        event = told(socket)
        assert (event["kind"], event["data"]["offer_id"]) == ("tier_change", first)
        second = client.post("/v1/offers", json={"text": f"再来 again {LONG}"}).json()["id"]
        live = told(socket)
        assert live["data"]["offer_id"] == second
        assert live["id"] > event["id"]
        assert live == client.get("/v1/events", params={"after": event["id"]}).json()["events"][0]
    with watch(served, {"after": event["id"]}) as socket:
        assert told(socket)["id"] == live["id"]


def test_a_socket_without_an_id_begins_now(served: Served) -> None:
    client = served.client()
    client.post("/v1/offers", json={"text": LONG})
    with watch(served) as socket:
        until(lambda: "bethink_watchers 1.0" in client.get("/metrics").text)
        client.post("/v1/recall", json={"question": "预算 budget"})
        assert told(socket)["kind"] == "retrieval_trace"


def test_kinds_are_chosen(served: Served) -> None:
    client = served.client()
    with watch(served, {"after": 0, "kinds": ["tier_change"]}) as socket:
        client.post("/v1/recall", json={"question": "预算"})
        client.post("/v1/offers", json={"text": LONG})
        assert told(socket)["kind"] == "tier_change"


def test_a_stream_is_told_what_was_and_what_comes(served: Served) -> None:
    client = served.client()
    client.post("/v1/offers", json={"text": LONG})
    stream = Stream(served.client(), params={"after": 0})
    assert stream.kind.startswith("text/event-stream")
    stream.wait_for(1)
    client.post("/v1/recall", json={"question": "预算 budget"})
    both = stream.wait_for(2)
    assert [event["kind"] for event in both] == ["tier_change", "retrieval_trace"]
    assert stream.ids == [str(event["id"]) for event in both]
    again = Stream(served.client(), params={"after": 0}, headers={"Last-Event-ID": stream.ids[0]})
    assert again.wait_for(1) == both[1:]
    served.ask_to_stop()
    assert stream.ended.wait(30) and again.ended.wait(30)
    assert not (stream.cut_off or again.cut_off)


def test_only_what_the_key_may_see(keyed: Served) -> None:
    everything = keyed.keyed("admin")
    mine = keyed.key("read", spaces=["甲"])
    stream = Stream(keyed.client(mine), params={"after": 0})
    with watch(keyed, {"after": 0, "key": mine}) as socket:
        everything.post("/v1/offers", json={"text": f"secret 秘密 {LONG}", "space": "乙"})
        everything.post("/v1/recall", json={"question": "秘密", "spaces": ["甲", "乙"]})
        everything.post("/v1/offers", json={"text": LONG, "space": "甲"})
        event = told(socket)
        assert (event["kind"], event["spaces"]) == ("tier_change", ["甲"])
        assert stream.wait_for(1) == [event]
        listed = keyed.client(mine).get("/v1/events").json()["events"]
        assert listed == [event]


def test_another_tenant_is_told_nothing(keyed: Served) -> None:
    keyed.reception.create_tenant("other")
    theirs = keyed.key("admin", tenant="other")
    with watch(keyed, {"after": 0, "key": theirs}) as socket:
        keyed.keyed("admin").post("/v1/offers", json={"text": LONG})
        keyed.client(theirs).post("/v1/recall", json={"question": "预算"})
        event = told(socket)
        assert (event["id"], event["kind"]) == (1, "retrieval_trace")


def test_the_key_may_come_as_a_header_or_first_and_not_in_the_address(quick: Served) -> None:
    key = quick.key("read")
    for one in (watch(quick, {"after": 0}, key), watch(quick, {"after": 0, "key": key})):
        with one as socket:
            quick.client(key).post("/v1/recall", json={"question": "预算"})
            assert told(socket)["kind"] == "retrieval_trace"
    with connect(f"{quick.socket_address}?key={key}") as socket:
        socket.send("{}")
        assert closed(socket)[0] == 4401


@pytest.mark.parametrize(
    ("greeting", "code"),
    [
        ("{}", 4401),
        ('{"key": "bk_no"}', 4401),
        ('{"key": 5}', 4400),
        ("没有 JSON", 4400),
        ("[]", 4400),
        ('"after"', 4400),
        ('{"since": 0}', 4400),
        ("[" * 50_000, 4400),
        ('{"key": "KEY", "after": -1}', 4400),
        ('{"key": "KEY", "after": "昨天"}', 4400),
        ('{"key": "KEY", "after": 1e999}', 4400),
        ('{"key": "KEY", "after": true}', 4400),
        ('{"key": "KEY", "after": 99999999999999999999999999}', 4400),
        ('{"key": "KEY", "kinds": "tier_change"}', 4400),
        ('{"key": "KEY", "kinds": [["x"]]}', 4400),
        ('{"key": "\\ud800"}', 4401),
        ('{"key": "OFFERS"}', 4403),
    ],
)
def test_a_greeting_that_cannot_be_taken(quick: Served, greeting: str, code: int) -> None:
    greeting = greeting.replace("KEY", quick.key("read")).replace("OFFERS", quick.key("offer"))
    with connect(quick.socket_address) as socket:
        socket.send(greeting)
        assert closed(socket)[0] == code
    _serves_on(quick)


def test_whoever_says_nothing_is_not_waited_for(quick: Served) -> None:
    with connect(quick.socket_address) as socket:
        code, reason = closed(socket)
        assert code == 4400
        assert "no first message" in reason


def test_a_binary_or_huge_greeting(quick: Served) -> None:
    with connect(quick.socket_address) as socket:
        socket.send(b"\x00\xff")
        assert closed(socket)[0] == 4400
    with connect(quick.socket_address) as socket:
        socket.send("长" * 100_000)
        assert closed(socket)[0] == 1009  # too big, says the protocol
    _serves_on(quick)


FRAMES = {
    "reserved bits": b"\xf1\x85\0\0\0\0hello",
    "unknown opcode": b"\x8b\x80\0\0\0\0",
    "unmasked": b"\x81\x02{}",
    "not UTF-8": b"\x81\x82\0\0\0\0\xff\xfe",
    "a length that never comes": b"\x81\xff" + struct.pack(">Q", 2**62) + b"\0\0\0\0",
    "a ping that is too long": b"\x89\xfe\x01\x00\0\0\0\0" + b"x" * 256,
    "a continuation of nothing": b"\x80\x80\0\0\0\0",
    "a close with half a code": b"\x88\x81\0\0\0\0\x03",
    "rubbish": b"\xff" * 200,
    "nothing, and gone": b"",
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_malformed_frames_hurt_nobody_else(quick: Served, frame: bytes) -> None:
    with watch(quick, {"after": 0}, quick.key("read")) as bystander:
        with socket.create_connection(("127.0.0.1", quick.port), timeout=20) as raw:
            raw.sendall(
                b"GET /ws/events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                b"Sec-WebSocket-Version: 13\r\n\r\n"
            )
            assert b" 101 " in raw.recv(4096)
            raw.sendall(frame)
        quick.keyed("read").post("/v1/recall", json={"question": "预算"})
        assert told(bystander)["kind"] == "retrieval_trace"
    _serves_on(quick)


def test_what_is_said_after_the_greeting_is_not_listened_to(served: Served) -> None:
    with watch(served, {"after": 0}) as socket:
        for noise in ("{}", "再见", b"\x00", '{"after": 0}'):
            socket.send(noise)
        served.client().post("/v1/recall", json={"question": "预算"})
        assert told(socket)["id"] == 1


@pytest.mark.parametrize("way", ["socket", "stream"])
def test_a_revoked_key_is_told_nothing_more(quick: Served, way: str) -> None:
    key = quick.key("read")
    key_id = key.split("_")[1]
    if way == "socket":
        other = quick.keyed("read", name="小美")
        with watch(quick, {"after": 0}, key) as socket:
            until(lambda: "bethink_watchers 1.0" in other.get("/metrics").text)
            quick.reception.revoke_key(key_id)
            code, reason = closed(socket)
            assert code == 4401
            assert "does not hold" in reason
    else:
        stream = Stream(quick.client(key), params={"after": 0})
        assert stream.status == 200
        quick.reception.revoke_key(key_id)
        assert stream.ended.wait(30)
        assert not stream.cut_off
    assert quick.client(key).get("/v1/events/stream").status_code == 401


def test_a_slow_reader_holds_up_nobody_and_misses_nothing(served: Served) -> None:
    """It reads nothing while far more is told than any buffer on the way holds."""
    count, long = 300, "很长的问题 " + "long question " * 600
    with (
        watch(served, {"after": 0}, max_queue=1) as slow,
        watch(served, {"after": 0}) as quick_one,
    ):
        with served.reception.tenants.engine("default") as engine:
            for number in range(count):
                engine.events.record(
                    "node_state_change", {"node": f"{number} {long}"}, spaces=("global",)
                )
        seen = [told(quick_one)["id"] for _ in range(count)]
        assert served.client().get("/v1/status").status_code == 200
        late = [told(slow)["id"] for _ in range(count)]
    assert late == seen == sorted(set(seen))


def test_watchers_are_counted_and_bounded(quick: Served) -> None:
    from bethink.doors.http.watching import MOST_FOR_A_KEY

    key = quick.key("read")
    client = quick.keyed("read")
    with ExitStack() as open_ones:
        for _ in range(MOST_FOR_A_KEY):
            open_ones.enter_context(watch(quick, {"after": 0}, key))
        until(lambda: f"bethink_watchers {MOST_FOR_A_KEY}.0" in client.get("/metrics").text)
        with watch(quick, {"after": 0}, key) as more:
            assert closed(more)[0] == 4429
        refused = quick.client(key).get("/v1/events/stream")
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert quick.keyed("read", name="小美").get("/v1/events").status_code == 200
    until(lambda: "bethink_watchers 0.0" in client.get("/metrics").text)


def test_a_listener_who_leaves_is_let_go(served: Served) -> None:
    client = served.client()
    with served.client().stream("GET", "/v1/events/stream"):
        until(lambda: "bethink_watchers 1.0" in client.get("/metrics").text)
    until(lambda: "bethink_watchers 0.0" in client.get("/metrics").text)


def _serves_on(served: Served) -> None:
    with watch(served, {"after": 0}, served.key("read")) as socket:
        served.keyed("read").post("/v1/recall", json={"question": "还在吗"})
        assert told(socket)["id"] >= 1
