from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest

from bethink.access.homes import FileHomes
from bethink.access.reception import Reception
from bethink.access.tenant_names import check_tenant, file_of, tenant_in
from bethink.access.tenants import Tenants
from bethink.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    StoreError,
    StoreMissing,
    Unauthorised,
)
from bethink.settings import Settings
from bethink.testing import run_at_once
from tests.access.coming_in import AtDesk, caller, desk
from tests.embedders_of_tests import Letters

TRICKS = [
    "", ".", "..", "../m", "a/b", "a\\b", "/etc/passwd", "a.db", "a b", "a\0b", "-a", "_a", "A",
    "Acme", "straße", "ＡＣＭＥ", "e\u0301", "con", "nul", "com1", "lpt9", "=61", "a" * 41,
    "研发部/..", "ſ", None, 7, b"acme", "a\n",
]  # fmt: skip


def folder_of(reception: Reception) -> Path:
    assert isinstance(reception.tenants.homes, FileHomes)
    return reception.tenants.homes.folder


@pytest.mark.parametrize("name", TRICKS)
def test_names_that_could_lead_elsewhere_are_refused(reception: Reception, name: object) -> None:
    with pytest.raises(InvalidInput):
        check_tenant(name)
    with pytest.raises(InvalidInput):
        reception.tenants.create(cast(str, name))
    assert reception.tenants.list() == ["default"]


@pytest.mark.parametrize(
    "name", ["acme", "a", "0", "a-b_c", "研发部", "é", "日本-2", "x" * 40, "部" * 40]
)
def test_each_name_has_a_file_of_its_own_in_the_folder(tmp_path: Path, name: str) -> None:
    path = file_of(tmp_path, check_tenant(name))
    assert path.parent == tmp_path
    assert path.name.isascii()
    assert path.name == path.name.lower()
    assert len(path.name) <= 255
    assert tenant_in(path) == name


def test_files_that_are_nobodys_are_no_tenants(reception: Reception) -> None:
    reception.tenants.create("acme")
    folder = folder_of(reception)
    for name in ("notes.txt", "A.db", "=zz.db", "=61636d65.db", ".db", "a b.db", "acme.db.bak"):
        (folder / name).write_bytes(b"")
    assert reception.tenants.list() == ["default", "acme"]


def test_a_tenant_has_a_store_of_its_own(reception: Reception, tmp_path: Path) -> None:
    for name in ("acme", "研发部"):
        reception.create_tenant(name)
        with pytest.raises(Conflict):
            reception.create_tenant(name)
    acme, ours = desk(reception, tenant="acme"), desk(reception, tenant="研发部")
    default = desk(reception)
    told = acme.remember({"text": "Acme's budget is 7 million", "id": "budget"})
    assert ours.remember({"text": "研发部的预算是三百万", "id": "budget"})["id"] == told["id"]
    assert [h["text"] for h in ours.recall("budget 预算")["hits"]] == ["研发部的预算是三百万"]
    assert [m["text"] for m in acme.list()["memories"]] == ["Acme's budget is 7 million"]
    assert default.list()["memories"] == []
    assert default.status()["memories"] == 0
    assert (tmp_path / "m.db.tenants" / "acme.db").exists()
    assert (tmp_path / "m.db.tenants").stat().st_mode & 0o077 == 0


def test_the_default_tenant_is_the_store_that_the_settings_name(
    reception: Reception, settings: Settings
) -> None:
    from bethink import Engine

    desk(reception).remember({"text": "预算会议改到周五"})
    with Engine(settings=settings) as engine:
        assert [m.text for m in engine.list().memories] == ["预算会议改到周五"]
    with pytest.raises(Conflict):
        reception.create_tenant("default")
    with pytest.raises(InvalidInput, match="store itself"):
        reception.remove_tenant("default")


