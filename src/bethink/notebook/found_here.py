"""What lies in a folder already and could be taken in or followed: said by `init`, never done."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bethink.notebook.books import Book

_INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
_FOLDERS = ("docs", "doc", "notes", "memory", "wiki", "文档", "笔记")
_ENTRIES = 2_000  # looked at for one Markdown file; a folder of pictures is not walked to the end


class Find(NamedTuple):
    path: Path
    command: str  # without the space
    why: str


def found_here(folder: Path, books: Sequence[Book]) -> list[Find]:
    """Files of instructions to import, folders of Markdown to follow; not what is bound already."""
    finds = [
        Find(folder / name, "import", "instructions for agents; import takes a copy")
        for name in _INSTRUCTIONS
        if (folder / name).is_file() and not (folder / name).is_symlink()
    ]
    for name in _FOLDERS:
        place = folder / name
        if place.is_symlink() or not place.is_dir() or _bound(place, books):
            continue
        if any(p.suffix.lower() == ".md" for p in islice(place.rglob("*"), _ENTRIES)):
            finds.append(
                Find(place, "source add", "Markdown; as a source it is read, and followed")
            )
    return finds


def _bound(place: Path, books: Sequence[Book]) -> bool:
    real = place.resolve()
    return any(
        real.is_relative_to(book.root)
        or (book.root.is_relative_to(real) and ".bethink" not in book.root.parts)
        for book in books
    )
