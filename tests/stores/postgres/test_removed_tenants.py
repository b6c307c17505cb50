"""A tenant that was removed is gone: nothing of those who still write stays or comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest

from bethink.errors import StoreError
from bethink.stores.postgres import writing
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.erasing_tenants import erase_tenant
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Written
from bethink.testing import make_entry, make_memory, working
from bethink.testing.entries import NOON
from bethink.vocabulary import Event
from tests.servers.postgres_server import PostgresServer

Opened = Callable[[str], PostgresStore]
_WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


def test_a_write_under_way_is_removed_too(
    server: PostgresServer, address: str, open_store: Opened, tenant: str
) -> None:
    store = open_store(tenant)
    written, may_end = threading.Event(), threading.Event()

    def slowly(writer: Cursor) -> list[Written]:
        told = make_memory("删除时说的 told while it was removed", "s", space="新的")
        done = writing.put(writer, [make_entry(told)], None)
        written.set()
        assert may_end.wait(30)
        return done

    with working(store._database.write, [slowly], end=may_end):
        assert written.wait(30)
        with working(lambda name: erase_tenant(address, name), [tenant], end=may_end) as remover:
            with psycopg.connect(server.address(), autocommit=True) as looking:
                while remover.busy and looking.execute(_WAITING).fetchone() == (0,):
                    remover.wait(0.01)
            assert remover.busy  # it waits for who writes
    anew = open_store(tenant)
    assert [one.name for one in anew.spaces()] == ["global"] and anew.count() == 0


def test_a_store_that_is_still_open_keeps_nothing(
    address: str, open_store: Opened, tenant: str
) -> None:
    store = open_store(tenant)
    store.put([make_entry(make_memory("从前 before", "b"))])
    erase_tenant(address, tenant)
    erase_tenant(address, tenant)  # once more harms nobody
    _, working, events = store.tiers()
    late = make_memory("后来 afterwards", "a")
    for write in (
        lambda: store.put([make_entry(late)]),
        lambda: store.open_space("新的"),
        lambda: store.write_note("k", "v"),
        lambda: working.add([late], now=NOON, keep=9, seconds=9),
        lambda: events.append([Event(0, NOON, "k", ("global",), {})], keep=9),
    ):
        with pytest.raises(StoreError, match="was removed"):
            write()
    anew = open_store(tenant)
    assert anew.count() == 0 and anew.notes() == {} and anew.working() == []
    assert anew.tiers().events.last() == 0
    store.put([make_entry(late)])  # who is there again may write again
    assert anew.count() == 1
