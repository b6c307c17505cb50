"""Working memory in the store's own file. No search reads this table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import apsw

from bethink.clock import to_micros
from bethink.errors import StoreError
from bethink.stores.damage import Damage, sound_snapshots
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.rows import dump, from_snapshot, snapshot
from bethink.stores.sqlite.schema import has_tiers
from bethink.vocabulary import Memory

# So much that has expired is erased by whoever asks. Less waits for the next that is added.
MUCH = 200


# As bytes: one that is no UTF-8 any more must not keep the others from being read.
RECENT = "w.space, w.id, CAST(w.memory AS BLOB)"


def recent_from(row: tuple[Any, ...]) -> Memory:
    """Return the memory of a row of `RECENT`. Raise ValueError if it is damaged."""
    memory = from_snapshot(row[2].decode())
    if (memory.space, memory.id) != row[:2]:
        raise ValueError("the row and the memory in it have different names")
    return memory


class SQLiteWorkingMemory:
    def __init__(self, database: Database, damage: Damage) -> None:
        self._database = database
        self._damage = damage

    def add(self, memories: Sequence[Memory], *, now: datetime, keep: int, seconds: float) -> None:
        if not memories:
            return
        until = to_micros(now + timedelta(seconds=seconds))
        with self._database.write() as writer:
            expired = _erase_expired(writer, now)
            for memory in memories:
                writer.execute("DELETE FROM working WHERE id = ?", (memory.id,))
                writer.execute(
                    "INSERT INTO working (id, space, expires_at, memory) VALUES (?, ?, ?, ?)",
                    (memory.id, memory.space, until, snapshot(memory)),
                )
            for space in {memory.space for memory in memories}:
                writer.execute(
                    "DELETE FROM working WHERE space = ?1 AND number <= (SELECT number "
                    "FROM working WHERE space = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
                    (space, keep),
                )
        if expired:  # nobody asked for it: readers are not waited for, `close` tries again
            self._database.empty_log(seconds=0.0)

    def recent(self, spaces: Sequence[str], *, now: datetime, limit: int) -> list[Memory]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute(
                f"SELECT {RECENT} FROM working w WHERE w.space IN (SELECT value FROM json_each(?)) "
                "AND w.expires_at > ? ORDER BY w.number DESC LIMIT ?",
                (dump(list(spaces)), to_micros(now), limit),
            )
            found = list(sound_snapshots(list(rows), self._damage, recent_from))
            expired = len(list(reader.execute(_EXPIRED, (to_micros(now), MUCH))))
        if expired == MUCH and not self._database.read_only:
            # the answer is there already, and must not fail or wait for this
            with suppress(StoreError):
                with self._database.write(patience=0.0) as writer:
                    _erase_expired(writer, now)
                self._database.empty_log(seconds=0.0, patience=0.0)
        return found

    def get(self, ids: Sequence[str], *, now: datetime) -> list[Memory | None]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return [None] * len(ids)
            rows = reader.execute(
                f"SELECT {RECENT} FROM json_each(?) j CROSS JOIN working w ON w.id = j.value "
                "WHERE w.expires_at > ?",
                (dump(list(ids)), to_micros(now)),
            )
            found = {m.id: m for m in sound_snapshots(list(rows), self._damage, recent_from)}
        return [found.get(memory_id) for memory_id in ids]

    def remove(self, ids: Sequence[str]) -> list[bool]:
        if not ids:
            return []
        with self._database.write() as writer:
            done = [
                writer.execute("DELETE FROM working WHERE id = ? RETURNING 1", (memory_id,)).get
                is not None
                for memory_id in ids
            ]
        self._database.empty_log()
        return done

    def erase_space(self, space: str) -> int:
        with self._database.write() as writer:
            gone = len(
                list(writer.execute("DELETE FROM working WHERE space = ? RETURNING 1", (space,)))
            )
        self._database.empty_log()
        return gone


_EXPIRED = "SELECT 1 FROM working WHERE expires_at <= ? LIMIT ?"


def _erase_expired(writer: apsw.Connection, now: datetime) -> int:
    """How many there were."""
    writer.execute("DELETE FROM working WHERE expires_at <= ?", (to_micros(now),))
    return writer.changes()
