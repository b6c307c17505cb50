"""Remember a note into a book of the notes form: a file of its own, and its line in INDEX.md.

The file is written first: a note that the index does not name is still found, an entry without its
note would lead nowhere.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from bethink.filters import Condition
from bethink.notebook.books import Book
from bethink.notebook.files import change, current
from bethink.notebook.index_file import with_entry
from bethink.notebook.layout import INDEX, NOTES
from bethink.notebook.parse import About, parse
from bethink.notebook.reading import same_name
from bethink.notebook.receipts import not_indexed, reinforced
from bethink.notebook.report import SyncKit
from bethink.notebook.stored import as_stored
from bethink.notebook.sync import sync
from bethink.remember.judging import find
from bethink.remember.sameness import Verdict
from bethink.vocabulary import Action, Memory, Receipt

_MAX_TITLE_CHARS = 80
_MAX_NAME_CHARS = 60
_LOOK_SECONDS = 1.0


def remember_note(kit: SyncKit, book: Book, memory: Memory, told: Mapping[str, Any]) -> Receipt:
    """Write it and index it, or say which memory says the same already. The book's lock is held.

    `metadata` may give a `title` and a `when_to_load`; else the first line is the title.
    """
    current(book.root, INDEX)  # if it is refused, then before anything is written
    sync(kit, books=[book], within=_LOOK_SECONDS)  # what was written a moment ago is known too
    about = _about(memory)
    text = _file_text(memory, about.title)
    path = _free(book.root, about.title)
    pieces = as_stored(
        parse(text, path, book_form=book.form, zone=kit.zone(), about=about), redact=kit.redact
    )
    finding = find(
        memory if not pieces else replace(memory, text=pieces[0].text),
        store=kit.store,
        embedder=kit.embedder,
        zone=kit.zone(),
        where=Condition("provenance", "book", "=", str(book.root)),
    )
    if finding.verdict is Verdict.SAME:
        return reinforced(kit.store, finding)
    change(book.root, path, lambda _: text)
    change(book.root, INDEX, lambda index: with_entry(index, path, about))
    beside = _beside(told)
    report = sync(
        kit,
        books=[book],
        paths=[book.root / path, book.root / INDEX],
        told={(str(path), piece.text): beside for piece in pieces} if beside else None,
    )
    own = [piece for piece in report.pieces if piece.path == str(path)]
    if not own:
        raise not_indexed(str(book.root / path), report)
    near = finding.memory
    return Receipt(
        own[0].id,
        book.space,
        Action.CREATED,
        passages=len(own),
        embedded=not report.notes,
        notes=(
            f"in {book.root / path}, named in {INDEX}",
            *report.notes,
            *(() if near is None else (f"near to {near.id}: {finding.why}",)),
        ),
    )


def _about(memory: Memory) -> About:
    title, when = memory.metadata.get("title"), memory.metadata.get("when_to_load")
    if not isinstance(title, str) or not title.strip():
        title = memory.text.strip().split("\n", 1)[0].lstrip("#")
    title = " ".join(title.split())[:_MAX_TITLE_CHARS].rstrip()
    return About(title, " ".join(when.split()) if isinstance(when, str) else "")


def _file_text(memory: Memory, title: str) -> str:
    """As a person would write it: what is said of it, its title, its text."""
    fields = {"tags": memory.tags, "entities": memory.entities}
    lines = [f"{name}: {_listed(values)}" for name, values in fields.items() if values]
    for name, moment in (
        ("date", memory.occurred_at),
        ("since", memory.valid_from),
        ("until", memory.valid_to),
    ):
        if moment is not None:
            lines.append(f"{name}: {moment.isoformat(timespec='seconds')}")
    head = "---\n" + "\n".join(lines) + "\n---\n" if lines else ""
    body = memory.text.strip()
    if body.startswith(("#", "---")):
        return f"{head}{body}\n" if head else f"\n{body}\n"
    first, _, rest = body.partition("\n")
    if " ".join(first.split()) == title:
        body = rest.strip()
    elif body.startswith(title):
        return f"{head}{body}\n"  # one long paragraph: its beginning is no heading
    return f"{head}# {title}\n" + (f"\n{body}\n" if body else "")


def _listed(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(json.dumps(value, ensure_ascii=False) for value in values) + "]"


def _free(root: Path, title: str) -> PurePosixPath:
    """A file name from the title that no other file has, also not on other machines."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", title).lower())
    name = "-".join(words)[:_MAX_NAME_CHARS].strip("-_") or "note"
    try:
        taken = {same_name(other) for other in os.listdir(root / NOTES)}
    except OSError:  # there is no such folder yet; whatever else is wrong, writing will say
        taken = set()
    number = 1
    while True:
        file = f"{name}.md" if number == 1 else f"{name}-{number}.md"
        if same_name(file) not in taken:
            return NOTES / file
        number += 1


def _beside(told: Mapping[str, Any]) -> dict[str, Any]:
    """What the file cannot say."""
    beside: dict[str, Any] = {}
    if told.get("confidence") is not None:
        beside["confidence"] = told["confidence"]
    others = {
        key: value
        for key, value in (told.get("metadata") or {}).items()
        if key not in ("title", "when_to_load")
    }
    if told.get("source"):
        others["source"] = told["source"]
    return {**beside, "metadata": others} if others else beside
