"""Documents beside what else goes on: forgetting, files put in their place, other processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.engine import whole_documents
from bethink.errors import Conflict, NotFound
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents import adding
from bethink.shelf import made_id
from bethink.stores.protocol import Page
from bethink.vocabulary import Receipt
from tests.embedders_of_tests import Letters

LEAVE = "# Leave 年假\n\nThirty days of leave. 年假三十天。\n\n# Notice 通知\n\nTwo months 两个月。"
OTHER = "# Leave 年假\n\nForty days of heron leave. 年假四十天苍鹭。"


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    return KnowledgeBase(engine, "handbook")


def texts(base: KnowledgeBase, document: str) -> str:
    return "\n".join(part.text for part in base.document_parts(document))


# Forgetting


def test_what_was_forgotten_and_comes_again_is_enabled(base: KnowledgeBase) -> None:
    engine = base.engine
    ident = base.add_faq("年假几天 How many days of leave?", answers=["三十 Thirty"]).id
    base.add(LEAVE.encode(), name="leave.md")
    card = base.document("leave.md").id
    base.disable_faq(ident)
    base.disable_documents(card)
    engine.forget(ident)
    engine.forget(card)
    assert not engine.store.notes("withheld/")
    base.add_faq("年假几天 How many days of leave?", answers=["三十 Thirty"])
    base.add(LEAVE.encode(), name="leave.md")
    assert [one.enabled for one in base.faqs()] == [True]
    assert [one.enabled for one in base.documents()] == [True]


@pytest.mark.parametrize("at_once", [2, 2_000])
def test_a_card_that_is_forgotten_takes_its_sections_along(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(whole_documents, "AT_ONCE", at_once)
    base.add(LEAVE.encode(), name="leave.md")
    base.add(OTHER.encode(), name="other.md")
    receipt = base.engine.forget(base.document("leave.md").id)
    assert (receipt.action.value, receipt.notes) == ("forgotten", ())
    assert [one.address for one in base.documents()] == ["other.md"]
    assert base.engine.store.count(spaces=["handbook"]) == 2
    for question in ("notice two months", "通知两个月"):
        found = base.engine.recall(question, spaces="handbook", limit=20).hits
        assert {hit.memory.source for hit in found} <= {"other.md"}
    assert base.add(LEAVE.encode(), name="leave.md").counts["added"] == 1


def test_forgetting_that_is_stopped_leaves_it_unfinished_and_can_be_done_again(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_documents, "AT_ONCE", 1)
    base.add(LEAVE.encode(), name="年假.md")
    card = base.document("年假.md").id
    forget_many = base.engine.forget_many

    def stopped(ids: Sequence[str], **options: Any) -> int:
        forget_many(ids, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(base.engine, "forget_many", stopped)
        with pytest.raises(KeyboardInterrupt):
            base.engine.forget(card)
    assert base.document("年假.md").state == "unfinished"
    base.engine.forget(card)
    assert base.engine.store.count(spaces=["handbook"]) == 0


def test_a_card_of_a_space_that_is_not_seen_is_not_forgotten(base: KnowledgeBase) -> None:
    base.add(LEAVE.encode(), name="leave.md")
    with pytest.raises(NotFound):
        base.engine.forget(base.document("leave.md").id, spaces=["elsewhere"])
    assert base.engine.store.count(spaces=["handbook"]) == 3


READER = """
import sys, apsw
db = apsw.Connection(sys.argv[1])
db.execute("BEGIN")
list(db.execute("SELECT count(*) FROM sqlite_schema"))
print("reading", flush=True)
sys.stdin.read()
"""


def test_bytes_that_another_process_holds_are_told(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    with Engine(store, embedder=Letters()) as engine:
        base = KnowledgeBase(engine, "handbook")
        base.add(LEAVE.encode(), name="leave.md")
        base.add(OTHER.encode(), name="other.md")
        base.add(OTHER.encode(), name="third.md")
        base.add_faq("怎么退款？", ["三十天内。 Within 30 days."])
        base.add_faq("When do you open?", ["At nine. 九点。"])
        command = [sys.executable, "-c", READER, str(store)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == b"reading\n"
            notes: list[str] = []
            assert base.remove_documents("leave.md", notes=notes) == 3
            assert any("another process is reading" in note for note in notes)
            (outcome,) = base.add(LEAVE.encode(), name="other.md").outcomes
            assert any("another process is reading" in note for note in outcome.notes)
            receipt = engine.forget(base.document("third.md").id)
            assert any("another process is reading" in note for note in receipt.notes)
            notes = []
            base.remove_faq("怎么退款？", notes=notes)
            assert any("another process is reading" in note for note in notes)
            reader.communicate()
        notes = []
        base.remove_documents("other.md", notes=notes)
        base.remove_faq("when do you open", notes=notes)
        assert notes == []


def test_nothing_of_what_was_replaced_is_left_in_the_files(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder=Letters()) as engine:
        base = KnowledgeBase(engine, "handbook")
        base.add(OTHER.encode(), name="leave.md")
        base.add(LEAVE.encode(), name="leave.md")
        for file in filter(Path.is_file, tmp_path.glob("m.db*")):
            assert b"heron" not in file.read_bytes(), file
            assert "苍鹭".encode() not in file.read_bytes(), file


# A file in the place of another


def test_the_file_that_was_replaced_does_not_come_back_until_it_changes(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    file, other, third = (tmp_path / name for name in ("合同.md", "合同2.md", "3.md"))
    file.write_text(LEAVE, "utf-8")
    other.write_text(OTHER, "utf-8")
    third.write_text("# Third\n\n第三版", "utf-8")
    base.add(file)
    assert base.replace_document("合同.md", other).notes == ()
    (outcome,) = base.add(file).outcomes
    assert outcome.fate == "unchanged"
    assert "another file was put in its place" in outcome.notes[0]
    assert "苍鹭" in texts(base, "合同.md")
    base.replace_document("合同.md", third)
    assert base.add(file).outcomes[0].fate == "unchanged"
    assert "第三版" in texts(base, "合同.md")
    file.write_text(LEAVE.replace("Thirty", "Fifty"), "utf-8")
    assert base.add(file).outcomes[0].fate == "replaced"
    assert "Fifty days" in texts(base, "合同.md")
    assert base.add(file).outcomes[0].notes == ()


def test_bytes_under_its_name_replace_what_replaced_it(base: KnowledgeBase) -> None:
    base.add(LEAVE.encode(), name="leave.md")
    base.replace_document("leave.md", OTHER.encode())
    (outcome,) = base.add(LEAVE.encode(), name="leave.md").outcomes
    assert (outcome.fate, outcome.notes) == ("replaced", ())
    assert "三十" in texts(base, "leave.md")


# Others in the way


def test_an_id_that_another_space_took_fails_one_document_and_says_so(base: KnowledgeBase) -> None:
    taken = made_id("handbook", "document", "leave.md") + ".00001"
    base.engine.remember("占用 taken", space="other", id=taken)
    (outcome,) = base.add(LEAVE.encode(), name="leave.md").outcomes
    assert outcome.fate == "failed"
    assert taken in outcome.why
    assert "forget" in outcome.why
    assert base.documents() == [], "nothing unfinished is left"
    base.engine.forget(taken)
    assert base.add(LEAVE.encode(), name="leave.md").counts["added"] == 1
    base.engine.remember("占用 taken", space="other", id=taken[:-1] + "2")
    with pytest.raises(Conflict, match=r"leave\.md was not replaced"):
        base.replace_document("leave.md", (LEAVE + "\n\n# Third 第三\n\nmore 更多").encode())
    assert base.document("leave.md").state == "ready"


def test_one_that_others_took_stops_no_other_file(base: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_text(f"# {name}\n\n内容 of {name}", "utf-8")
    base.engine.remember("x", space="other", id=made_id("handbook", "document", "docs/b.md"))
    fates = {one.address: one.fate for one in base.add(folder).outcomes}
    assert fates == {"docs/a.md": "added", "docs/b.md": "failed", "docs/c.md": "added"}
    assert "内容 of c.md" in texts(base, "docs/c.md")


def test_sections_that_are_there_without_their_card_are_taken_over(base: KnowledgeBase) -> None:
    base.add(OTHER.encode(), name="leave.md")
    base.engine.store.delete([base.document("leave.md").id])
    assert base.add(LEAVE.encode(), name="leave.md").counts["added"] == 1
    assert base.document("leave.md").state == "ready"
    assert "苍鹭" not in texts(base, "leave.md")
    assert len(base.document_parts("leave.md")) == 2


def test_removed_by_another_between_reading_and_writing(
    base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is looked at is from before; what is written to is from after."""
    file = tmp_path / "leave.md"
    file.write_text(OTHER, "utf-8")
    base.add(file)
    file.write_text(LEAVE, "utf-8")
    look = adding.Adding._look_at_what_is_kept

    def then_it_goes(self: adding.Adding) -> None:
        look(self)
        base.remove_documents("leave.md")

    monkeypatch.setattr(adding.Adding, "_look_at_what_is_kept", then_it_goes)
    assert not base.add(file).failed
    assert "三十" in texts(base, "leave.md")
    moved = tmp_path / "there" / "leave.md"
    moved.parent.mkdir()
    file.rename(moved)  # unchanged, so only its path is to be written
    assert not base.add(moved).failed
    assert base.document(str(moved)).state == "ready"
    assert len(base.document_parts("leave.md")) == 2


