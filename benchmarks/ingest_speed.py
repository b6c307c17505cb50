"""How many passages a second can be written so that they survive a power cut?

No model is measured: the vectors are given. The same rows go through `Engine.remember_many`,
through `store.put` alone (entries made before), and into bare tables with plain `executemany`
(text, words in FTS5, vector; `synchronous=FULL`, the same batches), which is what the disk and
SQLite cost without a memory engine. Then single memories, one durable commit each.

    python -m benchmarks.ingest_speed --rows 50k
    python -m benchmarks.ingest_speed --rows 50k --best-of 4    # where others share the machine
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from benchmarks.corpus import BLOCK, Block, Corpus
from benchmarks.measure import (
    arguments,
    open_engine,
    row_id,
    save,
    say,
    sizes,
    table,
    timed,
    told,
    verdict,
    workplace,
)

from bethink.clock import system_clock
from bethink.remember.ingress import accept
from bethink.remember.pipeline import BATCH, prepare
from bethink.stores.protocol import Embedding
from bethink.stores.sqlite.store import SQLiteStore
from bethink.vocabulary import Entry

_SINGLES = 300
_PLAIN = "bare tables + FTS5"
_ENGINE = "Engine.remember_many"


def _clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def by_engine(path: Path, blocks: list[Block]) -> tuple[float, float, float]:
    """Wall and CPU of the durable writes, and wall of the index files made after them."""
    engine, embedder = open_engine(path)
    texts = [text for block in blocks for text in block.texts]
    embedder.give(texts, np.concatenate([block.vectors for block in blocks]))
    stream = (item for block in blocks for item in told(block))
    last = spent = 0.0
    began, cpu = time.perf_counter(), time.process_time()
    for number, receipt in enumerate(engine.remember_stream(stream), start=1):
        if not receipt.embedded:
            raise SystemExit(f"row {number} has no vector: {receipt.notes}")
        if number == len(texts):  # the last receipt: everything is on disk
            last = time.perf_counter()
            spent = time.process_time() - cpu
    engine.close()  # leaves the index files behind
    return last - began, spent, time.perf_counter() - last


def only(blocks: Iterator[Block], language: str) -> Iterator[Block]:
    """The rows of one language, or all."""
    for block in blocks:
        wanted = [
            row
            for row, text in enumerate(block.texts)
            if language == "mixed" or text.isascii() == (language == "english")
        ]
        yield Block(block.start, [block.texts[row] for row in wanted], block.vectors[wanted])


def entries(blocks: list[Block]) -> list[Entry]:
    now = system_clock()
    return [
        prepare(accept(item, now=now), given_id=True)._replace(
            vectors=block.vectors[position : position + 1]
        )
        for block in blocks
        for position, item in enumerate(told(block))
    ]


def by_store(path: Path, ready: list[Entry]) -> tuple[float, float]:
    store = SQLiteStore(path)
    fingerprint = "given"
    assert ready[0].vectors is not None
    store.declare(Embedding(fingerprint, ready[0].vectors.shape[1], "given"))

    def work() -> None:
        for start in range(0, len(ready), BATCH):
            store.put(ready[start : start + BATCH], fingerprint=fingerprint)

    spent = _clocked(work)
    store.close()
    return spent


def by_hand(path: Path, ready: list[Entry], *, words: bool) -> tuple[float, float]:
    """The same texts, terms and vectors into bare tables."""
    connection = apsw.Connection(str(path))
    for statement in (
        "PRAGMA page_size=8192",
        "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=FULL",
        "PRAGMA wal_autocheckpoint=4000",
        "CREATE TABLE texts (id INTEGER PRIMARY KEY, name TEXT, text TEXT)",
        "CREATE TABLE vectors (id INTEGER PRIMARY KEY, data BLOB)",
        "CREATE VIRTUAL TABLE words USING fts5(terms, tokenize='ascii')",
    ):
        connection.execute(statement)

    def work() -> None:
        numbered = enumerate(ready)
        while batch := list(islice(numbered, BATCH)):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT INTO texts VALUES (?, ?, ?)",
                ((n, e.memory.id, e.memory.text) for n, e in batch),
            )
            connection.executemany(
                "INSERT INTO vectors VALUES (?, ?)",
                ((n, e.vectors.tobytes()) for n, e in batch if e.vectors is not None),
            )
            if words:
                connection.executemany(
                    "INSERT INTO words(rowid, terms) VALUES (?, ?)",
                    ((n, e.terms[0]) for n, e in batch),
                )
            connection.execute("COMMIT")

    spent = _clocked(work)
    connection.close()
    return spent


def singles(path: Path, corpus: Corpus) -> dict[str, float]:
    """One memory, one commit: how long until the receipt?"""
    engine, embedder = open_engine(path)
    block = next(corpus.blocks(BLOCK))
    embedder.give(block.texts, block.vectors)
    with engine:
        times = timed(
            lambda n: engine.remember(block.texts[n], id=row_id(n)), range(_SINGLES), warm=0
        )
    return {**times.figures(), "worst_ms": round(max(times.wall), 3)}


def measure(corpus: Corpus, rows: int, language: str, best_of: int) -> dict[str, Any]:
    say(f"making {rows:,} rows")
    blocks = list(only(corpus.blocks(rows), language))
    rows = sum(len(block.texts) for block in blocks)
    ready = entries(blocks)
    letters = float(np.mean([len(text) for block in blocks for text in block.texts]))
    terms = float(np.mean([len(entry.terms[0].split()) for entry in ready]))
    files: list[float] = []

    def engine(path: Path) -> tuple[float, float]:
        wall, cpu, after = by_engine(path, blocks)
        files.append(after)
        return wall, cpu

    ways: dict[str, Callable[[Path], tuple[float, float]]] = {
        "bare tables": lambda path: by_hand(path, ready, words=False),
        _PLAIN: lambda path: by_hand(path, ready, words=True),
        "store.put": lambda path: by_store(path, ready),
        _ENGINE: engine,
    }
    spent: dict[str, tuple[float, float]] = {}
    for turn in range(best_of):
        for name, way in ways.items():
            say(name if best_of == 1 else f"{name}, {turn + 1} of {best_of}")
            with workplace() as folder:
                wall, cpu = way(folder / "store.db")
            least = spent.get(name, (inf, inf))
            spent[name] = min(wall, least[0]), min(cpu, least[1])
    say("single memories")
    with workplace() as folder:
        single = singles(folder / "single.db", corpus)
    plain = spent[_PLAIN]
    return {
        "rows": rows,
        "characters": round(letters),
        "terms": round(terms),
        "ways": {
            name: {
                "rows_per_second": round(rows / wall),
                "rows_per_cpu_second": round(rows / cpu),
                "wall_to_plain": round(wall / plain[0], 2),
                "cpu_to_plain": round(cpu / plain[1], 2),
            }
            for name, (wall, cpu) in spent.items()
        },
        "index_files_seconds": round(min(files), 2),
        "single": single,
    }


def show(one: dict[str, Any]) -> None:
    print(f"{one['rows']:,} passages of {one['characters']} characters, {one['terms']} terms")
    print(
        table(
            ["way", "passages/s", "passages/CPU s", "time ÷ bare + FTS5", "CPU ÷ bare + FTS5"],
            [[name, *figures.values()] for name, figures in one["ways"].items()],
        )
    )
    single = one["single"]
    print(
        f"\nindex files after it: {one['index_files_seconds']} s; a single remember: p50 "
        f"{single['p50_ms']} ms, p95 {single['p95_ms']} ms, worst {single['worst_ms']} ms\n"
    )
    speed = one["ways"][_ENGINE]["rows_per_second"]
    print(verdict("passages/s through remember_many", speed, 10_000, at_most=False))


def main() -> None:
    parser = arguments(__doc__, rows="50k")
    parser.add_argument(
        "--language",
        choices=["mixed", "english", "chinese"],
        default="mixed",
        help="which of the rows (%(default)s: two in three English)",
    )
    parser.add_argument(
        "--best-of",
        type=int,
        default=1,
        help="every way so often, by turns, and the best of each counts (%(default)s)",
    )
    given = parser.parse_args()
    measured = [
        measure(Corpus(given.seed), rows, given.language, given.best_of)
        for rows in sizes(given.rows)
    ]
    for one in measured:
        show(one)
    save(given.out, "ingest_speed", {"sizes": measured})


if __name__ == "__main__":
    main()
