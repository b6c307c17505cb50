"""What is done in a quick way for every passage told gives the same as the plain way."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.remember.ingress import accept, identity
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Written
from bethink.testing.entries import make_memory
from bethink.vocabulary import Entry, Memory

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
# every sign at which Python ends a line, and blanks that are none
BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029 \t\u3000\xa0"
LINES = st.text(st.sampled_from("ab 预算。" + BREAKS), max_size=40)


def plainly(memory: Memory) -> str:
    words = "\n".join(line.rstrip() for line in memory.text.strip().splitlines())
    moment = "" if memory.occurred_at is None else "1767268800000000"
    parts = "\x1f".join((memory.kind, memory.section, moment, words))
    return sha256(parts.encode()).hexdigest()[:40]


@given(LINES, st.sampled_from(["note", "决定"]), st.sampled_from([None, NOON]))
def test_identity(text: str, kind: str, moment: datetime | None) -> None:
    memory = make_memory(text, "m", kind=kind, section="标题", occurred_at=moment)
    assert identity(memory) == plainly(memory)


TOLD: dict[str, Any] = {
    "id": "m1",
    "space": "项目",
    "kind": "decision",
    "section": "标题 > Two",
    "tags": ("甲", "b"),
    "entities": ("小美",),
    "source": "https://example.org/页",
    "provenance": {"by": "小美"},
    "confidence": 0.5,
    "occurred_at": NOON,
    "created_at": datetime(2025, 1, 1, tzinfo=UTC),
    "updated_at": datetime(2025, 6, 1, tzinfo=UTC),
    "valid_from": datetime(2025, 2, 1, tzinfo=UTC),
    "valid_to": datetime(2027, 2, 1, tzinfo=UTC),
    "reinforcement": 3,
    "access_count": 4,
    "metadata": {"键": [1, "two"]},
}


@given(st.sets(st.sampled_from(sorted(TOLD))))
def test_what_is_left_out_is_as_a_memory_has_it(named: set[str]) -> None:
    some = {name: TOLD[name] for name in named}
    text = "我们用 PostgreSQL 18，not MySQL"
    memory = accept({**some, "text": text}, now=NOON, space="s")
    made = {"space": "s", "created_at": NOON, "id": memory.id, **some, "text": text}
    made.setdefault("updated_at", made["created_at"])
    assert memory == Memory(**made)
    assert hash(memory.id) and type(memory) is Memory
    for field in fields(Memory):
        with pytest.raises(FrozenInstanceError):
            setattr(memory, field.name, None)


def test_memories_share_nothing_that_can_be_changed() -> None:
    one, other = (accept({"text": text}, now=NOON) for text in ("one", "二"))
    assert one.metadata is not other.metadata
    assert one.provenance is not other.provenance


class Item(dict[str, Any]):
    """What somebody told, of which can be said whether it is still there."""


class Watching(InMemoryStore):
    def __init__(self, items: list[weakref.ref[Item]]) -> None:
        super().__init__()
        self._items = items
        self.left: list[int] = []

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        self.left.append(sum(item() is not None for item in self._items))
        return super().put(entries, fingerprint=fingerprint)


def test_what_was_told_is_let_go_of_before_it_is_written() -> None:
    """Whoever streams a large file counts on it."""
    seen: list[weakref.ref[Item]] = []

    def stream() -> Iterator[Item]:
        for number in range(40):
            item = Item(text=f"预算 item {number}")
            seen.append(weakref.ref(item))
            yield item
            del item

    store = Watching(seen)
    gc.disable()  # they go by themselves, not when somebody tidies up
    try:
        with Engine(store, embedder=None) as engine:
            receipts = engine.remember_many(stream())
    finally:
        gc.enable()
    assert len(receipts) == len(seen) == 40
    assert store.left == [0]


@pytest.mark.parametrize("before", [0, 3])
def test_a_fault_of_whoever_tells_is_no_refusal(before: int) -> None:
    def stream() -> Iterator[dict[str, str]]:
        for number in range(before):
            yield {"text": f"第 {number} item"}
        raise InvalidInput("line 4 of the file cannot be read")

    refused: list[int] = []
    with Engine(InMemoryStore(), embedder=None) as engine:
        with pytest.raises(InvalidInput, match="line 4"):
            list(engine.remember_stream(stream(), refused=lambda number, _: refused.append(number)))
        assert engine.store.count() == 0
    assert refused == []
