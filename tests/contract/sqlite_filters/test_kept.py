"""What is kept of a filter follows every change, whoever makes it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from bethink.filters import Condition, matches
from bethink.stores.sqlite import chosen
from bethink.stores.sqlite.chosen import Chosen
from bethink.stores.sqlite.spaces import spaces_of
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_memory
from bethink.testing.filter_cases import FILTERS, filter_memories
from tests.contract.children import in_child
from tests.contract.sqlite_filters.asking import (
    ASKS,
    EVERYTHING,
    MORE,
    by_meaning,
    connect,
    parsed,
    put,
    revise,
)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("seed", range(4))
def test_what_is_kept_of_a_filter_follows_every_change(store: SQLiteStore, seed: int) -> None:
    """Told, revised and forgotten here and by somebody else; asked again and again by one."""
    dice = random.Random(seed)
    every = [*map(parsed, FILTERS), *MORE]
    filters = [*dice.sample(every, 12), *MORE]
    pattern = filter_memories()
    put(store, *pattern, make_memory("common card\nof two", "doc", kind="document"))
    with closing(SQLiteStore(store.path)) as other:
        for number in range(40):
            writer = dice.choice([store, other])
            memories = other.scan(limit=EVERYTHING).memories
            one, like = dice.choice(memories), dice.choice(pattern)
            change = dice.choice(["put", "part", "amend", "reword", "count", "delete", "space"])
            if change == "put":
                put(writer, replace(like, id=f"n{number}", text=f"common new {number}"))
            elif change == "part":
                put(writer, replace(like, id=f"doc.{number:05d}", text=f"common 部分 {number}"))
            elif change == "amend":
                revise(writer, replace(like, id=one.id, text=one.text, kind=like.kind))
            elif change == "reword":
                revise(writer, replace(one, text=f"common {number}\ncommon again", tags=like.tags))
            elif change == "count":
                writer.touch(accessed={one.id: 3}, reinforced={one.id: 1})
            elif change == "delete":
                writer.delete([one.id])
            else:
                put(writer, replace(like, id=f"o{number}", space="other", text=f"common {number}"))
            held = other.scan(spaces=["global"], limit=EVERYTHING).memories
            for where in dice.sample(filters, 6):
                expected = {memory.id for memory in held if matches(memory, where)}
                for ask in ASKS:
                    assert set(ask(store, where)) == expected, (change, where)


def test_many_changes_make_a_set_anew(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen, "_MOST_CHANGES", 3)
    where = parsed({"tags": "db"})
    put(store, make_memory("common", "a", tags=("db",)))
    assert by_meaning(store, where) == ["a"]
    put(store, *(make_memory("common", f"b{n}", tags=("db",)) for n in range(9)))
    store.delete(["a"])
    assert len(by_meaning(store, where)) == 9


def test_little_is_kept(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for longest ago goes, and is found again."""
    monkeypatch.setattr(chosen, "_MOST_SETS", 2)
    monkeypatch.setattr(chosen, "_MOST_BYTES", 16)
    put(
        store, *(make_memory("common", f"{n}-{m}", tags=(f"t{n}",)) for n in range(5) for m in "ab")
    )
    for _ in range(2):
        for number in range(5):
            where = parsed({"tags": f"t{number}"})
            assert sorted(by_meaning(store, where)) == [f"{number}-a", f"{number}-b"]


def test_true_is_not_one_in_what_is_kept(store: SQLiteStore) -> None:
    values = {"true": True, "one": 1, "float": 1.0, "text": "1", "word": "true"}
    put(store, *(make_memory("common", i, metadata={"k": v}) for i, v in values.items()))
    for _ in range(2):
        for value, expected in (
            (True, {"true"}), (1, {"one", "float"}), ("1", {"text"}), ("true", {"word"}),
        ):  # fmt: skip
            for where in (
                Condition("metadata", "k", "=", value),
                Condition("metadata", "k", "in", (value, value)),
            ):
                assert set(by_meaning(store, where)) == expected
                assert {m.id for m in store.scan(where=where).memories} == expected


def test_an_older_snapshot_gets_its_own_answer(store: SQLiteStore) -> None:
    """Two questions at once, one of them from before a write that the other has seen."""
    put(store, make_memory("common", "a", tags=("db",)))
    kept, where = Chosen(), parsed({"tags": "db"})
    with ExitStack() as readers:
        early = readers.enter_context(closing(connect(store)))
        before = spaces_of(early, ["global"])[0]
        revise(store, make_memory("common", "a"))
        put(store, make_memory("common", "b", tags=("db",)))
        late = readers.enter_context(closing(connect(store)))
        after = spaces_of(late, ["global"])[0]
        assert kept.passing(late, after, where).tolist() == [2]
        assert kept.passing(early, before, where).tolist() == [1]
        assert kept.passing(late, after, where).tolist() == [2]


def _amended_elsewhere(path: Path) -> Iterator[str]:
    with closing(SQLiteStore(path)) as store:
        revise(store, make_memory("common", "a", tags=("数据库",), metadata={"author": "李雷"}))
        put(store, make_memory("common", "b", metadata={"author": "Li"}))
        yield "done"


def test_another_process_is_heard(store: SQLiteStore) -> None:
    put(store, make_memory("common", "a", tags=("db",), metadata={"author": "Li"}))
    tagged, told = parsed({"tags": "db"}), parsed({"metadata.author": "Li"})
    assert by_meaning(store, tagged) == by_meaning(store, told) == ["a"]
    assert in_child(_amended_elsewhere, store.path) == ["done"]
    assert by_meaning(store, tagged) == []
    assert by_meaning(store, told) == ["b"]
    assert by_meaning(store, parsed({"metadata.author": "李雷"})) == ["a"]
