"""Which file a kind lives in, and how a file is read."""

from datetime import date
from pathlib import PurePosixPath

import pytest

from bethink.notebook.forms import Form
from bethink.notebook.layout import (
    HISTORY,
    HOMES,
    INDEX,
    Reading,
    day_of,
    is_journal,
    journal_file,
    kind_of,
    reading_of,
)
from bethink.recall.route_table import built_in_routes

DAY = date(2026, 5, 1)


def path(text: str) -> PurePosixPath:
    return PurePosixPath(text)


def test_each_kind_has_the_file_that_the_notebook_promises() -> None:
    assert {kind: str(home.file) for kind, home in HOMES.items()} == {
        "preference": "user/preferences.md",
        "instruction": "user/instructions.md",
        "entity": "user/entities.md",
        "task": "TASKS.md",
        "decision": "agent/decisions.md",
        "pattern": "agent/patterns.md",
    }
    assert str(journal_file(DAY)) == "journal/2026-05-01.md"


def test_what_is_written_by_kind_is_read_as_that_kind() -> None:
    files = {kind: home.file for kind, home in HOMES.items()} | {"journal": journal_file(DAY)}
    for kind, file in files.items():
        assert kind_of(file) == kind
        assert reading_of(file, Form.NOTEBOOK) is Reading.LISTS


def test_every_built_in_route_leads_to_a_file_of_the_layout() -> None:
    named = " ".join(repr(route.where) for route in built_in_routes())
    assert all(f"'{home.file}'" in named for home in HOMES.values())


@pytest.mark.parametrize("form", [Form.NOTEBOOK, Form.NOTES])
def test_other_files_are_notes(form: Form) -> None:
    assert reading_of(path("notes/超时.md"), form) is Reading.NOTES
    assert kind_of(path("notes/超时.md"), form) == "note"
    assert reading_of(HISTORY, form) is Reading.LISTS


def test_a_folder_of_somebody_else_has_no_lists_and_no_kinds_of_ours() -> None:
    assert reading_of(path("TASKS.md"), Form.FOLDER) is Reading.NOTES
    assert kind_of(path("user/instructions.md"), Form.FOLDER) == "note"
    assert kind_of(path("daily/2026-05-01.md"), Form.FOLDER) == "journal"
    assert kind_of(path("daily/2026-05-01 plan.md"), Form.FOLDER) == "note"


def test_the_index_is_read_as_such_in_the_notes_form_only() -> None:
    assert reading_of(INDEX, Form.NOTES) is Reading.INDEX
    assert reading_of(INDEX, Form.NOTEBOOK) is Reading.NOTES
    assert reading_of(path("notes/INDEX.md"), Form.NOTES) is Reading.NOTES


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("journal/2026-05-01.md", DAY),
        ("journal/2026-05-01 retro.md", DAY),
        ("journal/2026-05-01-回顾.md", DAY),
        ("2026-05-01.markdown", DAY),
        ("journal/2026-05-012.md", None),
        ("journal/2026-13-01.md", None),
        ("journal/2026-02-30.md", None),
        ("journal/20260501ab.md", None),
        ("journal/2026-W18-5.md", None),
        ("journal/0001-01-01.md", None),  # no time zone may lead out of the calendar
        ("journal/9999-12-31.md", None),
        ("journal/readme.md", None),
        ("journal/.md", None),
    ],
)
def test_the_day_that_a_file_is_named_by(name: str, day: date | None) -> None:
    assert day_of(path(name)) == day


def test_a_journal_is_what_lies_in_its_folder() -> None:
    assert is_journal(path("journal/2026/2026-05-01.md"))
    assert not is_journal(path("journal.md"))
    assert not is_journal(path("notes/2026-05-01.md"))
    assert day_of(journal_file(DAY)) == DAY
    assert journal_file(date(999, 1, 2)).name == "0999-01-02.md"
