"""Make the store true to the files of its books: only what changed is read, parsed and embedded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from recollect.clock import Clock
from recollect.embedders.choosing import Embedders
from recollect.errors import InvalidInput
from recollect.notebook.books import Book, Books
from recollect.remember import pipeline
from recollect.settings import Settings
from recollect.stores.protocol import Store
from recollect.vocabulary import Progress

Told = Mapping[tuple[str, str], Mapping[str, Any]]


class Refusal(NamedTuple):
    """A file that was not read, and why. It stops nothing else."""

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
    changed: int = 0  # new or other than they were, or gone
    added: int = 0
    revised: int = 0
    moved: int = 0  # to another file or section; the id and its counters stay
    removed: int = 0
    refused: tuple[Refusal, ...] = ()
    faults: tuple[str, ...] = ()  # why a book could not be read or finished
    complete: bool = True  # False: the store is behind the files
    seconds: float = 0.0
    pieces: tuple[Indexed, ...] = ()  # only of the files that `paths` named


class SyncKit(NamedTuple):
    """What a sync needs. The embedder is asked for late: loading a model is slow."""

    store: Store
    writing: pipeline.Kit
    books: Books
    clock: Clock
    zone: Callable[[], tzinfo]


def sync_kit(
    store: Store, books: Books | None, embedders: Embedders, clock: Clock, settings: Settings
) -> SyncKit:
    if books is None:
        raise InvalidInput("only a store in a file can have books; open one by its path")
    writing = pipeline.Kit(store, embedders.for_writing)
    return SyncKit(store, writing, books, clock, lambda: settings.zone)


def sync(
    kit: SyncKit,
    *,
    spaces: Sequence[str] | None = None,
    books: Sequence[Book] | None = None,
    paths: Sequence[Path] | None = None,
    within: float | None = None,
    progress: Progress | None = None,
    anew: bool = False,
    accept_empty: bool = False,
    told: Told | None = None,
) -> SyncReport:
    """Make the store true to these books (by default all), or to the files `paths` alone.

    `within` bounds the seconds: what was not reached is left for the next time and the report is
    not `complete`. `anew` trusts no ledger and looks at every file and memory. A folder that is
    missing or suddenly empty is refused unless `accept_empty`. `told` gives fields that a file
    cannot hold to memories that are created: by (path below the root, text), e.g.
    {("agent/decisions.md", "Use apsw."): {"valid_from": now, "metadata": {"supersedes": id}}}.
    One broken book or file stops no other. Call it with the book's lock held or not.
    """
    raise NotImplementedError
