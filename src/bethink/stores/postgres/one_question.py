"""The store as one question sees it.

A recall asks some ten things, and each is a trip to the server. So what it asks first (settings,
what is withheld, the spaces and their index) is read by one statement; and what its searches learn
of the passages that they find is not asked again. All of it is of the moment of the question, and
gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from bethink.errors import FingerprintMismatch, InvalidVector
from bethink.filters import Filter
from bethink.stores.postgres import searching
from bethink.stores.postgres.arrays import texts
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.learned import Learned
from bethink.stores.postgres.near import Torn
from bethink.stores.postgres.spaces import names_of
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.postgres.vector_tables import FRAME, FRAMED, Frame, framed
from bethink.stores.protocol import Embedding, TermCounts
from bethink.vocabulary import Found, Memory, Passage

_T = TypeVar("_T")


class Look(NamedTuple):
    """What a question begins with."""

    spaces: tuple[str, ...]
    frame: Frame
    prefixes: tuple[str, ...]
    notes: dict[str, str]  # those of the prefixes


def looked(cursor: Cursor, spaces: Sequence[str], prefixes: Sequence[str]) -> Look | None:
    """None where one of the spaces does not exist: whoever asks is told so in its turn."""
    names = tuple(dict.fromkeys(spaces))
    if not names:
        return None
    rows = cursor.execute(
        f"SELECT n.notes, {FRAME} FROM (SELECT json_object_agg(n.key, n.value ORDER BY n.key) "
        "AS notes FROM unnest(%b) w (prefix) "
        "JOIN notes n ON n.key >= w.prefix AND starts_with(n.key, w.prefix)) n "
        f"CROSS JOIN {FRAMED} WHERE s.name = ANY(%b)".encode(),
        (texts(prefixes), names_of(names)),
        prepare=True,
    ).fetchall()
    found = {row[2]: row for row in rows}
    if not all(name in found for name in names):
        return None
    frame = framed([found[name][1:] for name in names])
    return Look(tuple(spaces), frame, tuple(prefixes), rows[0][0] or {})


class OneQuestion(PostgresStore):
    def __init__(self, store: PostgresStore, look: Look) -> None:
        self.__dict__.update(store.__dict__)
        self._look = look
        self._learned = Learned()

    def notes(self, prefix: str = "") -> dict[str, str]:
        if prefix not in self._look.prefixes:
            return super().notes(prefix)
        return {key: value for key, value in self._look.notes.items() if key.startswith(prefix)}

    def pending(self, spaces: Sequence[str]) -> int:
        if tuple(spaces) != self._look.spaces:
            return super().pending(spaces)
        return sum(self._look.frame.waiting)

    def embedding(self) -> Embedding | None:
        table = self._look.frame.table
        return None if table is None else table.embedding

    def _numbers(self, reader: Cursor, spaces: Sequence[str] | None) -> list[int]:
        if spaces is None or tuple(spaces) != self._look.spaces:
            return super()._numbers(reader, spaces)
        return [space.id for space in self._look.frame.spaces]

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        learned = self._learned
        return self._of_one_piece(
            lambda reader: searching.search_words(reader, terms, spaces, where, limit, learned)
        )

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        with self._database.ask() as reader:
            return searching.fetch(reader, keys, self._learned, self.damage)

    def count_terms(
        self, terms: Sequence[str], keys: Sequence[tuple[str, int]], *, spaces: Sequence[str]
    ) -> TermCounts:
        asked = self._learned.asked.get((tuple(spaces), tuple(terms)))
        spots = {key: spot for key in keys if (spot := self._learned.spots.get(key)) is not None}
        if asked is None or len(spots) < len(set(keys)):
            return super().count_terms(terms, keys, spaces=spaces)
        return searching.counted(terms, keys, asked, spots)

    def _framed(self, spaces: Sequence[str], work: Callable[[Cursor, Frame, Learned], _T]) -> _T:
        if tuple(spaces) == self._look.spaces and self._look.frame.table is not None:
            try:
                with self._database.ask() as reader:
                    return work(reader, self._look.frame, self._learned)
            except (Torn, FingerprintMismatch, InvalidVector):
                pass  # perhaps because somebody changed the spaces or the index since
        return super()._framed(spaces, work)
