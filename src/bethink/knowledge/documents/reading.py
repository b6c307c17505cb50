"""One file, read by whoever knows its format."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from bethink.knowledge.documents.blocks import Limits, Reading
from bethink.knowledge.documents.decoding import decoded

# Raised when the same bytes would give other sections: then unchanged files are read again.
READER = 3


def read(kind: str, data: bytes, name: str, limits: Limits) -> Reading:
    """What a file of this format holds. Raises `Unreadable` or `MissingExtra`."""
    if kind in ("markdown", "text", "csv"):
        return _plainly(kind, data, name, limits)
    module = import_module(f"bethink.knowledge.documents.{kind}")
    reader = cast("Callable[[bytes, Limits], Reading]", module.read)
    return reader(data, limits)


def _plainly(kind: str, data: bytes, name: str, limits: Limits) -> Reading:
    from bethink.knowledge.documents import csv_rows, markdown, plain

    text, note = decoded(data)
    notes = [note] if note else []
    if len(text) > limits.chars:
        text = text[: limits.chars]
        notes.append(f"read up to character {limits.chars:,}")
    if kind == "csv":
        found = csv_rows.read(text, limits, tabs=name.lower().endswith(".tsv"))
    else:
        found = markdown.read(text) if kind == "markdown" else plain.read(text)
    return found._replace(notes=(*notes, *found.notes))
