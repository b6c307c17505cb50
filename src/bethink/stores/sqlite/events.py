"""The log of events, in a file of its own beside the store: a trace after every question neither
takes the store's write lock nor disturbs those who read it."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from bethink.clock import from_micros, to_micros
from bethink.stores.damage import Damage, sealed, sound_snapshots, unsealed
from bethink.stores.sqlite.connection import create_private
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.rows import dump
from bethink.stores.sqlite.schema import version_of
from bethink.vocabulary import Event

_TABLES = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    spaces TEXT NOT NULL,
    data TEXT NOT NULL
);
"""
# As bytes: one that is no UTF-8 any more must not keep the others from being read.
_SELECTED = "e.id, e.at, CAST(e.kind AS BLOB), CAST(e.spaces AS BLOB), CAST(e.data AS BLOB)"
_VERSION = 1
_APPLICATION_ID = 0x52654576  # "ReEv"


def events_file(store: Path) -> Path:
    return store.with_name(store.name + ".events")


class SQLiteEventLog:
    def __init__(self, store: Database, damage: Damage) -> None:
        self._damage = damage
        self.path = events_file(store.path)
        self._store = store
        self._read_only = store.read_only
        self._opened: Database | None = None
        self._guard = threading.Lock()

    def append(self, events: Sequence[Event], *, keep: int) -> list[Event]:
        if not events:
            return []
        with self._write() as writer:
            kept: list[Event] = []
            for event in events:
                at, spaces = to_micros(event.at), dump(event.spaces)
                data = sealed(dump(dict(event.data)), _said(at, event.kind, spaces))
                writer.execute(
                    "INSERT INTO events (at, kind, spaces, data) VALUES (?, ?, ?, ?)",
                    (at, event.kind, spaces, data),
                )
                kept.append(event._replace(id=writer.last_insert_rowid()))
            # by number, not by counting: with the one look that it takes it can be done each time
            writer.execute("DELETE FROM events WHERE id <= ?", (kept[-1].id - keep,))
        return kept

    def since(
        self,
        after: int,
        *,
        spaces: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
        limit: int = 100,
    ) -> list[Event]:
        tests, bindings = ["e.id > ?"], list[Any]([after])
        if kinds is not None:
            tests.append("e.kind IN (SELECT value FROM json_each(?))")
            bindings.append(dump(list(kinds)))
        if spaces is not None:
            tests.append(
                "NOT EXISTS (SELECT 1 FROM json_each(e.spaces) s "
                "WHERE s.value NOT IN (SELECT value FROM json_each(?)))"
            )
            bindings.append(dump(list(spaces)))
        with self._read() as reader:
            if reader is None:
                return []
            rows = reader.execute(
                f"SELECT {_SELECTED} FROM events e WHERE {' AND '.join(tests)} "
                "ORDER BY e.id LIMIT ?",
                (*bindings, limit),
            )
            return list(sound_events(list(rows), self._damage))

    def last(self) -> int:
        return self._number("SELECT seq FROM sqlite_sequence WHERE name = 'events'")

    def first(self) -> int:
        return self._number("SELECT min(id) FROM events")

    def erase(self, ids: Collection[int]) -> int:
        return self._erase("id IN (SELECT value FROM json_each(?))", (dump(list(ids)),))

    def erase_mentions(self, ids: Collection[str], *, kind: str) -> int:
        quoted = dump([dump(one) for one in ids])  # as an id stands in the data
        return self._erase(
            "kind = ? AND EXISTS (SELECT 1 FROM json_each(?) j WHERE instr(data, j.value))",
            (kind, quoted),
        )

    def erase_space(self, space: str) -> int:
        return self._erase("EXISTS (SELECT 1 FROM json_each(spaces) s WHERE s.value = ?)", (space,))

    def _erase(self, which: str, bindings: tuple[Any, ...]) -> int:
        if not self.path.exists():
            return 0
        with self._write() as writer:
            gone = len(
                list(writer.execute(f"DELETE FROM events WHERE {which} RETURNING id", bindings))
            )
        if gone:
            self._database().empty_log()
        return gone

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        opened = self._opened
        return opened is None or opened.finish_emptying(texts)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def _number(self, sql: str) -> int:
        with self._read() as reader:
            number: int | None = None if reader is None else reader.execute(sql).get
        return number or 0

    def _database(self) -> Database:
        with self._guard:
            if self._opened is None:
                self._opened = Database(self.path, read_only=self._read_only, beside=self._store)
            return self._opened

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        self._store.check_file()  # beside a store that was removed, nothing is begun anew
        if not self._read_only:
            create_private(self.path)
        with self._database().write() as writer:
            if not version(writer):
                writer.execute(_TABLES)
                writer.pragma("application_id", _APPLICATION_ID)
                writer.pragma("user_version", _VERSION)
            yield writer

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection | None]:
        """None before the first event."""
        if not self.path.exists():
            yield None
            return
        with self._database().read() as reader:
            yield reader if version(reader) else None


def version(connection: apsw.Connection) -> int:
    return version_of(connection, known=_VERSION, application_id=_APPLICATION_ID)


def by_id(connection: apsw.Connection, ids: Sequence[int]) -> list[Event]:
    """Return events, without those that are damaged."""
    rows = connection.execute(
        f"SELECT {_SELECTED} FROM json_each(?) j CROSS JOIN events e ON e.id = j.value",
        (dump(list(ids)),),
    )
    return list(sound_events(list(rows), Damage()))


def sound_events(rows: Sequence[tuple[Any, ...]], damage: Damage) -> Iterator[Event]:
    named = [("", f"event {row[0]}", *row) for row in rows]
    return sound_snapshots(named, damage, lambda row: _event(row[2:]))


def _said(at: int, kind: str, spaces: str) -> str:
    """What the columns of an event say beside its data, for the checksum."""
    return f"{at}\x1f{kind}\x1f{spaces}"


def _event(row: tuple[Any, ...]) -> Event:
    """Return the event. Raise ValueError if it is damaged."""
    number, at = row[:2]
    kind, spaces, data = (part.decode() for part in row[2:])
    told = json.loads(unsealed(data, _said(at, kind, spaces)))
    return Event(number, from_micros(at), kind, tuple(json.loads(spaces)), told)
