"""Telling an embedded store, and asking it with a filter."""

from __future__ import annotations

from typing import Any

import apsw

from bethink.clock import to_micros
from bethink.filters import All, Filter, Not, PartOf, ValidAt, parse_filter
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry
from bethink.testing.entries import NOON
from bethink.vocabulary import Memory

TOY = ToyEmbedder("toy", 8)
EVERYTHING = 10_000


def parsed(data: dict[str, Any]) -> Filter:
    where = parse_filter(data)
    assert where is not None
    return where


def put(store: SQLiteStore, *memories: Memory) -> None:
    store.put([make_entry(memory, TOY) for memory in memories], fingerprint=TOY.fingerprint)


def revise(store: SQLiteStore, memory: Memory) -> None:
    store.revise(make_entry(memory, TOY), fingerprint=TOY.fingerprint)


def by_words(store: SQLiteStore, where: Filter | None, limit: int = EVERYTHING) -> list[str]:
    found = store.search_words(["common"], spaces=["global"], where=where, limit=limit)
    return [one.memory_id for one in found]


def by_meaning(store: SQLiteStore, where: Filter | None, limit: int = EVERYTHING) -> list[str]:
    found = store.search_meaning(
        TOY.embed(["common"])[0],
        fingerprint=TOY.fingerprint,
        spaces=["global"],
        where=where,
        limit=limit,
    )
    return [one.memory_id for one in found]


ASKS = [by_words, by_meaning]


MORE: list[Filter] = [
    PartOf(("m1", "v3", "记忆-2")),
    Not(PartOf(("m1", "doc"))),
    All((ValidAt(to_micros(NOON)), Not(PartOf(("doc",))), parsed({"tags": {"!=": "db"}}))),
    All((parsed({"tags": {"in": ["db", "数据库"]}}), parsed({"metadata.author": {"!=": "Li"}}))),
    Not(Not(parsed({"kind": "决定"}))),
]


def connect(store: SQLiteStore) -> apsw.Connection:
    """With a snapshot of now."""
    connection = apsw.Connection(str(store.path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("BEGIN")
    next(connection.execute("SELECT count(*) FROM spaces"))  # only now it is taken
    return connection
