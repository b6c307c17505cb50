"""Which file a kind lives in, and how a file is read.

Every kind that people keep lists of has one file, the same in every book, so that a person finds it
and a route leads to it. Whatever is not one of these files is a note.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import PurePosixPath
from typing import NamedTuple

from bethink.notebook.forms import Form

HISTORY = PurePosixPath("history.md")  # what was superseded, and when
INDEX = PurePosixPath("INDEX.md")  # of the notes form: title, file, when to load
NOTES = PurePosixPath("notes")  # the folder of the notes form
JOURNAL = PurePosixPath("journal")  # the folder of the days


class Reading(StrEnum):
    LISTS = "lists"  # each top-level item and each paragraph is one piece
    NOTES = "notes"  # each section under a heading is one piece
    INDEX = "index"  # no pieces of its own: it says what the notes are about


class Home(NamedTuple):
    """Where a kind is kept, and how the file is headed when it is made."""

    file: PurePosixPath
    title: str
    title_zh: str
    project: bool  # belongs to a project's notebook rather than to the user's own


HOMES: dict[str, Home] = {
    kind: Home(PurePosixPath(file), title, title_zh, project)
    for kind, file, title, title_zh, project in (
        ("preference", "user/preferences.md", "Preferences", "偏好", False),
        ("instruction", "user/instructions.md", "Instructions", "指令", False),
        ("entity", "user/entities.md", "People and things", "人物与实体", False),
        ("task", "TASKS.md", "Tasks", "任务", True),
        ("decision", "agent/decisions.md", "Decisions", "决策", True),
        ("pattern", "agent/patterns.md", "Patterns", "模式", True),
    )
}
_KIND_OF = {home.file: kind for kind, home in HOMES.items()}


# How people name the kinds.
_SPOKEN = {
    "preference": "preferences 偏好 喜好", "instruction": "instructions 指令 指示 规则",
    "entity": "entities 实体 人物", "task": "tasks todo todos 任务 待办",
    "decision": "decisions 决策 决定", "pattern": "patterns 模式 惯例",
    "journal": "journals 日志 日记", "note": "notes 笔记",
}  # fmt: skip


def kind_named(told: str) -> str:
    """The kind that is meant by a name in any case, in the plural or in Chinese; else the name."""
    name = told.strip().casefold()
    return next((k for k, names in _SPOKEN.items() if name in (k, *names.split())), told)


def journal_file(day: date) -> PurePosixPath:
    return JOURNAL / f"{day:%Y-%m-%d}.md" if day.year >= 1000 else JOURNAL / f"{day.isoformat()}.md"


def kind_of(path: PurePosixPath, form: Form = Form.NOTEBOOK) -> str:
    """The kind of what stands in this file, unless the file itself says otherwise."""
    if form != Form.FOLDER and path in _KIND_OF:
        return _KIND_OF[path]
    return "journal" if is_journal(path, form) else "note"


def is_journal(path: PurePosixPath, form: Form = Form.NOTEBOOK) -> bool:
    if form == Form.FOLDER:  # daily notes are named by nothing but the day
        return len(path.stem) == 10 and day_of(path) is not None
    return len(path.parts) > 1 and path.parts[0] == JOURNAL.name


def day_of(path: PurePosixPath) -> date | None:
    """The day that a file is named by: `2026-05-01.md`, `2026-05-01 retro.md`."""
    name = path.stem
    if len(name) > 10 and name[10].isalnum():
        return None
    try:
        day = date.fromisoformat(name[:10]) if name[4:5] == "-" == name[7:8] else None
    except ValueError:
        return None
    # a year more on either side, so that no time zone leads out of the calendar
    return day if day is not None and 1 < day.year < 9999 else None


def reading_of(path: PurePosixPath, form: Form) -> Reading:
    if form == Form.FOLDER:
        return Reading.NOTES
    if form == Form.NOTES and path == INDEX:
        return Reading.INDEX
    if path in _KIND_OF or path == HISTORY or is_journal(path, form):
        return Reading.LISTS
    return Reading.NOTES
