"""Forgetting and revising what stands in a file: the file, the store and the index agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink.errors import InvalidInput
from bethink.notebook.books import Form
from tests.notebook.shelf import DECISIONS, shelf
from tests.notebook.written import PREFERENCES, Notebook, notebook

__all__ = ["notebook"]
FILE = "agent/decisions.md"


# Forgetting


def test_a_forgotten_line_leaves_its_file_and_stays_away(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, DECISIONS + "- The key is hunter2 机密\n  - tags: secret\n")
        at.sync()
        one = at.ids()["The key is hunter2 机密"]
        receipt = at.engine.forget(one)
        assert FILE in receipt.notes[0]
        assert (at.root / FILE).read_text("utf-8") == DECISIONS
        at.sync()
        at.sync(anew=True)
        assert set(at.memories()) == {"Use apsw for SQLite.", "预算会议改到周五。"}
        assert not at.engine.recall("hunter2", spaces="work", meaning=False).hits
        assert at.bytes_anywhere("hunter2") == []


def test_other_bytes_of_the_file_stay_as_they_are(tmp_path: Path) -> None:
    text = "# 决策\r\n\r\n* one 一\r\n\r\n* two 二\r\n\r\n* three 三"
    with shelf(tmp_path) as at:
        (at.root / "agent").mkdir()
        (at.root / FILE).write_bytes(b"\xef\xbb\xbf" + text.encode())
        at.sync()
        ids = at.ids()
        at.engine.forget(ids["two 二"])
        expected = "# 决策\r\n\r\n* one 一\r\n\r\n* three 三"
        assert (at.root / FILE).read_bytes() == b"\xef\xbb\xbf" + expected.encode()
        at.engine.forget(ids["three 三"])
        assert at.ids() == {"one 一": ids["one 一"]}


def test_a_line_that_moved_since_is_the_one_that_goes(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, DECISIONS)
        at.sync()
        one = at.ids()["预算会议改到周五。"]
        at.write(FILE, "# Decisions\n\n- 预算会议改到周五。\n- New 新的\n- Use apsw for SQLite.\n")
        at.engine.forget(one)
        assert "预算" not in (at.root / FILE).read_text("utf-8")
        assert set(at.memories()) == {"New 新的", "Use apsw for SQLite."}


def test_its_history_goes_too(notebook: Notebook) -> None:
    first = notebook.tell("The port is 8080")
    second = notebook.tell("The port is now 9090", supersedes=first.id)
    notebook.tell("喜欢深色主题")
    assert "8080" in notebook.read("history.md")
    notebook.engine.forget(second.id)
    for path in notebook.files():
        assert "8080" not in notebook.read(path)
        assert "9090" not in notebook.read(path)
    assert notebook.engine.get(first.id) is None
    assert "深色" in notebook.read(PREFERENCES)


def test_a_note_that_is_forgotten_takes_its_file_and_its_entry_along(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.engine.remember("Refused 连接被拒\n\nport 1042", kind="note", space="work")
        kept = at.engine.remember("Theme 主题\n\ndark 深色", kind="note", space="work")
        gone = next(m.id for t, m in at.memories().items() if "1042" in t)
        at.engine.forget(gone)
        assert [p.name for p in (at.root / "notes").iterdir()] == ["theme-主题.md"]
        assert "refused" not in (at.root / "INDEX.md").read_text("utf-8")
        assert [m.id for m in at.memories().values()] == [kept.id]
        at.engine.forget(kept.id)
        at.sync()
        assert at.memories() == {}


def test_a_section_is_forgotten_and_the_others_stay(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("n.md", "# Plan\n\nall 全部\n\n## A\n\none 一\n\n## B\n\ntwo 二\n")
        at.sync()
        ids = at.ids()
        at.engine.forget(ids["Plan\nall 全部"])
        assert (at.root / "n.md").read_text("utf-8") == "## A\n\none 一\n\n## B\n\ntwo 二\n"
        assert at.ids() == {text: ids[text] for text in ("A\none 一", "B\ntwo 二")}


def test_what_is_only_read_is_refused_with_its_place(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.FOLDER) as at:
        at.write("n.md", "# A\n\nsecret 机密\n")
        at.sync()
        (one,) = at.ids().values()
        for act in (at.engine.forget, lambda i: at.engine.revise(i, text="other 其他")):
            with pytest.raises(InvalidInput, match=r"n\.md, line 1.*source remove"):
                act(one)
        assert at.ids() == {"A\nsecret 机密": one}


def test_a_space_that_a_folder_fills_is_let_go_of_first(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, DECISIONS)
        at.sync()
        with pytest.raises(InvalidInput, match="source remove"):
            at.engine.forget_space("work")
        assert len(at.memories()) == 2
        at.engine._let_go(at.book)
        assert at.engine.forget_space("work") == 2


def test_a_missing_folder_is_no_reason_to_believe_it_gone(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, DECISIONS)
        at.sync()
        at.root.rename(tmp_path / "away")
        with pytest.raises(InvalidInput, match="not there"):
            at.engine.forget(next(iter(at.ids().values())))
        assert len(at.memories()) == 2


# Revising


def test_a_revised_line_reads_so_in_its_file(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, DECISIONS)
        at.sync()
        one = at.ids()["预算会议改到周五。"]
        at.engine.reinforce(one, 3)
        receipt = at.engine.revise(one, text="Something else entirely 完全不同")
        assert f"{FILE}:4" in receipt.notes[0]
        assert (at.root / FILE).read_text("utf-8") == DECISIONS.replace(
            "预算会议改到周五。", "Something else entirely 完全不同"
        )
        at.sync(anew=True)
        memory = at.memories()["Something else entirely 完全不同"]
        assert (memory.id, memory.reinforcement) == (one, 3)
        assert [r.memory.text for r in at.engine.history(one)] == ["预算会议改到周五。"]
        assert len(at.memories()) == 2


def test_tasks_stay_done_and_entries_keep_their_minute(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("TASKS.md", "- [x] ship 发布\n  - tags: a\n")
        at.write("journal/2026-05-01.md", "# 2026-05-01\n\n- 14:30 修好了登录\n")
        at.sync()
        ids = at.ids()
        at.engine.revise(ids["ship 发布"], text="ship it 发布了")
        at.engine.revise(ids["修好了登录"], text="修好了登出 logout")
        assert (at.root / "TASKS.md").read_text("utf-8") == "- [x] ship it 发布了\n  - tags: a\n"
        assert "- 14:30 修好了登出 logout\n" in (at.root / "journal/2026-05-01.md").read_text(
            "utf-8"
        )
        assert at.memories()["ship it 发布了"].tags == ("a",)


def test_what_an_item_can_say_is_written_below_it(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, "- port 8080 端口\n  - tags: a, b\n")
        at.sync()
        (one,) = at.ids().values()
        at.engine.revise(one, tags=["c"], valid_to="2026-06-01")
        text = (at.root / FILE).read_text("utf-8")
        assert "tags: c" in text and "a, b" not in text
        assert "until: 2026-06-01" in text
        memory = at.engine.get(one)
        assert memory is not None
        assert memory.tags == ("c",)
        at.sync(anew=True)
        assert at.engine.get(one) == memory
        for field in ({"kind": "note"}, {"section": "X"}):
            with pytest.raises(InvalidInput, match="move the line"):
                at.engine.revise(one, **field)
        with pytest.raises(InvalidInput):
            at.engine.revise(one, text="")
        assert (at.root / FILE).read_text("utf-8") == text


def test_a_section_keeps_its_heading(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("n.md", "# Plan\n\nold 旧\n\n## A\n\none 一\n")
        at.sync()
        ids = at.ids()
        at.engine.revise(ids["Plan\nold 旧"], text="Plan\nnew 新\nmore 更多")
        assert (at.root / "n.md").read_text("utf-8") == (
            "# Plan\n\nnew 新\nmore 更多\n\n## A\n\none 一\n"
        )
        assert at.ids() == {
            "Plan\nnew 新\nmore 更多": ids["Plan\nold 旧"],
            "A\none 一": ids["A\none 一"],
        }
        with pytest.raises(InvalidInput, match="by hand"):
            at.engine.revise(ids["A\none 一"], text="x\n\n# Another\n\ny")
