"""Redis beside the store, from the command line and behind a server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import redis

from bethink import Engine
from bethink.access.reception import Reception
from bethink.access.tenants import Tenants
from bethink.errors import SettingsError
from bethink.settings import Settings
from bethink.stores.redis.reasons import reason_of
from bethink.vocabulary import Status
from tests.access.coming_in import AtDesk
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.servers.redis_server import RedisServer

PASSWORD = "sesame-开门"


def test_status_and_doctor_say_how_it_is_doing(
    cli: Cli, server: RedisServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli("remember", "theme 主题")
    assert cli("status").json["hot"] == ""
    monkeypatch.setenv("BETHINK_HOT", server.address)
    assert cli("status").json["hot"].endswith(", breaker closed")
    assert re.search(r"hot +valkey \d", cli("status", "--text").out)
    assert [check["ok"] for check in cli("doctor").json if check["part"] == "hot"] == [True]
    monkeypatch.setenv("BETHINK_HOT", f"redis://:{PASSWORD}@127.0.0.1:1/0")
    status = cli("status").json
    assert "breaker open: it cannot be reached" in status["hot"]
    assert any("answered by the store" in note for note in status["notes"])
    sick = cli("doctor")
    assert [check["ok"] for check in sick.json if check["part"] == "hot"] == [False]
    shown = cli("config").json["hot"]["value"]
    assert shown == "redis://@127.0.0.1:1/0"
    everything = [cli(*words).out for words in (["status"], ["doctor"], ["config"])]
    assert PASSWORD not in "".join(everything)
    assert PASSWORD not in repr(Settings(hot=f"redis://:{PASSWORD}@h"))


def test_one_that_answers_and_keeps_nothing_is_said(
    cli: Cli, own_server: RedisServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Full, it still answers whoever looks, and would seem well."""
    monkeypatch.setenv("BETHINK_HOT", own_server.address)
    cli("remember", "小美喜欢深色主题 dark theme")
    settings = Settings(embedder="hashing", hot=own_server.address)
    with (
        Engine(tmp_path / "memory.db", settings=settings) as engine,
        own_server.client() as client,
    ):
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1")
        for _ in range(5):
            assert engine.recall("深色主题").status is Status.ANSWERED
        (note,) = engine.status().notes
        assert "answers are not kept" in note and "out of memory" in note
        (check,) = [one for one in cli("doctor").json if one["part"] == "hot"]
        assert not check["ok"]
        assert "breaker closed, but it keeps nothing: it is out of memory" in check["finding"]
        client.config_set("maxmemory", "0")
        engine.recall("深色主题")
        assert engine.status().notes == ()
        assert [one["ok"] for one in cli("doctor").json if one["part"] == "hot"] == [True]


def test_two_commands_share_an_answer(
    cli: Cli, server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BETHINK_HOT", server.address)
    cli("remember", "小美喜欢深色主题 dark theme")
    for stage in ("find_period", "cached"):
        answer = cli("recall", "深色主题", "--explain").json
        assert answer["trace"]["steps"][0]["stage"] == stage
        assert answer["hits"]


def test_what_is_no_address_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="redis://HOST"):
        Engine(tmp_path / "m.db", hot="localhost:6379", settings=Settings())


def test_a_recall_without_the_cache_is_complete_and_not_degraded(tmp_path: Path) -> None:
    with Engine(
        tmp_path / "m.db", hot="redis://127.0.0.1:1", embedder="none", settings=Settings()
    ) as engine:
        engine.offer("刚刚说过的 thing, which is long enough to be admitted to working memory")
        for _ in range(2):
            answer = engine.recall("thing", preset="workflow")
            assert answer.hits
            assert answer.status is Status.ANSWERED
        (note,) = engine.status().notes
        assert note.startswith("repeated questions are answered by the store: redis, it cannot")


def test_what_is_forgotten_while_it_is_away_is_said_in_the_receipt(tmp_path: Path) -> None:
    with Engine(
        tmp_path / "m.db", hot="redis://127.0.0.1:1", embedder="none", settings=Settings()
    ) as engine:
        receipt = engine.remember("忘掉 this")
        (note,) = engine.forget(receipt.id).notes
        assert "redis could not be reached" in note


