"""What the pages say of backups: nothing is missing from what they tell to copy, and their commands
bring everything back."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from shlex import split

import pytest

from bethink.access.reception import Reception
from bethink.settings import Settings
from tests.docs.test_docs import ROOT, blocks
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.servers.postgres_server import PostgresServer
from tests.stores.postgres.conftest import server as server

HOW_TO = ROOT / "docs/how-to/README.md"
OPERATIONS = ROOT / "docs/how-to/operations.md"
TENANTS = ("default", "acme", "研发部")

# Uses a store as a server does, and ends as a power cut would: nothing is put in order.
_USE = """
import os, sys
from bethink import Engine
from bethink.access.reception import Reception
from bethink.settings import Settings

settings = Settings(store=sys.argv[1], embedder="hashing")
reception = Reception(settings)
for tenant in sys.argv[2:]:
    with reception.tenants.engine(tenant) as engine:
        engine.remember(f"the last of {tenant} 的最后一条", id="last")
        engine.offer(f"{tenant} deploys on Mondays only, after the tests 周一测试之后部署" * 2)
        engine.recall("最后 last")
        engine.events.flush()
reception.create_key(name="小美", tenant="研发部", scopes=["read"])
os.kill(os.getpid(), 9)
"""


def _exported(cli: Cli, store: Path) -> dict[str, str]:
    return {
        tenant: cli("export", "--store", str(store), "--tenant", tenant, "--quiet").out
        for tenant in TENANTS
    }


@pytest.fixture
def store(cli: Cli, tmp_path: Path) -> Path:
    """With tenants, keys, events, offers and a notebook, and not closed in order."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text("# 计划\n\nWe deploy on Fridays 周五部署\n", encoding="utf-8")
    assert cli("remember", "预算会议改到周五 the budget meeting").code == 0
    assert cli("source", "add", str(notes), "--space", "notes").code == 0
    for tenant in TENANTS[1:]:
        assert cli("tenants", "create", tenant).code == 0
    cut = subprocess.run(
        [sys.executable, "-c", _USE, str(tmp_path / "memory.db"), *TENANTS],
        capture_output=True,
        check=False,
    )
    assert cut.returncode == -signal.SIGKILL, cut.stderr
    return tmp_path / "memory.db"


def _named() -> dict[str, bool]:
    """What the table names beside a store, and whether it says that it is to be copied."""
    rows = re.findall(
        r"^\| (`(?:memory\.db|…).*?) \|.*\| (.*?) \|$", HOW_TO.read_text("utf-8"), re.M
    )
    return {
        name.rstrip("/").replace("memory.db", "").lstrip("…"): not told.startswith("no")
        for names, told in rows
        for name in re.findall(r"`(.*?)`", names)
    }


def _copied(store: Path) -> Path:
    """By the very line of the page."""
    (line,) = (b for b in blocks(HOW_TO, "bash") if b.startswith("cp "))
    assert "\n" not in line.strip()
    (store.parent / "backup").mkdir()
    subprocess.run(line, shell=True, check=True, cwd=store.parent)
    elsewhere = store.parent / "restored"
    (store.parent / "backup").rename(elsewhere)
    return elsewhere / store.name


def test_every_file_beside_a_store_is_on_the_page(store: Path) -> None:
    named = _named()
    assert len(named) == 8, named
    for folder, name in ((store.parent, store.name), (Path(f"{store}.tenants"), "acme.db")):
        for found in folder.glob(f"{name}?*"):
            kept = found.name.removeprefix(name)
            kept = re.sub(r"^(\.server|\.events)-(wal|shm)$", r"\1", kept)
            assert kept in named or kept.endswith(".lock"), found
    beside = {found.name.removeprefix(store.name) for found in store.parent.glob("memory.db?*")}
    needed = {name for name, wanted in named.items() if wanted}
    assert needed <= beside, "the test must show each of them"


@pytest.mark.parametrize("all_of_it", [True, False])
def test_what_the_page_tells_to_copy_is_everything(cli: Cli, store: Path, all_of_it: bool) -> None:
    copy = _copied(store)
    if not all_of_it:  # nor is anything missing where only what is needed is copied
        for name, wanted in _named().items():
            for found in copy.parent.rglob(f"*{name}"):
                if not wanted:
                    shutil.rmtree(found) if found.is_dir() else found.unlink()
    before = _exported(cli, store)
    events = cli("events", "--json").out
    for tenant in TENANTS:
        assert f"the last of {tenant} 的最后一条" in before[tenant]
    assert "周五部署" in before["default"] and "最后" in events
    keys = cli("keys", "list", "--json").out
    assert "小美" in keys
    trail = cli("audit", "--json").out
    for gone in store.parent.glob("memory.db*"):
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    there = ("--store", str(copy))
    assert _exported(cli, copy) == before
    assert cli("keys", "list", "--json", *there).out == keys
    assert cli("audit", "--json", *there).out == trail
    assert cli("audit", "--verify", *there).code == 0
    assert cli("events", "--json", *there).out == events
    (book,) = cli("status", "--json", *there).json["books"]
    assert book["space"] == "notes"
    for tenant in TENANTS:
        assert cli("status", "--tenant", tenant, "--json", *there).json["waiting"]
        assert cli("doctor", "--tenant", tenant, *there).code == 0


def test_the_backup_of_one_tenant_is_a_command_that_works(
    cli: Cli, server: PostgresServer, tmp_path: Path
) -> None:
    (block,) = (b for b in blocks(OPERATIONS, "bash") if "--to-tenant default" in b)
    address, restored = server.new_database(), server.new_database()
    with Reception(Settings(store=address, embedder="hashing")) as reception:
        for tenant in TENANTS:
            if tenant != "default":
                reception.create_tenant(tenant)
            with reception.tenants.engine(tenant) as engine:
                engine.remember(f"the budget of {tenant} 的预算")
    told = block.replace("postgresql://bethink@db.example.org/memory", address)
    told = told.replace("postgresql://bethink@db.example.org/restored", restored)
    ran = [cli(*split(line)[1:], "--json") for line in told.splitlines() if line.strip()]
    assert [one.code for one in ran] == [0] * 5, [one.err for one in ran]
    assert ran[1].json["memories"] == 1
    assert (tmp_path / "acme.db").is_file() and not (tmp_path / "acme.db.tenants").exists()
    held = cli("export", "--store", address, "--tenant", "acme", "--quiet").out
    assert json.loads(held)["text"] == "the budget of acme 的预算"
    assert cli("export", "--store", "acme.db").out == held
    assert cli("export", "--store", restored, "--tenant", "acme").out == held
    assert cli("export", "--store", "all.db", "--tenant", "acme", "--quiet").out == held
    assert (tmp_path / "acme.jsonl").read_text("utf-8") == held
