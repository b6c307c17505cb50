"""The quantiser: needs a few thousand rows to train, so random programs do not reach it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bethink.stores.sqlite import large
from bethink.stores.sqlite.connection import connect
from bethink.stores.sqlite.spaces import spaces_of
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.sqlite.vector_tables import active_table
from bethink.stores.sqlite.vectors import Damaged, Outrun, VectorIndex
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.vocabulary import Vectors

DIMENSION = 32
MAKER = ToyEmbedder("clustered", DIMENSION)


@pytest.fixture(autouse=True)
def large_from_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "SIDECAR_FROM", 500)
    monkeypatch.setattr(large, "PQ_FROM", 1_000)
    monkeypatch.setattr(large, "SCANS_BEFORE_PQ", 0)
    monkeypatch.setattr(large, "BEHIND_AT_LEAST", 100)


def clustered(rows: int, seed: int) -> Vectors:
    """Vectors as texts have them: near others of their kind."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(7).standard_normal((40, DIMENSION))
    vectors = centres[chance.integers(0, 40, rows)] + 0.5 * chance.standard_normal(
        (rows, DIMENSION)
    )
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


class Space:
    """A store with its exact twin: a dictionary of vectors."""

    def __init__(self, path: Path) -> None:
        self.store = SQLiteStore(path)
        self.store.declare(MAKER.embedding)
        self.truth: dict[str, Vectors] = {}

    def add(self, rows: int, seed: int) -> None:
        vectors = clustered(rows, seed)
        ids = [f"{seed}-{number}" for number in range(rows)]
        self.store.put(
            [
                make_entry(make_memory(f"text {i}", i), vectors=vectors[at : at + 1])
                for at, i in enumerate(ids)
            ],
            fingerprint=MAKER.fingerprint,
        )
        self.truth.update(zip(ids, vectors, strict=True))

    def delete(self, ids: list[str]) -> None:
        self.store.delete(ids)
        for memory_id in ids:
            del self.truth[memory_id]

    def reopen(self) -> None:
        self.store.close()
        self.store = SQLiteStore(self.store.path)

    def recall_at_10(self) -> float:
        ids, matrix = list(self.truth), np.array(list(self.truth.values()))
        hits = 0
        questions = clustered(50, seed=999)
        for question in questions:
            found = self.store.search_meaning(
                question, fingerprint=MAKER.fingerprint, spaces=["global"], where=None, limit=10
            )
            assert len(found) == 10
            scores = matrix @ question
            for f in found:
                assert f.memory_id in self.truth
                assert f.score == pytest.approx(float(self.truth[f.memory_id] @ question), abs=1e-5)
            exact = {ids[at] for at in np.argsort(-scores)[:10]}
            hits += len(exact & {f.memory_id for f in found})
        return hits / (10 * len(questions))


def test_the_quantiser_finds_what_an_exact_search_finds(tmp_path: Path) -> None:
    space = Space(tmp_path / "s.db")
    folder = large.directory(space.store.path)
    space.add(3_000, seed=1)
    assert space.recall_at_10() == 1.0  # exact: nothing is on disk yet, or it is being made
    space.store.maintain()
    assert len(list(folder.glob("*.pq"))) == 1
    assert space.recall_at_10() >= 0.99

    space.add(250, seed=2)  # after the quantiser, in memory only
    assert space.recall_at_10() >= 0.99
    space.add(400, seed=3)
    space.store.maintain()  # appended to the file, encoded by the same quantiser
    assert space.recall_at_10() >= 0.99

    space.delete([f"1-{number}" for number in range(0, 3_000, 5)])
    assert space.recall_at_10() >= 0.99
    space.reopen()
    assert space.recall_at_10() >= 0.99
    space.store.maintain()
    assert len(list(folder.glob("*.pq"))) == 1
    assert space.recall_at_10() >= 0.99

    space.delete([f"1-{number}" for number in range(3_000) if number % 5 and number % 3])
    space.store.maintain()  # more than a third was dead: written anew
    assert space.recall_at_10() >= 0.99
    space.reopen()
    assert space.recall_at_10() >= 0.99
    assert all(check.ok for check in space.store.check())
    space.store.close()


def test_a_quantiser_never_outlives_what_it_was_made_of(tmp_path: Path) -> None:
    """It holds a likeness of every vector, of the forgotten too: it goes when one is forgotten."""
    space = Space(tmp_path / "s.db")
    folder = large.directory(space.store.path)
    space.add(1_500, seed=1)
    space.store.maintain()
    (first,) = folder.glob("*.pq")
    space.delete(["1-7"])
    assert not list(folder.glob("*.pq"))
    space.store.maintain()
    (second,) = folder.glob("*.pq")
    assert second.name != first.name
    space.add(300, seed=2)
    space.store.maintain()
    (third,) = folder.glob("*.pq")
    assert third.name != second.name
    assert space.recall_at_10() >= 0.99
    space.store.close()


def test_a_dimension_that_cannot_be_quantised_is_scanned(tmp_path: Path) -> None:
    odd = ToyEmbedder("odd", 31)
    store = SQLiteStore(tmp_path / "s.db")
    store.declare(odd.embedding)
    texts = [f"text {number}" for number in range(1_200)]
    store.put(
        [make_entry(make_memory(t, t.replace(" ", "-")), odd) for t in texts],
        fingerprint=odd.fingerprint,
    )
    store.maintain()
    folder = large.directory(store.path)
    assert list(folder.glob("*.f32"))
    assert not list(folder.glob("*.pq"))
    question = odd.embed(["text 7"])[0]
    for _ in range(3):
        found = store.search_meaning(
            question, fingerprint=odd.fingerprint, spaces=["global"], where=None, limit=1
        )
        assert found[0].memory_id == "text-7"
    store.close()


def test_a_search_that_is_overtaken_notices(tmp_path: Path) -> None:
    """Rows are overwritten in the mapped file under a search's hands; it must not believe them."""
    space = Space(tmp_path / "s.db")
    space.add(600, seed=1)
    space.store.maintain()
    reader = connect(space.store.path, read_only=True)
    reader.execute("BEGIN")
    table, row = active_table(reader), spaces_of(reader, ["global"])[0]
    assert table is not None
    folder = large.directory(space.store.path)
    index = VectorIndex(folder, table, row.id)
    before = index.at(reader, row.seq)
    question = space.truth["1-7"]
    assert before.search(question, 1)[0][0] == pytest.approx(1.0, abs=1e-5)

    space.delete(["1-7"])
    with pytest.raises(Damaged):
        before.search(question, 1)
    # the same snapshot can still be answered, from the rows
    renewed = VectorIndex(folder, table, row.id).at(reader, row.seq)
    assert renewed.search(question, 1)[0][0] == pytest.approx(1.0, abs=1e-5)
    reader.execute("ROLLBACK")
    reader.close()
    space.store.close()


def test_an_index_never_goes_back(tmp_path: Path) -> None:
    """What a newer snapshot has seen is not shown to an older one."""
    space = Space(tmp_path / "s.db")
    space.add(5, seed=1)
    older = connect(space.store.path, read_only=True)
    older.execute("BEGIN")
    table, then = active_table(older), spaces_of(older, ["global"])[0]
    assert table is not None
    space.add(5, seed=2)
    newer = connect(space.store.path, read_only=True)
    now = spaces_of(newer, ["global"])[0]
    index = VectorIndex(large.directory(space.store.path), table, now.id)
    assert len(index.at(newer, now.seq).search(space.truth["1-1"], 100)) == 10
    with pytest.raises(Outrun):
        index.at(older, then.seq)
    older.close()
    newer.close()
    space.store.close()
