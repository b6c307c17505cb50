"""Out and back in again without loss."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import InvalidInput, UnknownSpace
from bethink.testing import FakeClock
from tests.embedders_of_tests import Letters

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
LABEL = TEXT.filter(lambda text: bool(text.strip()))
LABELS = st.lists(LABEL, max_size=4, unique=True)
MOMENT = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)) | st.just(
    datetime(2026, 5, 1, 14, 30, tzinfo=UTC)
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
OBJECT = st.dictionaries(TEXT, JSON, max_size=4)
COUNT = st.integers(0, 2**53)
OPTIONAL = {
    "kind": LABEL, "section": TEXT, "tags": LABELS, "entities": LABELS, "source": TEXT,
    "provenance": OBJECT, "confidence": st.floats(0, 1), "occurred_at": MOMENT,
    "metadata": OBJECT, "reinforcement": COUNT, "access_count": COUNT,
}  # fmt: skip
MEMORY = st.fixed_dictionaries(
    {"text": LABEL},
    optional={**OPTIONAL, "created_at": MOMENT, "updated_at": MOMENT,
              "space": st.sampled_from(["global", "工作", "home"])},
)  # fmt: skip
CHANGE = st.fixed_dictionaries({}, optional={"text": LABEL, **OPTIONAL}).filter(bool)


@given(st.lists(st.tuples(MEMORY, st.lists(CHANGE, max_size=2)), max_size=4))
@settings(deadline=None, max_examples=60)
def test_nothing_is_lost(story: list[tuple[dict[str, Any], list[dict[str, Any]]]]) -> None:
    clock = FakeClock()
    with Engine.in_memory(embedder="none", clock=clock) as old:
        for told, changes in story:
            receipt = old.remember_many([told])[0]
            for change in changes:
                clock.advance(hours=1)
                old.revise(receipt.id, **change)
        records = [json.loads(json.dumps(record)) for record in old.export()]
        with Engine.in_memory(embedder="none", clock=clock) as new:
            fates = new.import_many(records)
            assert fates.total() == fates["created"] == len(records)
            assert list(new.export()) == records
            for space in {record["space"] for record in records}:
                mine, theirs = (
                    e.list(spaces=space, newest_first=False, limit=1_000).memories
                    for e in (old, new)
                )
                assert mine == theirs
                assert [old.history(m.id) for m in mine] == [new.history(m.id) for m in theirs]
            assert new.import_many(records)["unchanged"] == len(records)
            assert list(new.export()) == records


def test_sqlite_to_sqlite(tmp_path: Path) -> None:
    clock = FakeClock()
    with Engine(tmp_path / "a.db", embedder=Letters(), clock=clock) as old:
        old.remember_many(
            [
                {"text": f"fact {n} 事实", "space": "工作" if n % 3 else "global", "id": f"m{n}"}
                for n in range(1_100)
            ]
        )
        clock.advance(days=1)
        old.revise("m5", text="第五个事实变了", tags=["变"])
        old.recall("fact 7", spaces="工作")
        records = list(old.export())
        only = list(old.export(spaces="工作"))
    assert len(records) == 1_100
    assert {r["space"] for r in only} == {"工作"}
    assert [len(r.get("history", [])) for r in records if r["id"] == "m5"] == [1]
    with Engine(tmp_path / "b.db", embedder=Letters(), clock=clock) as new:
        seen: list[tuple[int, int | None]] = []
        new.import_many(iter(records), progress=lambda done, total: seen.append((done, total)))
        assert seen == [(1_100, None)]
        assert list(new.export()) == records
        assert new.status().pending == 0
        assert new.recall("第五个事实", spaces="工作").hits[0].id == "m5"
        assert new.history("m5")[0].memory.text == "fact 5 事实"


def test_what_is_here_stays() -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("Mei prefers dark mode", id="m1")
        records = list(engine.export())
        engine.reinforce("m1")
        assert engine.import_many(records) == {"unchanged": 1}
        memory = engine.get("m1")
        assert memory is not None
        assert memory.reinforcement == 1
        engine.revise("m1", text="小美喜欢深色主题")
        fates = engine.import_many([{"text": "new"}, *records, {"text": "新的"}])
        assert fates == {"created": 2, "conflict": 1}
        changed = engine.get("m1")
        assert changed is not None
        assert changed.text == "小美喜欢深色主题"


def test_records_without_ids_merge() -> None:
    with Engine.in_memory(embedder="none") as engine:
        record = {"text": "小美喜欢深色主题"}
        assert engine.import_many([record, record]) == {"created": 1, "reinforced": 1}


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ("text", "record 2: expected an object, got str"),
        ({}, "record 2: a memory needs a 'text'"),
        ({"text": "x", "colour": 1}, "record 2: unknown field 'colour'"),
        ({"text": "x", "history": "y"}, "record 2: 'history' must be a list"),
        ({"text": "x", "history": 5}, "record 2: 'history' must be a list"),
        ({"text": "x", "history": ["y"]}, "record 2: a former form needs its fields"),
        ({"text": "x", "history": [{"text": "y"}]}, "needs its fields and 'replaced_at'"),
        ({"text": "x", "history": [{"text": "y", "replaced_at": "soon"}]}, "replaced_at: 'soon'"),
        ({"text": "x", "history": [{"replaced_at": "2026-01-01"}]}, "needs a 'text'"),
    ],
)
def test_bad_records_are_named(record: Any, says: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        with pytest.raises(InvalidInput) as caught:
            engine.import_many([{"text": "fine"}, record])
        assert says in str(caught.value)
        assert engine.status().memories == 0


def test_an_unknown_space_is_not_an_empty_export() -> None:
    with Engine.in_memory(embedder="none") as engine, pytest.raises(UnknownSpace):
        list(engine.export(spaces="nowhere"))


def test_a_failing_embedder_loses_nothing_on_the_way_in() -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters) as engine:
        engine.remember("all is well")
        letters.fails = True
        assert engine.import_many([{"text": "dark mode"}, {"text": "深色"}]) == {"created": 2}
        assert len(engine.recall("深色").hits) == 1
        letters.fails = False
        engine.remember("one more")
        assert engine.status().pending == 0
