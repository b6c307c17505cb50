"""PostgreSQL restarts, by turns orderly and by a crash, fifty times, while people write and ask
over HTTP. Whoever was cut off is told to try again, nothing that was acknowledged is lost, and the
server is ready again within seconds."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import pytest

from bethink.access.reception import Reception
from bethink.settings import Settings
from bethink.testing import ToyEmbedder, working
from bethink.testing.at_once import Workers
from tests.doors.http.served import Served
from tests.servers.postgres_server import PostgresServer

RESTARTS = 50
WRITERS, READERS = 2, 2
_PATIENCE = 60  # seconds: far more than it takes, so that a busy machine fails nobody


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that may be stopped."""
    with PostgresServer.started() as server:
        yield server


class Traffic:
    """People who go on whatever happens, and note what they were told."""

    def __init__(self, address: str, key: str) -> None:
        self._address = address
        self._headers = {"Authorization": f"Bearer {key}"}
        self._done = threading.Event()
        self.acknowledged: list[str] = []
        self.answered = 0
        self.refused = 0

    @contextmanager
    def under_way(self) -> Iterator[Workers[None]]:
        work = [partial(self._write, n) for n in range(WRITERS)] + [self._ask] * READERS
        with working(self._go_on, work, end=self._done) as workers:
            yield workers

    def _go_on(self, work: Callable[[httpx.Client], None]) -> None:
        with httpx.Client(
            base_url=self._address, headers=self._headers, timeout=60, verify=False
        ) as client:
            work(client)

    def _was_done(self, answer: httpx.Response) -> bool:
        if answer.is_success:
            return True
        self.refused += 1
        assert answer.status_code == 503, answer.text
        assert answer.headers.get("Retry-After")
        self._done.wait(0.01)
        return False

    def _write(self, writer: int, client: httpx.Client) -> None:
        number = 0
        while not self._done.is_set():
            name = f"w{writer}-{number}"
            told = {"id": name, "text": f"第 {number} thing that writer {writer} told 预算"}
            if self._was_done(client.post("/v1/memories", json=told)):
                self.acknowledged.append(name)
                number += 1

    def _ask(self, client: httpx.Client) -> None:
        while not self._done.is_set():
            if self._was_done(client.post("/v1/recall", json={"question": "writer 预算"})):
                self.answered += 1

    def goes_on(self, workers: Workers[None]) -> None:
        """Both kinds of work are done again."""
        written, answered = len(self.acknowledged), self.answered
        until = time.monotonic() + _PATIENCE
        while len(self.acknowledged) <= written + 2 or self.answered <= answered + 2:
            workers.check()
            assert time.monotonic() < until, "nothing was done any more"
            time.sleep(0.005)


def ready_after(address: str) -> float:
    """Seconds until the server says so."""
    began = time.monotonic()
    while True:
        answer = httpx.get(f"{address}/health/ready", timeout=60, verify=False)
        if answer.status_code == 200:
            return time.monotonic() - began
        assert answer.status_code == 503, answer.text
        assert time.monotonic() - began < _PATIENCE, answer.text
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("restarts", "beside"), [(RESTARTS, 0), (RESTARTS // 5, 2)], ids=["alone", "with workers"]
)
def test_restarted_many_times_nothing_acknowledged_is_lost(
    own_server: PostgresServer,
    record_property: Callable[[str, object], None],
    restarts: int,
    beside: int,
) -> None:
    database = own_server.new_database()
    reception = Reception(Settings(store=database), embedder=ToyEmbedder(), per_minute=1_000_000)
    seconds: list[float] = []
    with reception:
        if beside:
            reception.answer_beside(beside)
        served = Served(reception)
        traffic = Traffic(served.address, served.key(per_minute=1_000_000))
        try:
            with traffic.under_way() as workers:
                for turn in range(restarts):
                    traffic.goes_on(workers)
                    own_server.stop("immediate" if turn % 2 else "fast")
                    own_server.start()
                    seconds.append(ready_after(served.address))
                traffic.goes_on(workers)
        finally:
            served.stop()
    assert traffic.refused
    figures = {
        "restarts": restarts,
        "acknowledged": len(traffic.acknowledged),
        "answered": traffic.answered,
        "told to try again": traffic.refused,
        "ready after seconds, at most": round(max(seconds), 3),
    }
    record_property("restarts", json.dumps(figures))
    with (
        Reception(Settings(store=database), embedder=ToyEmbedder()) as again,
        again.tenants.engine("default") as engine,
    ):
        held = {memory.id for memory in engine.store.scan(limit=1_000_000).memories}
        checks = engine.store.check()
    assert held >= set(traffic.acknowledged)
    assert len(traffic.acknowledged) == len(set(traffic.acknowledged))
    assert [check for check in checks if not check.ok] == []
