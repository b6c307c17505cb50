"""The tiers of the embedded store as files: how an old one becomes a new one, what stands where,
who may write it, and what damage looks like."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from bethink.errors import BethinkError, StoreCorrupt, StoreReadOnly, StoreTooNew
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.sqlite import schema
from bethink.stores.sqlite.events import events_file
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.sqlite.working import MUCH
from bethink.stores.tiers import Tiers
from bethink.testing import make_entry, make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.testing.programs import same_state
from bethink.vocabulary import Decision, Event, Ruling
from tests.contract.children import in_child
from tests.contract.filled import same_answers
from tests.stores.sqlite.golden import unpack

QUESTION = Event(0, NOON, "recalled", ("global",), {"question": "预算是多少?"})


def use_each(tiers: Tiers) -> None:
    """Something in every tier."""
    tiers.quarantine.log([make_offer("预算 offered", "o1"), make_offer("two", "o2")])
    tiers.quarantine.decide([Ruling("o1", Decision.HELD, "why", "me", NOON)])
    tiers.working.add([make_memory("最近 recent", "w1")], now=NOON, keep=9, seconds=9)
    tiers.events.append([QUESTION], keep=9)


@pytest.fixture
def used(path: Path) -> Path:
    """A store with memories in two spaces and something in every tier, closed."""
    store = SQLiteStore(path)
    use_each(store.tiers())
    store.close()
    return path


# An old file


@pytest.fixture
def old(quick_path: Path) -> Path:
    """A store as it was before there were tiers."""
    path = unpack("schema-1.db", quick_path)
    assert schema_of(path) == 1
    return path


def schema_of(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    version: int = db.pragma("user_version")
    db.close()
    return version


def test_an_old_store_is_brought_up_to_date_in_place(old: Path, reference: InMemoryStore) -> None:
    store = SQLiteStore(old)
    assert schema_of(old) == len(schema.MIGRATIONS)
    same_state(store, reference)
    same_answers(store, reference)
    use_each(store.tiers())
    assert len(store.tiers().quarantine.scan().offers) == 2
    assert [check for check in store.check() if not check.ok and check.part != "disk"] == []
    store.close()


def test_an_old_store_that_is_only_read_has_empty_tiers(
    old: Path, reference: InMemoryStore
) -> None:
    store = SQLiteStore(old, read_only=True)
    same_answers(store, reference)
    quarantine, working, events = store.tiers()
    assert (quarantine.scan().offers, quarantine.scan().cursor) == ([], None)
    assert quarantine.get(["x"]) == [None]
    assert quarantine.rulings("x") == []
    assert quarantine.children(["x"]) == []
    assert working.recent(["global"], now=NOON, limit=9) == []
    assert working.get(["x"], now=NOON) == [None]
    assert (events.since(0), events.first(), events.last()) == ([], 0, 0)
    assert [check for check in store.check() if not check.ok and check.part != "disk"] == []
    for write in (
        lambda: quarantine.log([make_offer("x", "x")]),
        lambda: working.add([make_memory("x", "x")], now=NOON, keep=9, seconds=9),
        lambda: events.append([QUESTION], keep=9),
    ):
        with pytest.raises(StoreReadOnly):
            write()
    assert schema_of(old) == 1
    other = SQLiteStore(old)  # somebody who may write brings it up to date meanwhile
    use_each(other.tiers())
    other.close()
    assert len(quarantine.scan().offers) == 2
    assert len(working.recent(["global"], now=NOON, limit=9)) == 1
    assert len(events.since(0)) == 1
    store.close()


# What stands where


def test_a_store_that_is_only_searched_loads_no_tier(used: Path) -> None:
    program = (
        "import sys\n"
        "from bethink.stores.sqlite.store import SQLiteStore\n"
        "store = SQLiteStore(sys.argv[1])\n"
        "store.search_words(['alpha'], spaces=['global'], where=None, limit=3)\n"
        "tiers = ('sqlite.quarantine', 'sqlite.working', 'sqlite.events')\n"
        "print(sum(name.endswith(tiers) for name in sys.modules))\n"
        "store.tiers()\n"
        "print(sum(name.endswith(tiers) for name in sys.modules))\n"
        "store.close()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(used)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["0", "3"]


def test_there_is_no_file_of_events_before_the_first(quick_path: Path) -> None:
    store = SQLiteStore(quick_path / "s.db")
    events = store.tiers().events
    assert (events.since(0), events.last(), events.erase_space("global")) == ([], 0, 0)
    store.check()
    assert not events_file(store.path).exists()
    events.append([QUESTION], keep=9)
    mode = stat.S_IMODE(events_file(store.path).stat().st_mode)
    assert mode == 0o600
    store.close()


def test_an_event_takes_no_lock_of_the_store_and_changes_nothing_in_it(used: Path) -> None:
    watcher = apsw.Connection(str(used), flags=apsw.SQLITE_OPEN_READONLY)
    assert watcher.execute("SELECT count(*) FROM offers").get == 2
    seen = watcher.pragma("data_version")
    store = SQLiteStore(used)
    events = store.tiers().events
    with store._database.write():  # whoever writes now holds the store's lock
        kept = events.append([QUESTION], keep=9)
        assert events.since(kept[0].id - 1) == kept
    assert watcher.pragma("data_version") == seen
    watcher.close()
    store.close()


def test_much_that_has_expired_is_erased_by_whoever_asks(quick_path: Path) -> None:
    store = SQLiteStore(quick_path / "s.db")
    working = store.tiers().working
    old = [make_memory(f"旧canary {n}", f"m{n}") for n in range(MUCH)]
    working.add(old[:-1], now=NOON, keep=MUCH, seconds=1)
    later = NOON + timedelta(seconds=1)

    def rows() -> int:
        db = apsw.Connection(str(store.path), flags=apsw.SQLITE_OPEN_READONLY)
        held: int = db.execute("SELECT count(*) FROM working").get
        db.close()
        return held

    assert working.recent(["global"], now=later, limit=9) == []
    assert rows() == MUCH - 1
    working.add(old[-1:], now=NOON, keep=MUCH, seconds=1)
    reader = SQLiteStore(store.path, read_only=True)
    assert reader.tiers().working.recent(["global"], now=later, limit=9) == []
    assert rows() == MUCH  # who may only read leaves it
    reader.close()
    with SQLiteStore(store.path)._database.write():  # nor does anybody wait for a writer
        assert working.recent(["global"], now=later, limit=9) == []
    assert rows() == MUCH
    assert working.recent(["global"], now=later, limit=9) == []
    assert rows() == 0
    assert "旧canary".encode() not in b"".join(f.read_bytes() for f in quick_path.iterdir())
    store.close()


# Who may write


def look_and_append(path: Path) -> Iterator[str]:
    store = SQLiteStore(path)
    quarantine, working, events = store.tiers()
    yield f"read {len(quarantine.scan().offers)} {events.last()} {len(events.since(0))}"
    yield f"recent {len(working.recent(['global'], now=NOON, limit=9))}"
    yield f"check {[c.part for c in store.check() if not c.ok and c.part != 'disk']}"
    for write in (
        lambda: events.append([QUESTION], keep=9),
        lambda: quarantine.log([make_offer("x", "x")]),
    ):
        try:
            write()
            yield "written"
        except BethinkError as e:
            yield f"{type(e).__name__} {e}"


@pytest.mark.parametrize("with_events", [True, False])
def test_where_nothing_may_be_written_the_tiers_are_read(used: Path, with_events: bool) -> None:
    if not with_events:
        for file in used.parent.glob("*.events*"):
            file.unlink()
    os.chmod(used.parent, 0o777)
    for file in used.parent.iterdir():
        os.chmod(file, 0o444)
    os.chmod(used.parent, 0o555)
    try:
        read, recent, check, *refused = in_child(look_and_append, used, user=65534)
    finally:
        os.chmod(used.parent, 0o777)
    assert read == ("read 2 1 1" if with_events else "read 2 0 0")
    assert recent == "recent 1"
    assert check == "check []"
    assert [line.split()[0] for line in refused] == ["StoreReadOnly"] * 2
    assert all("permissions" in line for line in refused)


# Damage


def test_a_damaged_text_in_a_tier_is_found(used: Path) -> None:
    db = apsw.Connection(str(used))
    for table in ("offers", "working"):
        db.execute(f"UPDATE {table} SET memory = CAST(x'ff' || memory AS TEXT)")
    db.close()
    store = SQLiteStore(used)
    faults = {check.part: check for check in store.check() if not check.ok}
    assert faults["quarantine"].finding == "2 of 2 offers cannot be read: row 1, row 2"
    assert faults["working memory"].finding == "1 of 1 memories cannot be read: row 1"
    assert "backup" in faults["quarantine"].fix
    assert store.tiers().quarantine.scan().offers == []  # neither is handed out
    assert store.damage.since(0) == ["o2", "o1"]
    store.close()


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE offers SET details = '{}'",
        "UPDATE offers SET memory = '[1]'",
        "DELETE FROM rulings",
        "UPDATE standing SET ruling = 99",
        "UPDATE rulings SET decision = 'unheard of'",
    ],
)
def test_an_offer_that_makes_no_sense_is_found(used: Path, harm: str) -> None:
    db = apsw.Connection(str(used))
    db.execute(harm)
    db.close()
    store = SQLiteStore(used)
    assert "quarantine" in [check.part for check in store.check() if not check.ok]
    store.close()


def test_a_damaged_page_of_the_quarantine_is_found(used: Path) -> None:
    db = apsw.Connection(str(used))
    page, size = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'offers'").get, 8192
    db.close()
    with open(used, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    store = SQLiteStore(used)
    assert [check for check in store.check() if not check.ok and "offers" in check.finding]
    assert store.search_words(["alpha"], spaces=["global"], where=None, limit=3)
    store.close()


def test_a_log_of_events_that_is_damaged_harms_nothing_else(
    used: Path, reference: InMemoryStore
) -> None:
    events_file(used).write_bytes(b"garbage " * 4096)
    store = SQLiteStore(used)
    events = store.tiers().events
    for ask in (lambda: events.append([QUESTION], keep=9), lambda: events.since(0), events.last):
        with pytest.raises(StoreCorrupt, match="events"):
            ask()
    (fault,) = [check for check in store.check() if not check.ok and check.part != "disk"]
    assert fault.part == "events"
    assert "move s.db.events away" in fault.fix
    same_answers(store, reference)
    assert len(store.tiers().quarantine.scan().offers) == 2
    store.close()
    events_file(used).unlink()
    store = SQLiteStore(used)
    assert store.tiers().events.append([QUESTION], keep=9)[0].id == 1
    store.close()


def test_an_event_that_cannot_be_read_is_found(used: Path) -> None:
    db = apsw.Connection(str(events_file(used)))
    db.execute("UPDATE events SET data = CAST(x'ff' AS TEXT)")
    db.close()
    store = SQLiteStore(used)
    (fault,) = [check for check in store.check() if not check.ok and check.part != "disk"]
    assert fault.finding == "1 of 1 events cannot be read: row 1"
    store.close()


def test_a_log_of_a_later_time_or_of_another_program_is_left_alone(used: Path) -> None:
    db = apsw.Connection(str(events_file(used)))
    db.pragma("user_version", 99)
    db.close()
    store = SQLiteStore(used)
    with pytest.raises(StoreTooNew, match="schema 99"):
        store.tiers().events.append([QUESTION], keep=9)
    store.close()
    db = apsw.Connection(str(events_file(used)))
    db.pragma("application_id", 7)
    db.close()
    store = SQLiteStore(used)
    with pytest.raises(StoreCorrupt, match="another program"):
        store.tiers().events.since(0)
    store.close()


def test_a_store_written_to_after_its_tiers_were_used_is_sound(used: Path) -> None:
    store = SQLiteStore(used)
    store.put([make_entry(make_memory("alpha 磁盘", "new"))])
    assert store.delete(["new"]) == [True]
    found = [check.part for check in store.check() if check.ok]
    assert {"quarantine", "working memory", "events"} <= set(found)
    store.close()
