"""Vectors stand in their rows as long as they fit: fetched from elsewhere, a search takes several
times as long."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import psycopg
import pytest

from bethink.stores.postgres.database import SCHEMA
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory

_names = itertools.count()


@pytest.mark.parametrize(
    ("dimension", "in_rows"), [(8, True), (512, True), (2000, True), (2001, False)]
)
def test_they_stand_in_their_rows(
    open_store: Callable[[str], PostgresStore],
    tenant: str,
    address: str,
    dimension: int,
    in_rows: bool,
) -> None:
    embedder = ToyEmbedder(f"long {next(_names)}", dimension)
    store = open_store(tenant)
    store.declare(embedder.embedding)
    memories = [make_memory(f"number {n} 第", f"m{n}") for n in range(20)]
    store.put([make_entry(m, embedder) for m in memories], fingerprint=embedder.fingerprint)
    found = store.search_meaning(
        embedder.embed([memories[7].text])[0],
        fingerprint=embedder.fingerprint,
        spaces=["global"],
        where=None,
        limit=1,
    )
    assert [one.memory_id for one in found] == ["m7"]
    with psycopg.connect(address) as raw:
        rows = raw.execute(
            "SELECT a.atttypmod, pg_relation_size(c.reltoastrelid) FROM pg_class c "
            "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding' "
            "WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r'",
            (SCHEMA,),
        ).fetchall()
    assert {size for made_for, size in rows if made_for == dimension} in (
        {0},
        {None},
    ) or not in_rows
    assert any(size for made_for, size in rows if made_for == dimension) is not in_rows