def test_behind_a_server(server: RedisServer, tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="hashing", settings=Settings()) as engine:
        engine.remember("小美喜欢深色主题 dark theme")
    words = ["serve", "--port", "0", "--hot", server.address, "--embedder", "hashing"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bethink.doors.cli.main", *words],
        stderr=subprocess.PIPE,
        env={**os.environ, "BETHINK_STORE": str(tmp_path / "m.db")},
    )
    try:
        assert process.stderr is not None
        said = b""
        while not (found := re.search(rb"http://\S+", said)):
            line = process.stderr.readline()
            assert line, said
            said += line
        address = found.group(0).decode().rstrip("/")
        stages = [_recalled(address)["trace"]["steps"][0]["stage"] for _ in range(2)]
        assert stages == ["find_period", "cached"]
        status = json.loads(_got(f"{address}/v1/status"))
        assert status["hot"].startswith("valkey")
        assert status["hot"].endswith("breaker closed")
        numbers = _got(f"{address}/metrics")
        assert 'bethink_hot_answers_total{kept="yes"} 1.0' in numbers
        assert 'bethink_hot_answers_total{kept="no"} 1.0' in numbers
        assert "bethink_hot_away 0.0" in numbers
    finally:
        process.terminate()
        process.communicate()


def _recalled(address: str) -> Any:
    body = json.dumps({"question": "深色主题", "explain": True}).encode()
    request = urllib.request.Request(
        f"{address}/v1/recall", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def _got(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode())


def test_numbers_of_engines_that_were_closed_are_not_lost(
    server: RedisServer, tmp_path: Path
) -> None:
    settings = Settings(store=str(tmp_path / "m.db"), embedder="hashing", hot=server.address)
    tenants = Tenants(settings, most_open=1)
    for tenant in ("default", "甲"):
        if tenant != "default":
            tenants.create(tenant)
        with tenants.engine(tenant) as engine:
            engine.remember("小美喜欢深色主题 dark theme")
            for _ in range(3):
                engine.recall("深色主题")
    assert tenants.hot_numbers() == (4, 2, 0)
    tenants.close()
    assert tenants.hot_numbers() == (4, 2, 0)


def test_other_tenants_are_told_whether_redis_works_and_not_where_it_is(
    own_server: RedisServer, tmp_path: Path
) -> None:
    settings = Settings(store=str(tmp_path / "m.db"), embedder="hashing", hot=own_server.address)
    with Reception(settings) as reception:
        reception.create_tenant("研发部")
        at = {
            tenant: AtDesk(
                reception,
                reception.caller(
                    reception.create_key(name="ci", scopes=["admin"], tenant=tenant).key,
                    door="rest",
                ),
            )
            for tenant in ("default", "研发部")
        }
        works = {tenant: one.status()["hot"] for tenant, one in at.items()}
        assert str(own_server.socket) in works["default"]
        assert re.fullmatch(r"valkey [\d.]+, breaker closed", works["研发部"])
        own_server.kill()
        at["研发部"].remember({"text": "预算会议改到周五"})
        asked = at["研发部"].recall("预算会议", preset="workflow")
        away = at["研发部"].status()
        assert asked["status"] == "answered"
        assert away["hot"].startswith("redis, breaker open: it cannot be reached")
        assert str(own_server.folder) not in json.dumps([asked, away], ensure_ascii=False)
        assert str(own_server.socket) in at["default"].status()["hot"]


@pytest.mark.parametrize(
    "said",
    [
        "Error 111 connecting to 10.0.0.7:6379. Connection refused.",
        "Error -2 connecting to 10.0.0.7.example:6379. Name or service not known.",
        "Error 2 connecting to /run/10.0.0.7/redis.sock. No such file or directory.",
        "Error connecting to 10.0.0.7:6379.",
        "Error while reading from 10.0.0.7:6379 : (104, 'Connection reset by peer')",
        "Error 1 connecting to 10.0.0.7:6379. [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify "
        "failed: IP address mismatch, certificate is not valid for '10.0.0.7'. (_ssl.c:1006).",
    ],
)
def test_a_reason_names_no_place(said: str) -> None:
    reason = reason_of(redis.ConnectionError(said))
    assert "10.0.0.7" not in reason
    assert "cannot be reached" in reason or "certificate" in reason


def test_who_sees_some_spaces_only_is_not_told_where_redis_is(
    server: RedisServer, tmp_path: Path
) -> None:
    settings = Settings(store=str(tmp_path / "m.db"), embedder="hashing", hot=server.address)
    with Reception(settings) as reception:
        some = reception.create_key(name="ci", scopes=["read"], spaces=["项目"])
        every = reception.create_key(name="all", scopes=["read"])
        told = {
            made.record.name: AtDesk(reception, reception.caller(made.key, door="rest")).status()
            for made in (some, every)
        }
    assert told["ci"]["hot"] == ""
    assert "breaker closed" in told["all"]["hot"]
