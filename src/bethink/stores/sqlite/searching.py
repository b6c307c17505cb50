"""Searches of an embedded store, each inside one snapshot.

The indexes in memory belong to those who read: they only ever see committed rows. Whoever writes
changes rows and files, and readers notice by the change number.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from bethink.errors import FingerprintMismatch
from bethink.filters import Filter
from bethink.stores.background import mean_and_spread
from bethink.stores.damage import Damage
from bethink.stores.protocol import Compared, Counted, Frequencies, Neighbours, TermCounts
from bethink.stores.sqlite import large, vector_tables, words
from bethink.stores.sqlite.dividing import asked_of_each, divided, left_out
from bethink.stores.sqlite.lately import Lately
from bethink.stores.sqlite.rows import BY_PASSAGE, from_row, sound_rows
from bethink.stores.sqlite.spaces import SpaceRow, spaces_of
from bethink.stores.sqlite.vector_tables import VectorTable
from bethink.stores.sqlite.where import to_sql
from bethink.text.tokenise import stands_for_many
from bethink.vocabulary import Found, Memory, Passage, Vector

if TYPE_CHECKING:
    from bethink.stores.sqlite.chosen import Chosen
    from bethink.stores.sqlite.postings import PostingsIndex
    from bethink.stores.sqlite.sidecar import Ints
    from bethink.stores.sqlite.vectors import VectorIndex


# How much more is asked of the words where some of what they found may not be used.
_WIDER = 4


class Searcher:
    """The indexes that one process keeps in memory. `behind` says that files want maintenance."""

    def __init__(self, database: Path, damage: Damage) -> None:
        self._folder = large.directory(database)
        self._damage = damage
        self._guard = threading.Lock()
        self._indexes: dict[tuple[int, int], VectorIndex] = {}
        self._postings: dict[int, PostingsIndex] = {}
        self._trusted_words: dict[int, tuple[int, int]] = {}  # by space: up to which change
        self._use_files = True
        self._chosen: Chosen | None = None
        self._lately = Lately(damage)
        self.behind = False

    def forget(self, *, use_files: bool = True) -> None:
        """Make everything anew at the next question."""
        with self._guard:
            self._indexes, self._postings, self._trusted_words = {}, {}, {}
            self._chosen = None
            self._use_files = use_files

    # Words

    def words(
        self,
        reader: apsw.Connection,
        terms: Sequence[str],
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        rows = spaces_of(reader, spaces)
        terms = [t for t in dict.fromkeys(terms) if _is_term(t)]
        found: list[tuple[float, str, int]] = []
        for space in rows if terms else ():
            self._check_words(reader, space)
            found += self._words_of(reader, space, terms, where, limit)
        return _best(found, limit)

    def _words_of(
        self,
        reader: apsw.Connection,
        space: SpaceRow,
        terms: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[tuple[float, str, int]]:
        quick = self._from_postings(reader, space, terms, where, limit)
        if quick is not None:
            return quick
        parts = divided(where)
        condition, bindings = to_sql(asked_of_each(parts))
        unwanted = left_out(reader, space.id, parts)
        asked = limit
        while True:
            found = words.search(
                reader, space.id, terms, condition=condition, bindings=bindings, limit=asked
            )
            if unwanted is None:
                return found
            wanted = [one for one in found if not unwanted(one[1])]
            if len(wanted) >= limit or len(found) < asked:
                return wanted[:limit]
            asked *= _WIDER

    def frequencies(
        self, reader: apsw.Connection, terms: Sequence[str], spaces: Sequence[str]
    ) -> Frequencies:
        return self._frequencies(reader, terms, spaces_of(reader, spaces))

    def _frequencies(
        self, reader: apsw.Connection, terms: Sequence[str], rows: Sequence[SpaceRow]
    ) -> Frequencies:
        asked = [t for t in dict.fromkeys(terms) if _is_term(t)]
        holding = dict.fromkeys(terms, 0)
        length = 0
        for space in rows:
            length += self._check_words(reader, space)
            counts = self._frequencies_of(reader, space, asked)
            for term, count in zip(asked, counts, strict=True):
                holding[term] += count
        passages = sum(space.passages for space in rows)
        return Frequencies(
            [holding[term] for term in terms],
            passages,
            sum(space.memories for space in rows),
            length / max(passages, 1),
        )

    def _frequencies_of(
        self, reader: apsw.Connection, space: SpaceRow, terms: Sequence[str]
    ) -> list[int]:
        if self._has_postings(space, terms):
            with words.sound_statements(space.id):
                quick = self._postings_index(space.id).frequencies(
                    reader, space.seq, space.passages, terms
                )
            if quick is not None:
                return quick
        return words.holding(reader, space.id, terms)

    def count_terms(
        self,
        reader: apsw.Connection,
        terms: Sequence[str],
        keys: Sequence[tuple[str, int]],
        spaces: Sequence[str],
    ) -> TermCounts:
        every = spaces_of(reader, spaces)
        common = self._frequencies(reader, terms, every)
        rows = [space for space in every if self._has_postings(space, terms)]
        if not rows:
            return TermCounts(common, [None] * len(keys))

        def count(pids: list[int]) -> dict[int, Counted]:
            found: dict[int, Counted] = {}
            for space in rows:
                with words.sound_statements(space.id):
                    found |= self._postings_index(space.id).count_terms(
                        reader, space.seq, space.passages, terms, pids
                    )
            return found

        return TermCounts(common, self._lately.each(reader, keys, count))

    def _check_words(self, reader: apsw.Connection, space: SpaceRow) -> int:
        """Once for each change: is the words index there, and as large as the truth? How many
        terms it holds."""
        trusted, held = self._trusted_words.get(space.id, (-1, 0))
        if trusted != space.seq:
            if not words.sound(reader, space.id, space.passages):
                raise words.Unsound(space.id)
            _, held = words.totals(reader, space.id) or (0, 0)
            self._trusted_words[space.id] = space.seq, held
        return held

    def _from_postings(
        self,
        reader: apsw.Connection,
        space: SpaceRow,
        terms: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[tuple[float, str, int]] | None:
        if not self._has_postings(space, terms):
            return None
        index = self._postings_index(space.id)
        only, but = self._selection(reader, space, where)
        with words.sound_statements(space.id):
            best = index.search(reader, space.seq, space.passages, terms, limit, only=only, but=but)
        self.behind = self.behind or index.wants_maintenance(space.passages)
        return None if best is None else self._lately.named(reader, best)

    def _has_postings(self, space: SpaceRow, terms: Sequence[str]) -> bool:
        """The file, where it pays: a large space, in a process that has NumPy anyway."""
        if space.passages < large.POSTINGS_FROM or "numpy" not in sys.modules:
            return False
        # hashes have no beginnings
        return self._use_files and not any(map(stands_for_many, terms))

    def _postings_index(self, space: int) -> PostingsIndex:
        with self._guard:
            if space not in self._postings:
                from bethink.stores.sqlite.postings import PostingsIndex

                self._postings[space] = PostingsIndex(self._folder, space)
            return self._postings[space]

    # Meaning

    def meaning(
        self,
        reader: apsw.Connection,
        vector: Vector,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        from bethink.stores.sound_vectors import sound_question

        rows = spaces_of(reader, spaces)
        table = self._answering(reader, fingerprint)
        if table is None:
            return []
        question = sound_question(vector, dimension=table.dimension)
        found: list[tuple[float, str, int]] = []
        for space in rows:
            index = self._vector_index(table, space.id)
            view = index.at(reader, space.seq)
            only, but = self._selection(reader, space, where)
            best = view.search(question, limit, only=only, but=but)
            found += self._lately.named(reader, best)
            self.behind = self.behind or index.wants_maintenance()
        return _best(found, limit)

    def compare(
        self,
        reader: apsw.Connection,
        vector: Vector,
        keys: Sequence[tuple[str, int]],
        fingerprint: str,
        spaces: Sequence[str],
    ) -> Compared:
        from bethink.stores.sound_vectors import sound_question

        table = self._answering(reader, fingerprint)
        rows = spaces_of(reader, spaces)
        if table is None:
            return Compared([None] * len(keys), 0.0, 1.0)
        question = sound_question(vector, dimension=table.dimension)
        views = [self._vector_index(table, space.id).at(reader, space.seq) for space in rows]

        def scores(pids: list[int]) -> dict[int, float]:
            found: dict[int, float] = {}
            for view in views:
                found |= view.scores_of(question, pids)
            return found

        usual = [score for view in views for score in view.usual(question)]
        return Compared(self._lately.each(reader, keys, scores), *mean_and_spread(usual))

    def fetch(
        self, reader: apsw.Connection, keys: Sequence[tuple[str, int]]
    ) -> list[tuple[Memory, Passage] | None]:
        def rows(pids: list[int]) -> dict[int, tuple[Memory, Passage]]:
            return dict(
                sound_rows(
                    reader, BY_PASSAGE, pids, _with_passage, self._damage, first=_PASSAGE_COLUMNS
                )
            )

        return self._lately.each(reader, keys, rows)

    def _selection(
        self, reader: apsw.Connection, space: SpaceRow, where: Filter | None
    ) -> tuple[Ints | None, Ints | None]:
        """Which passages a search may use (None: all) and which it may not."""
        import numpy as np

        from bethink.stores.sqlite.chosen import Chosen

        with self._guard:
            chosen = self._chosen = self._chosen or Chosen()
        parts = divided(where)
        only = None if parts.wanted is None else chosen.passing(reader, space, parts.wanted)
        but = [chosen.passing(reader, space, part) for part in parts.unwanted]
        but += [chosen.not_holding(reader, space, moment) for moment in parts.moments]
        but = [some for some in but if len(some)]
        return only, but[0] if len(but) == 1 else np.concatenate(but) if but else None

    @staticmethod
    def _answering(reader: apsw.Connection, fingerprint: str) -> VectorTable | None:
        table = vector_tables.active_table(reader)
        if table is not None and table.fingerprint != fingerprint:
            raise FingerprintMismatch(
                f"the question was embedded by {fingerprint}, the index is by "
                f"{table.fingerprint}; run 'bethink reindex'"
            )
        return table

    def _vector_index(self, table: VectorTable, space: int) -> VectorIndex:
        with self._guard:
            key = (table.id, space)
            if key not in self._indexes:
                from bethink.stores.sqlite.vectors import VectorIndex

                self._indexes[key] = VectorIndex(
                    self._folder, table, space, use_files=self._use_files
                )
            return self._indexes[key]


_PASSAGE_COLUMNS = "p.pid, p.ordinal, p.start, p.stop"


def _with_passage(row: tuple[Any, ...]) -> tuple[int, tuple[Memory, Passage]]:
    return row[0], (from_row(row[4:]), Passage(*row[1:4]))


def _is_term(text: str) -> bool:
    """A term never has white space in it: with some, FTS5 would look for a phrase."""
    return text.isprintable() and text.split() == [text]


def _best(found: list[tuple[float, str, int]], limit: int) -> list[Found]:
    found.sort(key=lambda row: -row[0])
    return [Found(memory_id, ordinal, score) for score, memory_id, ordinal in found[:limit]]


def neighbours(reader: apsw.Connection, ids: Sequence[str]) -> list[Neighbours]:
    """Looked up by the index of the space, which holds its memories in the order told."""
    beside = (
        "(SELECT n.id FROM memories n WHERE n.space = m.space AND n.row {} m.row "
        "ORDER BY n.row {} LIMIT 1)"
    )
    rows = reader.execute(
        f"SELECT m.id, {beside.format('<', 'DESC')}, {beside.format('>', 'ASC')} "
        "FROM json_each(?) j JOIN memories m ON m.id = j.value",
        (json.dumps(list(ids)),),
    )
    found = {memory_id: Neighbours(before, after) for memory_id, before, after in rows}
    return [found.get(memory_id, Neighbours(None, None)) for memory_id in ids]
