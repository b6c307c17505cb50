"""Filters of the embedded store: where they start, what is kept of them, who changes it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from recollect.clock import to_micros
from recollect.filters import All, Condition, Filter, Not, PartOf, ValidAt, matches, parse_filter
from recollect.stores.sqlite import chosen, large, schema, vectors
from recollect.stores.sqlite.chosen import Chosen
from recollect.stores.sqlite.spaces import spaces_of
from recollect.stores.sqlite.starts import best_start, passing, start
from recollect.stores.sqlite.store import SQLiteStore
from recollect.testing import ToyEmbedder, make_entry, make_memory
from recollect.testing.entries import NOON
from recollect.testing.filter_cases import FILTERS, filter_memories
from recollect.vocabulary import Memory
from tests.contract.children import in_child

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


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "large":
        monkeypatch.setattr(large, "SIDECAR_FROM", 2)
        monkeypatch.setattr(large, "POSTINGS_FROM", 2)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 1)


@pytest.fixture
def store(quick_path: Path) -> Iterator[SQLiteStore]:
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        store.declare(TOY.embedding)
        yield store


MORE: list[Filter] = [
    PartOf(("m1", "v3", "记忆-2")),
    Not(PartOf(("m1", "doc"))),
    All((ValidAt(to_micros(NOON)), Not(PartOf(("doc",))), parsed({"tags": {"!=": "db"}}))),
    All((parsed({"tags": {"in": ["db", "数据库"]}}), parsed({"metadata.author": {"!=": "Li"}}))),
    Not(Not(parsed({"kind": "决定"}))),
]


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


def connect(store: SQLiteStore) -> apsw.Connection:
    """With a snapshot of now."""
    connection = apsw.Connection(str(store.path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("BEGIN")
    next(connection.execute("SELECT count(*) FROM spaces"))  # only now it is taken
    return connection


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


# Where it starts


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


# Old files


@pytest.fixture
def old(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As it was before filters had where to start."""
    with monkeypatch.context() as before:
        before.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:2])
        with closing(SQLiteStore(quick_path / "old.db")) as store:
            store.declare(TOY.embedding)
            put(store, *filter_memories())
    return store.path


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


# What is left out


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.usefixtures("size")
def test_what_is_withheld_takes_no_place(
    store: SQLiteStore, ask: Callable[[SQLiteStore, Filter, int], list[str]]
) -> None:
    """However much of what would come first is withheld, as many others are found."""
    put(store, *(make_memory("common", f"doc.{n:05d}") for n in range(200)))
    put(store, *(make_memory(f"common and so much else that it comes last {n}", f"m{n}")
                 for n in range(30)))  # fmt: skip
    found = ask(store, Not(PartOf(("doc",))), 20)
    assert len(found) == 20
    assert all(one.startswith("m") for one in found)
    assert len(ask(store, Not(PartOf(("doc",))), 50)) == 30


@pytest.mark.parametrize("gathered", [0, 20_000])
def test_a_quantiser_finds_what_is_left(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch, gathered: int
) -> None:
    for name, value in (("SIDECAR_FROM", 500), ("PQ_FROM", 1_000), ("SCANS_BEFORE_PQ", 0)):
        monkeypatch.setattr(large, name, value)
    monkeypatch.setattr(vectors, "_GATHER_AT_MOST", gathered)
    maker = ToyEmbedder("toy", 32)
    memories = [
        make_memory(f"text {n}", f"m{n}", tags=("most",) if n % 10 else ("few",))
        for n in range(2_000)
    ]
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        store.declare(maker.embedding)
        entries = [make_entry(memory, maker) for memory in memories]
        store.put(entries, fingerprint=maker.fingerprint)
        store.maintain()
        matrix = np.concatenate([entry.vectors for entry in entries if entry.vectors is not None])
        for where in ({"tags": {"!=": "most"}}, {"tags": {"!=": "few"}}):
            usable = [n for n, m in enumerate(memories) if matches(m, parsed(where))]
            hits = 0
            for number in range(20):
                question = maker.embed([f"question {number}"])[0]
                found = store.search_meaning(
                    question,
                    fingerprint=maker.fingerprint,
                    spaces=["global"],
                    where=parsed(where),
                    limit=10,
                )
                assert len(found) == 10
                best = np.argsort(-(matrix[usable] @ question))[:10]
                hits += len({f"m{usable[at]}" for at in best} & {one.memory_id for one in found})
            assert hits >= 0.97 * 200


def test_a_quantiser_that_finds_only_what_is_withheld_is_no_help(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SIDECAR_FROM", 500), ("PQ_FROM", 1_000), ("SCANS_BEFORE_PQ", 0)):
        monkeypatch.setattr(large, name, value)
    monkeypatch.setattr(vectors, "_GATHER_AT_MOST", 0)
    maker = ToyEmbedder("toy", 32)
    question = maker.embed(["question"])[0]
    dice = np.random.default_rng(1)
    near = question + 0.05 * dice.standard_normal((600, 32)).astype(np.float32)
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        store.declare(maker.embedding)
        entries = [make_entry(make_memory(f"text {n}", f"m{n}"), maker) for n in range(1_400)]
        entries += [
            make_entry(make_memory(f"near {n}", f"doc.{n:05d}"), vectors=near[n : n + 1])
            for n in range(len(near))
        ]
        store.put(entries, fingerprint=maker.fingerprint)
        store.maintain()
        found = store.search_meaning(
            question,
            fingerprint=maker.fingerprint,
            spaces=["global"],
            where=Not(PartOf(("doc",))),
            limit=10,
        )
        assert len(found) == 10
        assert all(one.memory_id.startswith("m") for one in found)


# What is forgotten


def test_many_that_go_at_once_leave_no_word(quick_path: Path) -> None:
    """The lists of words are written anew, which takes less than to cut each out of them."""
    # words that begin alike are kept without their beginnings
    canaries = [blake2b(str(n).encode(), digest_size=12).hexdigest() for n in range(40)]
    gone = [make_memory(f"common {word} 貔{n}貅 gone", f"g{n}") for n, word in enumerate(canaries)]
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        for n, memory in enumerate(gone):
            store.put([make_entry(memory), make_entry(make_memory(f"common {n} stays", f"k{n}"))])
        assert all(store.delete([memory.id for memory in gone]))
        assert store.finish_erasing([memory.text for memory in gone])
        assert len(store.search_words(["common"], spaces=["global"], where=None, limit=99)) == 40
        assert store.search_words(["gone"], spaces=["global"], where=None, limit=99) == []
        store.delete(["k0"])  # and from then on one by one, as carefully as before
        assert all(check.ok for check in store.check() if check.part != "disk")
    data = b"".join(file.read_bytes() for file in quick_path.iterdir())
    for word in canaries:
        assert word[6:].encode() not in data
    assert "貔".encode() not in data
    with closing(apsw.Connection(str(quick_path / "s.db"))) as connection:
        (space,) = spaces_of(connection, ["global"])
        sql = f"SELECT v FROM words_{space.id}_config WHERE k = 'secure-delete'"
        assert connection.execute(sql).get == 1
