"""A folder of Markdown, or one file: read as a notebook reads it, by sections or by items.

This takes a copy. A folder that one goes on editing is better added as a source
(`bethink source add`), which follows every change.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path, PurePosixPath

from bethink.errors import NotebookFileRefused
from bethink.formats.taking import Again, Failed, Items, Taken, told
from bethink.notebook.forms import Form
from bethink.notebook.layout import HOMES, INDEX, NOTES, Reading, reading_of
from bethink.notebook.parse import Piece, parse
from bethink.notebook.reading import FileStat, list_files, read_text

NAME = "markdown"
WHAT = "pieces of Markdown"
_MARKDOWN = (".md", ".markdown")


def read(path: Path, zone: tzinfo) -> Items:
    root, files, refused = files_of(path)
    yield from refused
    form = _form(files)
    for file in files:
        yield from pieces(root, file, form=form, zone=zone, format_name=NAME)


def files_of(path: Path) -> tuple[Path, list[FileStat], list[Failed]]:
    """The files of a folder, or the one file that was named."""
    if path.is_dir():
        listing = list_files(path)
        return path, listing.files, [Failed(str(r.path), r.why) for r in listing.refused]
    found = path.stat()
    one = FileStat(PurePosixPath(path.name), found.st_size, found.st_mtime_ns, found.st_ino)
    return path.parent, [one], []


def _has_places(path: PurePosixPath, form: Form) -> bool:
    """Does a piece have a place of its own? A section has its heading; an item of a list has not,
    since one more above it moves it, nor has what came through a pipe."""
    return path.suffix.lower() in _MARKDOWN and reading_of(path, form) is Reading.NOTES


def _form(files: list[FileStat]) -> Form:
    """A notebook of ours is read as one: its lists are lists of memories, not chapters."""
    names = {file.path for file in files}
    if names & {home.file for home in HOMES.values()}:
        return Form.NOTEBOOK
    return (
        Form.NOTES
        if INDEX in names and any(p.parts[0] == NOTES.name for p in names)
        else Form.FOLDER
    )


def pieces(
    root: Path,
    file: FileStat,
    *,
    form: Form,
    zone: tzinfo,
    format_name: str,
    owner: str = "",
    kind: Callable[[Piece], str] = lambda piece: piece.kind,
) -> Items:
    """The memories that one file holds."""
    try:
        text = read_text(root, file.path)
        found = parse(text, file.path, book_form=form, zone=zone)
    except NotebookFileRefused as e:
        yield Failed(str(file.path), e.why)
        return
    again = Again()
    by_place = _has_places(file.path, form)
    within = "/".join(root.resolve().parts[-2:])
    changed = datetime.fromtimestamp(file.mtime_ns // 1_000_000_000, UTC)
    for piece in found:
        line = piece.start + 1
        fields = told(
            {
                "text": piece.text,
                "kind": kind(piece),
                "section": piece.section,
                "tags": list(piece.tags),
                "entities": list(piece.entities),
                "source": str(file.path),
                "occurred_at": piece.occurred_at,
                "valid_from": piece.valid_from,
                "valid_to": piece.valid_to,
                "created_at": changed,
                "metadata": dict(piece.metadata),
                "provenance": {"format": format_name, "file": str(file.path), "line": line},
            }
        )
        if by_place:  # so that a section that changed is known again
            key = again.key(owner, within, str(file.path), piece.section)
        else:
            key = again.key(owner, str(file.path), piece.section, piece.text)
        yield Taken(fields, f"{file.path}:{line}", key, owner)