def test_removing_erases_the_files_and_ends_the_keys(reception: Reception) -> None:
    for name in ("acme", "acme2", "研发部"):
        reception.create_tenant(name)
    key = reception.create_key(name="ci", scopes=["admin"], tenant="acme")
    at = AtDesk(reception, reception.caller(key.key, door="rest"))
    for n in range(3):
        at.remember({"text": f"canary 金丝雀 {n}"})
        at.recall("canary")
    desk(reception, tenant="acme2").remember({"text": "stays 留下"})
    revoked = reception.remove_tenant("acme")
    assert [record.id for record in revoked] == [key.record.id]
    assert reception.tenants.list() == ["default", "acme2", "研发部"]
    left = sorted(f.name for f in folder_of(reception).iterdir() if f.name.startswith("acme."))
    assert left == []
    for file in folder_of(reception).rglob("*"):
        assert not file.is_file() or "金丝雀".encode() not in file.read_bytes()
    with pytest.raises(Unauthorised):
        reception.caller(key.key, door="rest")
    with pytest.raises(NotFound):
        at.list()
    with pytest.raises(NotFound):
        reception.remove_tenant("acme")
    reception.create_tenant("acme")
    with pytest.raises(Unauthorised):  # whoever comes next has not the keys of whoever was
        reception.caller(key.key, door="rest")
    assert desk(reception, tenant="acme").list()["memories"] == []


@pytest.mark.parametrize("tenant", ["default", "研发部"])
def test_what_cannot_be_removed_keeps_its_keys_and_repeats(
    reception: Reception, tenant: str
) -> None:
    """The default one is the store itself; the other's file was taken away by somebody."""
    if tenant != "default":
        reception.create_tenant(tenant)
    key = reception.create_key(name="ci", scopes=["admin"], tenant=tenant).key
    who = reception.caller(key, door="rest")
    reception.idempotent(who, "once 一次", "hash", lambda: {"status": 201})
    if tenant != "default":
        assert isinstance(reception.tenants.homes, FileHomes)
        reception.tenants.homes.path(tenant).unlink()
    head = reception.audit.head()
    with pytest.raises((InvalidInput, NotFound)):
        reception.remove_tenant(tenant)
    assert reception.caller(key, door="rest") == who
    assert reception.idempotent(who, "once 一次", "hash", lambda: {"status": 0}).replayed
    assert reception.audit.head() == head


def test_keys_that_ended_with_a_removal_that_failed_are_noted(reception: Reception) -> None:
    reception.create_tenant("acme")
    key = reception.create_key(name="ci", scopes=["admin"], tenant="acme")
    in_use = reception.desk(reception.caller(key.key, door="rest"))
    with in_use, pytest.raises(Conflict, match="in use"):
        reception.remove_tenant("acme")
    (noted, *_) = reception.audit.list()
    assert (noted.action, noted.outcome) == ("remove_tenant", Conflict.code)
    assert noted.targets == ("acme", key.record.id)


def test_one_in_use_is_not_removed_under_a_request(reception: Reception) -> None:
    reception.create_tenant("acme")
    with reception.desk(caller(reception, tenant="acme")) as at:
        with pytest.raises(Conflict, match="in use"):
            reception.tenants.remove("acme")
        at.remember({"text": "still here 还在"})
    reception.tenants.remove("acme")
    assert reception.tenants.list() == ["default"]


def test_what_another_process_removed_and_made_anew_is_not_the_old_one(
    reception: Reception, settings: Settings
) -> None:
    reception.create_tenant("acme")
    who = caller(reception, tenant="acme")
    at = AtDesk(reception, who)
    at.remember({"text": "old 旧的"})
    with Reception(settings) as other:
        other.tenants.remove("acme")
        with pytest.raises(NotFound):
            at.list()
        other.tenants.create("acme")
    assert at.list()["memories"] == []
    at.remember({"text": "new 新的"})
    with Reception(settings) as other:
        assert [m["text"] for m in AtDesk(other, who).list()["memories"]] == ["new 新的"]


def test_at_most_so_many_are_open_and_none_in_use_is_closed(settings: Settings) -> None:
    tenants = Tenants(settings, most_open=2)
    names = [f"t{n}" for n in range(5)]
    for name in names:
        tenants.create(name)
    with tenants.engine("t0") as first:
        for _ in range(2):
            for name in names[1:]:
                with tenants.engine(name) as engine:
                    engine.remember(f"of {name} 的记忆")
                assert len(tenants._open) <= 2
        first.remember("still open 还开着")
        assert first.list().memories
    with tenants.engine("t0") as again:
        assert again is first
    tenants.close()
    with pytest.raises(StoreError), tenants.engine("t0"):
        pass
    with pytest.raises(StoreError):
        first.remember("closed now")


