"""The log of events. Its numbers come from the row of the tenant, which is held until the end of
the transaction: whoever follows them never sees a greater number before a smaller one."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from bethink.stores.postgres.database import Cursor, Database
from bethink.stores.postgres.rows import dump
from bethink.stores.postgres.upkeep import Upkeep
from bethink.vocabulary import Event


class PostgresEventLog:
    def __init__(self, database: Database, upkeep: Upkeep) -> None:
        self._database = database
        self._upkeep = upkeep

    def append(self, events: Sequence[Event], *, keep: int) -> list[Event]:
        if not events:
            return []

        def append(writer: Cursor) -> list[Event]:
            row = writer.execute(
                "UPDATE tenants SET last_event = last_event + %s RETURNING last_event",
                (len(events),),
            ).fetchone()
            assert row is not None
            last = int(row[0])
            kept = [e._replace(id=n) for n, e in enumerate(events, last - len(events) + 1)]
            for event in kept:
                writer.execute(
                    "INSERT INTO events (id, at, kind, spaces, data) VALUES (%s, %s, %s, %s, %s)",
                    (event.id, event.at, event.kind, list(event.spaces), dump(dict(event.data))),
                )
            # by number, not by counting: with the one look that it takes it can be done each time
            writer.execute("DELETE FROM events WHERE id <= %s", (last - keep,))
            return kept

        return self._database.write(append)

    def since(
        self,
        after: int,
        *,
        spaces: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
        limit: int = 100,
    ) -> list[Event]:
        tests, bindings = ["id > %s"], list[Any]([after])
        if kinds is not None:
            tests.append("kind = ANY(%s)")
            bindings.append(list(kinds))
        if spaces is not None:
            tests.append("spaces <@ %s::text[]")
            bindings.append(list(spaces))
        with self._database.ask() as reader:
            rows = reader.execute(
                f"SELECT id, at, kind, spaces, data FROM events WHERE {' AND '.join(tests)} "
                "ORDER BY id LIMIT %s".encode(),
                (*bindings, limit),
            )
            return [_event(row) for row in rows]

    def last(self) -> int:
        return self._number("SELECT last_event FROM tenants")

    def first(self) -> int:
        return self._number("SELECT min(id) FROM events")

    def erase(self, ids: Collection[int]) -> int:
        return self._erase("id = ANY(%s)", (list(ids),)) if ids else 0

    def erase_mentions(self, ids: Collection[str], *, kind: str) -> int:
        quoted = [dump(one) for one in ids]  # as an id stands in the data
        return self._erase(
            "kind = %s AND EXISTS (SELECT 1 FROM unnest(%s::text[]) q WHERE strpos(data, q) > 0)",
            (kind, quoted),
        )

    def erase_space(self, space: str) -> int:
        return self._erase("%s = ANY(spaces)", (space,))

    def _erase(self, which: str, bindings: tuple[Any, ...]) -> int:
        def erase(writer: Cursor) -> int:
            writer.execute(f"DELETE FROM events WHERE {which}".encode(), bindings)
            return writer.rowcount

        return self._upkeep.erase(erase)

    def _number(self, sql: str) -> int:
        with self._database.ask() as reader:
            row = reader.execute(sql.encode()).fetchone()
        return 0 if row is None or row[0] is None else int(row[0])


def _event(row: Sequence[Any]) -> Event:
    number, at, kind, spaces, data = row
    return Event(number, at, kind, tuple(spaces), json.loads(data))
