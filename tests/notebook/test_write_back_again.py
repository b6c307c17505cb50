"""Told into a book once more: tasks that were done, corrections within a second, what the store
alone holds, several lines of one fact."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from bethink.vocabulary import Action
from tests.notebook.written import MAY, PREFERENCES, Notebook, texts
from tests.notebook.written import notebook as notebook

TASKS = "TASKS.md"


# Tasks


@pytest.mark.parametrize("text", ["weekly report", "写周报"])
def test_a_finished_task_is_to_be_done_once_more(notebook: Notebook, text: str) -> None:
    notebook.write(TASKS, f"# Tasks\n\n- [x] {text}\n")
    told = notebook.tell(text, "task")
    assert told.action is Action.CREATED
    assert any("done before" in note for note in told.notes)
    assert notebook.read(TASKS) == f"# Tasks\n\n- [x] {text}\n- [ ] {text}\n"
    again = notebook.tell(text, "task")  # a hook that is run twice writes once
    assert (again.action, again.id) == (Action.REINFORCED, told.id)
    assert notebook.read(TASKS).count(text) == 2


@pytest.mark.parametrize("text", ["weekly report", "写周报"])
def test_a_task_can_be_told_as_done(notebook: Notebook, text: str) -> None:
    done = notebook.tell(f"[x] {text}", "task")
    assert notebook.read(TASKS).endswith(f"\n- [x] {text}\n")
    memory = notebook.engine.get(done.id)
    assert memory is not None and memory.metadata["done"] is True and memory.text == text
    assert notebook.tell(f"- [X] {text}", "task").action is Action.REINFORCED


@pytest.mark.parametrize("text", ["weekly report", "写周报"])
def test_an_open_task_told_as_done_is_ticked(notebook: Notebook, text: str) -> None:
    notebook.write(TASKS, f"# Tasks\r\n\r\n* [ ] {text}\r\n  - date: 2026-05-03\r\n* [ ] b\r\n")
    told = notebook.tell(f"[x] {text}", "task")
    assert told.action is Action.REVISED
    assert notebook.read(TASKS) == (
        f"# Tasks\r\n\r\n* [x] {text}\r\n  - date: 2026-05-03\r\n* [ ] b\r\n"
    )
    memory = notebook.engine.get(told.id)
    assert memory is not None and memory.metadata["done"] is True


# When it held


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("The port is 8080", "The port is now 9090", "which port"),
        ("端口是8080", "端口改为9090", "端口是多少"),
    ],
)
@pytest.mark.parametrize("rebuilt", [False, True])
def test_a_correction_within_the_second_ends_what_was_told(
    notebook: Notebook, tmp_path: Path, old: str, new: str, question: str, rebuilt: bool
) -> None:
    notebook.engine.remember(old, kind="decision")
    notebook.clock.advance(milliseconds=300)
    notebook.engine.remember(new, kind="decision")
    between = MAY + timedelta(milliseconds=200)
    engine = notebook.open(tmp_path / "anew.db") if rebuilt else notebook.engine
    engine.sync()
    assert not engine.recall(question, as_of="1999-01-01").hits
    assert texts(engine.recall(question, as_of=between)) == [old]
    assert texts(engine.recall(question)) == [new]
    if rebuilt:
        engine.close()


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("The port is 8080", "The port is now 9090", "which port"),
        ("端口是8080", "端口改为9090", "端口是多少"),
    ],
)
def test_a_line_that_was_never_seen_before_is_as_old_as_its_file(
    notebook: Notebook, old: str, new: str, question: str
) -> None:
    notebook.write("agent/decisions.md", f"# D\n\n- {old}\n")
    saved = (MAY - timedelta(days=2)).timestamp()
    os.utime(notebook.root / "agent/decisions.md", (saved, saved))
    notebook.tell(new, "decision")
    assert not notebook.engine.recall(question, as_of="1999-01-01").hits
    assert texts(notebook.engine.recall(question, as_of=MAY - timedelta(days=1))) == [old]


@pytest.mark.parametrize(
    ("old", "new"), [("The port is 8080", "The port is now 9090"), ("端口是8080", "端口改为9090")]
)
def test_in_the_store_alone_it_did_not_hold_before_it_was_told(
    notebook: Notebook, old: str, new: str
) -> None:
    notebook.engine.remember(old, kind="fact", merge="meaning")
    told = notebook.engine.remember(new, kind="fact", merge="meaning")  # at the same instant
    assert told.action is Action.REVISED
    assert not notebook.engine.recall("port 端口", as_of="1999-01-01").hits


# What the store alone holds


@pytest.mark.parametrize("text", ["The port is 8080", "端口是8080"])
def test_what_the_store_alone_holds_comes_into_the_file(notebook: Notebook, text: str) -> None:
    (there,) = notebook.engine.remember_many([{"text": text, "kind": "decision"}])
    notebook.engine.reinforce(there.id, 3)
    told = notebook.tell(text, "decision")
    assert told.action is Action.CREATED
    assert any(there.id in note and "store alone" in note for note in told.notes)
    assert notebook.read("agent/decisions.md").endswith(f"\n- {text}\n")
    assert texts(notebook.engine.recall("port 端口")) == [text]
    memory, former = notebook.engine.get(told.id), notebook.engine.get(there.id)
    assert memory is not None and memory.reinforcement == 4
    assert former is not None and former.metadata["superseded_by"] == told.id
    assert [m.id for m in notebook.engine.succession(told.id)] == [there.id, told.id]
    assert notebook.tell(text, "decision").id == told.id


@pytest.mark.parametrize(
    ("old", "new"), [("The port is 8080", "The port is now 9090"), ("端口是8080", "端口改为9090")]
)
@pytest.mark.parametrize("named", [False, True])
def test_what_the_store_alone_holds_is_corrected(
    notebook: Notebook, old: str, new: str, named: bool
) -> None:
    (there,) = notebook.engine.remember_many([{"text": old, "kind": "decision"}])
    told = notebook.tell(new, "decision", **({"supersedes": there.id} if named else {}))
    assert told.action is Action.REVISED
    assert any(f"supersedes {there.id}" in note for note in told.notes)
    assert notebook.read("agent/decisions.md").endswith(f"\n- {new}\n")
    assert texts(notebook.engine.recall("port 端口")) == [new]


# Several lines of one fact


@pytest.mark.parametrize(
    ("lines", "new"),
    [
        (("I prefer dark mode", "prefers dark mode"), "I no longer prefer dark mode"),
        (("我喜欢深色模式", "喜欢深色模式"), "我不再喜欢深色模式"),
        (("用户喜欢深色模式", "喜欢深色模式"), "用户不再喜欢深色模式"),
    ],
)
def test_all_lines_of_one_fact_are_corrected(
    notebook: Notebook, lines: tuple[str, str], new: str
) -> None:
    notebook.write(PREFERENCES, f"# P\n\n- {lines[1]}\n- tea 茶\n- {lines[0]}\n")
    told = notebook.tell(new)
    assert told.action is Action.REVISED
    assert notebook.read() == f"# P\n\n- tea 茶\n- {new}\n"
    history = notebook.read("history.md")
    assert all(f"- {line}\n" in history for line in lines)
    held = {m.text: m for m in notebook.engine.list(limit=100).memories}
    for line in lines:
        assert held[line].metadata["superseded_by"] == told.id
        assert any(held[line].id in note for note in told.notes)


@pytest.mark.parametrize(
    ("lines", "new", "stays"),
    [
        (
            ("Mei prefers dark mode", "prefers dark mode"),
            "Mei no longer prefers dark mode",
            "prefers dark mode",
        ),
        (("小美喜欢深色模式", "喜欢深色模式"), "小美不再喜欢深色模式", "喜欢深色模式"),
    ],
)
def test_whom_it_names_is_corrected_before_others(
    notebook: Notebook, lines: tuple[str, str], new: str, stays: str
) -> None:
    notebook.write(PREFERENCES, "# P\n\n" + "".join(f"- {line}\n" for line in lines))
    assert notebook.tell(new).action is Action.REVISED
    assert notebook.read() == f"# P\n\n- {new}\n- {stays}\n"


# The journal


def test_an_entry_of_an_earlier_time_stands_among_the_others(notebook: Notebook) -> None:
    notebook.write("journal/2026-05-01.md", "# 2026-05-01\n\n- 09:00 a\n- 12:00 午饭\n- 13:00 c\n")
    told = notebook.tell("修好了登录", "journal", occurred_at="2026-05-01T11:30:00+08:00")
    assert notebook.read("journal/2026-05-01.md") == (
        "# 2026-05-01\n\n- 09:00 a\n- 11:30 修好了登录\n- 12:00 午饭\n- 13:00 c\n"
    )
    assert told.notes[0].endswith(":4")
    notebook.tell("woke up", "journal", occurred_at="2026-05-01T07:00:00+08:00")
    notebook.tell("now 现在", "journal")
    assert notebook.read("journal/2026-05-01.md") == (
        "# 2026-05-01\n\n- 07:00 woke up\n- 09:00 a\n- 11:30 修好了登录\n- 12:00 午饭\n- 13:00 c\n"
        "- 17:00 now 现在\n"
    )


def test_entries_that_stand_apart_stay_apart(notebook: Notebook) -> None:
    notebook.write("journal/2026-05-01.md", "# 五月一日\n\n* 12:00 午饭\n\n* 13:00 c\n")
    notebook.tell("修好了登录", "journal", occurred_at="2026-05-01T11:30:00+08:00")
    assert notebook.read("journal/2026-05-01.md") == (
        "# 五月一日\n\n* 11:30 修好了登录\n\n* 12:00 午饭\n\n* 13:00 c\n"
    )


# What one has several of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I am allergic to peanuts", "I am now allergic to shrimp"),
        ("我喜欢喝茶", "我现在喜欢喝咖啡"),
    ],
)
def test_both_may_hold_and_the_receipt_names_the_other(
    notebook: Notebook, old: str, new: str
) -> None:
    first = notebook.tell(old)
    told = notebook.tell(new)
    assert told.action is Action.CREATED
    assert any("both may hold" in note and first.id in note for note in told.notes)
    assert notebook.read().endswith(f"\n- {old}\n- {new}\n")
