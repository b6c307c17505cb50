"""Make the store true to the files of its books: only what changed is read, parsed and embedded.

A run looks at every file's stat, reads those that may have changed, finds out which memory stands
for each of their pieces, writes, and last erases what stands in no file any more. It can be stopped
or killed anywhere; the next run goes on.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.clock import Clock
from bethink.errors import (
    BethinkError,
    NotebookFileRefused,
    StoreBusy,
)
from bethink.notebook.books import Book, Books, Form, book_lock, must_have
from bethink.notebook.held import adopted, held_of
from bethink.notebook.held import let_go as let_go
from bethink.notebook.layout import INDEX, JOURNAL, day_of
from bethink.notebook.ledger import FileRow, Ledger, LedgerDamaged, remove_ledger
from bethink.notebook.looking import Looked, by_book, folder_mark, look, look_at, missing
from bethink.notebook.moving import MOVED_FROM
from bethink.notebook.reading import FileStat
from bethink.notebook.report import Indexed as Indexed  # others take these from here
from bethink.notebook.report import Refusal as Refusal
from bethink.notebook.report import SyncKit as SyncKit
from bethink.notebook.report import SyncReport as SyncReport
from bethink.notebook.report import Told as Told
from bethink.notebook.report import Wanted
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.text.secret_rules import VERSION as SECRETS_VERSION
from bethink.vocabulary import Progress

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder
    from bethink.notebook.indexing import ReadFile
    from bethink.notebook.parse import About

# Raised whenever the same file gives other pieces than before: every file is then read again.
_READING = "1"
_ROUND_CHARS = 32_000_000  # what is held in memory at once
_BATCH_PIECES = 2_000  # one durable write
_BATCH_IN_A_HURRY = 32  # where a bound is set: what an embedder does in a moment
_READING_SHARE = 0.4  # of a bound; the rest is for writing
_SHOWN_REFUSALS = 100
_HELD_BY_READERS = (
    "what was removed is found no more, but another process is reading: its bytes leave the "
    "store's log when that reader is done and anything is written or closed"
)


def sync_kit(
    store: Store,
    books: Books | None,
    embedder: Callable[[], Embedder | None],
    clock: Clock,
    settings: Settings,
) -> SyncKit:
    return SyncKit(store, must_have(books), embedder, clock, lambda: settings.zone, settings.redact)


def sync(
    kit: SyncKit,
    *,
    spaces: Sequence[str] | None = None,
    books: Sequence[Book] | None = None,
    paths: Sequence[str | os.PathLike[str]] | None = None,
    within: float | None = None,
    progress: Progress | None = None,
    anew: bool = False,
    accept_empty: bool = False,
    told: Told | None = None,
    wanted: Wanted | None = None,
) -> SyncReport:
    """Make the store true to these books (by default all), or to the files `paths` alone.

    `within` bounds the seconds: what was not reached is left for the next time and the report is
    not `complete`. `anew` trusts no ledger and looks at every file and memory. A folder that is
    missing or suddenly empty is refused unless `accept_empty`. `told` gives fields that a file
    cannot hold to memories that are created: by (path below the root, text), e.g.
    {("agent/decisions.md", "Use apsw."): {"valid_from": now, "metadata": {"supersedes": id}}}.
    `wanted` files are read first, then the newest. One broken book or file stops no other. Call it
    with the book's lock held or not.
    """
    began = time.monotonic()
    deadline = None if within is None else began + within
    if books is None:
        books = kit.books.all() if spaces is None else kit.books.of_spaces(spaces)
    chosen = by_book(books, paths)
    if wanted:
        chosen.sort(key=lambda one: not _may_hold(one[0], wanted))
    report = SyncReport()
    for book, own in chosen:
        run = _Run(kit, book, deadline, progress, told or {}, wanted or Wanted())
        try:
            report += run.sync(own, anew=anew, accept_empty=accept_empty)
        except StoreBusy as e:
            report += SyncReport(complete=False, faults=(str(e),))
        except (BethinkError, OSError) as e:
            report += SyncReport(complete=False, faults=(f"{book.root}: {e}",))
    if within is None:
        from bethink.notebook.finishing import finished

        report += finished(kit, added=report.added, whole=paths is None)
    return report._replace(seconds=time.monotonic() - began)


class _Run:
    """One book, once."""

    def __init__(
        self,
        kit: SyncKit,
        book: Book,
        deadline: float | None,
        progress: Progress | None,
        told: Told,
        wanted: Wanted,
    ) -> None:
        self._wanted = wanted
        self._kit = kit
        self._book = book
        self._deadline = deadline
        self._progress = progress
        self._told = told
        self._began = time.monotonic()
        self._zone = kit.zone()

    def sync(self, paths: list[Path] | None, *, anew: bool, accept_empty: bool) -> SyncReport:
        if not self._book.root.is_dir():
            return SyncReport(complete=False, faults=(missing(self._book),))
        directory = self._kit.books.directory
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        with book_lock(directory, self._book, within=left):
            where = directory / f"{self._book.key}.ledger"
            try:
                with self._ledger(where, anew) as ledger:
                    return self._locked(ledger, paths, accept_empty)
            except LedgerDamaged:
                remove_ledger(where)
                with self._ledger(where, anew) as ledger:
                    return self._locked(ledger, paths, accept_empty)

    def _ledger(self, where: Path, anew: bool) -> Ledger:
        """The ledger, made anew from the store if there is none that fits."""
        ledger = Ledger(where)
        try:
            if not ledger.fresh and ledger.meta("space") not in (None, self._book.space):
                ledger.__exit__()
                remove_ledger(where)
                ledger = Ledger(where)
            # only a zone that somebody chose: this machine's may differ from shell to shell
            zone = getattr(self._zone, "key", "")
            reading = f"{_READING} {self._book.form} {zone}"
            if self._kit.redact:
                reading += f" {SECRETS_VERSION}"
            if ledger.fresh:
                self._kit.store.open_space(self._book.space)
                self._take_over(ledger)
                ledger.note(space=self._book.space, reading=reading)
            elif anew or ledger.meta("reading") != reading or self._store_is_older(ledger):
                ledger.distrust()
                ledger.note(space=self._book.space, reading=reading)
        except BaseException:
            ledger.__exit__()
            raise
        return ledger

    def _store_is_older(self, ledger: Ledger) -> bool:
        """Does the store lack the newest that was written, e.g. after a backup was restored?"""
        witness = ledger.meta("witness")
        return bool(witness) and self._kit.store.get([str(witness)]) == [None]

    def _take_over(self, ledger: Ledger) -> None:
        from bethink.notebook.indexing import taken_over

        held = held_of(self._book, self._kit.store)
        ledger.take_over(taken_over([*held, *adopted(self._book, self._kit, self._abouts())]))

    def _locked(self, ledger: Ledger, paths: list[Path] | None, accept_empty: bool) -> SyncReport:
        abouts = self._abouts()
        marks = {path: _mark(about) for path, about in abouts.items()}
        looked = None if paths is None else look_at(self._book, ledger, paths)
        whole = looked is None
        if looked is None:
            looked = look(self._book, ledger, marks, accept_empty=accept_empty)
        if looked.fault:
            return SyncReport(
                files=looked.files, refused=tuple(looked.refused), complete=False,
                faults=(looked.fault,),
            )  # fmt: skip
        report = self._rounds(ledger, looked, abouts, whole)
        if whole and report.complete and (former := ledger.said_once(MOVED_FROM)):
            note = f"{self._book.root} was {former}; its memories came along"
            report += SyncReport(notes=(note,))
        if paths is not None:
            named = {path.relative_to(self._book.root).as_posix() for path in paths}
            report = report._replace(pieces=tuple(p for p in report.pieces if p.path in named))
        else:
            report = report._replace(pieces=())
        if whole:
            report = report._replace(astray=_astray(self._book, abouts))
            self._note_outcome(ledger, report)
        return report

    def _rounds(
        self, ledger: Ledger, looked: Looked, abouts: dict[str, About], whole: bool
    ) -> SyncReport:
        """Read and write as much as fits, again and again until all is done or time is up."""
        report = SyncReport(
            files=looked.files,
            changed=len(looked.vanished),
            unchanged=looked.files - len(looked.suspects),
            refused=tuple(looked.refused),
            faults=(looked.kept,) if looked.kept else (),
            complete=not looked.kept,
        )
        spared = set() if whole else {row.id for row in ledger.doomed()}
        if self._deadline is not None:  # what is left out is what is needed least
            looked.suspects.sort(key=self._urgency)
        if looked.vanished:
            ledger.vanish(looked.vanished)
        report += self._behind(ledger, looked.refused)
        at = 0
        if self._progress is not None and looked.suspects:
            self._progress(0, len(looked.suspects))
        while at < len(looked.suspects):
            read, done, at = self._read_some(ledger, looked.suspects, at, abouts)
            report += done
            left = 0
            if read:
                done, left = self._write_some(ledger, read)
                report += done
            if self._progress is not None:
                self._progress(at - left, len(looked.suspects))
            waiting = left + len(looked.suspects) - at
            if waiting and self._late(self._deadline):
                why = (
                    f"{self._book.root}: the time was not enough, {waiting:,} files wait; "
                    "'bethink sync' reads them all"
                )
                unread = tuple(one.path for one in looked.suspects[at - left :])
                return report + SyncReport(complete=False, faults=(why,), unread=unread)
        return report + self._erase(ledger, spared)

    def _urgency(self, found: FileStat) -> tuple[bool, int, int]:
        """What the question needs first, then the newest: by its day, else by when it changed."""
        day = day_of(found.path)
        if day is None:
            day = date.fromtimestamp(found.mtime_ns / 1e9)
        return not self._wanted.holds(found.path), -day.toordinal(), -found.mtime_ns

    def _behind(self, ledger: Ledger, refused: Sequence[Refusal]) -> SyncReport:
        """Which of these files were read before: what they said then is still answered."""
        old = [r for r in refused if ledger.pieces(r.path) or ledger.below(r.path)]
        return SyncReport(behind=tuple(old))

    @staticmethod
    def _late(deadline: float | None) -> bool:
        return deadline is not None and time.monotonic() >= deadline

    def _read_some(
        self, ledger: Ledger, suspects: Sequence[FileStat], at: int, abouts: dict[str, About]
    ) -> tuple[list[ReadFile], SyncReport, int]:
        """Read files from there on, until memory or the share of the time is used; where to go on.
        Those that read the same as before are settled at once."""
        until = self._deadline
        if until is not None:
            now = time.monotonic()
            until = now + _READING_SHARE * (until - now)
        read: list[ReadFile] = []
        same: list[FileRow] = []
        refused: list[Refusal] = []
        chars = 0
        while at < len(suspects) and chars < _ROUND_CHARS:
            found = suspects[at]
            at += 1
            try:
                row, file = self._read(ledger, found, abouts.get(str(found.path)))
            except NotebookFileRefused as e:
                if not e.gone:
                    refused.append(Refusal(self._book.root, e.path, e.why))
                continue
            if file is None:
                same.append(row)
            else:
                read.append(file)
                chars += found.size
            if self._late(until):
                break
        if same:
            ledger.settle(same)
        report = SyncReport(unchanged=len(same), refused=tuple(refused))
        return read, report + self._behind(ledger, refused), at

    def _read(
        self, ledger: Ledger, found: FileStat, about: About | None
    ) -> tuple[FileRow, ReadFile | None]:
        """A file's row for the ledger, and what is in it unless that is known."""
        from bethink.notebook.reading import decode, read_bytes

        looked = time.time_ns()
        data = read_bytes(self._book.root, found.path)
        name = str(found.path)
        content = sha256(data).digest() + _mark(about)
        row = FileRow(
            name, found.size, found.mtime_ns, found.inode, content, looked, found.ctime_ns
        )
        known = ledger.file(name)
        if known is not None and known.digest == content:
            return row, None
        from bethink.notebook.indexing import ReadFile
        from bethink.notebook.parse import parse
        from bethink.notebook.stored import as_stored

        pieces = parse(
            decode(data, found.path),
            found.path,
            book_form=self._book.form,
            zone=self._zone,
            about=about,
        )
        pieces = as_stored(pieces, redact=self._kit.redact)
        return row, ReadFile(row, pieces, [] if known is None else ledger.pieces(name))

    def _write_some(self, ledger: Ledger, read: list[ReadFile]) -> tuple[SyncReport, int]:
        """Write batch by batch; how many files are left when time is up. A few pieces are always
        written, so that every run gets somewhere."""
        from bethink.notebook.history_file import replacements
        from bethink.notebook.indexing import index, place

        placed = place(read, ledger.doomed(), self._kit)
        told = {**replacements(self._book, self._zone), **self._told}
        size = _BATCH_PIECES if self._deadline is None else _BATCH_IN_A_HURRY
        report = SyncReport()
        start = 0
        while start < len(read):
            stop, pieces = start, 0
            while stop < len(read) and (stop == start or pieces + len(placed[stop]) <= size):
                pieces += len(placed[stop])
                stop += 1
            batch = list(zip(read[start:stop], placed[start:stop], strict=True))
            done, finished = index(
                batch, self._book, self._kit, ledger, told, deadline=self._deadline
            )
            report += done
            if not finished:
                break
            start = stop
            if self._late(self._deadline):
                break
        return report, len(read) - start

    def _erase(self, ledger: Ledger, spared: set[str]) -> SyncReport:
        """What stands in no file any more leaves the store, its indexes and its log."""
        ids = [row.id for row in ledger.doomed() if row.id not in spared]
        if not ids:
            return SyncReport()
        removed = 0
        for start in range(0, len(ids), _BATCH_PIECES):
            removed += sum(self._kit.store.delete(ids[start : start + _BATCH_PIECES]))
        clean = self._kit.store.finish_erasing()
        ledger.erased(ids)
        return SyncReport(removed=removed, notes=() if clean else (_HELD_BY_READERS,))

    def _abouts(self) -> dict[str, About]:
        """What INDEX.md says of each note."""
        if self._book.form != Form.NOTES:
            return {}
        from bethink.notebook.index_file import index_of

        return index_of(self._book)

    def _note_outcome(self, ledger: Ledger, report: SyncReport) -> None:
        """For `status` and `doctor`."""
        refused = [[refusal.path, refusal.why] for refusal in report.refused[:_SHOWN_REFUSALS]]
        ledger.note(
            folder=folder_mark(self._book.root),
            synced_at=self._kit.clock().isoformat(),
            complete=json.dumps(report.complete),
            refused=json.dumps([len(report.refused), refused], ensure_ascii=False),
            astray=json.dumps([r.why for r in report.astray[:_SHOWN_REFUSALS]], ensure_ascii=False),
        )


def _may_hold(book: Book, wanted: Wanted) -> bool:
    """Return True if a file that is wanted may be in this book, by a look at the disk."""
    if any((book.root / file).exists() for file in wanted.files):
        return True
    return wanted.days is not None and (book.root / JOURNAL).is_dir()


def _astray(book: Book, abouts: Mapping[str, About]) -> tuple[Refusal, ...]:
    if not abouts:
        return ()
    from bethink.notebook.index_file import astray

    return tuple(Refusal(book.root, str(INDEX), why) for why in astray(book, abouts))


def _mark(about: About | None) -> bytes:
    """A few bytes that change with what INDEX.md says of a note."""
    return b"" if about is None else sha256(repr(tuple(about)).encode()).digest()[:8]
