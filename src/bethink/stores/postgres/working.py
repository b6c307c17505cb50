"""Working memory in a table of its own. No search reads it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bethink.stores.damage import Damage, sound_snapshots
from bethink.stores.postgres.database import Cursor, Database
from bethink.stores.postgres.rows import from_snapshot, snapshot
from bethink.stores.postgres.upkeep import Upkeep
from bethink.vocabulary import Memory


class PostgresWorkingMemory:
    def __init__(self, database: Database, upkeep: Upkeep, damage: Damage) -> None:
        self._damage = damage
        self._database = database
        self._upkeep = upkeep

    def add(self, memories: Sequence[Memory], *, now: datetime, keep: int, seconds: float) -> None:
        if not memories:
            return
        until = now + timedelta(seconds=seconds)

        def add(writer: Cursor) -> None:
            _one_at_a_time(writer)
            writer.execute("DELETE FROM working WHERE expires_at <= %s", (now,))
            for memory in memories:
                writer.execute("DELETE FROM working WHERE id = %s", (memory.id,))
                writer.execute(
                    "INSERT INTO working (id, space, expires_at, memory) VALUES (%s, %s, %s, %s)",
                    (memory.id, memory.space, until, snapshot(memory)),
                )
            for space in sorted({memory.space for memory in memories}):
                writer.execute(
                    "DELETE FROM working WHERE space = %s AND number <= (SELECT number "
                    "FROM working WHERE space = %s ORDER BY number DESC LIMIT 1 OFFSET %s)",
                    (space, space, keep),
                )

        self._database.write(add)

    def recent(self, spaces: Sequence[str], *, now: datetime, limit: int) -> list[Memory]:
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT space, id, memory FROM working WHERE space = ANY(%s) AND expires_at > %s "
                "ORDER BY number DESC LIMIT %s",
                (list(spaces), now, limit),
            ).fetchall()
        return list(sound_snapshots(rows, self._damage, lambda row: from_snapshot(row[2])))

    def get(self, ids: Sequence[str], *, now: datetime) -> list[Memory | None]:
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT space, id, memory FROM working WHERE id = ANY(%s) AND expires_at > %s",
                (list(ids), now),
            ).fetchall()
        sound = sound_snapshots(rows, self._damage, lambda row: from_snapshot(row[2]))
        found = {memory.id: memory for memory in sound}
        return [found.get(memory_id) for memory_id in ids]

    def remove(self, ids: Sequence[str]) -> list[bool]:
        if not ids:
            return []
        gone = {one for (one,) in self._erase("id = ANY(%s)", list(ids))}
        done: list[bool] = []
        for memory_id in ids:
            done.append(memory_id in gone)
            gone.discard(memory_id)
        return done

    def erase_space(self, space: str) -> int:
        return len(self._erase("space = %s", space))

    def _erase(self, which: str, named: object) -> list[tuple[str]]:
        def erase(writer: Cursor) -> list[tuple[str]]:
            _one_at_a_time(writer)
            rows = writer.execute(
                f"DELETE FROM working WHERE {which} RETURNING id".encode(), (named,)
            )
            return [(row[0],) for row in rows]

        return self._upkeep.erase(erase)


def _one_at_a_time(writer: Cursor) -> None:
    """Of one tenant: who is newest is a matter of order, and so many are kept and not one more."""
    writer.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended("
        "'bethink working ' || current_setting('bethink.tenant'), 0))"
    )
