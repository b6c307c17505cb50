"""How fast is the store on PostgreSQL, against PostgreSQL itself?

    python -m benchmarks.postgres_speed --rows 100k
    python -m benchmarks.postgres_speed --rows 100k --one-by-one    # the store's share of ingest

Starts a server of its own (or asks the one of --store, in the tenant 'benchmark'). A plain table
with the same texts and vectors, filled by COPY and indexed afterwards, is what it is compared with:
HNSW over halves with the same numbers, and GIN over `to_tsvector('simple', …)`. All ways are asked
by turns, so that a busy machine is busy for all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np
import psycopg
from benchmarks.corpus import Corpus, Floats, GivenVectors, Question, exact_nearest
from benchmarks.measure import (
    arguments,
    recall_at_10,
    row_id,
    save,
    say,
    side_by_side,
    sizes,
    table,
    told,
    verdict,
)
from tests.servers.postgres_server import PostgresServer

from bethink import Engine
from bethink.settings import Settings
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Written
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Entry

_LIMIT = 20
_TERMS = 6
_TOLD_AT_ONCE = 8  # blocks of the corpus, in one list


def literal(vector: Floats) -> str:
    return "[" + ",".join(map(repr, vector.tolist())) + "]"


@contextmanager
def started(given: str | None) -> Iterator[str]:
    if given:
        yield given
        return
    say("starting PostgreSQL")
    settings = {"shared_buffers": "512MB", "maintenance_work_mem": "512MB", "max_wal_size": "4GB"}
    with PostgresServer.started(**settings) as server:
        yield server.new_database()


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


class Plain:
    """Tables without anything of ours."""

    def __init__(self, address: str) -> None:
        self.connection = psycopg.connect(address, autocommit=True)
        self.connection.execute("CREATE SCHEMA IF NOT EXISTS benchmark")
        self.connection.execute("SET search_path = benchmark, public")
        self.connection.execute("DROP TABLE IF EXISTS plain")
        self.connection.execute(
            "CREATE TABLE plain (id bigint PRIMARY KEY, content text, embedding vector(384))"
        )

    def fill(self, corpus: Corpus, rows: int) -> float:
        """Seconds of COPY alone: the lines are made before."""
        spent = 0.0
        for block in corpus.blocks(rows):
            vectors = [literal(vector) for vector in block.vectors]
            lines = zip(block.texts, vectors, strict=True)
            data = "".join(f"{n}\t{t}\t{v}\n" for n, (t, v) in enumerate(lines, block.start))
            began = time.perf_counter()
            with self.connection.cursor().copy("COPY plain FROM STDIN") as copy:
                copy.write(data)
            spent += time.perf_counter() - began
        return spent

    def index(self, what: str) -> None:
        self.connection.execute(f"CREATE INDEX ON plain USING {what}".encode())

    def nearest(self, question: Question) -> list[str]:
        with self.connection.transaction():
            self.connection.execute("SET LOCAL hnsw.ef_search = 200")
            rows = self.connection.execute(
                "SELECT id FROM plain ORDER BY embedding::halfvec(384) <=> %s::halfvec(384) "
                f"LIMIT {_LIMIT}",
                (literal(question.vector),),
            ).fetchall()
        return [row_id(number) for (number,) in rows]

    def words(self, question: Question) -> list[Any]:
        asked = " | ".join(f"'{term}'" for term in query_terms(question.text)[:_TERMS])
        return self.connection.execute(
            "SELECT id FROM plain WHERE to_tsvector('simple', content) @@ %s::tsquery "
            "ORDER BY ts_rank_cd(to_tsvector('simple', content), %s::tsquery) DESC "
            f"LIMIT {_LIMIT}",
            (asked, asked),
        ).fetchall()


class Timed(PostgresStore):
    """It knows how long it wrote, and how long it built indexes."""

    written = 0.0
    indexed = 0.0
    told = 0.0  # how long the engine took to be told, this writing within

    def __enter__(self) -> Timed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        began = time.perf_counter()
        done = super().put(entries, fingerprint=fingerprint)
        self.written += time.perf_counter() - began
        return done

    def maintain(self, *, anew: bool = False) -> None:
        began = time.perf_counter()
        super().maintain(anew=anew)
        self.indexed += time.perf_counter() - began


def filled(
    address: str, tenant: str, corpus: Corpus, rows: int, step: int, *, ahead: bool = True
) -> Timed:
    """Every so manieth row, as a tenant of its own, told in lists of some blocks. It knows how long
    the engine took for all of it; making the corpus is not the engine's. `ahead`: the engine makes
    a batch ready while the store writes, so that each takes longer and both together less."""
    store = Timed(address, tenant=tenant)
    embedder = GivenVectors()
    with Engine(store, embedder=embedder, settings=Settings()) as engine:
        blocks = corpus.blocks(rows)
        while some := list(islice(blocks, _TOLD_AT_ONCE)):
            every = [
                one
                for block in some
                for number, one in enumerate(told(block), block.start)
                if number % step == 0
            ]
            embedder.give(
                [text for block in some for text in block.texts],
                np.concatenate([block.vectors for block in some]),
            )
            began = time.perf_counter()
            for receipt in engine.remember_stream(every if ahead else iter(every)):
                assert receipt.embedded, receipt
            store.told += time.perf_counter() - began
    store.close()
    again = Timed(address, tenant=tenant)
    again.written, again.indexed, again.told = store.written, store.indexed, store.told
    return again


def _ingest(
    address: str, corpus: Corpus, rows: int, *, ahead: bool
) -> tuple[Plain, PostgresStore, dict[str, Any]]:
    plain = Plain(address)
    say("plain COPY")
    copied = plain.fill(corpus, rows)
    say("plain HNSW")
    near = _seconds(lambda: plain.index("hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)"))
    say("plain GIN")
    gin = _seconds(lambda: plain.index("gin (to_tsvector('simple', content))"))
    say("remember")
    store = filled(address, "benchmark", corpus, rows, 1, ahead=ahead)
    store.maintain()
    whole = copied + near + gin
    return (
        plain,
        store,
        {
            "plain_copy_s": round(copied, 1),
            "plain_hnsw_s": round(near, 1),
            "plain_gin_s": round(gin, 1),
            "ours_put_s": round(store.written, 1),
            "ours_indexed_s": round(store.indexed, 1),
            "engine_told_s": round(store.told, 1),  # put is a part of it, side by side with others
            "store_to_copy_hnsw_gin": round(whole / (store.written + store.indexed), 2),
            "engine_to_copy_hnsw_gin": round(whole / (store.told + store.indexed), 2),
        },
    )


def measured(
    address: str, corpus: Corpus, rows: int, count: int, *, ahead: bool = True
) -> dict[str, Any]:
    plain, store, figures = _ingest(address, corpus, rows, ahead=ahead)
    say("a tenant with a hundredth of it")
    small = filled(address, "small", corpus, rows, 100)
    questions = corpus.questions(count, rows)
    embedder = GivenVectors()
    embedder.give([q.text for q in questions], np.stack([q.vector for q in questions]))
    engine = Engine(store, embedder=embedder, settings=Settings())

    def meaning(of: PostgresStore) -> Callable[[Question], list[str]]:
        return lambda question: [
            found.memory_id
            for found in of.search_meaning(
                question.vector,
                fingerprint=embedder.fingerprint,
                spaces=["global"],
                where=None,
                limit=_LIMIT,
            )
        ]

    def words(question: Question) -> object:
        terms = query_terms(question.text)[:_TERMS]
        return store.search_words(terms, spaces=["global"], where=None, limit=_LIMIT)

    ways: dict[str, Callable[[Question], object]] = {
        "words": words,
        "words, plain ts_rank_cd": plain.words,
        "meaning": meaning(store),
        "meaning, plain HNSW": plain.nearest,
        "meaning, tenant of 1 %": meaning(small),
        "recall": lambda question: engine.recall(question.text),
    }
    say("asking")
    times = side_by_side(ways, questions)
    matrix = corpus.matrix(rows)
    vectors = np.stack([question.vector for question in questions])
    exact = [[row_id(n) for n in row] for row in exact_nearest(matrix, vectors, 10).tolist()]
    part = exact_nearest(matrix[::100], vectors, 10).tolist()
    exact_part = [[row_id(n * 100) for n in row] for row in part]
    for name, ask, right in (
        ("meaning", meaning(store), exact),
        ("meaning, plain HNSW", plain.nearest, exact),
        ("meaning, tenant of 1 %", meaning(small), exact_part),
    ):
        recall = recall_at_10([ask(question) for question in questions], right)
        figures[f"recall@10 of {name}"] = round(recall, 4)
    figures["ms"] = {name: time.figures() for name, time in times.items()}
    engine.close()
    small.close()
    plain.connection.close()
    return figures


def _verdicts(rows: int, figures: dict[str, Any]) -> Iterator[str]:
    for who in ("store", "engine"):
        ratio = figures[f"{who}_to_copy_hnsw_gin"]
        label = f"{rows:,} rows, COPY and indexes ÷ ingest by the {who}"
        yield verdict(label, ratio, 0.7, at_most=False)
    part = "meaning, tenant of 1 %"
    times = figures["ms"]
    cost = times[part]["p50_ms"] / times["meaning"]["p50_ms"]
    yield verdict(f"{rows:,} rows, a tenant of 1 % ÷ all, p50", cost, 2, at_most=True)
    recall = figures[f"recall@10 of {part}"]
    yield verdict(f"{rows:,} rows, recall@10 of that tenant", recall, 0.98, at_most=False)


def main() -> None:
    parser = arguments(__doc__, rows="100k", few=100)
    parser.add_argument("--store", help="the address of a server to use instead of a new one")
    parser.add_argument(
        "--one-by-one",
        action="store_true",
        help="no batch is made ready while another is written: for the store's own share",
    )
    options = parser.parse_args()
    corpus = Corpus(options.seed)
    results: dict[str, Any] = {}
    for rows in sizes(options.rows):
        with started(options.store) as address:
            results[str(rows)] = figures = measured(
                address, corpus, rows, options.questions, ahead=not options.one_by_one
            )
        print(f"\n{rows:,} rows\n")
        for name, value in figures.items():
            if name != "ms":
                print(f"{name}: {value}")
        print()
        print(table(["way", "p50 ms", "p95 ms", "CPU ms here"], [
            [name, f"{time['p50_ms']:.2f}", f"{time['p95_ms']:.2f}", f"{time['cpu_ms']:.2f}"]
            for name, time in figures["ms"].items()
        ]))  # fmt: skip
        print()
        for line in _verdicts(rows, figures):
            print(line)
    save(options.out, "postgres_speed", results)


if __name__ == "__main__":
    main()
