"""What do events cost a recall? With `keep_events` as it comes and with 0, by turns.

One thread asks without a pause, so that the thread that writes the traces takes its share of the
interpreter. CPU time is that of the whole process, until the last trace is written: on a busy
machine it says more than recalls a second. `later` is what the caller itself waits for.

    python -m benchmarks.events_cost --rows 10k
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.corpus import Corpus, GivenVectors, Question
from benchmarks.measure import arguments, filled, save, say, sizes, table, workplace

from bethink import Engine
from bethink.settings import Settings

_ROUNDS = 8


class Cost(NamedTuple):
    cpu_ms: float  # for one recall
    rate: float  # recalls a second


def cost(path: Path, questions: Sequence[Question], *, keep: int) -> Cost:
    with Engine(path, embedder=GivenVectors(), settings=Settings(keep_events=keep)) as engine:
        for question in questions[:20]:  # warm
            engine.recall(question.text, vector=question.vector, touch=False)
        engine.events.flush()
        began, spent = time.perf_counter(), time.process_time()
        for question in questions:
            engine.recall(question.text, vector=question.vector, touch=False)
        engine.events.flush()
        spent, began = time.process_time() - spent, time.perf_counter() - began
    return Cost(spent / len(questions) * 1000, len(questions) / began)


def handing_over(path: Path, times: int = 5_000) -> float:
    """Microseconds of `later` for whoever calls it."""
    with Engine(path, embedder=GivenVectors(), settings=Settings()) as engine:
        spent = 0.0
        for _ in range(times // 500):
            began = time.perf_counter()
            for _ in range(500):
                engine.events.later("retrieval_trace", dict, spaces=("global",))
            spent += time.perf_counter() - began
            engine.events.flush()
        return spent / times * 1e6


def measure(path: Path, corpus: Corpus, rows: int, count: int) -> dict[str, Any]:
    filled(path, corpus, rows)
    questions = corpus.questions(count, rows)
    kept, off = [], []
    for number in range(_ROUNDS):
        kept.append(cost(path, questions, keep=10_000))
        off.append(cost(path, questions, keep=0))
        say(f"round {number + 1}: CPU {kept[-1].cpu_ms:.2f} ms, without {off[-1].cpu_ms:.2f} ms")
    return {
        "rows": rows,
        "cpu_ms": round(median(one.cpu_ms for one in kept), 3),
        "cpu_ms_without": round(median(one.cpu_ms for one in off), 3),
        "rate": round(median(one.rate for one in kept), 1),
        "rate_without": round(median(one.rate for one in off), 1),
        "later_us": round(handing_over(path), 2),
    }


def main() -> None:
    given = arguments(__doc__, rows="10k").parse_args()
    corpus = Corpus(given.seed)
    with workplace() as folder:
        found = [
            measure(folder / f"{rows}.db", corpus, rows, given.questions)
            for rows in sizes(given.rows)
        ]
    print(table(list(found[0]), [list(figures.values()) for figures in found]))
    save(given.out, "events_cost", {"sizes": found})


if __name__ == "__main__":
    main()
