"""Files and processes from before filters had where to start."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from bethink.filters import matches
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_memory
from bethink.testing.filter_cases import FILTERS, filter_memories
from tests.contract.sqlite_filters.asking import ASKS, by_meaning, parsed, put
from tests.stores.sqlite.golden import unpack


@pytest.fixture
def old(quick_path: Path) -> Path:
    """As it was before filters had where to start."""
    return unpack("schema-2-filters.db", quick_path)


@pytest.mark.parametrize("read_only", [False, True])
def test_an_old_file_answers_the_same(old: Path, read_only: bool) -> None:
    memories = filter_memories()
    with closing(SQLiteStore(old, read_only=read_only)) as store:
        for where in map(parsed, FILTERS):
            expected = {memory.id for memory in memories if matches(memory, where)}
            assert {memory.id for memory in store.scan(where=where).memories} == expected
            for ask in ASKS:
                assert set(ask(store, where)) == expected
        assert all(check.ok for check in store.check() if check.part != "disk")


def test_damaged_metadata_does_not_keep_an_old_file_from_being_opened(old: Path) -> None:
    with closing(apsw.Connection(str(old))) as connection:
        connection.execute("""UPDATE memories SET metadata = '{"author": ' WHERE id = 'v0'""")
    with closing(SQLiteStore(old)) as store:
        found = {memory.id for memory in store.scan(where=parsed({"kind": "task"})).memories}
    assert found == {"m3"}


def test_a_process_of_an_older_version_is_heard_too(store: SQLiteStore) -> None:
    """It knows neither the index of metadata nor the note that a memory was amended."""
    put(store, make_memory("common", "a", kind="task", metadata={"author": "Li"}))
    kinds, told = parsed({"kind": "task"}), parsed({"metadata.author": "李"})
    assert (by_meaning(store, kinds), by_meaning(store, told)) == (["a"], [])
    with closing(apsw.Connection(str(store.path))) as connection:
        connection.execute(
            "BEGIN; UPDATE memories SET kind = 'note', metadata = ? WHERE id = 'a'; "
            "UPDATE spaces SET seq = seq + 1; COMMIT",
            ('{"author":"李"}',),
        )
    assert (by_meaning(store, kinds), by_meaning(store, told)) == ([], ["a"])
