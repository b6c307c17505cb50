"""Short ways to parse a file in a test."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath

from bethink.notebook.forms import Form
from bethink.notebook.parse import About, Piece, parse
from bethink.remember.ingress import accept

SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def pieces(
    text: str,
    path: str = "notes/a.md",
    form: Form = Form.NOTEBOOK,
    about: About | None = None,
) -> list[Piece]:
    found = parse(text, PurePosixPath(path), book_form=form, zone=SHANGHAI, about=about)
    for piece in found:  # whatever is read can be remembered
        told = piece._asdict()
        del told["start"], told["end"]
        accept(told, now=NOW)
    return found


def texts(text: str, path: str = "notes/a.md") -> list[str]:
    return [piece.text for piece in pieces(text, path)]


def only(text: str, path: str = "notes/a.md") -> Piece:
    (piece,) = pieces(text, path)
    return piece
