"""The server goes away in the middle of things: what was acknowledged stays, whoever was cut off is
told to try again, and the next call after its return works."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from bethink.doors.http.problems import of_error
from bethink.errors import StoreBusy, StoreUnavailable
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory, working
from bethink.vocabulary import Action
from tests.servers.postgres_server import PostgresServer

TOY = ToyEmbedder()
RESTARTS = 5


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that a test may stop."""
    with PostgresServer.started() as server:
        yield server


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_nothing_acknowledged_is_lost_when_the_server_restarts(
    own_server: PostgresServer, mode: str
) -> None:
    store = PostgresStore(own_server.new_database())
    store.declare(TOY.embedding)
    acknowledged: list[str] = []
    cut_off = 0
    done = threading.Event()

    def write(worker: int) -> None:
        nonlocal cut_off
        number = 0
        while not done.is_set():
            name = f"{worker}-{number}"
            entry = make_entry(make_memory(f"写 number {number} of {worker}", name), TOY)
            try:
                store.put([entry], fingerprint=TOY.fingerprint)
                acknowledged.append(name)
                number += 1
                store.search_words(["number"], spaces=["global"], where=None, limit=3)
            except StoreUnavailable:  # said so, and the same again is safe
                cut_off += 1
                time.sleep(0.02)

    with working(write, range(3), end=done):
        for _ in range(RESTARTS):
            time.sleep(0.15)
            before = len(acknowledged)
            own_server.stop(mode)
            own_server.start()
            until = time.monotonic() + 5
            while len(acknowledged) <= before + 3 and time.monotonic() < until:
                time.sleep(0.01)
            assert len(acknowledged) > before + 3, "not healthy within five seconds"
    assert cut_off
    held = {memory.id for memory in store.scan(limit=100_000).memories}
    assert held >= set(acknowledged)
    assert len(acknowledged) == len(set(acknowledged))
    assert all(check.ok for check in store.check())
    store.close()


def test_while_it_is_away_one_is_told_to_try_again(own_server: PostgresServer) -> None:
    store = PostgresStore(own_server.new_database())
    entry = make_entry(make_memory("预算 alpha", "a"))
    store.put([entry])
    own_server.stop()
    for call in (store.count, lambda: store.put([entry]), store.tiers().events.last):
        with pytest.raises(StoreUnavailable) as caught:
            call()
    answer = of_error(caught.value, {})
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert not [check for check in store.check() if check.ok]
    own_server.start()
    assert store.count() == 1
    assert store.put([entry]) == [(Action.UNCHANGED, "a")]
    with store.tiers().quarantine.alone():
        assert store.check()
    store.close()


def test_a_lock_does_not_outlive_its_connection(own_server: PostgresServer) -> None:
    address = own_server.new_database()
    one, other = PostgresStore(address), PostgresStore(address)
    with pytest.raises(StoreUnavailable, match="decide"), one.tiers().quarantine.alone():
        own_server.stop("immediate")
        own_server.start()
        with other.tiers().quarantine.alone():
            pass
    with one.tiers().quarantine.alone():
        pass
    one.close()
    other.close()


def test_who_waits_too_long_for_a_space_is_told_so(address: str, tenant: str) -> None:
    one, other = PostgresStore(address, tenant=tenant), PostgresStore(address, tenant=tenant)

    def lock(writer: Cursor) -> None:
        writer.execute("SELECT 1 FROM spaces FOR UPDATE")

    def lock_and_let_another_try(writer: Cursor) -> None:
        lock(writer)
        with pytest.raises(StoreBusy, match="try again"):
            other._database.write(lock, lock_seconds=0.05)

    one._database.write(lock_and_let_another_try)
    other._database.write(lock)
    one.close()
    other.close()


_WRITER = """
import sys
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
address, tenant, worker = sys.argv[1:]
toy = ToyEmbedder()
store = PostgresStore(address, tenant=tenant)
store.declare(toy.embedding)
for n in range(25):
    own = make_entry(make_memory(f"own 自己 {worker} {n}", f"{worker}-{n}"), toy)
    same = make_entry(make_memory(f"same 同样 {n}", f"s{worker}-{n}"), toy, merge=True)
    twin = make_entry(make_memory(f"twin {n}", f"twin-{n}", space=f"room{n % 3}"), toy)
    store.put([own, same, twin], fingerprint=toy.fingerprint)
    store.touch(accessed={f"twin-{n}": 1}, reinforced={})
store.close()
"""


def test_processes_that_write_at_once_lose_and_double_nothing(address: str, tenant: str) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", _WRITER, address, tenant, str(n)]) for n in range(3)
    ]
    assert [process.wait(120) for process in processes] == [0, 0, 0]
    store = PostgresStore(address, tenant=tenant)
    memories = store.scan(limit=1000).memories
    assert len(memories) == 3 * 25 + 25 + 25
    same = [m for m in memories if m.text.startswith("same")]
    assert [m.reinforcement for m in same] == [2] * 25
    twins = [m for m in memories if m.text.startswith("twin")]
    assert [m.access_count for m in twins] == [3] * 25
    assert len(store.search_words(["own"], spaces=["global"], where=None, limit=1000)) == 75
    assert all(check.ok for check in store.check())
    store.close()
