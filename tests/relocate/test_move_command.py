"""The command, in processes of its own, and killed where it stands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bethink import Engine
from bethink.doors.cli.main import main
from bethink.errors import Conflict
from bethink.relocate.unfinished import NOTE
from bethink.settings import Settings
from bethink.stores.postgres import schema
from bethink.stores.postgres.looking import bring_schema_forward
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite import schema as sqlite_schema
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.servers.postgres_server import PostgresServer

TOY = ToyEmbedder()
MANY = 6_000  # six pages
QUESTIONS = ("预算会议改到哪天", "which theme does Mei like?", "小美 deploys 部署", "number 77")


def told(engine: Engine) -> None:
    for n in range(120):
        engine.remember(
            f"number {n}: 预算会议改到周{'一二三四五'[n % 5]} {n}", space="项目", tags=["会"]
        )
    engine.remember("Mei prefers the dark theme. 小美喜欢深色主题。")
    memory = engine.remember("We deploy on Fridays 我们周五部署")
    engine.revise(memory.id, text="We deploy on Mondays 我们周一部署")
    engine.forget(engine.remember("to be forgotten 要忘掉的").id)


def said(engine: Engine) -> list[list[tuple[str, str]]]:
    return [
        [(hit.memory.id, hit.text) for hit in engine.recall(q, spaces=["global", "项目"]).hits]
        for q in QUESTIONS
    ]


def test_the_same_questions_get_the_same_answers(
    cli: Cli, server: PostgresServer, tmp_path: Path
) -> None:
    first, last = str(tmp_path / "memory.db"), str(tmp_path / "back.db")
    address = server.new_database()
    settings = Settings(embedder="hashing")
    with Engine(first, settings=settings) as engine:
        told(engine)
        before = said(engine)
        assert all(before)
    moved = cli("move", first, address, "--events", "--json")
    assert (moved.code, moved.json["same"], moved.json["resumed"]) == (0, True, False), moved.err
    assert moved.json["spaces"]["项目"]["source"] == 120
    with Engine(address, settings=settings) as engine:
        assert said(engine) == before
        assert len(engine.history(engine.recall("部署").hits[0].memory.id)) == 1
    back = cli("move", address, last, "--json")
    assert back.code == 0, back.err
    with Engine(last, settings=settings) as engine:
        assert said(engine) == before
    # asking counts, so the three are not the same any more; and that is seen
    different = cli("move", "--verify", first, last, "--text")
    assert different.code == 1
    assert "not the same: the space" in different.out


def test_a_target_that_was_asked_before_keeps_what_happened(cli: Cli, tmp_path: Path) -> None:
    first, last = str(tmp_path / "memory.db"), str(tmp_path / "asked.db")
    settings = Settings(embedder="hashing")
    for place in (first, last):
        with Engine(place, settings=settings) as engine:
            engine.recall("有什么 what is there?")
    with Engine(first, settings=settings) as engine:
        told(engine)
    moved = cli("move", first, last, "--events", "--text")
    assert moved.code == 0, moved.err
    assert "1 events happened in the target only; they stay" in moved.err
    again = cli("move", "--verify", first, last, "--events", "--json")
    assert (again.code, again.json["events"]["same"]) == (0, True)
    assert again.json["events"]["target"] == again.json["events"]["source"] + 1


def test_told_again_after_the_target_was_asked_it_says_that_all_is_there(
    cli: Cli, tmp_path: Path
) -> None:
    first, last = str(tmp_path / "memory.db"), str(tmp_path / "moved.db")
    with Engine(first, settings=Settings(embedder="hashing")) as engine:
        told(engine)
    assert cli("move", first, last).code == 0
    with Engine(last, settings=Settings(embedder="hashing")) as engine:
        assert all(said(engine))
    again = cli("move", first, last, "--text")
    assert again.code == 0, again.err
    assert "everything was there already" in again.err
    assert "used since" in again.err
    assert "COUNTERS" in again.out
    assert "but for how often they were read or told" in again.out
    compared = cli("move", "--verify", first, last, "--json")
    assert (compared.code, compared.json["same"]) == (1, False)
    assert compared.json["same_but_for_counters"] is True
    with Engine(last, settings=Settings(embedder="hashing")) as engine:
        engine.remember("Told there since 后来说的", space="项目")
    refused = cli("move", first, last, "--text")
    assert refused.code == Conflict.exit_code
    assert "the space '项目' (120 memories in the source, 121 memories there)" in refused.err


def _move(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "bethink.doors.cli.main", "move", *arguments, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "BETHINK_EMBEDDER": "hashing"},
    )


def _filled(store: Store) -> None:
    store.declare(TOY.embedding)
    for start in range(0, MANY, 1_000):
        some = [
            make_memory(
                f"第 {n} note 记录\nline two 第二行", f"m{n}", space="项目" if n % 3 else "global"
            )
            for n in range(start, start + 1_000)
        ]
        store.put([make_entry(one, TOY) for one in some], fingerprint=TOY.fingerprint)


@pytest.mark.parametrize("to_server", [True, False])
def test_killed_in_the_middle_it_goes_on(
    server: PostgresServer, tmp_path: Path, to_server: bool
) -> None:
    file, address = str(tmp_path / "a.db"), server.new_database()
    places: list[tuple[str, Callable[[], Store]]] = [
        (file, lambda: SQLiteStore(file)),
        (address, lambda: PostgresStore(address)),
    ]
    (source, open_source), (target, open_target) = places if to_server else places[::-1]
    store = open_source()
    _filled(store)
    store.close()
    watched = open_target()  # so that what happens can be seen
    killed: list[str] = []
    for _ in range(3):
        before = _cursor(watched)
        running = _move(source, target)
        until = time.monotonic() + 120
        while _cursor(watched) in (None, before):
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < until
            time.sleep(0.002)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        killed.append(str(_cursor(watched)))
        assert 0 < watched.count() < MANY
    assert len(set(killed)) == 3, killed
    refused = _move(str(tmp_path / "other.db"), target)
    refused.communicate()
    assert refused.returncode == 5
    done = _move(source, target)
    out, err = done.communicate()
    assert done.returncode == 0, err
    record = json.loads(out)
    assert record["same"] and record["resumed"]
    assert record["carried"] < MANY  # what was there was not carried again
    assert record["spaces"]["项目"] == {
        **record["spaces"]["项目"], "source": 4_000, "target": 4_000, "same": True, "order": True
    }  # fmt: skip
    assert watched.notes() == {}
    assert watched.pending(["global", "项目"]) == 0
    watched.close()


def _cursor(store: Store) -> object:
    return json.loads(store.notes(NOTE).get(NOTE) or "{}").get("cursor")


def test_a_tenant_of_files_becomes_one_of_the_database(
    cli: Cli, server: PostgresServer, tmp_path: Path
) -> None:
    file, address = str(tmp_path / "memory.db"), server.new_database()
    assert cli("remember", "默认 default").code == 0
    assert cli("tenants", "create", "研发部").code == 0
    with Engine(tmp_path / "memory.db.tenants" / f"={'研发部'.encode().hex()}.db") as engine:
        engine.remember("研发部的预算是三百万", id="b")
    assert cli("move", file, address, "--tenant", "研发部").code == 0
    listed = cli("tenants", "list", "--store", address, "--json")
    assert "研发部" in listed.out and address.split("?")[0] in listed.out
    store = PostgresStore(address, tenant="研发部")
    assert [m.id for m in store.scan().memories] == ["b"]
    store.close()
    store = PostgresStore(address)
    assert store.count() == 0
    store.close()
    back = str(tmp_path / "back.db")
    assert cli("move", address, back, "--tenant", "研发部").code == 0
    missing = cli("move", address, back, "--tenant", "nobody", "--json")
    assert (missing.code, missing.error["code"]) == (3, "not_found")


def test_what_is_not_there_is_said(cli: Cli, server: PostgresServer, tmp_path: Path) -> None:
    empty = server.new_database()
    for source in (str(tmp_path / "none.db"), empty):
        ran = cli("move", source, str(tmp_path / "x.db"), "--json")
        assert (ran.code, ran.error["code"]) == (5, "store_missing")
    assert not (tmp_path / "x.db").exists()
    assert cli("migrate", "--store", str(tmp_path / "none.db")).code == 5


def test_a_password_is_never_said(cli: Cli, tmp_path: Path) -> None:
    secret = "postgresql://me:hunter2@127.0.0.1:1/nowhere?connect_timeout=1"
    cli("remember", "x")
    for words in (["move", str(tmp_path / "memory.db"), secret], ["migrate", "--store", secret]):
        ran = cli(*words)
        assert ran.code == 5
        assert "hunter2" not in ran.out + ran.err


def test_migrating_says_from_where_to_where(
    cli: Cli, server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.new_database()
    steps = schema.migrations()
    with monkeypatch.context() as before:
        before.setattr(schema, "migrations", lambda: steps[:1])
        bring_schema_forward(address)
    behind = cli("migrate", "--check", "--store", address, "--json")
    assert behind.code == 1
    assert behind.json["from"] == 1 and behind.json["to"] == len(steps) and behind.json["behind"]
    assert cli("migrate", "--check", "--store", address, "--text").code == 1  # nothing was changed
    done = cli("migrate", "--store", address, "--text")
    assert done.code == 0 and f"schema 1 → {len(steps)}" in done.out
    assert cli("migrate", "--check", "--store", address).code == 0
    database = address.split("/")[3].split("?")[0]
    server.execute("INSERT INTO bethink.schema_version VALUES (99)", database=database)
    for words in (["migrate"], ["migrate", "--check"]):
        newer = cli(*words, "--store", address, "--json")
        assert (newer.code, newer.error["code"]) == (5, "store_too_new")


def test_files_and_those_of_tenants_are_brought_forward(cli: Cli, tmp_path: Path) -> None:
    newest = len(sqlite_schema.MIGRATIONS)
    cli("remember", "x")
    with pytest.MonkeyPatch.context() as before:
        before.setattr(sqlite_schema, "MIGRATIONS", sqlite_schema.MIGRATIONS[:1])
        cli("tenants", "create", "acme")
    checked = cli("migrate", "--check", "--text")
    assert checked.code == 1
    assert f"memory.db: schema {newest}, nothing to do" in checked.out
    assert f"acme.db: schema 1, behind {newest}" in checked.out
    assert f"schema 1 → {newest}" in cli("migrate", "--text").out
    assert cli("migrate", "--check").code == 0


def test_the_help_says_what_goes_over(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["move", "--help"])
    assert "DST must be empty" in capsys.readouterr().out
