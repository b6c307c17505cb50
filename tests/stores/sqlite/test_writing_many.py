"""Many rows at once are the same as one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.sqlite.connection import insert_rows
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing.entries import ToyEmbedder, make_entry, make_memory
from bethink.vocabulary import Entry

TOY = ToyEmbedder()
SPACES = ("global", "项目")


@pytest.mark.parametrize("width", [1, 2, 20])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("count", [0, 1, 284, 285, 286, 571, 5_000])
def test_every_row_arrives_in_order(width: int, whole: bool, count: int) -> None:
    connection = apsw.Connection(":memory:")
    columns = ", ".join(f"c{n}" for n in range(width))
    connection.execute(f"CREATE TABLE t ({columns})")
    rows = [tuple(f"预算 {row} {column}" for column in range(width)) for row in range(count)]
    insert_rows(connection, "t", iter(rows), whole=whole)
    assert list(connection.execute("SELECT * FROM t ORDER BY rowid")) == rows


def entries() -> list[Entry]:
    """Of two spaces by turns, with one passage or three, every fifth without vectors."""
    made: list[Entry] = []
    for number in range(700):
        text = f"budget {number}\n第 {number} 行\nthird" if number % 3 else f"预算 {number}"
        memory = make_memory(
            text,
            f"m{number}",
            space=SPACES[number % 2],
            tags=("甲", "b") if number % 7 == 0 else (),
            entities=("小美",) if number % 11 == 0 else (),
            metadata={"n": number, "城": "北京"} if number % 13 == 0 else {},
        )
        made.append(make_entry(memory, TOY if number % 5 else None))
    return made


def held(path: Path, batches: Sequence[Sequence[Entry]]) -> dict[str, list[Any]]:
    """What the tables hold after these were put."""
    store = SQLiteStore(path)
    store.declare(TOY.embedding)
    for batch in batches:
        store.put(batch, fingerprint=TOY.fingerprint)
    store.close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = {
        "memories": "*",
        "passages": "*",
        "labels": "*",
        "metadata_values": "*",
        "vectors_1": "pid, space, data",  # the change number is drawn by lot
        "words_1": "rowid, terms",
        "words_2": "rowid, terms",
        "spaces": "id, name, memories, passages",
        "embedded": "*",
    }
    return {
        table: sorted(connection.execute(f"SELECT {columns} FROM {table}"))
        for table, columns in tables.items()
    }


def test_a_batch_leaves_what_single_writes_leave(tmp_path: Path) -> None:
    every = entries()
    at_once = held(tmp_path / "at_once.db", [every])
    singly = held(tmp_path / "singly.db", [[entry] for entry in every])
    assert at_once == singly
    assert len(at_once["memories"]) == 700
    cut = [(entry, part) for entry in every for part in entry.passages]
    assert at_once["vectors_1"] == [
        (pid, SPACES.index(entry.memory.space) + 1, TOY.embed([text])[0].tobytes())
        for pid, (entry, part) in enumerate(cut, start=1)
        if entry.vectors is not None
        for text in [entry.memory.text[part.start : part.end]]
    ]


TELLING = st.tuples(
    st.integers(0, 5),  # id
    st.sampled_from(["预算", "budget", "预算 budget"]),
    st.sampled_from(SPACES),
    st.booleans(),  # may be counted with another
)


@given(st.lists(st.lists(TELLING, max_size=8), max_size=4))
def test_the_same_words_in_one_batch_are_counted_as_the_reference_does(
    programme: list[list[tuple[int, str, str, bool]]],
) -> None:
    """An id is never told twice with other words here: that is refused, and tested elsewhere."""
    with TemporaryDirectory() as folder:
        embedded, reference = SQLiteStore(Path(folder) / "s.db"), InMemoryStore()
        taken: dict[str, tuple[str, str]] = {}
        for batch in programme:
            told: list[Entry] = []
            for number, text, space, merge in batch:
                memory_id = f"m{number}"
                if taken.setdefault(memory_id, (text, space)) == (text, space):
                    memory = make_memory(text, memory_id, space=space)
                    told.append(make_entry(memory, merge=merge))
            assert embedded.put(told) == reference.put(told)
            ids = [f"m{n}" for n in range(6)]
            assert embedded.get(ids) == reference.get(ids)
        embedded.close()
