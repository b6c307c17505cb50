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

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from bethink.errors import NotebookFileRefused
from bethink.notebook.books import Book
from bethink.notebook.edits import Edit, Item, appended
from bethink.notebook.files import change, current, put_back
from bethink.notebook.forms import Form
from bethink.notebook.layout import HISTORY, Reading, reading_of
from bethink.vocabulary import Memory

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
        second = since.replace(microsecond=0)
        finer = until.microsecond or second == until
        fields.insert(0, ("since", _shown(since if finer else second, zone)))
    fields.append(("replaced by", one_line(replaced_by)))
    return appended(text, Item(old, (*labels, *fields)), (), path=HISTORY, form=form, title=TITLE)


class Held(NamedTuple):
    """When a line held, and what took its place."""

    since: datetime | None
    until: datetime
    replaced_by: str


def move_into_history(
    book: Book, zone: tzinfo, old: Memory, held: Held, edit: Callable[[str], str]
) -> None:
    """A line into history.md before `edit` takes it from its place: at no moment is it in
    neither."""
    path = PurePosixPath(old.source)
    held_back: list[str] = []

    def note(text: str) -> str:
        held_back.append(
            with_superseded(
                text,
                old.text,
                labels=tuple(labels(old)),
                since=held.since,
                until=held.until,
                was_in=path,
                section=old.section,
                replaced_by=held.replaced_by,
                zone=zone,
                form=book.form,
            ).text
        )
        return held_back[-1]

    before = change(book.root, HISTORY, note)
    try:
        change(book.root, path, edit)
    except BaseException:
        after = current(book.root, HISTORY)
        if after is not None and after.endswith(held_back[-1].encode()[-64:]):
            put_back(book.root, HISTORY, before, after)
        raise


def held_since(old: Memory, new: Memory, file: Path) -> datetime | None:
    """From when a line held: as it says, else from when it was first seen. A line that this very
    telling sees first is as old as its file. None: it is said now that it had ended before it was
    told, and nobody knows since when it held."""
    first = old.valid_from or old.created_at
    if first < (new.valid_from or new.created_at):
        return first
    if new.valid_from is not None:
        return None
    saved = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return saved if saved < new.created_at else new.created_at - timedelta(microseconds=1)


def held_until(new: Memory, since: Sequence[datetime | None]) -> datetime:
    """The second is what a person reads, unless it all happens within one."""
    now = new.valid_from or new.created_at
    second = now.replace(microsecond=0)
    return second if all(one is None or one < second for one in since) else now


def labels(memory: Memory) -> Iterator[tuple[str, str]]:
    """What an item says of itself in items below it."""
    if memory.tags:
        yield "tags", ", ".join(memory.tags)
    if memory.entities:
        yield "entities", ", ".join(memory.entities)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _shown(moment: datetime, zone: tzinfo) -> str:
    """To the second, as people read it; finer only where it must be."""
    return moment.astimezone(zone).isoformat()


def replacements(book: Book, zone: tzinfo) -> dict[tuple[str, str], dict[str, Any]]:
    """From when lines hold that took another's place: by (file, text on one line)."""
    return {(path, text): {"valid_from": since} for path, text, since in _replacements(book, zone)}


def _replacements(book: Book, zone: tzinfo) -> Iterator[tuple[str, str, datetime]]:
    if reading_of(HISTORY, book.form) is not Reading.LISTS:
        return
    from bethink.notebook.parse import parse
    from bethink.notebook.reading import read_text

    try:
        text = read_text(book.root, HISTORY)
        pieces = parse(text, HISTORY, book_form=book.form, zone=zone)
    except NotebookFileRefused:
        return  # the sync says so itself
    for piece in pieces:
        was_in, by = piece.metadata.get("was_in"), piece.metadata.get("replaced_by")
        if piece.valid_to is not None and isinstance(was_in, str) and isinstance(by, str):
            yield was_in.partition("§")[0].strip(), by, piece.valid_to
