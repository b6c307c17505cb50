"""Engines beside the store, named in the settings: every command and every tenant uses them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from bethink import Engine
from bethink.access.homes import FileHomes
from bethink.access.reception import Reception
from bethink.doors.cli.main import main
from bethink.errors import RetrieverRefused, SettingsError, StoreUnavailable
from bethink.settings import Settings, load
from bethink.stores.composite import CompositeStore
from bethink.stores.retriever_address import parse_address
from tests.doors.running import Cli, Ran
from tests.doors.running import cli as cli
from tests.servers.postgres_server import PostgresServer
from tests.servers.qdrant_server import QdrantServer
from tests.stores.elastic.strict_server import StrictServer


@pytest.fixture
def elastic() -> Iterator[StrictServer]:
    with StrictServer.started() as server:
        yield server


def named(folder: Path, *retrievers: str) -> Settings:
    return Settings(store=str(folder / "truth.db"), embedder="hashing", retrievers=retrievers)


def test_words_there_and_meaning_here(
    tmp_path: Path, server: QdrantServer, elastic: StrictServer
) -> None:
    settings = named(tmp_path, server.new_address(), elastic.address("memories"))
    with Engine(settings=settings) as engine:
        assert isinstance(engine.store, CompositeStore)
        engine.remember("小美负责数据库的备份")
        engine.remember("The budget meeting is on Friday")
        assert engine.store.catch_up(60.0)
        for question in ("谁负责备份？", "When is the budget meeting?"):
            answer = engine.recall(question)
            assert answer.status == "answered", answer.reasons
        assert engine.recall("谁负责备份？").hits[0].text == "小美负责数据库的备份"
        assert all(check.ok for check in engine.doctor())
    assert any(path.endswith("_msearch") for _, path in elastic.asked)
    with Engine(tmp_path / "another.db", settings=settings) as other:
        assert not isinstance(other.store, CompositeStore)  # it is not the store of these


def test_an_engine_of_another_store_is_refused(tmp_path: Path, server: QdrantServer) -> None:
    address = server.new_address()
    with Engine(settings=named(tmp_path, address)) as engine:
        assert isinstance(engine.store, CompositeStore)
        assert engine.store.catch_up(60.0)
    settings = Settings(store=str(tmp_path / "b.db"), retrievers=(address,))
    with pytest.raises(RetrieverRefused, match="follows another store"), Engine(settings=settings):
        raise AssertionError("it was opened")


def test_an_engine_that_is_away_does_not_keep_anybody_from_remembering(tmp_path: Path) -> None:
    with Engine(settings=named(tmp_path, "qdrant://127.0.0.1:1/memories")) as engine:
        engine.remember("小美负责数据库的备份")
        answer = engine.recall("谁负责备份？")
        assert answer.hits[0].text == "小美负责数据库的备份"
        assert answer.status == "degraded"
        assert any("cannot be reached" in reason for reason in answer.reasons)


def test_at_the_command_line(
    tmp_path: Path,
    server: QdrantServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    address = server.new_address()
    shared = ["--retriever", address, "--embedder", "hashing"]
    assert main(["remember", "小美负责数据库的备份", *shared]) == 0
    assert main(["recall", "谁负责备份？", "--json", *shared]) == 0
    assert "小美负责数据库的备份" in capsys.readouterr().out
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    collection = address.rpartition("/")[2]
    assert client.count(collection).count >= 1
    client.close()


def test_keys_are_shown_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert (
        main(["config", "set", "retrievers", "qdrant://GEHEIM@h/x, elasticsearch://u:GEHEIM@h/y"])
        == 0
    )
    assert load().settings.retrievers == ("qdrant://GEHEIM@h/x", "elasticsearch://u:GEHEIM@h/y")
    for form in ("--json", "--text"):
        assert main(["config", "show", form]) == 0
        assert main(["config", "get", "retrievers", form]) == 0
    assert main(["config", "set", "retrievers", "qdrant://GEHEIM@h"]) == 2
    said = "".join(capsys.readouterr())
    assert "qdrant://…@h/x" in said
    assert "GEHEIM" not in said + repr(load().settings)


def test_all_forms_of_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "bethink" / "config.toml"
    file.parent.mkdir()
    file.write_text('retrievers = ["qdrant://h/x", "elasticsearch://h/y"]\n')
    both = ("qdrant://h/x", "elasticsearch://h/y")
    assert load(environment={}).settings.retrievers == both
    told = {"BETHINK_RETRIEVERS": "opensearch://h/z qdrant://h/x"}
    assert load(environment=told).settings.retrievers == ("opensearch://h/z", "qdrant://h/x")
    assert load({"retrievers": ["qdrant://h/q"]}).settings.retrievers == ("qdrant://h/q",)
    file.write_text('retrievers = [1, "qdrant://GEHEIM@h/x"]\n')
    with pytest.raises(SettingsError, match="must be a list of texts") as caught:
        load(environment={})
    assert "GEHEIM" not in str(caught.value)


def test_tenants_have_collections_of_their_own_that_go_with_them(
    tmp_path: Path, server: QdrantServer
) -> None:
    address = server.new_address()
    homes = FileHomes(named(tmp_path, address))
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    collection = address.rpartition("/")[2]

    def collections() -> list[str]:
        names = [one.name for one in client.get_collections().collections]
        return [name for name in names if name.startswith(f"{collection}-tenant-")]

    for tenant in ("甲", "beta"):
        homes.create(tenant)
        store, settings = homes.open(tenant)
        with Engine(store, settings=settings) as engine:
            assert isinstance(engine.store, CompositeStore)
            engine.remember(f"{tenant} 的备份 backup")
            assert engine.store.catch_up(60.0)
    assert len(collections()) == 4  # two for each
    homes.erase("甲")
    assert len(collections()) == 2
    assert not homes.exists("甲")
    client.close()
    away = FileHomes(named(tmp_path, "qdrant://127.0.0.1:1/memories"))
    with pytest.raises(StoreUnavailable, match="take it out of the setting 'retrievers'"):
        away.erase("beta")
    assert homes.exists("beta")


def test_tenants_on_postgresql_have_them_too(server: QdrantServer) -> None:
    address = server.new_address()
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    begin = f"{address.rpartition('/')[2]}-tenant-"

    def collections() -> list[str]:
        names = [one.name for one in client.get_collections().collections]
        return [name for name in names if name.startswith(begin)]

    with PostgresServer.started() as postgres:
        settings = Settings(
            store=postgres.new_database(), embedder="hashing", retrievers=(address,), hot="memory"
        )
        with Reception(settings) as reception:
            for tenant in ("甲", "beta"):
                reception.create_tenant(tenant)
                with reception.tenants.engine(tenant) as engine:
                    assert isinstance(engine.store, CompositeStore)
                    engine.remember(f"{tenant} 的备份 backup")
                    assert engine.store.catch_up(60.0)
                    for stage in ("find_period", "cached"):
                        answer = engine.recall(f"{tenant} 的备份 backup")
                        assert [hit.text for hit in answer.hits] == [f"{tenant} 的备份 backup"]
                        assert (answer.status, answer.trace.steps[0].stage) == ("answered", stage)
            assert len(collections()) == 4  # two for each
            reception.remove_tenant("甲")
            assert len(collections()) == 2
    client.close()


def each(ran: Ran) -> list[Any]:
    return [json.loads(line) for line in ran.out.splitlines()]


def test_one_that_is_used_no_longer_is_let_go(cli: Cli, server: QdrantServer) -> None:
    address = server.new_address()
    name = parse_address(address).name
    shared = ["--embedder", "hashing"]
    cli("remember", "小美负责数据库的备份", "--retriever", address, *shared)
    listed = cli("retrievers", "--retriever", address, *shared)
    assert each(listed) == [{"name": name, "used": True, "state": "has everything"}]
    assert cli("retrievers", "let-go", address, "--yes", "--retriever", address).code == 2
    without = each(cli("retrievers", "list"))
    assert [(one["name"], one["used"]) for one in without] == [(name, False)]
    sick = [check for check in cli("doctor", *shared).json if not check["ok"]]
    assert [check["part"] for check in sick] == [f"retriever {name}"]
    assert "bethink retrievers let-go" in sick[0]["fix"]
    refused = cli("retrievers", "let-go", name, "--yes")
    assert (refused.code, "--keep-copies" in refused.err) == (2, True)
    done = cli("retrievers", "let-go", address, "--yes")
    assert done.json == {"name": name, "tenants": ["default"], "erased": True}
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    assert not client.collection_exists(address.rpartition("/")[2])
    client.close()
    assert each(cli("retrievers", "list")) == []
    assert all(check["ok"] for check in cli("doctor", *shared).json)
    assert cli("retrievers", "let-go", address, "--yes").code == 3  # nobody follows


def test_one_that_is_gone_for_good_is_let_go_by_its_name(cli: Cli, qdrant_binary: Path) -> None:
    with QdrantServer.started(qdrant_binary, SERVICE__API_KEY="GEHEIM") as gone:
        away = gone.new_address("GEHEIM")
        cli("remember", "小美负责数据库的备份", "--retriever", away)
    failed = cli("retrievers", "let-go", away, "--yes")
    assert failed.code != 0
    assert "GEHEIM" not in failed.out + failed.err
    name = parse_address(away).name
    assert [one["name"] for one in each(cli("retrievers", "list"))] == [name]
    (sick,) = [check for check in cli("doctor").json if not check["ok"]]
    *_, command = sick["fix"].split("bethink ")
    assert cli(*shlex.split(command), "--yes").code == 0  # it can be typed as it is said
    assert each(cli("retrievers", "list")) == []
    assert all(check["ok"] for check in cli("doctor").json)


def test_a_look_with_an_address_that_is_mistyped_leaves_nothing_behind(
    cli: Cli, tmp_path: Path
) -> None:
    wrong = ["--retriever", "qdrant://127.0.0.1:1/x", "--retriever", "opensearch://127.0.0.1:1/x"]
    cli("remember", "小美负责数据库的备份 the backup")
    for look in (["status"], ["recall", "谁负责备份？"], ["doctor"], ["retrievers"], ["list"]):
        said = cli(*look, *wrong)
        assert said.code == (look == ["doctor"])
        assert "Warning" not in said.err
    assert not list(tmp_path.glob("*feed*"))
    assert each(cli("retrievers", "list")) == []
    assert all(check["ok"] for check in cli("doctor").json)


def test_why_an_engine_is_left_out_names_it_once(cli: Cli) -> None:
    cli("remember", "小美负责数据库的备份")
    notes = cli("status", "--retriever", "qdrant://127.0.0.1:1/memories").json["notes"]
    (left_out,) = [note for note in notes if "left out" in note]
    assert left_out.startswith("qdrant 127.0.0.1:1/memories is left out: it cannot be reached")
    assert left_out.count("qdrant") == 1
