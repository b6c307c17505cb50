"""All that a store on PostgreSQL holds of a memory, and what comes from another store in its
place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from bethink.stores.damage import RowDamaged
from bethink.stores.movable import Exchange, Kept, Whole
from bethink.stores.postgres import notes, vector_tables, writing
from bethink.stores.postgres.arrays import bigints, texts
from bethink.stores.postgres.database import Cursor, Database
from bethink.stores.postgres.growing import Growing
from bethink.stores.postgres.rows import SELECTED, from_row, from_snapshot
from bethink.stores.postgres.spaces import existing
from bethink.stores.postgres.upkeep import Upkeep
from bethink.stores.postgres.vectors import numbers_of
from bethink.stores.protocol import Embedding, Written
from bethink.stores.retrievers import Held, HeldPassage
from bethink.vocabulary import Entry, Passage, Revision, Vector


class HasWhole:
    """The part of a store that hands it out."""

    _database: Database
    _growing: Growing
    _upkeep: Upkeep

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        with self._database.read() as reader:
            found = _whole(reader, ids)
        return [found.get(memory_id) for memory_id in ids]

    def exchange(
        self, exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        """While nobody else of the tenant writes: what is seen then is what is written over."""
        told: list[Entry] = []
        written: list[Written] = []

        def exchange(writer: Cursor) -> list[bool]:
            held = _whole(writer, [one.id for one in exchanges])
            done = [one.may_be_made(held.get(one.id)) for one in exchanges]
            made = [one for one, may in zip(exchanges, done, strict=True) if may]
            writing.delete(writer, [one.id for one in made if one.seen is not None])
            told[:] = [one.instead for one in made if one.instead is not None]
            written[:] = writing.put(writer, told, fingerprint) if told else []
            return done

        if any(one.seen is not None for one in exchanges):
            done = self._upkeep.erase(exchange, alone=True)
        else:
            done = self._database.write(exchange, alone=True)
        self._growing.told(told, written)
        return done

    def exchange_notes(
        self, seen: Mapping[str, str | None], told: Mapping[str, str | None]
    ) -> bool:
        def exchange(writer: Cursor) -> bool:
            if any(notes.notes(writer, key).get(key) != value for key, value in seen.items()):
                return False
            notes.write_notes(writer, told)
            return True

        return self._database.write(exchange, alone=True)

    def half_moved(self) -> bool:
        return self._database.half_moved

    def close_space(self, space: str) -> bool:
        def close(writer: Cursor) -> bool:
            held = existing(writer, [space]).get(space)
            if held is None or held.memories:
                return False
            writing.delete_space(writer, space)
            return True

        return self._upkeep.erase(close, alone=True)

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
        try:
            memory = from_row(values)
        except RowDamaged:  # `scan` and doctor name it
            continue
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
