"""Looking after tenants by the command line: in files, and on PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote

import pytest

from bethink.access.reception import Reception
from bethink.settings import Settings
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.servers.postgres_server import PostgresServer
from tests.stores.postgres.conftest import server as server

OTHERS = ("acme", "研发部")


@pytest.fixture(params=["file", "postgres"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A store with three tenants, each with something of its own."""
    place = str(tmp_path / "memory.db")
    if request.param == "postgres":
        database: PostgresServer = request.getfixturevalue("server")
        place = database.new_database()
        monkeypatch.setenv("BETHINK_STORE", place)
    settings = Settings(store=place, embedder="hashing")
    with Reception(settings) as reception:
        for tenant in ("default", *OTHERS):
            if tenant != "default":
                reception.create_tenant(tenant)
            with reception.tenants.engine(tenant) as engine:
                engine.remember(f"the budget of {tenant} 的预算", space="预算")
    return place


def test_a_tenant_is_looked_at_by_its_name(cli: Cli, store: str) -> None:
    for tenant in ("default", *OTHERS):
        looked = cli("status", "--tenant", tenant, "--json")
        assert looked.code == 0, looked.err
        assert (looked.json["tenant"], looked.json["memories"]) == (tenant, 1)
        assert f"tenant    {tenant}" in cli("status", "--tenant", tenant, "--text").out
        spaces = {one["name"] for one in cli("spaces", "--tenant", tenant, "--json").json}
        assert spaces == {"global", "预算"}
    assert cli("status", "--json").json["tenant"] == "default"
    assert "tenant    " not in cli("status", "--text").out


def test_what_a_tenant_holds_is_exported_and_comes_back(
    cli: Cli, store: str, tmp_path: Path
) -> None:
    """And nothing of another's; one that names no tenant says who is left out."""
    saved = tmp_path / "saved.jsonl"
    assert cli("export", "--tenant", "研发部", "--out", str(saved)).code == 0
    (line,) = saved.read_text("utf-8").splitlines()
    assert json.loads(line)["text"] == "the budget of 研发部 的预算"
    whole = cli("export")
    assert "the budget of default" in whole.out and "acme" not in whole.out
    assert "exported: the tenant default; not acme, 研发部 (--tenant NAME)" in whole.err
    assert cli("export", "--quiet").err == ""
    taken = cli("import", str(saved), "--tenant", "acme", "--json")
    assert taken.code == 0 and taken.json["created"] == 1, taken.err
    assert cli("status", "--tenant", "acme", "--json").json["memories"] == 2
    assert cli("status", "--json").json["memories"] == 1


def test_reindex_and_doctor_say_whose_it_was(cli: Cli, store: str) -> None:
    done = cli("reindex", "--force", "--tenant", "acme", "--json")
    assert done.code == 0 and (done.json["done"], done.json["tenant"]) == (1, "acme")
    assert "reindexed: the tenant acme; not default, 研发部" in done.err
    assert cli("reindex", "--json").json["tenant"] == "default"
    for tenant, others in ((None, "acme, 研发部"), ("研发部", "default, acme")):
        named = [] if tenant is None else ["--tenant", tenant]
        checked = cli("doctor", *named, "--json").json
        (said,) = (one for one in checked if one["part"] == "tenant")
        assert said["finding"] == (
            f"this is {tenant or 'default'}; not looked at: {others} (bethink doctor --tenant NAME)"
        )
        assert len(checked) > 5 and all(one["ok"] for one in checked), checked


@pytest.mark.parametrize("command", ["status", "doctor", "reindex", "export", "spaces"])
def test_a_tenant_that_nobody_made_is_refused_and_not_made(
    cli: Cli, store: str, command: str
) -> None:
    before = cli("tenants", "list").out
    for unknown in ("nobody", "市场部"):
        refused = cli(command, "--tenant", unknown, "--json")
        assert (refused.code, refused.error["code"]) == (3, "not_found"), refused
        assert refused.error["message"].endswith(
            f"has no tenant {unknown!r}; this names those that it has: "
            f"bethink tenants list --store {quote(store)}"
        )
    wrong = cli(command, "--tenant", "No Name")
    assert wrong.code == 2
    assert cli("tenants", "list").out == before


def test_importing_makes_no_tenant(cli: Cli, store: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# 预算\n\nthe budget is 300\n", encoding="utf-8")
    for more in ((), ("--dry-run",)):
        assert cli("import", str(notes), "--tenant", "nobody", *more).code == 3
    assert "nobody" not in cli("tenants", "list").out


def test_one_tenant_alone_needs_no_word_about_others(cli: Cli, tmp_path: Path) -> None:
    assert cli("remember", "只有一个 only one").code == 0
    assert "tenant: " not in cli("doctor", "--text").out
    assert "the tenant" not in cli("reindex", "--text").err


def test_tenants_without_a_store_beside_them_are_named(cli: Cli, tmp_path: Path) -> None:
    """As a move of one tenant alone leaves them."""
    place = str(tmp_path / "others.db")
    with Reception(Settings(store=place, embedder="none")) as reception:
        reception.create_tenant("研发部")
    missing = cli("status", "--store", place, "--json")
    assert (missing.code, missing.error["code"]) == (5, "store_missing")
    assert "tenants beside it: 研发部; name one with --tenant" in missing.error["message"]
    assert cli("status", "--store", place, "--tenant", "研发部").code == 0
