"""Renames after which a file is read otherwise: what stood in it is still known."""

from __future__ import annotations

from pathlib import Path

from bethink.notebook.books import Form
from tests.notebook.shelf import DECISIONS, shelf


def test_items_that_become_a_note_and_items_again(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("TASKS.md", "- [ ] ship 发布\n")
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        before = at.ids()
        at.engine.reinforce(before["Use apsw for SQLite."], 5)
        at.engine.reinforce(before["预算会议改到周五。"], 5)
        (at.root / "agent/decisions.md").rename(at.root / "agent/old-decisions.md")
        at.sync()
        (note,) = [m for m in at.memories().values() if m.source == "agent/old-decisions.md"]
        assert note.id in before.values()
        assert note.reinforcement == 5
        (at.root / "agent/old-decisions.md").rename(at.root / "agent/decisions.md")
        at.sync()
        assert note.id in at.ids().values()
        assert len(at.memories()) == 3


def test_a_note_whose_entry_in_the_index_was_left_behind(tmp_path: Path) -> None:
    index = (
        "# INDEX\n\n- [Refused 连接被拒](notes/refused.md): when ERR_CONN_1042 or 超时 is seen\n"
    )
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.write("INDEX.md", index)
        at.write("notes/refused.md", "restart the proxy 重启代理\n")
        at.write("notes/theme.md", "# Theme\n\ndark 深色\n")
        at.sync()
        (before,) = [m for m in at.memories().values() if m.source == "notes/refused.md"]
        at.engine.reinforce(before.id, 4)
        (at.root / "notes/refused.md").rename(at.root / "notes/conn.md")
        report = at.sync()
        (after,) = [m for m in at.memories().values() if m.source == "notes/conn.md"]
        assert (after.id, after.reinforcement) == (before.id, 4)
        (lost,) = report.astray
        assert lost.path == "INDEX.md"
        assert "notes/refused.md leads nowhere" in lost.why
        assert any("notes/refused.md" in c.finding for c in at.engine.doctor() if not c.ok)
        at.write("INDEX.md", index.replace("refused.md", "conn.md"))
        assert at.sync().astray == ()
        assert at.engine.get(before.id) is not None
        assert all("leads nowhere" not in c.finding for c in at.engine.doctor())


def test_another_file_that_comes_while_one_goes_is_another(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\nthe port of the proxy is 8080 代理端口\n")
        at.write("b.md", "# B\n\nother 别的\n")
        at.sync()
        before = set(at.ids().values())
        (at.root / "a.md").unlink()
        at.write("c.md", "# C\n\nlunch is at noon in the yellow house 黄房子\n")
        report = at.sync()
        assert (report.added, report.removed) == (1, 1)
        assert len(before & set(at.ids().values())) == 1
