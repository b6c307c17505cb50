"""Where a filter starts: at what few have, missing nothing."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from bethink.filters import matches
from bethink.stores.sqlite.spaces import spaces_of
from bethink.stores.sqlite.starts import best_start, passing, start
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_memory
from bethink.testing.filter_cases import FILTERS, filter_memories
from tests.contract.sqlite_filters.asking import MORE, connect, parsed, put


def test_a_start_misses_nothing(store: SQLiteStore) -> None:
    memories = filter_memories()
    put(store, *memories, *(replace(m, id=f"o-{m.id}", space="other") for m in memories))
    started = 0
    with closing(connect(store)) as reader:
        (space,) = spaces_of(reader, ["global"])
        rows: dict[str, int] = dict(reader.execute("SELECT id, row FROM memories"))
        for where in [*map(parsed, FILTERS), *MORE]:
            expected = {rows[m.id] for m in memories if matches(m, where)}
            for one in start(where, [space.id]):
                started += 1
                found = [row for (row,) in reader.execute(one.sql, one.bindings)]
                assert len(found) == len(set(found))
                assert expected <= set(found)
                if one.exact:
                    assert expected == {row for row in found if row in set(map(rows.get, ids))}
            assert len(passing(reader, space, where)) == len(expected)
    assert started > 30


ids = [memory.id for memory in filter_memories()]


def test_what_few_have_is_looked_up_and_what_most_have_is_not(store: SQLiteStore) -> None:
    put(store, *(make_memory(f"common {n}", f"m{n}", tags=("all",)) for n in range(50)))
    put(store, make_memory("common", "x", tags=("all", "一"), kind="决定", source="s", section="§"))
    put(store, make_memory("common", "y", metadata={"作者": "李", "long": "长" * 129, "n": 1}))
    with closing(connect(store)) as reader:
        spaces = spaces_of(reader, ["global"])
        for few in (
            {"tags": "一"}, {"kind": "决定"}, {"source": "s"}, {"section": "§"}, {"id": "y"},
            {"metadata.作者": "李"}, {"or": [{"tags": "一"}, {"kind": {"in": ["决定", "x"]}}]},
            {"tags": "all", "kind": "决定", "confidence": {">": 0}},
        ):  # fmt: skip
            assert best_start(reader, parsed(few), spaces) is not None, few
        for many in (
            {"tags": "all"}, {"kind": "note"}, {"source": ""}, {"confidence": {">": 0}},
            {"not": {"tags": "一"}}, {"or": [{"tags": "一"}, {"confidence": 1}]},
            {"metadata.long": "长" * 129}, {"metadata.n": 1},
        ):  # fmt: skip
            assert best_start(reader, parsed(many), spaces) is None, many
