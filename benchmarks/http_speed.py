"""What does a recall over HTTP cost, against the same call in process?

One client first, by turns: `Engine.recall`; what a door must do besides (`Desk.recall` and JSON);
and the whole way over HTTP with a key, on a connection that stays open, to a server in a process of
its own. Then sixteen: requests a second over HTTP, against the same engine called from sixteen
threads. The vectors are given, no model is measured.

    python -m benchmarks.http_speed --rows 10k
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpus import Corpus, Question
from benchmarks.measure import (
    arguments,
    filled,
    save,
    say,
    side_by_side,
    sizes,
    table,
    verdict,
    workplace,
)
from benchmarks.over_http import MOST, Client, rate, reception_at, server_on

_CLIENTS = 16


def measure(path: Path, corpus: Corpus, rows: int, count: int, seed: int) -> dict[str, Any]:
    filled(path, corpus, rows)
    questions = corpus.questions(count, rows)
    with reception_at(str(path), questions) as reception:
        key = reception.create_key(name="benchmark", scopes=["read"], per_minute=MOST).key
        caller = reception.caller(key, door="http")
        with (
            reception.desk(caller) as desk,
            reception.tenants.engine("default") as engine,
            server_on(str(path), rows, count, seed) as port,
        ):
            client = Client(port, key)

            def in_process(question: Question) -> object:
                return engine.recall(question.text, touch=False)

            def at_the_desk(question: Question) -> object:
                return json.dumps(desk.recall(question.text, touch=False)).encode()

            say(f"one client, {count} questions over {rows:,} rows")
            times = side_by_side(
                {"engine": in_process, "desk": at_the_desk, "http": client.recall},
                questions,
                best_of=3,
            )
            some = questions[: max(20, count // 4)]
            rates: dict[str, list[float]] = {"threads": [], "http": []}
            for turn in range(3):
                say(f"{_CLIENTS} clients, turn {turn + 1}")
                rates["threads"].append(rate([in_process] * _CLIENTS, some))
                clients = [Client(port, key).recall for _ in range(_CLIENTS)]
                rates["http"].append(rate(clients, some))
    found = {name: times[name].figures() for name in times}
    return {
        "rows": rows,
        **found,
        "http_to_engine": round(times["http"].p50 / times["engine"].p50, 2),
        "threads_per_second": round(max(rates["threads"]), 1),
        "http_per_second": round(max(rates["http"]), 1),
        "http_to_threads": round(max(rates["http"]) / max(rates["threads"]), 2),
    }


def show(measured: Sequence[dict[str, Any]]) -> None:
    headings = ["rows", "engine p50 / p95 ms", "desk and JSON p50 ms", "HTTP p50 / p95 ms",
                "HTTP ÷ engine", "16 threads /s", "16 clients over HTTP /s", "÷"]  # fmt: skip
    print(
        table(
            headings,
            [
                [
                    one["rows"],
                    f"{one['engine']['p50_ms']:.2f} / {one['engine']['p95_ms']:.2f}",
                    f"{one['desk']['p50_ms']:.2f}",
                    f"{one['http']['p50_ms']:.2f} / {one['http']['p95_ms']:.2f}",
                    one["http_to_engine"],
                    one["threads_per_second"],
                    one["http_per_second"],
                    one["http_to_threads"],
                ]
                for one in measured
            ],
        )
    )
    print()
    for one in measured:
        label = f"{one['rows']:,} rows, HTTP ÷ engine, one client"
        print(verdict(label, one["http_to_engine"], 2, at_most=True))


def main() -> None:
    parser = arguments(__doc__, rows="10k")
    parser.add_argument("--keep", type=Path, help="keep the stores here for the next run")
    given = parser.parse_args()
    corpus = Corpus(given.seed)
    with workplace(given.keep) as folder:
        measured = [
            measure(folder / f"{rows}.db", corpus, rows, given.questions, given.seed)
            for rows in sizes(given.rows)
        ]
    show(measured)
    save(given.out, "http_speed", {"sizes": measured})


if __name__ == "__main__":
    main()
