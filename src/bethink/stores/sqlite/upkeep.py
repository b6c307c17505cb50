"""What is derived from the rows, kept in order: the words index, and the files beside the database.

Everything here can be made anew from the rows. So what is forgotten is overwritten here too, what
is damaged is thrown away and made again, and what has fallen behind is brought up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, TypeVar

import apsw

from bethink.errors import StoreBusy, StoreCorrupt
from bethink.stores.maintainer import Maintainer
from bethink.stores.sqlite import large, vector_tables, words
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.searching import Searcher
from bethink.stores.sqlite.spaces import next_seq, space_id, spaces_of
from bethink.text import tokenise

_T = TypeVar("_T")
# How often a question may be overtaken by others' writes before it says that the store is busy.
_TRIES = 50


class Upkeep:
    def __init__(self, database: Database, searcher: Searcher) -> None:
        self._database = database
        self._searcher = searcher
        self._folder = large.directory(database.path)
        self.maintainer = Maintainer(
            self._maintained, "index files were not brought up to date", str(database.path)
        )

    # What is forgotten

    def erase(self, writer: apsw.Connection, gone: Mapping[int, list[int]]) -> None:
        """Mark what is forgotten in the files beside the database; `tidy` overwrites it."""
        from bethink.stores.sqlite import own_files

        if not own_files.is_ours(self._folder):
            writer.execute("DELETE FROM sidecars")  # what cannot be erased there is not read
            return
        from bethink.stores.sqlite.vector_files import VectorFiles

        for space, pids in gone.items():
            for table in vector_tables.all_tables(writer):
                VectorFiles(self._folder, table, space).erase(writer, pids)
            self._strike_postings(writer, space)

    @staticmethod
    def _strike_postings(writer: apsw.Connection, space: int) -> None:
        """Not even a hash of a forgotten word is kept: the file is made anew as a whole."""
        writer.execute("DELETE FROM sidecars WHERE kind = ? AND space = ?", (large.WORDS, space))

    def tidy(self) -> None:
        """After what was forgotten is committed: overwrite it in the files, throw away files that
        are not used any more, and empty the write-ahead log (readers may hold it until `close`).
        Killed before this, a process leaves it to the next that forgets or maintains."""
        self.tidy_files()
        self._database.empty_log()

    def tidy_files(self) -> None:
        from bethink.stores.sqlite import own_files, sidecar

        if not own_files.is_ours(self._folder):
            return
        from bethink.stores.sqlite.vector_files import VectorFiles

        with self._database.write() as writer:
            for table in vector_tables.all_tables(writer):
                for space in spaces_of(writer, None):
                    VectorFiles(self._folder, table, space.id).scrub(writer)
            sidecar.sweep(writer, self._folder)

    # What is damaged

    def mended(self, work: Callable[[], _T]) -> _T:
        """Do it; if the words index turns out to be damaged, make it anew and do it again."""
        try:
            return work()
        except words.Unsound as e:
            damaged = [e.space]
        except StoreCorrupt:  # FTS5 writes when a transaction commits: whose fault was it?
            damaged = self._unsound_words()
            if not damaged:
                raise
        with self._database.write() as writer:
            self.rebuild_words(writer, damaged)
        try:
            return work()
        except words.Unsound as e:
            raise StoreCorrupt(
                f"{self._database.path}: the words index stays damaged after it was made anew "
                f"({e.__cause__}). Run 'bethink doctor'; restore a backup or an export"
            ) from e

    def _unsound_words(self) -> list[int]:
        """On a connection of its own: where words are damaged, no transaction commits."""
        with self._database.alone() as connection:
            numbers = [space.id for space in spaces_of(connection, None)]
            return [n for n in numbers if words.thorough_check(connection, n) is not None]

    def rebuild_words(self, writer: apsw.Connection, only: list[int] | None = None) -> int:
        total = 0
        for space in spaces_of(writer, None):
            if only is None or space.id in only:
                total += words.rebuild(writer, space.id)
                next_seq(writer, space.id)
                self._strike_postings(writer, space.id)
        if only is None:
            writer.execute(
                "INSERT OR REPLACE INTO meta VALUES ('tokeniser', ?)", (tokenise.VERSION,)
            )
        return total

    def with_vectors(self, look: Callable[[apsw.Connection], _T]) -> _T:
        """Look at the vectors in one snapshot; again where they moved under our hands."""
        from bethink.stores.sqlite.vectors import Damaged, Outrun

        for _ in range(_TRIES):
            try:
                with self._database.read() as reader:
                    return look(reader)
            except Outrun:  # another thread has a newer snapshot: take one too
                continue
            except Damaged:
                self._discard_vector_files()
        raise StoreBusy(f"{self._database.path} changes faster than it can be read; try again")

    def _discard_vector_files(self) -> None:
        """Start from the rows again, and throw away the files that do not hold what they should."""
        from bethink.stores.sqlite import sidecar
        from bethink.stores.sqlite.vector_files import VectorFiles

        self._searcher.forget(use_files=not self._database.read_only)
        if self._database.read_only:
            return
        with self._database.write() as writer:
            for table in vector_tables.all_tables(writer):
                for space in spaces_of(writer, None):
                    files = VectorFiles(self._folder, table, space.id)
                    if files.check(writer) is not None:
                        sidecar.strike(writer, files.kind, space.id)
        self.tidy_files()

    # What has fallen behind

    def maintain_if_behind(self) -> None:
        """After a search, which notices it: start maintenance beside the questions, one at a
        time."""
        if not self._searcher.behind:
            return
        self._searcher.behind = False
        if not (self._database.read_only or self._database.broken):
            self.maintainer.start()

    def _maintained(self, anew: bool) -> Literal[True]:
        if self._database.read_only:
            return True
        if anew:
            with self._database.write() as writer:
                writer.execute("DELETE FROM sidecars")
        self.tidy_files()
        smallest = min(large.SIDECAR_FROM, large.POSTINGS_FROM)
        with self._database.read() as reader:
            spaces = [s for s in spaces_of(reader, None) if s.passages >= smallest]
        for space in spaces:
            self.mended(partial(self._maintain, space.name))
        if spaces:
            self.tidy_files()
        return True

    def _maintain(self, name: str) -> None:
        from bethink.stores.sqlite.posting_files import PostingFiles
        from bethink.stores.sqlite.vector_files import VectorFiles

        with self._database.write() as writer:
            if space_id(writer, name) is None:
                return  # erased meanwhile
            space = spaces_of(writer, [name])[0]
            table = vector_tables.active_table(writer)
            if table is not None:
                VectorFiles(self._folder, table, space.id).maintain(writer, space.seq)
        with self._database.read() as reader:
            rows = [s for s in spaces_of(reader, None) if s.name == name]
            if not rows:
                return
            files = PostingFiles(self._folder, rows[0].id)
            made = files.prepare(reader, rows[0].seq, rows[0].passages)
        if made is not None:
            with self._database.write() as writer:
                if space_id(writer, name) == rows[0].id:
                    files.save(writer, made)
