"""What does a recall over HTTP cost, against the same call in process?

One client first, by turns: `Engine.recall`; what a door must do besides (`Desk.recall` and JSON);
and the whole way over HTTP with a key, on a connection that stays open, to a server in a process of
its own. Then sixteen: requests a second over HTTP, against the same engine called from sixteen
threads. The vectors are given, no model is measured.

    python -m benchmarks.http_speed --rows 10k
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.corpus import Corpus, GivenVectors, Question
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

from recollect.access.reception import Reception
from recollect.settings import Settings

_CLIENTS = 16
_MOST = 1_000_000  # requests a minute: the limit is not what is measured


def _embedder(questions: Sequence[Question]) -> GivenVectors:
    embedder = GivenVectors()
    embedder.give([q.text for q in questions], np.stack([q.vector for q in questions]))
    return embedder


def _reception(path: Path, questions: Sequence[Question]) -> Reception:
    return Reception(Settings(store=str(path)), embedder=_embedder(questions), per_minute=_MOST)


def _serve(path: Path, rows: int, count: int, seed: int) -> None:
    """The server's process: it prints its port, and ends with its standard input."""
    from recollect.doors.http.app import create_app
    from recollect.doors.http.running import server_for
    from recollect.doors.http.serving import listen

    with listen("127.0.0.1", 0) as bound:
        reception = _reception(path, Corpus(seed).questions(count, rows))
        server = server_for(
            create_app(reception),
            grace=5,
            started=lambda: print(bound.getsockname()[1], flush=True),
        )

        def until_told() -> None:
            sys.stdin.read()
            server.should_exit = True

        threading.Thread(target=until_told, daemon=True).start()
        server.run([bound])


@contextmanager
def _server(path: Path, rows: int, count: int, seed: int) -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.http_speed", "--serve", str(path),
         "--rows", str(rows), "--questions", str(count), "--seed", str(seed)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


class _Client:
    def __init__(self, port: int, key: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def recall(self, question: Question) -> None:
        body = json.dumps({"question": question.text, "touch": False})
        self._connection.request("POST", "/v1/recall", body, self._headers)
        answer = self._connection.getresponse()
        told = answer.read()
        assert answer.status == 200, told


def _rate(asks: Sequence[Callable[[Question], object]], questions: Sequence[Question]) -> float:
    """Questions a second, when so many ask at once. Who fails would look quick: nothing is said
    unless every question of everybody was answered."""
    begin = threading.Barrier(len(asks) + 1)
    faults: list[Exception] = []
    answered = [0] * len(asks)

    def work(number: int, ask: Callable[[Question], object]) -> None:
        begin.wait()
        try:
            for at in range(len(questions)):
                ask(questions[(at + 7 * number) % len(questions)])
                answered[number] += 1
        except Exception as e:
            faults.append(e)

    threads = [threading.Thread(target=work, args=one) for one in enumerate(asks)]
    for thread in threads:
        thread.start()
    begin.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    spent = time.perf_counter() - began
    if faults:
        raise RuntimeError(f"{sum(answered)} answers only: {faults}") from faults[0]
    return sum(answered) / spent


def measure(path: Path, corpus: Corpus, rows: int, count: int, seed: int) -> dict[str, Any]:
    filled(path, corpus, rows)
    questions = corpus.questions(count, rows)
    with _reception(path, questions) as reception:
        key = reception.create_key(name="benchmark", scopes=["read"], per_minute=_MOST).key
        caller = reception.caller(key, door="http")
        with (
            reception.desk(caller) as desk,
            reception.tenants.engine("default") as engine,
            _server(path, rows, count, seed) as port,
        ):
            client = _Client(port, key)

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
                rates["threads"].append(_rate([in_process] * _CLIENTS, some))
                clients = [_Client(port, key).recall for _ in range(_CLIENTS)]
                rates["http"].append(_rate(clients, some))
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
    parser.add_argument("--serve", type=Path, help="(of its own use: be the server)")
    given = parser.parse_args()
    if given.serve is not None:
        _serve(given.serve, int(given.rows), given.questions, given.seed)
        return
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
