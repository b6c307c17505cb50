"""A store with one book on a real disk, and the small verbs that its tests need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bethink import Engine
from bethink.notebook.books import Book, Form
from bethink.notebook.report import SyncReport
from bethink.settings import Settings
from bethink.testing import ToyEmbedder
from bethink.vocabulary import Memory

TOY = ToyEmbedder("toy", 8)
DECISIONS = "# Decisions\n\n- Use apsw for SQLite.\n- 预算会议改到周五。\n"


class Shelf:
    def __init__(self, folder: Path, *, form: Form = Form.NOTEBOOK, **settings: Any) -> None:
        self.folder = folder
        self.root = folder / "书 book"
        self.root.mkdir(exist_ok=True)
        self.store = folder / "memory.db"
        self.engine = Engine(
            self.store,
            embedder=TOY,
            settings=Settings(timezone="Asia/Shanghai", **settings),
        )
        assert self.engine.books is not None
        self.books = self.engine.books
        self.book: Book = self.books.add(
            self.root, space="work", form=form, writable=form is not Form.FOLDER, project=True
        )
        self.ledger = self.books.directory / f"{self.book.key}.ledger"

    def write(self, path: str, text: str) -> Path:
        """Write a file as of some time ago, so that its time says whether it changed."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        self._clock = getattr(self, "_clock", 1_700_000_000) + 10
        os.utime(file, (self._clock, self._clock))
        return file

    def sync(self, **options: Any) -> SyncReport:
        return self.engine.sync(**options)

    def memories(self) -> dict[str, Memory]:
        """By their texts, all of the book's space."""
        page = self.engine.list(spaces="work", limit=1_000)
        assert page.cursor is None
        found = {memory.text: memory for memory in page.memories}
        assert len(found) == len(page.memories), "the same text twice"
        return found

    def ids(self) -> dict[str, str]:
        return {text: memory.id for text, memory in self.memories().items()}

    def bytes_anywhere(self, text: str) -> list[Path]:
        """Files of the store (not of the book) that hold these bytes."""
        needle = text.encode()
        beside = [p for p in self.folder.rglob("memory.db*") if p.is_file()]
        within = [p for p in self.folder.rglob("memory.db*/**/*") if p.is_file()]
        return [p for p in dict.fromkeys((*beside, *within)) if needle in p.read_bytes()]


@contextmanager
def shelf(folder: Path, **options: Any) -> Iterator[Shelf]:
    made = Shelf(folder, **options)
    with made.engine:
        yield made


def counts(report: SyncReport) -> tuple[int, int, int, int]:
    return report.added, report.revised, report.moved, report.removed
