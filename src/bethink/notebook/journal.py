"""The journal: a file for each day in the person's own time zone, a line for each entry."""

from __future__ import annotations

from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import NamedTuple

from bethink.notebook.forms import Form
from bethink.notebook.layout import journal_file
from bethink.notebook.parse import Piece, parse


class Entry(NamedTuple):
    path: PurePosixPath
    title: str
    text: str  # "14:30 …"


def entry(text: str, moment: datetime, zone: tzinfo) -> Entry:
    """Where an entry of that moment belongs, by the clock on the person's wall.

    When clocks are set back an hour comes twice and its entries stand in the order told; they are
    read as of the first time. The minute is what a person would note.
    """
    wall = moment.astimezone(zone)
    path = journal_file(wall.date())
    return Entry(path, wall.date().isoformat(), f"{wall:%H:%M} {text.strip()}")


def later_entry(
    path: PurePosixPath, moment: datetime, form: Form, zone: tzinfo, text: str
) -> Piece | None:
    """Of the entries at the end of a day's text that are later than this moment, the first."""
    found: Piece | None = None
    for piece in reversed(parse(text, path, book_form=form, zone=zone)):
        if piece.occurred_at is None or piece.occurred_at <= moment:
            break
        found = piece
    return found
