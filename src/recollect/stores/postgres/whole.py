"""All that a store on PostgreSQL holds of a memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from recollect.stores.movable import Kept, Whole
from recollect.stores.postgres import vector_tables
from recollect.stores.postgres.arrays import bigints, texts
from recollect.stores.postgres.database import Cursor, Database
from recollect.stores.postgres.rows import SELECTED, from_row, from_snapshot
from recollect.stores.postgres.vectors import numbers_of
from recollect.stores.protocol import Embedding
from recollect.stores.retrievers import Held, HeldPassage
from recollect.vocabulary import Passage, Revision, Vector


class HasWhole:
    """The part of a store that hands it out."""

    _database: Database

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        with self._database.read() as reader:
            found = _whole(reader, ids)
        return [found.get(memory_id) for memory_id in ids]

    def embeddings(self) -> tuple[Embedding, ...]:
        with self._database.ask() as reader:
            return vector_tables.embeddings(reader)

    def working(self) -> list[Kept]:
        with self._database.ask() as reader:
            rows = reader.execute("SELECT memory, expires_at FROM working ORDER BY number")
            return [Kept(from_snapshot(text), until) for text, until in rows]


def held_now(cursor: Cursor, ids: Sequence[str]) -> dict[str, Held]:
    """Memories with their passages and vectors, without what they were."""
    return {i: Held(one.memory, one.passages) for i, one in _whole(cursor, ids).items()}


def _whole(cursor: Cursor, ids: Sequence[str]) -> dict[str, Whole]:
    asked = texts(one for one in dict.fromkeys(ids) if "\0" not in one)
    rows = cursor.execute(
        f"SELECT m.row, m.space, m.identity, {SELECTED} FROM memories m "
        "JOIN spaces s ON s.id = m.space WHERE m.id = ANY(%b)".encode(),
        (asked,),
    ).fetchall()
    numbers = bigints([row[0] for row in rows])
    history: dict[int, list[Revision]] = defaultdict(list)
    for row, text, at in cursor.execute(
        "SELECT memory, snapshot, replaced_at FROM revisions WHERE memory = ANY(%b) "
        "ORDER BY number DESC",
        (numbers,),
    ):
        history[row].append(Revision(from_snapshot(text), at))
    passages: dict[int, list[tuple[int, Passage]]] = defaultdict(list)
    for row, pid, *passage in cursor.execute(
        "SELECT memory, pid, ordinal, start, stop FROM passages WHERE memory = ANY(%b) "
        "ORDER BY memory, ordinal",
        (numbers,),
    ):
        passages[row].append((pid, Passage(*passage)))
    pids = [pid for some in passages.values() for pid, _ in some]
    vectors = _vectors(cursor, sorted({row[1] for row in rows}), pids)
    found: dict[str, Whole] = {}
    for row, _, identity, *values in rows:
        memory = from_row(values)
        own = tuple(HeldPassage(pid, one, vectors.get(pid, {})) for pid, one in passages[row])
        found[memory.id] = Whole(memory, identity, tuple(history[row]), own)
    return found


def _vectors(
    cursor: Cursor, spaces: Sequence[int], pids: Sequence[int]
) -> dict[int, dict[str, Vector]]:
    """By passage and fingerprint, in the very numbers that were given."""
    found: dict[int, dict[str, Vector]] = defaultdict(dict)
    for table in vector_tables.all_tables(cursor):
        rows = cursor.execute(
            f"SELECT pid, embedding FROM {table.table} "
            "WHERE space = ANY(%b) AND pid = ANY(%b)".encode(),
            (bigints(spaces), bigints(pids)),
            binary=True,
        )
        for pid, data in rows:
            found[pid][table.fingerprint] = numbers_of(data)
    return found
