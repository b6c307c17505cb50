"""Bethink against `chromadb` and a plain `sqlite-vec` + FTS5 loop: same rows, one run.

- bethink: `Engine.recall` (words + meaning + fuse + hydrate + budget) and its vector leg alone;
- chromadb: dense only, its defaults, persistent client;
- sqlite-vec: a `vec0` table with cosine distance and an FTS5 table of the same terms, fused by
  reciprocal ranks in Python: the loop that one writes first. Its texts are fetched too.

    python -m benchmarks.against_others --rows 100k
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

os.environ["ANONYMIZED_TELEMETRY"] = "False"

import apsw
import numpy as np
from benchmarks.corpus import DIMENSION, Corpus, Question, exact_nearest
from benchmarks.measure import (
    arguments,
    filled,
    open_engine,
    recall_at_10,
    row_id,
    save,
    say,
    side_by_side,
    sizes,
    table,
    verdict,
    workplace,
)

from bethink.stores.sqlite.words import question as match
from bethink.text.tokenise import joined_terms, query_terms

_CANDIDATES = 50
_SHOWN = 10

_DENSE = ("bethink, vector leg", "sqlite-vec alone", "chromadb, dense only")

Finder = Callable[[Question], Sequence[str]]


def bethink_ways(
    path: Path, corpus: Corpus, rows: int, opened: ExitStack
) -> Iterator[tuple[str, float, Finder]]:
    kept = path.exists()
    began = time.perf_counter()
    filled(path, corpus, rows)
    ingest = float("nan") if kept else time.perf_counter() - began
    engine, embedder = open_engine(path)
    opened.callback(engine.close)

    def meaning(question: Question) -> list[str]:
        found = engine.store.search_meaning(
            question.vector,
            fingerprint=embedder.fingerprint,
            spaces=["global"],
            where=None,
            limit=_SHOWN,
        )
        return [one.memory_id for one in found]

    def recall(question: Question) -> list[str]:
        answer = engine.recall(question.text, vector=question.vector, touch=False)
        return [hit.id for hit in answer.hits]

    yield "bethink, vector leg", ingest, meaning
    yield "bethink, whole recall", ingest, recall


def chroma_way(path: Path, corpus: Corpus, rows: int) -> Iterator[tuple[str, float, Finder]]:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(path), settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection("rows", metadata={"hnsw:space": "cosine"})
    began = time.perf_counter()
    most = client.get_max_batch_size()
    for block in corpus.blocks(rows):
        for start in range(0, len(block.texts), most):
            some = slice(start, start + most)
            numbers = range(block.start, block.start + len(block.texts))[some]
            collection.add(
                ids=[row_id(n) for n in numbers],
                embeddings=block.vectors[some],
                documents=block.texts[some],
            )
        if block.start % (8 * len(block.texts)) == 0:
            say(f"  chromadb: {block.start + len(block.texts):,} rows")
    ingest = time.perf_counter() - began

    def nearest(question: Question) -> list[str]:
        answer = collection.query(query_embeddings=question.vector[None, :], n_results=_SHOWN)
        return list(answer["ids"][0])

    yield "chromadb, dense only", ingest, nearest


def plain_way(
    path: Path, corpus: Corpus, rows: int, opened: ExitStack
) -> Iterator[tuple[str, float, Finder]]:
    import sqlite_vec

    connection = apsw.Connection(str(path))
    opened.callback(connection.close)
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    for statement in (
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=FULL",
        "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)",
        f"CREATE VIRTUAL TABLE near USING vec0(v float[{DIMENSION}] distance_metric=cosine)",
        "CREATE VIRTUAL TABLE words USING fts5(terms, content='', tokenize='ascii')",
    ):
        connection.execute(statement)
    began = time.perf_counter()
    for block in corpus.blocks(rows):
        numbered = list(enumerate(block.texts, start=block.start))
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO texts VALUES (?, ?)", numbered)
        connection.executemany(
            "INSERT INTO words(rowid, terms) VALUES (?, ?)",
            ((n, joined_terms(text)) for n, text in numbered),
        )
        connection.executemany(
            "INSERT INTO near(rowid, v) VALUES (?, ?)",
            ((n, v.tobytes()) for (n, _), v in zip(numbered, block.vectors, strict=True)),
        )
        connection.execute("COMMIT")
    ingest = time.perf_counter() - began

    def by_vector(question: Question, limit: int) -> list[int]:
        return [
            number
            for (number,) in connection.execute(
                "SELECT rowid FROM near WHERE v MATCH ? AND k = ? ORDER BY distance",
                (question.vector.astype(np.float32).tobytes(), limit),
            )
        ]

    def fused(question: Question) -> list[str]:
        by_words = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
            (match(query_terms(question.text)), _CANDIDATES),
        )
        scores: dict[int, float] = {}
        for found in (by_vector(question, _CANDIDATES), [n for (n,) in by_words]):
            for rank, number in enumerate(found):
                scores[number] = scores.get(number, 0.0) + 1 / (61 + rank)
        best = sorted(scores, key=lambda n: -scores[n])[:_SHOWN]
        texts = [connection.execute("SELECT text FROM texts WHERE id = ?", (n,)).get for n in best]
        assert all(texts)
        return [row_id(n) for n in best]

    yield "sqlite-vec alone", ingest, lambda q: [row_id(n) for n in by_vector(q, _SHOWN)]
    yield "sqlite-vec + FTS5 + RRF", ingest, fused


def measure(corpus: Corpus, rows: int, count: int, keep: Path | None) -> dict[str, Any]:
    questions = corpus.questions(count, rows)
    vectors = np.stack([q.vector for q in questions])
    say("the exact answer")
    nearest = exact_nearest(corpus.matrix(rows), vectors, 10).tolist()
    exact = [[row_id(n) for n in row] for row in nearest]
    ways: dict[str, Finder] = {}
    ingests: dict[str, float] = {}
    with workplace() as folder, ExitStack() as opened:
        store = (keep or folder) / f"{rows}.db"
        for makers in (
            bethink_ways(store, corpus, rows, opened),
            plain_way(folder / "plain.db", corpus, rows, opened),
            chroma_way(folder / "chroma", corpus, rows),
        ):
            for name, ingest, find in makers:
                ways[name], ingests[name] = find, ingest
        say("asking all by turns")
        figures: dict[str, dict[str, Any]] = {
            name: dict(times.figures()) for name, times in side_by_side(ways, questions).items()
        }
        for name, find in ways.items():
            figures[name]["ingest_s"] = round(ingests[name], 1)
            if name in _DENSE:
                found = [find(q) for q in questions]
                figures[name]["recall_at_10"] = round(recall_at_10(found, exact), 4)
    return {"rows": rows, "ways": figures}


def show(one: dict[str, Any]) -> None:
    ways = one["ways"]
    leg, whole = ways["bethink, vector leg"], ways["bethink, whole recall"]
    ours = {"sqlite-vec + FTS5 + RRF": whole, "bethink, whole recall": whole}
    rows = []
    for name, figures in ways.items():
        ratio = figures["p50_ms"] / ours.get(name, leg)["p50_ms"]
        rows.append([
            name, figures["p50_ms"], figures["p95_ms"], figures["cpu_ms"], f"{ratio:.1f}×",
            figures.get("recall_at_10", "–"), figures["ingest_s"],
        ])  # fmt: skip
    headings = [
        "way",
        "p50 ms",
        "p95 ms",
        "CPU ms",
        "÷ ours",
        "recall@10",
        "ingest s, index files too",
    ]
    print(f"{one['rows']:,} rows; ÷ ours: dense against our vector leg, fused against our recall")
    print(table(headings, rows))
    print()
    for name in ("chromadb, dense only", "sqlite-vec + FTS5 + RRF"):
        for label, mine in (("vector leg", leg), ("whole recall", whole)):
            ratio = ways[name]["p50_ms"] / mine["p50_ms"]
            print(verdict(f"p50 of {name} ÷ our {label}", ratio, 1, at_most=False))
    print(verdict("our recall@10", leg["recall_at_10"], 0.99, at_most=False))


def main() -> None:
    parser = arguments(__doc__, rows="100k")
    parser.add_argument("--keep", type=Path, help="a directory with stores of an earlier run")
    given = parser.parse_args()
    corpus = Corpus(given.seed)
    measured = [measure(corpus, n, given.questions, given.keep) for n in sizes(given.rows)]
    for one in measured:
        show(one)
    save(given.out, "against_others", {"sizes": measured})


if __name__ == "__main__":
    main()