def test_many_threads_open_and_close_without_harm(settings: Settings) -> None:
    tenants = Tenants(settings, most_open=2)
    names = [f"t{n}" for n in range(4)]
    for name in names:
        tenants.create(name)

    def work(number: int) -> None:
        for turn in range(12):
            name = names[(number + turn) % 4]
            with tenants.engine(name) as engine:
                engine.remember(f"{name} thread {number} 第 {turn} 次")
                texts = [m.text for m in engine.list(limit=100).memories]
                assert all(text.startswith(name) for text in texts)

    run_at_once(work, range(4))
    for name in names:
        with tenants.engine(name) as engine:
            assert len(engine.list(limit=100).memories) == 12
    tenants.close()


def test_one_embedder_serves_all_and_stays_open_for_whoever_gave_it(settings: Settings) -> None:
    class Closable(Letters):
        closed = False

        def close(self) -> None:
            self.closed = True

    given = Closable()
    tenants = Tenants(settings, embedder=given)
    tenants.create("a")
    tenants.create("b")
    with tenants.engine("a") as a, tenants.engine("b") as b:
        assert a._parts.embedder is b._parts.embedder  # that it hangs, both learn at once
        a.remember("小美 likes tea")
        assert given.texts == ["小美 likes tea"]
    tenants.close()
    assert not given.closed
    by_name = Tenants(settings)
    with by_name.engine("a") as a, by_name.engine("b") as b:
        assert a._parts.embedder is b._parts.embedder
        assert not isinstance(a._parts.embedder, str)
    by_name.close()


def held_open(folder: Path) -> list[str]:
    links = (os.readlink(one) for one in Path("/proc/self/fd").iterdir() if one.is_symlink())
    return [link for link in links if link.startswith(str(folder)) and "(deleted)" in link]


@pytest.mark.parametrize("written", [False, True])
def test_nothing_of_a_removed_tenant_comes_back(
    settings: Settings, tmp_path: Path, written: bool
) -> None:
    """Another process removes it while this one has noted a question and not written it yet, or
    has."""
    now = 0.0
    tenants = Tenants(settings, timer=lambda: now)
    elsewhere = Tenants(settings)
    elsewhere.create("甲")
    elsewhere.create("乙")
    assert isinstance(tenants.homes, FileHomes)
    gone = tenants.homes.path("甲")
    with tenants.engine("甲") as engine:
        engine.remember("秘密 secret")
        engine.recall("秘密 secret 何时")
        if written:
            engine.events.flush()
        elsewhere.remove("甲")
        with pytest.raises(StoreMissing, match="removed"):
            engine.remember("more 更多")
    now += 60
    with tenants.engine("乙") as other:
        other.remember("公开 open")
    assert held_open(tmp_path) == []
    tenants.close()
    elsewhere.close()
    assert list(gone.parent.glob(f"{gone.name}*")) == []
    assert not [path for path in tmp_path.rglob("*") if _mentions(path, "秘密")]
    elsewhere = Tenants(settings)
    elsewhere.create("甲")
    with elsewhere.engine("甲") as anew:
        assert anew.events.since(0) == []
    elsewhere.close()


def _mentions(path: Path, text: str) -> bool:
    return path.is_file() and text.encode() in path.read_bytes()


def test_removing_leaves_what_somebody_else_put_beside_the_store(
    reception: Reception, tmp_path: Path
) -> None:
    reception.create_tenant("acme")
    desk(reception, tenant="acme").remember({"text": "canary 金丝雀"})
    folder = folder_of(reception)
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("毕业论文 my thesis", "utf-8")
    (folder / "acme.db.2026-11-01.bak").write_text("a copy that a person made 备份", "utf-8")
    index = folder / "acme.db.index"
    index.mkdir(exist_ok=True)
    (index / "notes.txt").write_text("笔记 notes", "utf-8")
    (index / "words-1-0123456789ab-1f.postings").write_text("ours", "utf-8")
    (index / "vectors_1-1-0123456789ab.f32").symlink_to(thesis)
    reception.remove_tenant("acme")
    left = sorted(str(f.relative_to(folder)) for f in folder.rglob("acme.db*"))
    assert left == ["acme.db.2026-11-01.bak", "acme.db.index"]
    assert sorted(f.name for f in index.iterdir()) == ["notes.txt", "vectors_1-1-0123456789ab.f32"]
    assert thesis.read_text("utf-8") == "毕业论文 my thesis"
