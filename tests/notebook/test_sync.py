"""The store is true to the files, whatever happens to them, and to us while we read them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from bethink import Engine
from bethink.errors import EmbedderError, InvalidInput
from bethink.notebook.books import Form
from bethink.settings import Settings
from bethink.testing import ToyEmbedder
from bethink.vocabulary import Vectors
from tests.notebook.shelf import DECISIONS, TOY, counts, shelf

Kind = Literal["query", "document"]


def test_what_stands_in_files_is_remembered(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.write("TASKS.md", "# Tasks\n\n## Now\n\n- [ ] call Mei 给小美打电话\n- [x] done\n")
        at.write("journal/2026-05-02.md", "- 14:30 met Mei 见了小美\n")
        at.write("other/note.md", "---\ntags: [ui, 主题]\n---\n# Theme\n\nDark mode.\n")
        report = at.sync()
        assert report.complete
        assert (report.files, report.changed, report.added) == (4, 4, 6)
        found = at.memories()
        decision = found["预算会议改到周五。"]
        assert (decision.space, decision.kind, decision.source) == (
            "work", "decision", "agent/decisions.md",
        )  # fmt: skip
        assert decision.provenance == {
            "book": str(at.root), "file": "agent/decisions.md", "line": 4,
        }  # fmt: skip
        assert found["done"].metadata["done"] is True
        assert found["call Mei 给小美打电话"].section == "Now"
        met = next(m for text, m in found.items() if "met Mei" in text)
        assert met.occurred_at is not None
        assert met.occurred_at.isoformat() == "2026-05-02T06:30:00+00:00"
        assert found["Theme\nDark mode."].tags == ("ui", "主题")
        hits = at.engine.recall("预算会议", spaces="work").hits
        assert hits[0].id == decision.id
        assert at.engine.store.pending(["work"]) == 0


def test_nothing_changed_nothing_done(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        kept = at.memories()
        report = at.sync()
        assert (report.files, report.unchanged, report.changed) == (1, 1, 0)
        assert counts(report) == (0, 0, 0, 0)
        file = at.root / "agent/decisions.md"
        os.utime(file)  # touched, not changed
        report = at.sync()
        assert (report.unchanged, report.changed) == (1, 0)
        assert at.memories() == kept


def test_an_edit_revises_and_keeps_the_id_the_history_and_the_counters(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        before = at.ids()
        at.engine.reinforce(before["预算会议改到周五。"], 2)
        at.write(
            "agent/decisions.md", "# Decisions\n\n- Use apsw for SQLite.\n- 预算会议改到周四。\n"
        )
        report = at.sync()
        assert counts(report) == (0, 1, 0, 0)
        after = at.memories()
        assert after["预算会议改到周四。"].id == before["预算会议改到周五。"]
        assert after["预算会议改到周四。"].reinforcement == 2
        history = at.engine.history(before["预算会议改到周五。"])
        assert [r.memory.text for r in history] == ["预算会议改到周五。"]
        hits = at.engine.recall("周四", spaces="work").hits
        assert hits[0].text.endswith("周四。")


def test_lines_above_move_those_below_without_a_history(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        before = at.memories()
        at.write(
            "agent/decisions.md", DECISIONS.replace("# Decisions\n", "# Decisions\n\n- First.\n")
        )
        report = at.sync()
        assert (report.added, report.removed, report.moved) == (1, 0, 0)
        after = at.memories()
        for text, memory in before.items():
            assert after[text].id == memory.id
            assert after[text].updated_at == memory.updated_at
            assert after[text].provenance["line"] == memory.provenance["line"] + 2  # type: ignore[operator]
            assert at.engine.history(memory.id) == []


def test_another_matter_in_its_place_is_another_memory(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", "# Decisions\n\n- Use apsw for SQLite.\n")
        at.sync()
        before = at.ids()
        at.write("agent/decisions.md", "# Decisions\n\n- Friday is for reading 周五读书.\n")
        assert counts(at.sync()) == (1, 0, 0, 1)
        (after,) = at.ids().values()
        assert after not in before.values()


def test_moved_and_renamed_files_keep_everything(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(
            "计划.md", "# 计划\n\n周五开会。\n\n## Room\n\nThe large room on the fifth floor.\n"
        )
        at.sync()
        before = at.memories()
        for memory in before.values():
            at.engine.reinforce(memory.id, 4)
            at.engine.store.touch(accessed={memory.id: 7}, reinforced={})
        (at.root / "archive").mkdir()
        (at.root / "计划.md").rename(at.root / "archive/plan.md")
        report = at.sync()
        assert counts(report) == (0, 0, 2, 0)
        after = at.memories()
        for text, memory in after.items():
            assert memory.id == before[text].id
            assert (memory.reinforcement, memory.access_count) == (4, 7)
            assert memory.source == memory.provenance["file"] == "archive/plan.md"
            assert memory.updated_at == before[text].updated_at
        assert at.engine.store.pending(["work"]) == 0
        # renamed and edited at once
        (at.root / "archive/plan.md").unlink()
        at.write(
            "plan.md", "# 计划\n\n周五开会。\n\n## Room\n\nThe small room on the fifth floor.\n"
        )
        report = at.sync()
        assert counts(report) == (0, 1, 1, 0)
        (room,) = (m for text, m in at.memories().items() if "small room" in text)
        assert room.reinforcement == 4
        assert room.id in {memory.id for memory in before.values()}


def test_a_line_that_moves_to_another_file_is_not_mistaken(tmp_path: Path) -> None:
    """The old line goes to another file, a similar one takes its place: as a correction does."""
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", "# Decisions\n\n- The port is 8080.\n- 端口是 8080。\n")
        at.write("agent/patterns.md", "# Patterns\n")
        at.sync()
        before = at.ids()
        at.write("agent/decisions.md", "# Decisions\n\n- The port is 9090.\n- 端口是 9090。\n")
        at.write("agent/patterns.md", "# Patterns\n\n- The port is 8080.\n- 端口是 8080。\n")
        report = at.sync()
        assert (report.added, report.moved, report.removed) == (2, 2, 0)
        after = at.ids()
        for text, memory_id in before.items():
            assert after[text] == memory_id
        assert len(after) == 4


def test_the_same_line_in_two_files_is_two_memories(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", "# D\n\n- 同一句 the same\n")
        at.write("agent/patterns.md", "# P\n\n- 同一句 the same\n")
        assert at.sync().added == 2
        page = at.engine.list(spaces="work").memories
        assert {m.source for m in page} == {"agent/decisions.md", "agent/patterns.md"}
        assert {m.reinforcement for m in page} == {0}
        at.write("agent/patterns.md", "# P\n")
        assert at.sync().removed == 1
        (left,) = at.engine.list(spaces="work").memories
        assert left.source == "agent/decisions.md"


def test_deleted_text_is_gone_from_every_file_of_the_store(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(
            "agent/decisions.md", DECISIONS + "- The word is xylophonequagga.\n- 暗号是斑马木琴。\n"
        )
        at.write("secret.md", "# Sphinxopal\n\nblackquartz 黑石英\n")
        at.sync()
        words = ("xylophonequagga", "斑马木琴", "Sphinxopal", "blackquartz", "黑石英", "secret.md")
        assert all(at.bytes_anywhere(word) for word in words[:5])
        vectors = [
            TOY.embed([text])[0].tobytes()
            for text in at.memories()
            if any(w in text for w in words)
        ]
        assert len(vectors) == 3
        (at.root / "secret.md").unlink()
        at.write("agent/decisions.md", DECISIONS)
        assert at.sync().removed == 3
        for word in words:
            assert at.bytes_anywhere(word) == [], word
            assert at.engine.recall(word, spaces="work", meaning=False).hits == ()
        for file in tmp_path.glob("memory.db*"):
            for vector in vectors:
                assert not file.is_file() or vector not in file.read_bytes()


def test_one_file_alone(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write("agent/decisions.md", DECISIONS)
        at.write("b.md", "# B\n\none\n")
        at.sync()
        at.write("agent/decisions.md", DECISIONS + "- A third 第三条.\n")
        at.write("b.md", "# B\n\ntwo\n")
        report = at.sync(paths=[file])
        assert (report.files, report.added) == (1, 1)
        assert [(p.line, p.text, p.created) for p in report.pieces] == [
            (3, "Use apsw for SQLite.", False),
            (4, "预算会议改到周五。", False),
            (5, "A third 第三条.", True),
        ]
        held = at.memories()
        assert all(held[p.text].id == p.id for p in report.pieces)
        assert "B\none" in held
        assert counts(at.sync()) == (0, 1, 0, 0)


def test_a_new_or_vanished_file_is_found_by_its_name(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
        at.sync()
        before = at.ids()
        new = at.write("sub/b.md", "# B\n\n二 two\n")
        report = at.sync(paths=[new])
        assert report.added == 1
        assert [p.path for p in report.pieces] == ["sub/b.md"]
        # only the old name is told, as some systems do: the new one is looked for
        (at.root / "a.md").rename(at.root / "c.md")
        assert counts(at.sync(paths=[at.root / "a.md"])) == (0, 0, 1, 0)
        assert at.memories()["A\n一 one"].id == before["A\n一 one"]
        assert at.memories()["A\n一 one"].source == "c.md"
        # a whole folder
        shutil.rmtree(at.root / "sub")
        assert at.sync(paths=[at.root / "sub"]).removed == 1
        with pytest.raises(InvalidInput, match="no book"):
            at.sync(paths=[tmp_path / "elsewhere.md"])


def test_what_the_index_says_reaches_its_notes(tmp_path: Path) -> None:
    """Also when only the index is named, as the watcher does."""
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.write("notes/refused.md", "# Refused\n\nCheck the port 检查端口.\n")
        at.write("notes/other.md", "# Other\n\nNothing 无关.\n")
        at.sync()
        ids = {m.source: m.id for m in at.memories().values()}
        assert not at.engine.recall("ERR_CONN_1042", spaces="work", meaning=False).hits
        index = at.write("INDEX.md", "# I\n\n- [连接被拒](notes/refused.md): ERR_CONN_1042\n")
        report = at.sync(paths=[index])
        assert report.complete
        (hit,) = at.engine.recall("ERR_CONN_1042", spaces="work", meaning=False).hits
        assert hit.id == ids["notes/refused.md"]
        assert at.sync().changed == 0
        at.write("INDEX.md", "# I\n\n- [连接被拒](notes/refused.md): ERR_DNS_7\n")
        at.sync(paths=[index])
        assert at.engine.recall("ERR_DNS_7", spaces="work", meaning=False).hits
        assert {m.source: m.id for m in at.memories().values()} == ids


def test_what_a_file_cannot_hold_is_told_beside_it(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write("agent/decisions.md", "# D\n\n- Use apsw 用它.\n")
        fields = {"tags": ["db"], "confidence": 0.7, "metadata": {"supersedes": "old-1"}}
        at.sync(paths=[file], told={("agent/decisions.md", "Use apsw 用它."): fields})
        (memory,) = at.memories().values()
        assert (memory.tags, memory.confidence) == (("db",), 0.7)
        at.write("agent/decisions.md", "# D\n\n- Another.\n- Use apsw 用它.\n")
        at.sync()
        again = at.memories()["Use apsw 用它."]
        assert (again.tags, again.confidence) == (("db",), 0.7)
        assert again.metadata["supersedes"] == "old-1"
        assert again.id == memory.id


def test_tags_that_leave_the_file_leave_the_memory(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("n.md", "---\ntags: [red, 蓝]\n---\n# N\n\ntext\n")
        at.sync()
        assert at.memories()["N\ntext"].tags == ("red", "蓝")
        at.write("n.md", "---\ntags: [蓝]\n---\n# N\n\ntext\n")
        at.sync()
        assert at.memories()["N\ntext"].tags == ("蓝",)
        assert at.engine.store.history(at.memories()["N\ntext"].id) == []


def test_a_change_within_the_clocks_grain_is_seen(tmp_path: Path) -> None:
    """Same size, same time, same inode: only because the file was so new is it read again."""
    with shelf(tmp_path) as at:
        file = at.root / "n.md"
        file.write_text("# N\n\naaaa 甲\n", "utf-8")
        at.sync()
        found = file.stat()
        with file.open("r+", encoding="utf-8") as handle:
            handle.write("# N\n\nbbbb 乙\n")
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
        assert file.stat().st_ino == found.st_ino
        assert at.sync().changed == 1
        assert list(at.memories()) == ["N\nbbbb 乙"]


# Bounds, batches, embedders


def test_a_bound_stops_between_files_and_the_next_run_goes_on(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(200):
            at.write(f"n{n:03}.md", f"# Note {n}\n\n第 {n} 条 text\n")
        first = at.sync(within=0.0)
        assert not first.complete
        assert 0 < first.added < 200
        total, runs = first.added, 1
        while not (report := at.sync(within=0.02)).complete:
            assert report.added > 0
            total, runs = total + report.added, runs + 1
        assert total + report.added == 200
        assert len(at.memories()) == 200
        assert runs > 1


def test_moves_survive_a_run_that_was_cut_short(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(120):
            at.write(f"a/n{n:03}.md", f"# Note {n}\n\n第 {n} 条 text\n")
        at.sync()
        before = at.ids()
        (at.root / "a").rename(at.root / "b")
        runs = 0
        while not at.sync(within=0.0).complete:
            runs += 1
            assert len(at.engine.list(spaces="work", limit=1_000).memories) == 120
        assert runs > 1
        assert at.ids() == before
        assert {m.source[0] for m in at.memories().values()} == {"b"}


def test_without_an_embedder_words_find_it_and_the_report_says_so(tmp_path: Path) -> None:
    class Failing(ToyEmbedder):
        def embed(self, texts: Sequence[str], *, kind: Kind = "document") -> Vectors:
            raise EmbedderError("out of order; start the server")

    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n甲 alpha\n")
    with Engine(at.store, embedder=Failing("toy", 8), settings=Settings()) as engine:
        report = engine.sync()
        assert report.added == 1
        assert "out of order" in report.notes[0]
        assert engine.recall("alpha", spaces="work", meaning=False).hits


def test_reindex_reads_every_file_again_and_mends_the_store(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n甲 one\n")
        at.write("b.md", "# B\n\n乙 two\n")
        at.sync()
        ids = at.ids()
        at.engine.store.delete([ids["A\n甲 one"]])
        assert at.sync().added in (0, 1)  # the newest is looked for at every sync, others are not
        at.engine.store.delete([ids["A\n甲 one"]])
        at.engine.reindex()
        assert at.ids() == ids


def test_letting_go_of_a_book(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\nxylophonequagga 甲\n")
        at.sync()
        at.engine.remember("told by hand 手记", space="work")
        before = at.ids()
        assert at.engine._let_go(at.book) == 0
        assert at.ids() == before
        at.books.add(at.root, space="work", form=at.book.form, writable=True, project=True)
        assert counts(at.sync()) == (0, 0, 0, 0)
        assert at.ids() == before
        assert at.engine._let_go(at.book, forget=True) == 1
        assert list(at.memories()) == ["told by hand 手记"]
        assert at.bytes_anywhere("xylophonequagga") == []
        assert (at.root / "a.md").exists()
