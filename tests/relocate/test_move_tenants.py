"""A store with tenants: one of them is moved, or all, and nobody is left behind unsaid."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from shlex import quote, split
from typing import Any

import pytest

from bethink.access.homes import FileHomes
from bethink.access.reception import Reception
from bethink.relocate import move as moving
from bethink.relocate.move import move
from bethink.relocate.unfinished import NOTE
from bethink.settings import Settings
from bethink.stores.postgres.looking import schema_found
from bethink.stores.sqlite.store import SQLiteStore
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.relocate.half import Stopped, stop
from tests.servers.postgres_server import PostgresServer

TENANTS = ("default", "acme", "研发部")


@pytest.fixture
def places(
    request: pytest.FixtureRequest, server: PostgresServer, tmp_path: Path
) -> tuple[str, str]:
    """A store with three tenants, and where it shall go."""
    file, address = str(tmp_path / "team.db"), server.new_database()
    source, target = (file, address) if request.param == "to a server" else (address, file)
    _fill(source)
    return source, target


both_ways = pytest.mark.parametrize("places", ["to a server", "to a file"], indirect=True)


def _fill(place: str) -> None:
    with Reception(Settings(store=place, embedder="hashing")) as reception:
        for tenant in TENANTS:
            if tenant != "default":
                reception.create_tenant(tenant)
            with reception.tenants.engine(tenant) as engine:
                for n in range(3):
                    engine.remember(f"number {n} of {tenant} 的第 {n} 条预算", id=f"{tenant}-{n}")


def _held(cli: Cli, place: str) -> dict[str, str]:
    return {t: cli("export", "--store", place, "--tenant", t, "--quiet").out for t in TENANTS}


@both_ways
def test_all_go_over_and_each_is_named(cli: Cli, places: tuple[str, str]) -> None:
    source, target = places
    moved = cli("move", source, target, "--all-tenants", "--json")
    assert moved.code == 0, moved.err
    assert moved.json["same"] and list(moved.json["tenants"]) == list(TENANTS)
    assert {one["carried"] for one in moved.json["tenants"].values()} == {3}
    assert cli(*split(moved.json["open"])[1:]).code == 0
    assert _held(cli, target) == _held(cli, source)
    assert "研发部" in cli("tenants", "list", "--store", target).out
    again = cli("move", source, target, "--all-tenants", "--text")
    assert again.code == 0 and "研发部: everything was there already" in again.err
    for tenant in TENANTS:
        assert f"same              3  {tenant}" in again.out
    assert "3 of 3 tenants, 9 memories" in again.out
    assert cli("move", "--verify", source, target, "--all-tenants").code == 0


@both_ways
def test_one_alone_says_who_is_left_behind(cli: Cli, places: tuple[str, str]) -> None:
    source, target = places
    moved = cli("move", source, target, "--json")
    assert moved.code == 0, moved.err
    assert (moved.json["tenant"], moved.json["left_behind"]) == ("default", ["acme", "研发部"])
    told = cli("move", source, target, "--text").out
    *_, last = told.splitlines()
    assert last.startswith("only the tenant default was moved; LEFT BEHIND: acme, 研发部. All of")
    command = last.split("them: bethink ")[1]
    assert command.endswith("--all-tenants")
    assert cli(*split(command)).code == 0
    assert _held(cli, target) == _held(cli, source)
    compared = cli("move", "--verify", source, target, "--tenant", "acme", "--text")
    assert compared.code == 0
    assert "only the tenant acme was compared; LEFT BEHIND: default, 研发部" in compared.out


def test_of_one_store_alone_nobody_is_left_behind(cli: Cli, tmp_path: Path) -> None:
    assert cli("remember", "只有一个 only one").code == 0
    moved = cli("move", "memory.db", "other.db", "--json")
    assert moved.json["left_behind"] == []
    assert "LEFT" not in cli("move", "memory.db", "other.db", "--text").out


@both_ways
def test_stopped_in_the_middle_it_goes_on(
    cli: Cli, places: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = places
    begun: list[str] = []

    def cut(*stores: Any, **options: Any) -> Any:
        begun.append("one")
        return move(*stores, **(options if len(begun) != 2 else {"progress": stop}))

    with monkeypatch.context() as killed:
        killed.setattr(moving, "move", cut)
        with pytest.raises(Stopped):
            cli("move", source, target, "--all-tenants")
    looked = cli("status", "--store", target, "--tenant", "acme", "--json")
    assert "not finished" in looked.json["notes"][0]
    assert cli("status", "--store", target, "--tenant", "研发部").code == 3
    done = cli("move", source, target, "--all-tenants", "--json")
    assert done.code == 0, done.err
    resumed = {name: one["resumed"] for name, one in done.json["tenants"].items()}
    assert resumed == {"default": False, "acme": True, "研发部": False}
    assert _held(cli, target) == _held(cli, source)


@both_ways
def test_what_stands_in_the_way_of_one_holds_up_no_other(cli: Cli, places: tuple[str, str]) -> None:
    source, target = places
    assert cli("move", source, target, "--tenant", "acme").code == 0
    with (
        Reception(Settings(store=target, embedder="hashing")) as reception,
        reception.tenants.engine("acme") as engine,
    ):
        engine.remember("told there since 后来说的", id="later")
    moved = cli("move", source, target, "--all-tenants", "--json")
    assert moved.code == 4 and not moved.json["same"]
    fates = {name: one.get("same") for name, one in moved.json["tenants"].items()}
    assert fates == {"default": True, "acme": None, "研发部": True}
    assert moved.json["tenants"]["acme"]["error"]["code"] == "conflict"
    assert moved.error["message"].startswith("the tenant 'acme': the target holds something")
    shown = cli("move", "--verify", source, target, "--all-tenants", "--text")
    assert shown.code == 1
    assert "DIFFERS           3  acme: the space 'global'" in shown.out
    assert "same              3  研发部" in shown.out


def test_a_tenant_that_the_target_lacks_is_said_when_they_are_compared(
    cli: Cli, tmp_path: Path
) -> None:
    source, target = str(tmp_path / "team.db"), str(tmp_path / "there.db")
    _fill(source)
    assert cli("move", source, target).code == 0
    compared = cli("move", "--verify", source, target, "--all-tenants", "--text")
    assert compared.code == 1
    assert "FAILED" in compared.out and "has no tenant '研发部'" in compared.err
    assert FileHomes(Settings(store=target)).list() == []


def test_a_tenant_becomes_a_file_of_its_own(
    cli: Cli, server: PostgresServer, tmp_path: Path
) -> None:
    """As the backup of one tenant that the pages show."""
    address = server.new_database()
    _fill(address)
    held = _held(cli, address)
    own = tmp_path / "研发部.db"
    backup = cli(
        "move", address, str(own), "--tenant", "研发部", "--to-tenant", "default", "--json"
    )
    assert backup.code == 0, backup.err
    assert backup.json["open"] == f"bethink status --store {quote(str(own))}"
    assert cli("status", "--store", str(own), "--json").json["memories"] == 3
    assert cli("export", "--store", str(own)).out == held["研发部"]
    text = cli("move", address, str(own), "--tenant", "研发部", "--to-tenant", "default", "--text")
    assert "DST --all-tenants" in text.out  # the others have no place in that file
    # and back, as a tenant
    elsewhere = server.new_database()
    assert cli("move", str(own), elsewhere, "--to-tenant", "研发部").code == 0
    out = cli("export", "--store", elsewhere, "--tenant", "研发部").out
    assert out == held["研发部"]


@both_ways
def test_what_a_move_of_one_tenant_made_can_be_opened_as_it_says(
    cli: Cli, places: tuple[str, str]
) -> None:
    source, target = places
    for tenant in ("acme", "研发部"):
        made = cli("move", source, target, "--tenant", tenant, "--text")
        assert made.code == 0, made.err
        (line,) = (one for one in made.out.splitlines() if one.startswith("look at it with: "))
        looked = cli(*split(line)[5:], "--json")
        assert looked.code == 0, looked.err
        assert (looked.json["tenant"], looked.json["memories"]) == (tenant, 3)


def test_a_refused_move_leaves_nothing_behind(
    cli: Cli, server: PostgresServer, tmp_path: Path
) -> None:
    half, address = tmp_path / "half.db", server.new_database()
    with closing(SQLiteStore(half)) as store:
        store.write_note(NOTE, "{}")
    for more in ((), ("--to-tenant", "研发部"), ("--all-tenants",)):
        for target in (str(tmp_path / "other.db"), address):
            refused = cli("move", str(half), target, *more, "--json")
            assert refused.code == 4 and "itself the target of a move" in refused.err
    assert not list(tmp_path.glob("other.db*"))
    assert schema_found(address)[0] == 0


def test_an_unknown_tenant_is_named_with_the_store_to_look_in(cli: Cli, tmp_path: Path) -> None:
    source = str(tmp_path / "our team.db")
    _fill(source)
    refused = cli("move", source, "x.db", "--tenant", "市场部", "--json")
    assert refused.code == 3
    command = refused.error["message"].split("bethink ")[1]
    assert "研发部" in cli(*split(command)).out
    assert not (tmp_path / "x.db").exists()


def test_names_are_kept_where_all_go(cli: Cli, tmp_path: Path) -> None:
    _fill(str(tmp_path / "team.db"))
    for more in (("--tenant", "acme"), ("--to-tenant", "acme")):
        assert cli("move", "team.db", "x.db", "--all-tenants", *more).code == 2
    missing = cli("move", "none.db", "x.db", "--all-tenants", "--json")
    assert (missing.code, missing.error["code"]) == (5, "store_missing")
    assert not (tmp_path / "x.db").exists()
