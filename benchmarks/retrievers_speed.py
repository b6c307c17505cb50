"""What does finding by meaning through Qdrant cost, and what does it miss?

One SQLite file is the truth; a Qdrant of our own on this machine follows it, by HTTP and by gRPC.
Asked by turns: the file itself, the retriever alone, and the composite (which looks up in the truth
whatever is found); among all rows, and under filters that let a part of them pass. Times are of
the wall, each question's best of three, because the server's work is not in our process: compare
ratios.

    python -m benchmarks.retrievers_speed --rows 100k
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.corpus import Corpus, GivenVectors, Question, exact_nearest
from benchmarks.measure import (
    EVERY_HUNDREDTH,
    arguments,
    filled,
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
from numpy.typing import NDArray
from qdrant_client import QdrantClient
from tests.servers.qdrant_server import QdrantServer

from bethink.filters import Filter, parse_filter
from bethink.stores.composite import Bounds, CompositeStore
from bethink.stores.protocol import Store
from bethink.stores.qdrant.retriever import QdrantRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Retriever
from bethink.stores.sqlite.store import SQLiteStore

_TOP = 20
_SCRIPT = Path(__file__).parents[1] / "scripts" / "qdrant"
_LONGEST = 3600.0


def asker(part: Store | Retriever, where: Filter | None) -> Callable[[Question], list[str]]:
    def ask(question: Question) -> list[str]:
        found = part.search_meaning(
            question.vector,
            fingerprint=GivenVectors.fingerprint,
            spaces=["global"],
            where=where,
            limit=_TOP,
        )
        return [one[0] for one in found]

    return ask


def told_before(truth: Store | Retriever, row: int) -> tuple[Filter | None, NDArray[np.int64]]:
    """A filter by time, and the rows that pass it."""
    assert isinstance(truth, SQLiteStore)
    (memory,) = truth.get([row_id(row)])
    assert memory is not None
    where = parse_filter({"created_at": {"<": memory.created_at.isoformat()}})
    return where, np.arange(truth.count(where=where))


def indexed(port: int) -> None:
    """Wait until Qdrant has linked what it was given; until then it looks through all of it."""
    client = QdrantClient(url=f"http://127.0.0.1:{port}", timeout=60, check_compatibility=False)
    end = time.monotonic() + _LONGEST
    while time.monotonic() < end:
        names = [one.name for one in client.get_collections().collections]
        if all(client.get_collection(name).status.value == "green" for name in names):
            client.close()
            return
        time.sleep(1)
    raise SystemExit("Qdrant did not finish its index")


def measure(
    folder: Path, corpus: Corpus, rows: int, count: int, server: QdrantServer
) -> list[dict[str, Any]]:
    truth = filled(folder / "truth.db", corpus, rows)
    by_http = parse_address(server.new_address())
    by_grpc = parse_address(
        f"qdrant://127.0.0.1:{server.port}/{by_http.index}?grpc={server.grpc_port}"
    )
    began = time.perf_counter()
    bounds = Bounds(patience=60, following=_LONGEST)
    store = CompositeStore(SQLiteStore(truth), [QdrantRetriever(by_http)], bounds=bounds)
    if not store.catch_up(_LONGEST):
        raise SystemExit("; ".join(store.shortcomings()))
    copied = time.perf_counter() - began
    indexed(server.port)
    say(f"copied in {copied:.0f} s, indexed after {time.perf_counter() - began:.0f} s")
    parts: dict[str, Store | Retriever] = {
        "sqlite": SQLiteStore(truth),
        "qdrant, HTTP": QdrantRetriever(by_http, timeout=60),
        "qdrant, gRPC": QdrantRetriever(by_grpc, timeout=60),
        "composite": store,
    }
    questions = corpus.questions(count, rows)
    matrix = corpus.matrix(rows)
    vectors = np.stack([question.vector for question in questions])
    found: list[dict[str, Any]] = []
    tagged = parse_filter({"tags": EVERY_HUNDREDTH})
    for name, where, passing in (
        ("none", None, np.arange(rows)),
        ("to 40 %", *told_before(parts["sqlite"], rows * 2 // 5)),
        ("to 20 %", *told_before(parts["sqlite"], rows // 5)),
        ("to 1 %", tagged, np.arange(0, rows, 100)),
    ):
        nearest = passing[exact_nearest(matrix[passing], vectors, 10)]
        exact = [[row_id(int(number)) for number in line] for line in nearest]
        found += compared(
            name, rows, {k: asker(p, where) for k, p in parts.items()}, questions, exact
        )
    for part in parts.values():
        part.close()
    return found


def compared(
    name: str,
    rows: int,
    ways: dict[str, Callable[[Question], list[str]]],
    questions: Sequence[Question],
    exact: Sequence[Sequence[str]],
) -> list[dict[str, Any]]:
    times = side_by_side(ways, questions, best_of=3)
    return [
        {
            "rows": rows,
            "filter": name,
            "asked": way,
            "p50_ms": round(times[way].p50, 2),
            "p95_ms": round(times[way].p95, 2),
            "of_sqlite": round(times[way].p50 / times["sqlite"].p50, 2),
            "recall_at_10": round(recall_at_10([ask(q) for q in questions], exact), 4),
        }
        for way, ask in ways.items()
    ]


def main() -> None:
    given = arguments(__doc__, rows="100k").parse_args()
    binary = subprocess.run(["bash", str(_SCRIPT)], capture_output=True, text=True, check=True)
    corpus = Corpus(given.seed)
    found: list[dict[str, Any]] = []
    for rows in sizes(given.rows):
        with workplace() as folder, QdrantServer.started(Path(binary.stdout.strip())) as server:
            found += measure(folder, corpus, rows, given.questions, server)
    print(table(list(found[0]), [list(figures.values()) for figures in found]))
    least = min(one["recall_at_10"] for one in found if one["asked"] != "sqlite")
    print(verdict("recall@10 through Qdrant", least, 0.98, at_most=False))
    save(given.out, "retrievers_speed", {"ways": found})


if __name__ == "__main__":
    main()
