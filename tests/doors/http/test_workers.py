"""`bethink serve --workers`: one server to whoever asks, and no process is left when it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path

import httpx
import pytest

from bethink.testing import run_at_once
from tests.doors.http.served import served_on, until
from tests.doors.http.test_ending import kept, running
from tests.doors.http.test_metrics import numbers
from tests.doors.mcp.asking import over_http, run
from tests.doors.running import process

MEI = "Mei prefers dark mode. 小美喜欢深色主题。"


def children_of(parent: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            said = place.read_text()
        except OSError:  # it ended meanwhile
            continue
        name = re.match(r"(\d+) \(.*\) \S (\d+)", said, re.DOTALL)
        if name and int(name[2]) == parent:
            found.append(int(name[1]))
    return found


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_none_is_left_behind(tmp_path: Path, how: signal.Signals) -> None:
    store = tmp_path / "m.db"
    with running(store, "--workers", "2") as server:
        workers = children_of(server.process.pid)
        assert len(workers) == 2
        with httpx.Client(base_url=server.address, timeout=30) as client:
            assert client.post("/v1/memories", json={"text": MEI}).status_code == 201
            for question in ("小美喜欢什么主题？", "which theme does Mei like?"):
                hits = client.post("/v1/recall", json={"question": question}).json()["hits"]
                assert hits[0]["text"] == MEI
            assert numbers(client)["bethink_workers[]"] == 2
        if how is signal.SIGINT:  # Ctrl+C, and a service that is stopped, reach all of them
            for worker in workers:
                os.kill(worker, how)
        code = server.stop(how)
        assert code == (-how if how is signal.SIGKILL else 0)
        until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    assert kept(store) == {MEI}


def test_what_is_sent_to_all_does_not_end_them_before_it(tmp_path: Path) -> None:
    with running(tmp_path / "m.db", "--workers", "1") as server:
        (worker,) = children_of(server.process.pid)
        for one in (signal.SIGINT, signal.SIGTERM):
            os.kill(worker, one)
        with httpx.Client(base_url=server.address, timeout=30) as client:
            client.post("/v1/memories", json={"text": MEI})
            assert client.get("/v1/recall", params={"q": "小美 dark mode"}).json()["hits"]
        assert children_of(server.process.pid) == [worker]
        assert server.stop() == 0


@pytest.mark.parametrize(("count", "code"), [("-1", 2), ("65", 2), ("many", 2)])
def test_how_many(tmp_path: Path, count: str, code: int) -> None:
    ran = process("serve", "--port", "0", "--workers", count, store=tmp_path / "m.db")
    assert ran.returncode == code
    assert "--workers" in json.loads(ran.stderr.splitlines()[-1])["error"]["message"]


def test_one_limit_for_all_of_them(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", workers=2) as served:
        key = served.key("read", "write", per_minute=30)
        served.client(key).post("/v1/memories", json={"text": MEI})

        def ask(_: int) -> int:
            return served.client(key).get("/v1/recall", params={"q": "小美"}).status_code

        said = [run_at_once(ask, range(10)) for _ in range(5)]
        answered = sum(codes.count(200) for codes in said)
        assert 29 <= answered < 40  # some come back while we ask
        assert {code for codes in said for code in codes} == {200, 429}


def test_a_session_of_mcp_is_one(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", workers=2) as served:
        key = served.key("read", "write")

        async def body() -> None:
            async with over_http(f"{served.address}/mcp", key, "legacy") as ask:
                told = (await ask("remember", text=MEI)).data
                for question in ("which theme does Mei like?", "小美喜欢什么主题？") * 4:
                    hits = (await ask("recall", question=question)).data["hits"]
                    assert hits[0]["id"] == told["id"]

        run(body)


def test_a_killed_one_is_missed_by_nobody(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", open_to_all=True, workers=2) as served:
        served.client().post("/v1/memories", json={"text": MEI})
        victims = children_of(os.getpid())

        def ask(number: int) -> str:
            if number == 7:
                os.kill(victims[0], signal.SIGKILL)
            answer = served.client().get("/v1/recall", params={"q": "小美 dark mode"})
            assert answer.status_code == 200, answer.text
            return str(answer.json()["hits"][0]["text"])

        assert set(run_at_once(ask, range(40))) == {MEI}
        until(lambda: numbers(served.client())["bethink_workers[]"] == 2)


def test_what_a_question_leaves_behind_comes_a_moment_later(tmp_path: Path) -> None:
    """The process writes what it noted of a question when it is answered."""
    with served_on(tmp_path / "m.db", open_to_all=True, workers=1) as served:
        client = served.client()
        told = client.post("/v1/memories", json={"text": MEI}).json()["id"]
        client.post("/v1/recall", json={"question": "小美喜欢什么主题？"})
        until(lambda: client.get(f"/v1/memories/{told}").json()["access_count"] == 1)
        until(lambda: traces(client))


def traces(client: httpx.Client) -> list[str]:
    events = client.get("/v1/events").json()["events"]
    return [json.dumps(e, ensure_ascii=False) for e in events if e["kind"] == "retrieval_trace"]


def test_what_was_asked_in_the_words_of_the_forgotten_goes_with_it(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", open_to_all=True, workers=2) as served:
        client = served.client()
        for number in range(10):
            told = client.post("/v1/memories", json={"text": f"秘方 recipe {number}: 桂花"}).json()
            run_at_once(
                lambda _: served.client().get("/v1/recall", params={"q": "秘方 recipe 桂花"}),
                range(4),
            )
            assert client.delete(f"/v1/memories/{told['id']}").status_code == 200
            assert traces(client) == []
        time.sleep(0.2)  # whatever a process had not written yet would be by now
        assert traces(client) == []


def test_what_was_asked_in_a_space_goes_with_it(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", open_to_all=True, workers=2) as served:
        client = served.client()
        for number in range(5):
            client.post("/v1/memories", json={"text": f"秘方 recipe {number}", "space": "厨房"})
            question = {"question": "秘方 recipe", "spaces": ["厨房"]}
            assert client.post("/v1/recall", json=question).json()["hits"]
            assert client.delete("/v1/spaces/厨房").status_code == 200
            time.sleep(0.2)  # whatever a process had not written yet would be by now
            assert traces(client) == []
