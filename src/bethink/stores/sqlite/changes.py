"""The changes of an embedded store, as its followers read them; `triggers.py` writes them down."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import apsw

from bethink.stores.damage import Damage
from bethink.stores.protocol import Embedding
from bethink.stores.retrievers import Change, Held, HeldPassage, What
from bethink.stores.sqlite import histories, triggers, vector_tables
from bethink.stores.sqlite.connection import WriteLock
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.rows import BY_ID, from_row, sound_rows
from bethink.vocabulary import Memory, Passage

if TYPE_CHECKING:
    from bethink.vocabulary import Vector


class SQLiteFeed:
    def __init__(self, database: Database, damage: Damage) -> None:
        self._database = database
        self._damage = damage
        self._locks: dict[str, WriteLock] = {}
        self._guard = threading.Lock()
        with database.read() as reader:
            self._store: str = reader.execute("SELECT value FROM meta WHERE key = 'store'").get

    @property
    def store(self) -> str:
        return self._store

    # Who follows

    def follow(self, name: str) -> None:
        if name in self.followers() and self.history(self.last()):
            return
        with self._database.write() as writer:
            if not triggers.followed(writer):
                triggers.create(writer, [t.table for t in vector_tables.all_tables(writer)])
            number = triggers.last(writer)
            if not histories.at(writer, number):
                histories.begin(writer, number)
            writer.execute("INSERT OR IGNORE INTO followers VALUES (?, ?)", (name, number))

    def unfollow(self, name: str) -> None:
        with self._database.write() as writer:
            if not triggers.followed(writer):
                return
            writer.execute("DELETE FROM followers WHERE name = ?", (name,))
            if writer.execute("SELECT count(*) FROM followers").get:
                histories.drop(writer, triggers.drop_passed(writer))
                return
            triggers.remove(writer)
            histories.drop(writer, None)

    def followers(self) -> Mapping[str, int]:
        with self._database.read() as reader:
            if not triggers.followed(reader):
                return {}
            return dict(reader.execute("SELECT name, number FROM followers ORDER BY name"))

    # What changed

    def since(self, number: int, *, limit: int) -> list[Change]:
        with self._database.read() as reader:
            rows = reader.execute(
                "SELECT number, what, name, at FROM changes WHERE number > ? "
                "ORDER BY number LIMIT ?",
                (number, limit),
            )
            return [Change(n, What(what), name, at) for n, what, name, at in rows]

    def last(self) -> int:
        with self._database.read() as reader:
            return triggers.last(reader)

    def dropped(self) -> int:
        with self._database.read() as reader:
            number: int = reader.execute("SELECT number FROM changes_dropped").get
            return number

    def history(self, number: int) -> str:
        with self._database.read() as reader:
            return histories.at(reader, number)

    def waiting(self, number: int) -> int:
        with self._database.read() as reader:
            count: int = reader.execute(
                "SELECT count(*) FROM changes WHERE number > ?", (number,)
            ).get
            return count

    def passed(self, name: str, number: int) -> None:
        with self._database.write() as writer:
            writer.execute(
                "UPDATE followers SET number = max(number, ?) WHERE name = ?", (number, name)
            )
            histories.drop(writer, triggers.drop_passed(writer))

    @contextmanager
    def alone(self, name: str, *, patience: float) -> Iterator[None]:
        path = self._database.path
        with self._guard:
            if name not in self._locks:
                short = blake2b(name.encode(), digest_size=4).hexdigest()  # any name fits a file's
                self._locks[name] = WriteLock(path.with_name(f"{path.name}.feed-{short}.lock"))
            lock = self._locks[name]
        with lock.hold(patience):
            yield

    # What there is now

    def held(self, ids: Sequence[str]) -> list[Held | None]:
        with self._database.read() as reader:
            found = held_now(reader, ids, self._damage)
        return [found.get(memory_id) for memory_id in ids]

    def embeddings(self) -> tuple[Embedding, ...]:
        with self._database.read() as reader:
            return embeddings(reader)


def embeddings(reader: apsw.Connection) -> tuple[Embedding, ...]:
    tables = sorted(vector_tables.all_tables(reader), key=lambda t: not t.active)
    return tuple(Embedding(t.fingerprint, t.dimension, t.name) for t in tables)


def held_now(reader: apsw.Connection, ids: Sequence[str], damage: Damage) -> dict[str, Held]:
    import numpy as np

    def numbered(row: tuple[Any, ...]) -> tuple[int, Memory]:
        return row[0], from_row(row[1:])

    asked = list(dict.fromkeys(ids))
    rows = list(sound_rows(reader, BY_ID, asked, numbered, damage, first="m.row"))
    passages: dict[int, list[tuple[int, Passage]]] = {row: [] for row, _ in rows}
    for row, pid, ordinal, start, stop in reader.execute(
        "SELECT p.memory, p.pid, p.ordinal, p.start, p.stop FROM json_each(?) j "
        "JOIN passages p ON p.memory = j.value ORDER BY p.memory, p.ordinal",
        (json.dumps(list(passages)),),
    ):
        passages[row].append((pid, Passage(ordinal, start, stop)))
    pids = json.dumps([pid for some in passages.values() for pid, _ in some])
    vectors: dict[int, dict[str, Vector]] = {}
    for table in vector_tables.all_tables(reader):
        for pid, data in reader.execute(
            f"SELECT v.pid, v.data FROM json_each(?) j JOIN {table.table} v ON v.pid = j.value",
            (pids,),
        ):
            vectors.setdefault(pid, {})[table.fingerprint] = np.frombuffer(data, np.float32)
    return {
        memory.id: Held(
            memory,
            tuple(HeldPassage(pid, p, vectors.get(pid, {})) for pid, p in passages[row]),
        )
        for row, memory in rows
    }
