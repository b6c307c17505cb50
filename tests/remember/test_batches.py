"""Much told at once to a store that writes elsewhere: the next batch is made ready meanwhile, and
nothing else is different."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest

from bethink import Engine
from bethink.errors import Conflict, InvalidInput
from bethink.remember import pipeline
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Written
from bethink.vocabulary import Action, Entry

SIZE = 10
LONG = 30.0  # seconds after which something hangs


class Elsewhere(InMemoryStore):
    """The reference, which says that it writes in another process."""

    writes_elsewhere: Literal[True] = True


class Recorded(dict[str, Any]):
    """An item that says when it is looked at."""

    def __init__(self, number: int, looked_at: list[int], seen: threading.Event) -> None:
        super().__init__(text=f"预算 item {number}", id=f"m{number}")
        self._said = number, looked_at, seen

    def get(self, key: str, default: Any = None) -> Any:
        number, looked_at, seen = self._said
        if key == "id":
            looked_at.append(number)
            if number >= SIZE:
                seen.set()
        return super().get(key, default)


class Waiting(Elsewhere):
    """Its first write takes until something of the second batch was looked at."""

    def __init__(self, seen: threading.Event, looked_at: list[int]) -> None:
        super().__init__()
        self._seen = seen
        self._looked_at = looked_at
        self.most: list[int] = []  # the last that was looked at, at the end of each write

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        assert self._seen.wait(LONG), "the next batch was not made ready"
        done = super().put(entries, fingerprint=fingerprint)
        self.most.append(max(self._looked_at))
        return done


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "BATCH", SIZE)


def told(count: int) -> list[dict[str, Any]]:
    return [{"text": f"第 {n} 条: budget {n}", "id": f"m{n}"} for n in range(count)]


def engine(store: InMemoryStore) -> Engine:
    return Engine(store, embedder=None)


def test_receipts_come_in_order_and_say_the_same() -> None:
    many = [*told(47), {"text": "第 3 条: budget 3", "id": "m3"}]
    with engine(InMemoryStore()) as one, engine(Elsewhere()) as other:
        receipts = other.remember_many(many)
        assert [receipt.id for receipt in receipts] == [item["id"] for item in many]
        assert receipts == one.remember_many(many)
        assert receipts[-1].action is Action.UNCHANGED


def test_the_next_batch_is_made_ready_during_a_write_and_no_other() -> None:
    looked_at: list[int] = []
    seen = threading.Event()
    store = Waiting(seen, looked_at)
    with engine(store) as memory:
        memory.remember_many([Recorded(n, looked_at, seen) for n in range(3 * SIZE)])
    assert store.most[0] < 2 * SIZE, "no more than one batch ahead"
    assert sorted(looked_at) == looked_at


def test_what_is_no_list_is_not_drawn_ahead() -> None:
    drawn: list[int] = []
    at_writes: list[int] = []

    class Noting(Elsewhere):
        def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
            at_writes.append(len(drawn))
            return super().put(entries, fingerprint=fingerprint)

    def items() -> Iterator[dict[str, Any]]:
        for item in told(25):
            drawn.append(1)
            yield item

    with engine(Noting()) as memory:
        memory.remember_many(items())
    assert at_writes == [10, 20, 25]


def test_an_error_leaves_the_batches_after_it_unwritten() -> None:
    many = told(40)
    with engine(Elsewhere()) as memory:
        memory.remember("另一件事 something else", id="m15")
        given = []
        with pytest.raises(Conflict, match="m15"):
            for receipt in memory.remember_stream(many):
                given.append(receipt.id)
        assert given == [f"m{n}" for n in range(10)]
        assert memory.store.count() == 11


def test_an_item_that_cannot_be_taken_stops_from_its_batch_on() -> None:
    many = told(40)
    many[27] = {"text": ""}
    with engine(Elsewhere()) as memory:
        given = []
        with pytest.raises(InvalidInput, match="item 28"):
            for receipt in memory.remember_stream(many):
                given.append(receipt.id)
        assert given == [f"m{n}" for n in range(20)]
        assert memory.store.count() == 20


def test_or_is_left_out_where_somebody_hears_of_it() -> None:
    many = told(40)
    many[27] = {"text": ""}
    refused: list[int] = []
    with engine(Elsewhere()) as memory:
        receipts = list(memory.remember_stream(many, refused=lambda n, e: refused.append(n)))
    assert refused == [28]
    assert len(receipts) == 39


def test_who_stops_listening_stops_the_writing() -> None:
    with engine(Elsewhere()) as memory:
        stream = memory.remember_stream(told(100))
        assert next(stream).id == "m0"
        stream.close()
        assert memory.store.count() == SIZE
    assert not [t for t in threading.enumerate() if t.name.startswith("bethink-prepare")]


def test_a_fault_while_the_next_is_made_ready_comes_after_what_was_written() -> None:
    class Broken(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            raise OSError("磁盘坏了")

    many: list[dict[str, Any]] = told(30)
    many[15] = Broken(text="x")
    with engine(Elsewhere()) as memory:
        given = []
        with pytest.raises(OSError, match="磁盘"):
            for receipt in memory.remember_stream(many):
                given.append(receipt.id)
        assert given == [f"m{n}" for n in range(10)]
