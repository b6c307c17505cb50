"""What a sync is given and what it says afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, tzinfo
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.clock import Clock
from bethink.notebook.books import Books
from bethink.notebook.layout import day_of
from bethink.stores.protocol import Store

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder
    from bethink.remember.pipeline import Kit

# Fields that a file cannot hold, for memories that are created: by (path below the root, text).
Told = Mapping[tuple[str, str], Mapping[str, Any]]


class Wanted(NamedTuple):
    """Which files a question needs: they are read before all others."""

    files: frozenset[str] = frozenset()  # below a book's root
    days: tuple[date, date] | None = None  # of the journal: from the first to the last

    def __bool__(self) -> bool:
        return bool(self.files) or self.days is not None

    def holds(self, path: PurePosixPath) -> bool:
        """Return True if the question needs this file."""
        if str(path) in self.files:
            return True
        day = None if self.days is None else day_of(path)
        return self.days is not None and day is not None and self.days[0] <= day <= self.days[1]


class Refusal(NamedTuple):
    """A file (or a piece of one) that was not taken, and why. It stops nothing else."""

    book: Path
    path: str  # below the book's root
    why: str


class Indexed(NamedTuple):
    """A piece of a file that `paths` named, as the store now holds it."""

    path: str  # below the book's root
    line: int  # from 1
    text: str
    id: str
    created: bool


class SyncReport(NamedTuple):
    """What a sync found and did. The counts are of files, then of memories."""

    files: int = 0
    unchanged: int = 0
    changed: int = 0  # new, gone, or other than they were
    added: int = 0
    revised: int = 0
    moved: int = 0  # to another file or section; the id and its counters stay
    removed: int = 0
    redacted: int = 0  # written without the secrets that their lines hold
    refused: tuple[Refusal, ...] = ()
    faults: tuple[str, ...] = ()  # why a book could not be read to the end
    behind: tuple[Refusal, ...] = ()  # refused files of which the store holds what they said before
    astray: tuple[Refusal, ...] = ()  # entries of INDEX.md that lead nowhere
    notes: tuple[str, ...] = ()  # e.g. why there are no vectors yet
    complete: bool = True  # False: the store is behind the files
    seconds: float = 0.0
    pieces: tuple[Indexed, ...] = ()  # only of the files that `paths` named
    unread: tuple[PurePosixPath, ...] = ()  # files that the time was not enough for

    def __add__(self, other: object) -> SyncReport:
        """Both together; the seconds are the caller's to say."""
        if not isinstance(other, SyncReport):
            return NotImplemented
        counts = {name: getattr(self, name) + getattr(other, name) for name in _ADDED}
        return self._replace(
            **counts,
            complete=self.complete and other.complete,
            notes=tuple(dict.fromkeys(self.notes + other.notes)),
        )


_ADDED = (
    "files", "unchanged", "changed", "added", "revised", "moved", "removed", "redacted", "refused",
    "faults", "behind", "astray", "pieces", "unread",
)  # fmt: skip


class SyncKit(NamedTuple):
    """What a sync needs. The embedder is asked for late: loading a model is slow."""

    store: Store
    books: Books
    embedder: Callable[[], Embedder | None]
    clock: Clock
    zone: Callable[[], tzinfo]
    redact: bool = True  # secrets are blotted out of what is kept

    @property
    def writing(self) -> Kit:
        from bethink.remember.pipeline import Kit

        return Kit(self.store, self.embedder, redact=self.redact)