@pytest.mark.parametrize("goes", ["before the sections", "before the card is ready"])
def test_removed_by_another_while_it_is_written(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, goes: str
) -> None:
    base.add(OTHER.encode(), name="leave.md")
    engine = base.engine
    replace_many, remember_many = engine.replace_many, engine.remember_many
    removed: list[str] = []

    def remove_once() -> None:
        if not removed:
            removed.append("leave.md")
            base.remove_documents("leave.md")

    def replacing(told: Sequence[Mapping[str, Any]], *, finish: bool = True) -> str:
        said = replace_many(told, finish=finish)
        if goes == "before the sections":
            remove_once()
        return said

    def remembering(told: Sequence[Mapping[str, Any]], **options: Any) -> list[Receipt]:
        said = remember_many(told, **options)
        if goes == "before the card is ready":
            remove_once()
        return said

    monkeypatch.setattr(engine, "replace_many", replacing)
    monkeypatch.setattr(engine, "remember_many", remembering)
    assert base.add(LEAVE.encode(), name="leave.md").failed == []
    assert removed
    assert base.document("leave.md").state == "ready"
    assert [part.text.split()[0] for part in base.document_parts("leave.md")] == ["Leave", "Notice"]


# Many


def test_many_named_by_path_are_not_looked_for_one_by_one(
    base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "文档"
    folder.mkdir()
    paths = [folder / f"{number}.md" for number in range(6)]
    for path in paths:
        path.write_text(f"# {path.name}\n\n内容", "utf-8")
    base.add(folder)
    listed: list[object] = []
    scan = base.engine.store.scan

    def counted(**options: Any) -> Page:
        listed.append(options)
        return scan(**options)

    written: list[int] = []
    write_notes = base.engine.store.write_notes

    def counted_notes(told: Mapping[str, str | None]) -> None:
        written.append(len(told))
        write_notes(told)

    monkeypatch.setattr(base.engine.store, "scan", counted)
    monkeypatch.setattr(base.engine.store, "write_notes", counted_notes)
    assert [one.enabled for one in base.disable_documents(*map(str, paths))] == [False] * 6
    assert [one.enabled for one in base.enable_documents(*map(str, paths))] == [True] * 6
    assert written == [6, 6], "all or none"
    base.add("# bytes 字节".encode(), name="bytes.md")
    base.add("# bytes 字节".encode(), name="bytes.md")
    assert base.remove_documents(*map(str, paths)) == 12
    assert listed == []
