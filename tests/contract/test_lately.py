"""A store remembers the numbers of passages that it named lately; they may be gone since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.embedders.protocol import embed_question
from bethink.stores.protocol import Compared
from tests.embedders_of_tests import Letters


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "memory.db", embedder=Letters()) as engine:
        engine.remember("Mei prefers dark mode", id="mei")
        engine.remember("我们周五开会", id="meeting")
        found = engine.recall("dark mode 周五", floor=0).hits
        assert {hit.id for hit in found} == {"mei", "meeting"}
        yield engine


KEYS = [("mei", 0), ("meeting", 0), ("nobody", 0)]


def _compared(engine: Engine) -> Compared:
    letters = Letters()
    vector = embed_question(letters, "dark mode")
    return engine.store.compare(vector, KEYS, fingerprint=letters.fingerprint, spaces=["global"])


def test_a_revised_memory_is_found_under_its_new_number(engine: Engine) -> None:
    before = _compared(engine).scores
    engine.revise("mei", text="Mei wants a light theme now")
    found = engine.store.fetch(KEYS)
    assert [one and one[0].text for one in found] == [
        "Mei wants a light theme now", "我们周五开会", None,
    ]  # fmt: skip
    after = _compared(engine).scores
    assert after[0] is not None and after[0] != before[0]
    assert after[1:] == before[1:] and after[2] is None


def test_a_forgotten_memory_is_gone_and_another_may_take_its_id(engine: Engine) -> None:
    engine.forget("meeting")
    assert engine.store.fetch(KEYS)[1] is None
    assert _compared(engine).scores[1] is None
    engine.remember("会议改到周三", id="meeting")
    found = engine.store.fetch(KEYS)[1]
    assert found is not None and found[0].text == "会议改到周三"
    assert _compared(engine).scores[1] is not None
