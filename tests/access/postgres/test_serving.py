"""`bethink serve` on PostgreSQL: processes of their own, one database."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from bethink.settings import Settings
from tests.servers.postgres_server import PostgresServer

_BETHINK = [sys.executable, "-m", "bethink.doors.cli.main"]


@pytest.fixture
def environment(settings: Settings, tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "BETHINK_STORE": settings.store,
        "BETHINK_EMBEDDER": "hashing",
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[str]:
    """The address of a server that runs while the block does."""
    server = subprocess.Popen(
        [*_BETHINK, "serve", "--port", "0", *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        for line in server.stderr:
            if found := re.match(r"(http://\S+) ", line):
                yield found[1]
                break
        else:
            raise AssertionError("it did not start")
    finally:
        server.terminate()
        server.communicate(timeout=60)


def told(environment: dict[str, str], *arguments: str) -> str:
    ran = subprocess.run(
        [*_BETHINK, *arguments, "--text"], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return ran.stdout.strip()


def test_two_servers_are_one_memory(environment: dict[str, str], tmp_path: Path) -> None:
    told(environment, "tenants", "create", "研发部")
    key = told(environment, "keys", "create", "mei", "--scope", "admin", "--tenant", "研发部")
    with serving(environment) as first, serving(environment, "--workers", "2") as second:
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "one"}
        memory = {"text": "预算会议改到周五 the budget meeting"}
        answers = [
            httpx.post(f"{server}/v1/memories", json=memory, headers=headers, timeout=60)
            for server in (first, second)
        ]
        assert [answer.status_code for answer in answers] == [201, 201], answers[0].text
        assert answers[0].json()["id"] == answers[1].json()["id"]
        assert answers[1].headers["Idempotency-Replayed"] == "true"
        del headers["Idempotency-Key"]
        found = httpx.post(
            f"{second}/v1/recall", json={"question": "预算会议 when?"}, headers=headers, timeout=60
        ).json()
        assert [hit["text"] for hit in found["hits"]] == [memory["text"]]
        told(environment, "keys", "revoke", key.split("_")[1])
        for server in (first, second):
            refused = httpx.get(f"{server}/v1/memories", headers=headers, timeout=60)
            assert refused.status_code == 401
    assert list(tmp_path.rglob("*.db")) == []  # nothing of it is on this machine
    assert "研发部" in told(environment, "audit")
    told(environment, "audit", "--verify")


def test_a_database_that_is_away_is_503_and_comes_back(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with PostgresServer.started() as own:
        environment["BETHINK_STORE"] = own.new_database()
        key = told(environment, "keys", "create", "mei", "--scope", "admin")
        headers = {"Authorization": f"Bearer {key}"}
        with serving(environment) as server:
            own.stop("immediate")
            away = httpx.get(f"{server}/v1/memories", headers=headers, timeout=60)
            assert away.status_code == 503
            assert int(away.headers["Retry-After"]) >= 1
            assert httpx.get(f"{server}/health/live", timeout=60).status_code == 200
            assert httpx.get(f"{server}/health/ready", timeout=60).status_code == 503
            own.start()
            back = httpx.get(f"{server}/v1/memories", headers=headers, timeout=60)
            assert back.status_code == 200
            assert httpx.get(f"{server}/health/ready", timeout=60).status_code == 200
