"""The changes of a store, as its followers read them; `changes.py` writes them down."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from bethink.stores.postgres import changes, vector_tables
from bethink.stores.postgres.database import Cursor, Database
from bethink.stores.postgres.locks import ServerLock
from bethink.stores.postgres.whole import held_now
from bethink.stores.protocol import Embedding
from bethink.stores.retrievers import Change, Held, What


class PostgresFeed:
    def __init__(self, database: Database, store: str) -> None:
        self._database = database
        self._store = store
        self._locks: dict[str, ServerLock] = {}
        self._guard = threading.Lock()

    @property
    def store(self) -> str:
        return self._store

    def close(self) -> None:
        for lock in self._locks.values():
            lock.close()

    # Who follows

    def follow(self, name: str) -> None:
        if name not in self.followers() or not self.history(self.last()):
            self._database.write(lambda writer: _follow(writer, name), alone=True)

    def unfollow(self, name: str) -> None:
        self._database.write(lambda writer: _unfollow(writer, name), alone=True)

    def followers(self) -> Mapping[str, int]:
        with self._database.ask() as reader:
            rows = reader.execute("SELECT name, number FROM followers ORDER BY name")
            return dict(rows.fetchall())

    # What changed

    def since(self, number: int, *, limit: int) -> list[Change]:
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT number, what, name, extract(epoch FROM at)::float8 FROM changes "
                "WHERE number > %s ORDER BY number LIMIT %s",
                (number, limit),
            )
            return [Change(n, What(what), name, at) for n, what, name, at in rows]

    def last(self) -> int:
        return self._number("SELECT last_change FROM tenants")

    def dropped(self) -> int:
        return self._number("SELECT changes_dropped FROM tenants")

    def history(self, number: int) -> str:
        with self._database.ask() as reader:
            return changes.history(reader, number)

    def waiting(self, number: int) -> int:
        return self._number("SELECT count(*) FROM changes WHERE number > %s", number)

    def _number(self, sql: str, *bound: int) -> int:
        with self._database.ask() as reader:
            (number,) = reader.execute(sql.encode(), bound, prepare=True).fetchone() or (0,)
        return int(number)

    def passed(self, name: str, number: int) -> None:
        def passed(writer: Cursor) -> None:
            writer.execute(
                "UPDATE followers SET number = greatest(number, %s) WHERE name = %s", (number, name)
            )
            changes.drop_passed(writer)

        self._database.write(passed)

    @contextmanager
    def alone(self, name: str, *, patience: float) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(name, ServerLock(self._database, f"feed {name}", "feeds"))
        with lock.hold(patience):
            yield

    # What there is now

    def held(self, ids: Sequence[str]) -> list[Held | None]:
        with self._database.read() as reader:
            found = held_now(reader, ids)
        return [found.get(memory_id) for memory_id in ids]

    def embeddings(self) -> tuple[Embedding, ...]:
        with self._database.ask() as reader:
            return vector_tables.embeddings(reader)


def _follow(writer: Cursor, name: str) -> None:
    # who comes back after nobody followed has missed something, and must not look up to date
    writer.execute(
        "UPDATE tenants SET followed = true, changes_dropped = last_change WHERE NOT followed"
    )
    writer.execute(
        "INSERT INTO followers (name, number) SELECT %s, last_change FROM tenants "
        "ON CONFLICT DO NOTHING",
        (name,),
    )
    changes.begin_history(writer)


def _unfollow(writer: Cursor, name: str) -> None:
    writer.execute("DELETE FROM followers WHERE name = %s", (name,))
    if writer.execute("SELECT 1 FROM followers LIMIT 1").fetchone():
        changes.drop_passed(writer)
        return
    writer.execute("DELETE FROM changes")
    writer.execute("DELETE FROM notes WHERE starts_with(key, %s)", (changes.HISTORIES,))
    writer.execute(
        "UPDATE tenants SET followed = false, last_change = last_change + 1 WHERE followed"
    )
