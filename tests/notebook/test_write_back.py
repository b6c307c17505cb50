"""Remembering into a book: the file is written in its author's style, then indexed from there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput, NotFound
from bethink.notebook.books import Form
from bethink.settings import Settings
from bethink.testing.fake_clock import FakeClock
from bethink.vocabulary import Action
from tests.notebook.written import MAY, PREFERENCES, Notebook, texts
from tests.notebook.written import notebook as notebook

# Where it goes


@pytest.mark.parametrize(
    ("kind", "path", "title"),
    [
        ("preference", "user/preferences.md", "# Preferences\n\n- "),
        ("instruction", "user/instructions.md", "# Instructions\n\n- "),
        ("entity", "user/entities.md", "# People and things\n\n- "),
        ("task", "TASKS.md", "# Tasks\n\n- [ ] "),
        ("decision", "agent/decisions.md", "# Decisions\n\n- "),
        ("pattern", "agent/patterns.md", "# Patterns\n\n- "),
        ("journal", "journal/2026-05-01.md", "# 2026-05-01\n\n- 15:00 "),
    ],
)
def test_each_kind_has_its_file(notebook: Notebook, kind: str, path: str, title: str) -> None:
    receipt = notebook.tell("Use the blue one", kind)
    assert receipt.action is Action.CREATED
    assert notebook.read(path) == f"{title}Use the blue one\n"
    assert receipt.notes[0] == f"in {notebook.root / path}:3"
    memory = notebook.engine.get(receipt.id)
    assert memory is not None
    assert (memory.text, memory.kind, memory.source) == ("Use the blue one", kind, path)
    assert memory.provenance["line"] == 3


def test_a_file_that_chinese_is_told_into_is_headed_in_chinese(notebook: Notebook) -> None:
    notebook.tell("喜欢喝茶", section="饮食")
    assert notebook.read() == "# 偏好\n\n## 饮食\n\n- 喜欢喝茶\n"


@pytest.mark.parametrize("kind", ["note", "fact", ""])
def test_other_kinds_stay_in_the_store(notebook: Notebook, kind: str) -> None:
    receipt = notebook.tell("something", kind)
    assert not notebook.files()
    assert notebook.engine.get(receipt.id) is not None


def test_another_space_and_an_id_of_ones_own_stay_in_the_store(notebook: Notebook) -> None:
    notebook.tell("likes tea", space="elsewhere")
    notebook.tell("likes tea", id="mine")
    assert not notebook.files()


def test_what_the_file_can_say_is_in_the_file(notebook: Notebook) -> None:
    receipt = notebook.tell(
        "Li: 后端", "entity", tags=["team", "后端"], entities=["Li"], confidence=0.5,
        metadata={"x": 1}, source="chat",
    )  # fmt: skip
    assert notebook.read("user/entities.md") == (
        "# 人物与实体\n\n- Li: 后端\n  - tags: team, 后端\n  - entities: Li\n"
    )
    memory = notebook.engine.get(receipt.id)
    assert memory is not None
    assert memory.tags == ("team", "后端")
    assert memory.confidence == 0.5
    assert memory.metadata == {"x": 1, "source": "chat"}
    assert "kept in the index only" in receipt.notes[-1]


def test_the_persons_style_stays(notebook: Notebook) -> None:
    before = (
        "\ufeff# Mine\r\n\r\n*  one\r\n\r\n## UI\r\n\r\n1) x\r\n2) y\r\n\r\nprose\r\n\r\n## End\r\n"
    )
    notebook.write(PREFERENCES, before)
    os.chmod(notebook.root / PREFERENCES, 0o640)
    notebook.tell("tea 茶")
    assert notebook.read() == before.replace("*  one\r\n", "*  one\r\n*  tea 茶\r\n")
    assert (notebook.root / PREFERENCES).stat().st_mode & 0o777 == 0o640
    assert notebook.files() == {PREFERENCES}


def test_utf_16_stays_utf_16(notebook: Notebook) -> None:
    (notebook.root / "user").mkdir()
    (notebook.root / PREFERENCES).write_bytes("# P\n\n- 茶\n".encode("utf-16"))
    notebook.tell("coffee")
    data = (notebook.root / PREFERENCES).read_bytes()
    assert data.decode("utf-16") == "# P\n\n- 茶\n- coffee\n"


# Told again, corrected, or new


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Mei prefers dark mode", "Mei really prefers the dark mode."),
        ("小美喜欢深色主题", "小美很喜欢深色主题。"),
        ("会议在三点", "会议在3点"),
        ("API 默认端口是 8080", "API默认端口是8080"),
    ],
)
def test_told_again_is_counted(notebook: Notebook, first: str, again: str) -> None:
    receipt = notebook.tell(first)
    before = notebook.read()
    told = notebook.tell(again)
    assert (told.action, told.id) == (Action.REINFORCED, receipt.id)
    assert "known already" in told.notes[0]
    assert f"{PREFERENCES}:3" in told.notes[0]
    assert notebook.read() == before
    memory = notebook.engine.get(receipt.id)
    assert memory is not None and memory.reinforcement == 1


def test_what_a_person_wrote_a_moment_ago_is_known(notebook: Notebook) -> None:
    notebook.write(PREFERENCES, "# P\n\n- Mei prefers dark mode\n")
    assert notebook.tell("Mei prefers the dark mode").action is Action.REINFORCED
    notebook.write(PREFERENCES, "# P\n\n- Wei prefers dark mode\n")
    assert notebook.tell("Mei prefers the dark mode").action is Action.CREATED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Mei prefers dark mode", "Mei no longer prefers dark mode"),
        ("小美喜欢深色主题", "小美不再喜欢深色主题"),
        ("The port is 8080", "The port is now 9090"),
        ("端口是8080", "端口改为9090"),
    ],
)
def test_a_correction_takes_the_old_lines_place(notebook: Notebook, old: str, new: str) -> None:
    notebook.write(PREFERENCES, f"# P\n\n* above\n* {old}\n  - tags: ui\n* below\n\n## End\n")
    notebook.engine.sync()
    former = next(m for m in notebook.engine.list().memories if m.text == old)
    notebook.engine.reinforce(former.id)
    receipt = notebook.tell(new)
    assert receipt.action is Action.REVISED
    assert receipt.id != former.id
    assert any(f"supersedes {former.id}" in note and old in note for note in receipt.notes)
    assert notebook.read() == f"# P\n\n* above\n* {new}\n  - tags: ui\n* below\n\n## End\n"
    assert notebook.read("history.md") == (
        f"# History\n\n- {old}\n  - tags: ui\n  - since: 2026-05-01T14:00:00+08:00\n"
        f"  - until: 2026-05-01T15:00:00+08:00\n  - was in: {PREFERENCES}\n  - replaced by: {new}\n"
    )
    kept = notebook.engine.get(former.id)
    made = notebook.engine.get(receipt.id)
    assert kept is not None and made is not None
    assert kept.valid_to == made.valid_from == MAY + timedelta(hours=1)
    assert kept.reinforcement == 1
    assert (kept.kind, kept.tags) == ("preference", ("ui",))
    assert made.metadata["supersedes"] == kept.id
    assert kept.metadata["superseded_by"] == made.id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Room 101 has a projector", "Room 102 has a projector"),
        ("Mei prefers dark mode", "Wei prefers dark mode"),
        ("我喜欢喝茶", "我喜欢喝咖啡"),
        ("甲调用乙", "乙调用甲"),
    ],
)
def test_in_doubt_both_are_kept(notebook: Notebook, one: str, other: str) -> None:
    notebook.tell(one)
    receipt = notebook.tell(other)
    assert receipt.action is Action.CREATED
    assert notebook.read().endswith(f"- {one}\n- {other}\n")
    assert "history.md" not in notebook.files()


def test_which_of_two_is_meant_is_not_guessed(notebook: Notebook) -> None:
    notebook.write(PREFERENCES, "- The port is 8080\n- The port is 7070\n")
    receipt = notebook.tell("The port is now 9090")
    assert receipt.action is Action.CREATED
    assert "--supersedes" in receipt.notes[-1]
    assert notebook.read() == "- The port is 8080\n- The port is 7070\n- The port is now 9090\n"


def test_superseding_by_name(notebook: Notebook) -> None:
    old = notebook.tell("likes tea", section="Drinks")
    new = notebook.tell("only ever drinks water", supersedes=old.id)
    assert new.action is Action.REVISED
    assert notebook.read() == "# Preferences\n\n## Drinks\n\n- only ever drinks water\n"
    assert notebook.tell("only  ever drinks water", supersedes=new.id).id == new.id
    with pytest.raises(InvalidInput, match="took its place"):
        notebook.tell("juice", supersedes=old.id)
    with pytest.raises(NotFound, match="no memory has the id 'nobody'"):
        notebook.tell("juice", supersedes="nobody")


def test_a_line_that_is_only_read_is_not_superseded(notebook: Notebook, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Tea\n\nGreen.\n")
    assert notebook.engine.books is not None
    notebook.engine.books.add(
        notes, space="global", form=Form.FOLDER, writable=False, project=False
    )
    notebook.engine.sync()
    (memory,) = notebook.engine.list().memories
    with pytest.raises(InvalidInput, match="only read; edit it there"):
        notebook.tell("Tea is black", supersedes=memory.id)


# The chain, and asking as of then


def test_the_chain_and_as_of_outlive_the_index(notebook: Notebook, tmp_path: Path) -> None:
    first = notebook.tell("The port is 8080", "decision")
    notebook.clock.advance(days=1)
    second = notebook.tell("The port is 9090", "decision")
    notebook.clock.advance(days=1)
    third = notebook.tell("The port is now 7070", "decision")
    ids = [first.id, second.id, third.id]
    assert [m.id for m in notebook.engine.succession(second.id)] == ids

    def asked(engine: Engine, **when: Any) -> list[str]:
        return texts(engine.recall("which port", **when))

    moments = [MAY + timedelta(hours=3), MAY + timedelta(days=1, hours=4), MAY + timedelta(days=9)]

    def check(engine: Engine) -> None:
        assert asked(engine) == ["The port is now 7070"]
        found = [asked(engine, as_of=moment) for moment in moments]
        assert found == [["The port is 8080"], ["The port is 9090"], ["The port is now 7070"]]
        assert not asked(engine, as_of=MAY - timedelta(days=1))

    check(notebook.engine)
    notebook.clock.advance(days=30)
    with notebook.open(tmp_path / "fresh.db") as engine:  # from the files alone
        engine.sync()
        check(engine)
        newest = next(m for m in engine.list().memories if "7070" in m.text)
        chain = [m.text for m in engine.succession(newest.id)]
        assert chain == ["The port is 8080", "The port is 9090", "The port is now 7070"]
    notebook.engine.reindex()
    check(notebook.engine)
    assert [m.id for m in notebook.engine.succession(first.id)] == ids


def test_undo_by_hand(notebook: Notebook) -> None:
    old = notebook.tell("Mei prefers dark mode")
    notebook.tell("Mei no longer prefers dark mode")
    notebook.write(PREFERENCES, "# Preferences\n\n- Mei prefers dark mode\n")
    notebook.write("history.md", "# History\n")
    notebook.engine.sync()
    assert texts(notebook.engine.recall("Mei dark mode")) == ["Mei prefers dark mode"]
    memory = notebook.engine.get(old.id)
    assert memory is not None and memory.valid_to is None


# Journal


def test_journal_days_are_those_on_the_wall(notebook: Notebook) -> None:
    notebook.clock.now = datetime(2026, 5, 1, 14, 58, tzinfo=UTC)
    notebook.tell("late\nwith more\n\nto say", "journal", tags=["x"])  # 23:58 in Shanghai
    notebook.tell("after midnight 午夜后", "journal")  # 00:58 of the next day
    assert notebook.read("journal/2026-05-01.md") == (
        "# 2026-05-01\n\n- 23:58 late\n  with more\n\n  to say\n  - tags: x\n"
    )
    assert (
        notebook.read("journal/2026-05-02.md") == "# 2026-05-02\n\n- 00:58 after midnight 午夜后\n"
    )
    notebook.tell("remembered later", "journal", occurred_at="2026-04-30T08:15:00+08:00")
    assert notebook.read("journal/2026-04-30.md") == "# 2026-04-30\n\n- 08:15 remembered later\n"


def test_the_journal_is_found_by_the_day(notebook: Notebook) -> None:
    notebook.tell("Fixed the login 修好了登录", "journal")
    notebook.clock.advance(days=1)
    notebook.tell("Wrote the docs 写了文档", "journal")
    for question in ("what did I do yesterday", "昨天做了什么"):
        found = notebook.engine.recall(question, preset="notebook")
        assert texts(found) == ["Fixed the login 修好了登录"]


def test_an_hour_that_comes_twice(tmp_path: Path) -> None:
    book = Notebook(tmp_path, timezone="Europe/Berlin")
    with book.engine:
        book.clock.now = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)
        book.tell("summer time", "journal")  # 02:30, then clocks are set back
        book.tell("winter time", "journal")  # 02:30 again
        path = "journal/2026-10-25.md"
        assert book.read(path) == "# 2026-10-25\n\n- 02:30 summer time\n- 02:30 winter time\n"


def test_a_hook_that_runs_twice_writes_once(notebook: Notebook) -> None:
    for text in ("Fixed it", "修好了\n\n- 登录\n- 注册"):
        one = notebook.engine.remember(text, kind="journal")
        two = notebook.engine.remember(text, kind="journal")
        assert (two.action, two.id) == (Action.REINFORCED, one.id)
    notebook.clock.advance(minutes=1)
    assert notebook.engine.remember("Fixed it", kind="journal").action is Action.CREATED


# Without a book


@pytest.fixture
def plain() -> Iterator[Engine]:
    with Engine.in_memory(embedder="hashing", clock=FakeClock(MAY), settings=Settings()) as engine:
        yield engine


@pytest.mark.parametrize(
    ("old", "same", "corrected"),
    [
        ("The port is 8080", "The port is 8080!", "The port is 9090"),
        ("会议在三点", "会议在3点", "会议改到4点"),
    ],
)
def test_merging_by_meaning(plain: Engine, old: str, same: str, corrected: str) -> None:
    told = plain.remember(old, merge="meaning")
    assert told.action is Action.CREATED
    again = plain.remember(same, merge="meaning")
    assert (again.action, again.id) == (Action.REINFORCED, told.id)
    new = plain.remember(corrected, merge="meaning")
    assert new.action is Action.REVISED
    assert texts(plain.recall(corrected)) == [corrected]
    assert [m.text for m in plain.succession(new.id)] == [old, corrected]
    with pytest.raises(InvalidInput, match="expected 'words' or 'corrections' or 'meaning'"):
        plain.remember("x", merge="magic")


def test_plain_remembering_is_as_it_was(plain: Engine) -> None:
    one = plain.remember("The port is 8080")
    assert plain.remember("The port is 8080").id == one.id
    assert plain.remember("The port is 8080!").action is Action.CREATED
