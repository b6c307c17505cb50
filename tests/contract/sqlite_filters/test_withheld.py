"""What a filter leaves out takes nobody's place, with a quantiser too."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from bethink.filters import Filter, Not, PartOf, matches
from bethink.stores.sqlite import large, vectors
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from tests.contract.sqlite_filters.asking import ASKS, parsed, put


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
