"""A note that is remembered into a book of notes becomes a file, and a line of INDEX.md."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bethink.errors import NotebookFileRefused
from bethink.notebook.forms import Form
from bethink.notebook.index_file import read_index
from bethink.notebook.parse import About
from bethink.vocabulary import Action, Memory
from tests.notebook.shelf import Shelf, shelf


def held(at: Shelf, id_: str) -> Memory:
    memory = at.engine.get(id_)
    assert memory is not None
    return memory


def files(root: Path) -> dict[str, str]:
    return {p.name: p.read_text("utf-8") for p in sorted((root / "notes").iterdir())}


def test_a_note_becomes_a_file_and_an_entry(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        receipt = at.engine.remember(
            "Restart the workers.\n\n然后清缓存。",
            space="work",
            tags=["网络", "a, b"],
            metadata={"title": "连接被拒 ECONN", "when_to_load": "ERR_CONN_1042 | 拒绝", "n": 1},
        )
        assert receipt.action is Action.CREATED
        assert files(at.root) == {
            "连接被拒-econn.md": '---\ntags: ["网络", "a, b"]\n---\n# 连接被拒 ECONN\n\n'
            "Restart the workers.\n\n然后清缓存。\n"
        }
        assert read_index((at.root / "INDEX.md").read_text("utf-8")) == {
            "notes/连接被拒-econn.md": About("连接被拒 ECONN", "ERR_CONN_1042 | 拒绝")
        }
        memory = held(at, receipt.id)
        assert memory.tags == ("网络", "a, b")
        assert memory.metadata["n"] == 1
        assert "ERR_CONN_1042" in memory.text
        assert at.engine.recall("ERR_CONN_1042", spaces="work").hits[0].id == receipt.id
        report = at.sync()
        assert (report.added, report.revised, report.removed) == (0, 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Use apsw, 不用 sqlite3",
        "Deploys happen on Tuesday\nand never on Friday.",
        "# 标题\n\n正文",
        "One paragraph that goes on and on, longer than any title could be. " * 3,
        "---\nnot front matter\n---",
    ],
)
def test_told_again_it_is_counted_and_not_written_again(tmp_path: Path, text: str) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        first = at.engine.remember(text, space="work")
        kept = files(at.root)
        again = at.engine.remember(text, space="work")
        assert (again.id, again.action) == (first.id, Action.REINFORCED)
        assert files(at.root) == kept
        assert held(at, first.id).reinforcement == 1
        words = set(text.replace("#", " ").split())
        assert words <= set("\n".join(kept.values()).replace("#", " ").split())


def test_names_never_meet(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.write("notes/Café.md", "# other\n\nsomething else\n")
        at.write("INDEX.md", "# 我的索引\n\n- [other](notes/Café.md)\n")
        for number in (41, 42):
            at.engine.remember(f"It is {number}.", space="work", metadata={"title": "café"})
        assert sorted(files(at.root)) == ["Café.md", "café-2.md", "café-3.md"]
        index = (at.root / "INDEX.md").read_text("utf-8")
        assert index == (
            "# 我的索引\n\n- [other](notes/Café.md)\n- [café](notes/café-2.md)\n"
            "- [café](notes/café-3.md)\n"
        )
        assert not at.sync().refused


def test_times_are_kept_in_the_file(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        then = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)
        receipt = at.engine.remember("上线了 v2.3.1", space="work", occurred_at=then)
        assert held(at, receipt.id).occurred_at == then
        at.sync(anew=True)
        assert held(at, receipt.id).occurred_at == then


def test_a_link_in_the_way_is_refused_and_nothing_leaves_the_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with shelf(tmp_path, form=Form.NOTES) as at:
        (at.root / "INDEX.md").symlink_to(outside / "INDEX.md")
        with pytest.raises(NotebookFileRefused, match=r"INDEX\.md"):
            at.engine.remember("看不见", space="work")
        assert list(outside.iterdir()) == []
        assert not (at.root / "notes").exists()  # nor is half of it written


def test_what_has_no_words_is_a_note_all_the_same(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.engine.remember("!!!", space="work")
        assert files(at.root) == {"note.md": "# !!!\n"}


def test_a_note_of_a_moment_ago_is_known(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.write("notes/mine.md", "# 部署只在周二\n")
        assert at.engine.remember("部署只在周二", space="work").action is Action.REINFORCED
        assert list(files(at.root)) == ["mine.md"]


def test_an_own_id_goes_into_the_store_alone(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        assert at.engine.remember("x 一", space="work", id="mine").id == "mine"
        assert not (at.root / "notes").exists()
