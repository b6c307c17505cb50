"""How do several processes write to one store at once?

Each process remembers single memories, one durable commit each, as fast as it can. Printed: writes
a second of all together, and the longest that any one write took from call to receipt.

    python -m benchmarks.writers --processes 1,2,4,8 --seconds 5
"""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.corpus import BLOCK, Corpus
from benchmarks.measure import arguments, open_engine, row_id, save, say, sizes, table, workplace

from bethink import Engine


def write(path: Path, seed: int, worker: int, seconds: float, start: float, out: Any) -> None:
    """One writer: every wait in milliseconds goes to `out`."""
    block = next(Corpus(seed).blocks(BLOCK))
    engine, embedder = open_engine(path)
    embedder.give(block.texts, block.vectors)
    waits: list[float] = []
    while time.time() < start:
        time.sleep(0.001)
    end = time.monotonic() + seconds
    with engine:
        while time.monotonic() < end:
            number = len(waits)
            began = time.perf_counter()
            engine.remember(block.texts[number % BLOCK], id=f"{worker}-{row_id(number)}")
            waits.append((time.perf_counter() - began) * 1000)
    out.put(waits)


def measure(path: Path, seed: int, processes: int, seconds: float) -> dict[str, Any]:
    say(f"{processes} processes")
    open_engine(path)[0].close()
    context = multiprocessing.get_context("spawn")
    out: Any = context.Queue()
    start = time.time() + 3 + processes  # all of them have loaded by then
    workers = [
        context.Process(target=write, args=(path, seed, n, seconds, start, out))
        for n in range(processes)
    ]
    for worker in workers:
        worker.start()
    waits = [out.get() for _ in workers]
    for worker in workers:
        worker.join()
    every = np.concatenate([np.array(some) for some in waits])
    with Engine(path, embedder="none") as engine:
        kept = engine.status().memories
    return {
        "processes": processes,
        "writes_per_second": round(len(every) / seconds, 1),
        "p50_ms": round(float(np.percentile(every, 50)), 2),
        "p99_ms": round(float(np.percentile(every, 99)), 2),
        "worst_ms": round(float(every.max()), 1),
        "fewest_to_most": round(min(map(len, waits)) / max(map(len, waits)), 2),
        "lost": len(every) - kept,
    }


def main() -> None:
    parser = arguments(__doc__, rows="0")
    parser.add_argument("--processes", default="1,2,4,8", help="how many at once (%(default)s)")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each (%(default)s)")
    given = parser.parse_args()
    with workplace() as folder:
        measured = [
            measure(folder / f"{count}.db", given.seed, count, given.seconds)
            for count in sizes(given.processes)
        ]
    alone = measured[0]["writes_per_second"]
    headings = ["processes", "writes/s", "÷ first", "p50 ms", "p99 ms", "worst ms",
                "fewest ÷ most", "lost"]  # fmt: skip
    rows = [
        [one["processes"], one["writes_per_second"], one["writes_per_second"] / alone,
         one["p50_ms"], one["p99_ms"], one["worst_ms"], one["fewest_to_most"], one["lost"]]
        for one in measured
    ]  # fmt: skip
    print(table(headings, rows))
    save(given.out, "writers", {"runs": measured})


if __name__ == "__main__":
    main()
