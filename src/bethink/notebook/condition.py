"""How the books of a store are doing, for `status` and `doctor`. Only the ledgers are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from bethink.errors import BethinkError
from bethink.notebook.books import Book, Books
from bethink.notebook.layout import INDEX
from bethink.notebook.ledger import peek
from bethink.notebook.looking import missing
from bethink.vocabulary import Check


class BookStatus(NamedTuple):
    root: str
    space: str
    form: str
    writable: bool
    files: int = 0
    pieces: int = 0
    synced_at: str = ""  # empty: never
    complete: bool = False
    refused: int = 0
    reasons: tuple[tuple[str, str], ...] = ()  # (file, why), the first hundred
    fault: str = ""
    astray: tuple[str, ...] = ()  # entries of INDEX.md that lead nowhere


def statuses(books: Books) -> list[BookStatus]:
    return [_status(book, books.directory) for book in books.all()]


def _status(book: Book, directory: Path) -> BookStatus:
    status = BookStatus(str(book.root), book.space, book.form.value, book.writable)
    seen = peek(directory / f"{book.key}.ledger")
    if seen is not None:
        meta, files, pieces = seen
        count, refused = json.loads(meta.get("refused", "[0, []]"))
        status = status._replace(
            files=files,
            pieces=pieces,
            synced_at=meta.get("synced_at", ""),
            complete=meta.get("complete") == "true",
            refused=count,
            reasons=tuple((path, why) for path, why in refused),
            astray=tuple(json.loads(meta.get("astray", "[]"))),
        )
    if not book.root.is_dir():
        status = status._replace(fault=missing(book), complete=False)
    return status


def checks(books: Books) -> list[Check]:
    """A line for each book, and one for each file that is not read."""
    try:
        found = statuses(books)
    except BethinkError as e:
        return [Check("books", False, str(e), "do what is said there")]
    lines: list[Check] = []
    for status in found:
        part = f"book {status.root}"
        if status.fault:
            lines.append(Check(part, False, status.fault, "bring the folder back, or let go of it"))
        elif not status.synced_at:
            lines.append(Check(part, False, "it was never read", "bethink sync"))
        elif not status.complete:
            finding = f"the last sync ({status.synced_at[:19]}) did not reach the end"
            lines.append(Check(part, False, finding, "bethink sync"))
        else:
            finding = (
                f"{status.form} of space {status.space}: {status.files:,} files, "
                f"{status.pieces:,} memories, last looked at {status.synced_at[:19]}"
            )
            lines.append(Check(part, True, finding))
        lines += [
            Check(f"file {status.root}/{path}", False, why, "mend it as said, then: bethink sync")
            for path, why in status.reasons
        ]
        lines += [
            Check(f"file {status.root}/{INDEX}", False, why, "edit it, then: bethink sync")
            for why in status.astray
        ]
    return lines
