"""Working memory in the store's own file. No search reads this table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import apsw

from recollect.clock import to_micros
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.rows import dump, from_snapshot, snapshot
from recollect.stores.sqlite.schema import has_tiers
from recollect.vocabulary import Memory


class SQLiteWorkingMemory:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, memories: Sequence[Memory], *, now: datetime, keep: int, seconds: float) -> None:
        if not memories:
            return
        until = to_micros(now + timedelta(seconds=seconds))
        with self._database.write() as writer:
            _erase_expired(writer, now)
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

    def recent(self, spaces: Sequence[str], *, now: datetime, limit: int) -> list[Memory]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return []
            rows = reader.execute(
                "SELECT memory FROM working WHERE space IN (SELECT value FROM json_each(?)) "
                "AND expires_at > ? ORDER BY number DESC LIMIT ?",
                (dump(list(spaces)), to_micros(now), limit),
            )
            return [from_snapshot(text) for (text,) in rows]

    def get(self, ids: Sequence[str], *, now: datetime) -> list[Memory | None]:
        with self._database.read() as reader:
            if not has_tiers(reader):
                return [None] * len(ids)
            rows = reader.execute(
                "SELECT w.memory FROM json_each(?) j CROSS JOIN working w ON w.id = j.value "
                "WHERE w.expires_at > ?",
                (dump(list(ids)), to_micros(now)),
            )
            found = {m.id: m for m in (from_snapshot(text) for (text,) in rows)}
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


def _erase_expired(writer: apsw.Connection, now: datetime) -> None:
    writer.execute("DELETE FROM working WHERE expires_at <= ?", (to_micros(now),))
