"""Documents added again, replaced, moved, pruned and removed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bethink import Engine
from bethink.engine import whole_documents
from bethink.errors import NotFound
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents import adding, keeping
from bethink.knowledge.documents.blocks import Unreadable
from bethink.knowledge.documents.reading import READER
from bethink.testing import FakeClock
from bethink.text.tokenise import query_terms
from tests.embedders_of_tests import Letters
from tests.knowledge import files_of_tests as files

WORDS = "apple basin cedar delta ember flint grove heron iris jade kelp lotus".split()
LONG = "\n\n".join(f"# Part {n} 第{n}部\n\n{word} 内容{n}。" for n, word in enumerate(WORDS))


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    return KnowledgeBase(engine, "handbook")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.md").write_text("# Alpha\n\nThe first 第一。", "utf-8")
    (made / "b.md").write_text(LONG, "utf-8")
    return made


def fates(base: KnowledgeBase, folder: Path, *, removed: bool = False) -> dict[str, str]:
    return {one.address: one.fate for one in base.add(folder, removed=removed).outcomes}


def found(base: KnowledgeBase, words: str) -> set[str]:
    """By words alone, straight from the store."""
    hits = base.engine.store.search_words(
        query_terms(words), spaces=["handbook"], where=None, limit=100
    )
    return {hit.memory_id for hit in hits}


def test_again_unchanged_changed_and_gone(base: KnowledgeBase, folder: Path) -> None:
    assert fates(base, folder) == {"docs/a.md": "added", "docs/b.md": "added"}
    before = base.documents()
    assert fates(base, folder) == {"docs/a.md": "unchanged", "docs/b.md": "unchanged"}
    assert base.documents() == before
    (folder / "a.md").write_text("# Alpha\n\nThe second 第二。", "utf-8")
    (folder / "b.md").unlink()
    assert fates(base, folder) == {"docs/a.md": "replaced"}
    assert len(base.documents()) == 2
    assert fates(base, folder, removed=True) == {"docs/a.md": "unchanged", "docs/b.md": "removed"}
    assert [one.address for one in base.documents()] == ["docs/a.md"]
    assert [one.text for one in base.document_parts("docs/a.md")] == ["Alpha\n\nThe second 第二。"]
    assert not found(base, "delta")
    assert base.engine.store.count(spaces=["handbook"]) == 2


def test_only_sections_that_changed_are_written_and_no_former_form_stays(
    base: KnowledgeBase, folder: Path, clock: FakeClock
) -> None:
    base.add(folder)
    before = {one.id: base.engine.get(one.id) for one in base.document_parts("docs/b.md")}
    clock.advance(minutes=1)
    (folder / "b.md").write_text(LONG.replace("flint", "marsh"), "utf-8")
    assert fates(base, folder)["docs/b.md"] == "replaced"
    after = {one.id: base.engine.get(one.id) for one in base.document_parts("docs/b.md")}
    changed = [one for one in after if after[one] != before[one]]
    assert len(changed) == 1
    assert base.engine.history(changed[0]) == []
    assert not found(base, "flint")
    assert found(base, "marsh") == set(changed)


def test_a_chapter_that_is_renamed_is_found_by_its_new_name_in_every_section(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    parts = "\n\n".join(f"## Step {n} 第{n}步\n\n{word} 内容{n}。" for n, word in enumerate(WORDS))
    path = tmp_path / "manual.md"
    path.write_text(f"# Stopping 停机\n\nBefore.\n\n{parts}", "utf-8")
    base.add(path)
    assert len(found(base, "stopping")) == len(found(base, "停机")) >= len(WORDS)
    path.write_text(f"# Starting 启动\n\nBefore.\n\n{parts}", "utf-8")
    base.add(path)
    assert found(base, "stopping") == found(base, "停机") == set()
    assert len(found(base, "starting")) == len(found(base, "启动")) >= len(WORDS)
    kept = base.engine.store
    assert kept.unembedded(Letters().fingerprint, limit=100) == [], "and by meaning"


def test_a_shorter_and_a_longer_one(base: KnowledgeBase, folder: Path) -> None:
    base.add(folder)
    (folder / "b.md").write_text(LONG[: LONG.index("# Part 4")], "utf-8")
    base.add(folder)
    assert base.document("docs/b.md").sections == 4
    assert not found(base, "jade")
    assert base.engine.store.count(spaces=["handbook"], where=None) == 2 + 5
    (folder / "b.md").write_text(LONG, "utf-8")
    base.add(folder)
    assert base.document("docs/b.md").sections == len(base.document_parts("docs/b.md")) == 12
    assert found(base, "jade")


def test_another_version_of_the_reader_reads_again(
    base: KnowledgeBase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.add(folder)
    monkeypatch.setattr(adding, "READER", READER + 1)
    assert set(fates(base, folder).values()) == {"replaced"}


def test_what_can_no_longer_be_read_stays_as_it_was(base: KnowledgeBase, folder: Path) -> None:
    base.add(folder)
    (folder / "a.md").write_bytes(b"\0\0\0")
    (outcome,) = base.add(folder).failed
    assert outcome.why.startswith("it is no text")
    assert outcome.notes == ("what was read of it before stays",)
    assert base.document_parts("docs/a.md")[0].text == "Alpha\n\nThe first 第一。"


def test_two_files_never_share_an_address(base: KnowledgeBase, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "docs").mkdir(parents=True)
        (tmp_path / name / "docs" / "a.md").write_text(f"# {name} 文", "utf-8")
    assert fates(base, tmp_path / "one" / "docs") == {"docs/a.md": "added"}
    assert fates(base, tmp_path / "two" / "docs") == {"two/docs/a.md": "added"}
    again = base.add([tmp_path / "one" / "docs" / "a.md", tmp_path / "two" / "docs" / "a.md"])
    assert [(one.address, one.fate) for one in again.outcomes] == [
        ("docs/a.md", "unchanged"), ("two/docs/a.md", "unchanged"),
    ]  # fmt: skip


def test_a_folder_that_was_moved_is_the_same(base: KnowledgeBase, folder: Path) -> None:
    base.add(folder)
    there = folder.parent / "elsewhere" / "docs"
    there.parent.mkdir()
    shutil.move(folder, there)
    assert fates(base, there) == {"docs/a.md": "unchanged", "docs/b.md": "unchanged"}
    assert base.document(str(there / "b.md")).address == "docs/b.md"
    (there / "a.md").write_text("# Alpha\n\nedited 改了。", "utf-8")
    assert fates(base, there) == {"docs/a.md": "replaced", "docs/b.md": "unchanged"}


def test_a_disk_that_is_missing_costs_no_document(base: KnowledgeBase, tmp_path: Path) -> None:
    for disk, text in (("a", "# Guide\n\nheron 苍鹭"), ("b", "# Guide\n\ncedar 雪松")):
        (tmp_path / disk / "docs").mkdir(parents=True)
        (tmp_path / disk / "docs" / "guide.md").write_text(text, "utf-8")
    base.add(tmp_path / "a" / "docs")
    (tmp_path / "a").rename(tmp_path / "away")
    assert fates(base, tmp_path / "b" / "docs") == {"b/docs/guide.md": "added"}
    assert found(base, "heron") and found(base, "苍鹭") and found(base, "雪松")
    (tmp_path / "away").rename(tmp_path / "a")
    assert fates(base, tmp_path / "a" / "docs") == {"docs/guide.md": "unchanged"}
    assert fates(base, tmp_path / "b" / "docs") == {"b/docs/guide.md": "unchanged"}


def test_a_file_that_was_moved_in_its_folder_is_new_and_the_old_one_is_pruned(
    base: KnowledgeBase, folder: Path
) -> None:
    base.add(folder)
    (folder / "a.md").rename(folder / "c.md")
    assert fates(base, folder, removed=True) == {
        "docs/b.md": "unchanged", "docs/c.md": "added", "docs/a.md": "removed",
    }  # fmt: skip


def test_a_folder_in_which_nothing_is_left_prunes_nothing(
    base: KnowledgeBase, folder: Path
) -> None:
    base.add(folder)
    for file in folder.iterdir():
        file.unlink()
    report = base.add(folder, removed=True)
    assert report.outcomes == []
    assert "so nothing was removed" in report.notes[0]
    assert len(base.documents()) == 2


def test_pruning_looks_at_the_named_folder_alone(base: KnowledgeBase, folder: Path) -> None:
    other = folder.parent / "docs-2"
    other.mkdir()
    (other / "x.md").write_text("# other 其他", "utf-8")
    base.add([folder, other])
    base.add(b"# bytes", name="bytes.md")
    (other / "x.md").unlink()
    assert fates(base, folder, removed=True) == {"docs/a.md": "unchanged", "docs/b.md": "unchanged"}
    assert len(base.documents()) == 4


def test_a_document_of_many_batches(
    base: KnowledgeBase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "AT_ONCE", 5)
    monkeypatch.setattr(adding, "AT_ONCE", 5)
    monkeypatch.setattr(whole_documents, "AT_ONCE", 5)
    assert fates(base, folder) == {"docs/a.md": "added", "docs/b.md": "added"}
    assert base.document("docs/b.md").state == "ready"
    assert len(base.document_parts("docs/b.md")) == 12
    assert base.remove_documents("docs/b.md", "docs/a.md") == 15
    assert base.engine.store.count(spaces=["handbook"]) == 0


def test_replacing_by_another_file(base: KnowledgeBase, folder: Path) -> None:
    base.add(folder)
    base.disable_documents("docs/a.md")
    ident = base.document("docs/a.md").id
    other = folder.parent / "new.docx"
    other.write_bytes(files.docx([("h1", "Beta"), ("p", "第三版 third")]))
    outcome = base.replace_document("docs/a.md", other)
    assert (outcome.fate, outcome.address, outcome.id) == ("replaced", "docs/a.md", ident)
    assert outcome.notes == ()
    shown = base.document(ident)
    assert (shown.format, shown.enabled, shown.address) == ("docx", False, "docs/a.md")
    assert found(base, "third")
    assert not found(base, "Alpha")
    with pytest.raises(Unreadable, match="no text"):
        base.replace_document(ident, b"\0\0", name="x.txt")
    assert found(base, "third")


def test_names_of_documents(base: KnowledgeBase, folder: Path) -> None:
    base.add(folder)
    shown = base.document("docs/a.md")
    assert base.document(shown.id) == base.document(str(folder / "a.md")) == shown
    for unknown in ("nothing", "docs", base.document_parts(shown.id)[0].id):
        with pytest.raises(NotFound, match="bethink documents list"):
            base.document(unknown)


def test_secrets_are_blotted_out_and_unchanged_the_next_time(
    base: KnowledgeBase, folder: Path
) -> None:
    token = "ghp_" + "a1B2" * 9
    (folder / "a.md").write_text(f"# Keys 密钥\n\nuse {token}\n\n# Other\n\n其他\n", "utf-8")
    base.add(folder)
    text = base.document_parts("docs/a.md")[0].text
    assert token not in text
    assert "[redacted" in text
    section = base.engine.get(base.document_parts("docs/a.md")[0].id)
    (folder / "a.md").write_text(f"# Keys 密钥\n\nuse {token}\n\n# Other\n\n新的\n", "utf-8")
    base.add(folder)
    assert base.engine.get(base.document_parts("docs/a.md")[0].id) == section


def test_what_was_blotted_out_is_said_of_the_document_that_held_it(
    base: KnowledgeBase, folder: Path
) -> None:
    token, password = "ghp_" + "a1B2" * 9, "password: Xk29vQ81mZ"
    (folder / "keys.md").write_text(
        f"# Keys 密钥\n\nuse {token}\n\n# 登录 Login\n\n{password}\n\n# 后备\n\n{password}3\n",
        "utf-8",
    )
    notes = {one.address: one.notes for one in base.add(folder).outcomes}
    assert notes.pop("docs/keys.md") == ("redacted: 1 github token, 2 password",)
    assert len(notes) > 1
    assert not any(notes.values())


def test_the_owner_of_a_base_is_trusted_and_the_source_is_known(
    base: KnowledgeBase, folder: Path
) -> None:
    base.add(folder)
    section = base.engine.get(base.document_parts("docs/a.md")[0].id)
    assert section is not None
    assert section.verified
    assert section.source == "docs/a.md"
    assert section.provenance == {"format": "markdown", "file": "docs/a.md"}


def test_forgetting_a_space_takes_its_documents_and_what_was_withheld(
    base: KnowledgeBase, folder: Path
) -> None:
    base.add(folder)
    base.disable_documents("docs/a.md")
    other = KnowledgeBase(base.engine, "other")
    other.add(folder)
    other.disable_documents("docs/b.md")
    base.engine.forget_space("handbook")
    assert base.documents() == []
    assert list(base.engine.store.notes("withheld/").values()) == ["other"]
    base.add(folder)
    assert all(one.enabled for one in base.documents())


def test_nothing_of_a_removed_document_is_left_in_the_files(tmp_path: Path, folder: Path) -> None:
    with Engine(tmp_path / "m.db", embedder=Letters()) as engine:
        base = KnowledgeBase(engine, "handbook")
        base.add(folder)
        assert engine.recall("heron 内容7", spaces="handbook").hits
        base.disable_documents("docs/b.md")
        base.remove_documents("docs/b.md")
        assert not engine.store.notes("withheld/")
        for file in tmp_path.glob("m.db*"):
            data = file.read_bytes() if file.is_file() else b""
            assert b"heron" not in data, file
            assert "内容7".encode() not in data, file
        assert base.document("docs/a.md").sections == 1


def test_documents_are_removed_one_by_one_or_in_a_list(base: KnowledgeBase) -> None:
    for name in ("VPN", "出差", "third", "fourth"):
        base.add_text(f"# {name}\n\nThe text of {name} 的内容。", name=name)
    by_name = {one.name: one for one in base.documents()}
    assert sorted(by_name) == ["VPN.md", "fourth.md", "third.md", "出差.md"]
    assert by_name["VPN.md"].to_dict()["address"] == by_name["VPN.md"].address
    assert [one.enabled for one in base.disable_documents(["VPN.md", "出差.md"])] == [False, False]
    base.remove_documents([by_name["VPN.md"].id, by_name["出差.md"].address])
    base.remove("third.md")
    assert [one.name for one in base.documents()] == ["fourth.md"]
    with pytest.raises(NotFound):
        base.remove(["fourth.md", "gone.md"])
    assert len(base.documents()) == 1


@pytest.mark.parametrize("question", ["the VPN host of the office", "年假有几天"])
def test_passages_can_be_indexed(base: KnowledgeBase, question: str) -> None:
    base.add_text("# VPN\n\nThe VPN host of the office is vpn.example.org.", name="VPN")
    base.add_text("# 假期\n\n年假有几天？每年十五天。", name="假期")
    found = base.search(question)
    assert found and found[0] == next(iter(found)) == (found.hits[0], found.citations[0])
    with pytest.raises(IndexError):
        _ = found[len(found)]
