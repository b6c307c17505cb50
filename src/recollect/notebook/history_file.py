"""`history.md`: lines that were superseded, with when they held and what took their place.

- prefers dark mode
  - since: 2026-03-01T09:00:00+08:00
  - until: 2026-05-01T14:30:00+08:00
  - was in: user/preferences.md § UI
  - replaced by: prefers light mode

So the files alone tell what held when: an index that is made anew from them answers `--as-of` as
before. To undo a correction, move the line back and delete it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

from recollect.errors import NotebookFileRefused
from recollect.notebook.books import Book
from recollect.notebook.edits import Edit, Item, appended
from recollect.notebook.forms import Form
from recollect.notebook.layout import HISTORY, Reading, reading_of

TITLE = "History"


def with_superseded(
    text: str,
    old: str,
    *,
    labels: Sequence[tuple[str, str]] = (),
    since: datetime | None,
    until: datetime,
    was_in: PurePosixPath,
    section: str,
    replaced_by: str,
    zone: tzinfo,
    form: Form,
) -> Edit:
    """The text of history.md with one line more."""
    where = f"{was_in} § {section}" if section else str(was_in)
    fields = [("until", _shown(until, zone)), ("was in", where)]
    if since is not None and since < until:
        fields.insert(0, ("since", _shown(since, zone)))
    fields.append(("replaced by", one_line(replaced_by)))
    return appended(text, Item(old, (*labels, *fields)), (), path=HISTORY, form=form, title=TITLE)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _shown(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).isoformat(timespec="seconds")


def replacements(book: Book, zone: tzinfo) -> dict[tuple[str, str], dict[str, Any]]:
    """From when lines hold that took another's place: by (file, text on one line)."""
    return {(path, text): {"valid_from": since} for path, text, since in _replacements(book, zone)}


def _replacements(book: Book, zone: tzinfo) -> Iterator[tuple[str, str, datetime]]:
    if reading_of(HISTORY, book.form) is not Reading.LISTS:
        return
    from recollect.notebook.parse import parse
    from recollect.notebook.reading import read_text

    try:
        text = read_text(book.root, HISTORY)
        pieces = parse(text, HISTORY, book_form=book.form, zone=zone)
    except NotebookFileRefused:
        return  # the sync says so itself
    for piece in pieces:
        was_in, by = piece.metadata.get("was_in"), piece.metadata.get("replaced_by")
        if piece.valid_to is not None and isinstance(was_in, str) and isinstance(by, str):
            yield was_in.partition("§")[0].strip(), by, piece.valid_to
