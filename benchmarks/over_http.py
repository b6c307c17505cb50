"""A server in a process of its own, and clients who ask it, many at once.

It is the application of `bethink serve`; the vectors are given, no model is measured. This module
is also the server's process: `python -m benchmarks.over_http STORE` prints its port, and ends with
its standard input.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection

import numpy as np
from benchmarks.corpus import Corpus, GivenVectors, Question

from bethink.access.reception import Reception
from bethink.settings import Settings

MOST = 1_000_000  # requests a minute: the limit is not what is measured
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # as `bethink serve` has it
_LONGEST = 24 * 3600.0  # seconds: nobody is told to be quicker


def reception_at(store: str, questions: Sequence[Question]) -> Reception:
    embedder = GivenVectors()
    embedder.give([q.text for q in questions], np.stack([q.vector for q in questions]))
    return Reception(Settings(store=store), embedder=embedder, per_minute=MOST)


@contextmanager
def server_on(store: str, rows: int, count: int, seed: int, *, workers: int = 0) -> Iterator[int]:
    """Its port. It knows the vectors of the same questions as whoever asks."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.over_http", store,
         "--rows", str(rows), "--questions", str(count), "--seed", str(seed),
         "--workers", str(workers)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **_ONE_THREAD},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


class Client:
    """Asks on one connection that stays open; every question with the same options."""

    def __init__(self, port: int, key: str, **options: str) -> None:
        self._options = {"touch": False, **options}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def recall(self, question: Question) -> None:
        body = json.dumps({"question": question.text, **self._options})
        self._connection.request("POST", "/v1/recall", body, self._headers)
        answer = self._connection.getresponse()
        told = answer.read()
        assert answer.status == 200, told


def rate(asks: Sequence[Callable[[Question], object]], questions: Sequence[Question]) -> float:
    """Questions a second, when so many ask at once. Who fails would look quick: nothing is said
    unless every question of everybody was answered."""
    from bethink.testing import working  # not in the server's process, which is measured

    begin = threading.Barrier(len(asks) + 1)

    def work(one: tuple[int, Callable[[Question], object]]) -> None:
        number, ask = one
        begin.wait()
        for at in range(len(questions)):
            ask(questions[(at + 7 * number) % len(questions)])

    with working(work, enumerate(asks), within=_LONGEST):
        begin.wait()
        began = time.perf_counter()
    return len(asks) * len(questions) / (time.perf_counter() - began)


def main() -> None:
    from bethink.doors.http.app import create_app
    from bethink.doors.http.running import server_for
    from bethink.doors.http.serving import listen

    parser = argparse.ArgumentParser(description="The server's process, for other benchmarks.")
    parser.add_argument("store")
    for name in ("--rows", "--questions", "--seed", "--workers"):
        parser.add_argument(name, type=int, required=True)
    given = parser.parse_args()
    questions = Corpus(given.seed).questions(given.questions, given.rows)
    reception = reception_at(given.store, questions)
    if given.workers:
        reception.answer_beside(given.workers)
    with listen("127.0.0.1", 0) as bound:
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


if __name__ == "__main__":
    main()
