"""The log of a server: when, what, how often and in which requests; and that a part went away."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from bethink.breaker import Breaker
from bethink.errors import StoreError, said_to_anybody
from bethink.server_log import FAULTS, Faults, back, left_alone
from tests.doors.http.served import served_on, until
from tests.doors.mcp.asking import over_http, run
from tests.servers.redis_server import RedisServer

_TIME = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} "


def _said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("bethink")]


def test_a_hundred_requests_that_fail_alike_are_two_lines(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "记忆.db"
    path.write_bytes(b"no store " * 1000)
    with served_on(path, open_to_all=True) as server:
        client = server.client()
        answers = [client.get("/v1/memories") for _ in range(50)]
        answers += [client.post("/v1/recall", json={"question": "预算"}) for _ in range(50)]

        async def tool() -> None:
            async with over_http(f"{server.address}/mcp") as ask:
                assert (await ask("recall", question="预算")).error["code"] == "store_corrupt"

        run(tool)
    assert {answer.status_code for answer in answers} == {503}
    FAULTS.sum_up()
    first, again = [line for line in _said(caplog) if str(path) in line]
    numbers = [answer.headers["x-request-id"] for answer in answers]
    assert f"request {numbers[0]}: store_corrupt" in first
    times = re.search(r"\((\d+) times more, in the requests", again)
    assert times is not None
    assert int(times[1]) > 99  # those of MCP, too
    for number in numbers[1:]:
        assert number[:8] in again


def test_without_room_for_a_thread_each_is_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Timer, "start", start)
    faults = Faults()
    for _ in range(3):
        faults.say("store_busy: 甲")
    assert _said(caplog) == ["store_busy: 甲"] * 3


def test_what_goes_on_is_said_again_and_what_ended_is_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    faults = Faults(seconds=0.2)
    faults.say("store_busy: 甲")
    faults.say("store_busy: 乙")
    faults.say("store_busy: 甲", request_id="a" * 32)
    assert _said(caplog) == ["store_busy: 甲", "store_busy: 乙"]
    until(lambda: "store_busy: 甲 (1 times more, in the requests aaaaaaaa)" in _said(caplog))
    faults.say("store_busy: 甲")
    until(lambda: "store_busy: 甲 (1 times more)" in _said(caplog))
    until(lambda: faults._timer is None)  # nothing came for a while: it is new again
    faults.say("store_busy: 甲", request_id="b" * 32)
    assert _said(caplog)[-1] == f"request {'b' * 32}: store_busy: 甲"


def test_reasons_of_answers_are_not_said_over_and_over_either(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for _ in range(20):
        assert "密" not in said_to_anybody(StoreError("它在 /秘密/a.db"))
    assert len(_said(caplog)) == 1
    FAULTS.sum_up()
    assert _said(caplog)[1:] == ["store_error: 它在 /秘密/a.db (19 times more)"]


def test_however_many_leave_a_part_alone_it_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    one, two = Breaker("引擎 engine"), Breaker("引擎 engine")
    for breaker in (one, two):
        breaker.failed("it hangs", hung=True)
        breaker.failed("it hangs", hung=True)
    one.try_again()
    one.answered()
    assert [line.partition(",")[0] for line in _said(caplog)] == ["引擎 engine is left alone"]
    two.try_again()
    two.answered()
    assert _said(caplog)[1:] == ["引擎 engine is back"]
    del two
    left_alone(one, "引擎 engine", "again")
    back(one, "引擎 engine")
    assert len(_said(caplog)) == 4


def test_redis_goes_away_and_comes_back(tmp_path: Path) -> None:
    program = "import sys; from bethink.doors.cli.main import main; sys.exit(main(sys.argv[1:]))"
    log = tmp_path / "log"
    with RedisServer.started() as redis, log.open("w") as stderr:
        words = ["serve", "--port", "0", "--text", "--hot", redis.address]
        server = subprocess.Popen(
            [sys.executable, "-c", program, *words],
            env={
                **os.environ,
                "BETHINK_STORE": str(tmp_path / "m.db"),
                "BETHINK_EMBEDDER": "hashing",
            },
            stderr=stderr,
        )
        try:
            found = until(lambda: re.search(r"http://\S+", log.read_text()), seconds=60)
            with httpx.Client(base_url=found[0], verify=False, timeout=30) as client:
                client.post("/v1/memories", json={"text": "小美喜欢深色主题"}).raise_for_status()
                ask = {"question": "深色主题", "preset": "workflow"}
                redis.kill()
                for _ in range(3):
                    assert client.post("/v1/recall", json=ask).json()["status"] == "answered"
                redis.start()
                until(lambda: "is back" in log.read_text())
        finally:
            server.terminate()
            server.wait(60)
    lines = [line for line in log.read_text().splitlines() if "redis" in line]
    assert len(lines) == 2, lines
    assert re.match(_TIME + r"INFO redis at unix:\S+ is left alone, .*: it cannot be", lines[0])
    assert re.match(_TIME + r"INFO redis at unix:\S+ is back$", lines[1])
