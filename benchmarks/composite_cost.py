"""What does it cost to be followed, and to be asked through other engines?

Durable writes into one SQLite file: while nobody follows it, and while its changes are kept, by
turns. Then recalls, by turns: from the file itself, and from a composite with words in a second
file and meaning in a third; at last from the same composite while both are left alone after they
failed, so that the truth answers. All in one process: the engines are as near as engines can be.
Times are of the CPU, of all threads together; on a busy machine they say more.

    python -m benchmarks.composite_cost --rows 10k
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.corpus import Corpus, GivenVectors, Question
from benchmarks.ingest_speed import entries
from benchmarks.measure import arguments, filled, save, say, sizes, table, workplace

from bethink import Engine
from bethink.breaker import FAILURES
from bethink.settings import Settings
from bethink.stores.composite import Bounds, CompositeStore
from bethink.stores.protocol import Embedding, Store
from bethink.stores.retrievers import MEANING, WORDS
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.store_retriever import StoreRetriever
from bethink.vocabulary import Entry

_ROUNDS = 6
_BATCH = 64


def writing(path: Path, ready: Sequence[Entry], *, followed: bool) -> float:
    """Seconds of CPU for all of these."""
    store = SQLiteStore(path)
    assert ready[0].vectors is not None
    store.declare(Embedding("given", ready[0].vectors.shape[1], "given"))
    if followed:
        store.feed().follow("somebody")
    began = time.process_time()
    for start in range(0, len(ready), _BATCH):
        store.put(ready[start : start + _BATCH], fingerprint="given")
    spent = time.process_time() - began
    store.close()
    for file in path.parent.glob(f"{path.name}*"):
        if file.is_file():
            file.unlink()
    return spent


def recalls(store: Store, questions: Sequence[Question]) -> float:
    """Milliseconds of CPU for one."""
    engine = Engine(store, embedder=GivenVectors(), settings=Settings(keep_events=0))
    for question in questions[:20]:  # warm
        engine.recall(question.text, vector=question.vector, touch=False)
    began = time.process_time()
    for question in questions:
        engine.recall(question.text, vector=question.vector, touch=False)
    return (time.process_time() - began) / len(questions) * 1000


def composite(folder: Path, truth: Path) -> CompositeStore:
    store = CompositeStore(
        SQLiteStore(truth),
        [
            StoreRetriever(SQLiteStore(folder / "words.db"), name="words", finds=[WORDS]),
            StoreRetriever(SQLiteStore(folder / "meaning.db"), name="meaning", finds=[MEANING]),
        ],
        bounds=Bounds(following=600),
    )
    if not store.catch_up(3600):
        raise SystemExit("; ".join(store.shortcomings()))
    return store


def leave_alone(store: CompositeStore) -> None:
    """As if every engine had failed a few times, and will not live again in this run."""
    for follower in store._followers:
        for _ in range(FAILURES):
            follower.breaker.failed("switched off for this measurement")


def measure(folder: Path, corpus: Corpus, rows: int, count: int) -> dict[str, Any]:
    ready = entries(list(corpus.blocks(rows)))
    plain, followed = [], []
    for number in range(_ROUNDS):
        plain.append(writing(folder / "w.db", ready, followed=False))
        followed.append(writing(folder / "w.db", ready, followed=True))
        say(f"writing {number + 1}: {plain[-1]:.2f} s, followed {followed[-1]:.2f} s")
    truth = filled(folder / "truth.db", corpus, rows)
    began = time.perf_counter()
    store = composite(folder, truth)
    say(f"both engines made in {time.perf_counter() - began:.1f} s")
    questions = corpus.questions(count, rows)
    alone = SQLiteStore(truth)
    itself, others = [], []
    for number in range(_ROUNDS):
        itself.append(recalls(alone, questions))
        others.append(recalls(store, questions))
        say(f"recalls {number + 1}: {itself[-1]:.2f} ms, composite {others[-1]:.2f} ms")
    leave_alone(store)
    left = [recalls(store, questions) for _ in range(_ROUNDS)]
    alone.close()
    store.close()
    return {
        "rows": rows,
        "write_s": round(median(plain), 3),
        "followed_s": round(median(followed), 3),
        "recall_ms": round(median(itself), 2),
        "composite_ms": round(median(others), 2),
        "left_alone_ms": round(median(left), 2),
    }


def main() -> None:
    given = arguments(__doc__, rows="10k").parse_args()
    corpus = Corpus(given.seed)
    found: list[dict[str, Any]] = []
    for rows in sizes(given.rows):
        with workplace() as folder:
            found.append(measure(folder, corpus, rows, given.questions))
    print(table(list(found[0]), [list(figures.values()) for figures in found]))
    save(given.out, "composite_cost", {"sizes": found})


if __name__ == "__main__":
    main()
