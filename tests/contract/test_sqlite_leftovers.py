"""SQLite may leave a copy of a row in the unused part of a page. `finish_erasing` finds it."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from bethink.stores.sqlite.leftovers import left_in
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory


def comings_and_goings(store: SQLiteStore, seed: int, steps: int = 400) -> list[str]:
    """Rows of many lengths come and go, so that pages are split and joined; those that went."""
    dice = random.Random(seed)
    here: dict[str, str] = {}
    gone: list[str] = []
    for number in range(steps):
        if dice.random() < 0.6 or not here:
            words = " ".join(f"z{dice.randint(1, 999)}" for _ in range(dice.randint(10, 300)))
            text, memory_id = f"qcanary{number:06d}x-尾巴 {words}", f"{dice.random()}"
            store.put([make_entry(make_memory(text, memory_id))])
            here[text] = memory_id
        else:
            text = dice.choice(list(here))
            store.delete([here.pop(text)])
            gone.append(text)
    return gone


def traces(path: Path, texts: list[str]) -> list[str]:
    data = path.read_bytes()
    return [text[:14] for text in texts if text[:14].encode() in data]


@pytest.mark.parametrize("seed", [1, 3, 4, 5])  # of those, SQLite leaves copies
def test_a_copy_in_an_unused_part_is_found_and_goes(quick_path: Path, seed: int) -> None:
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        gone = comings_and_goings(store, seed)
        left = traces(store.path, gone)
        assert left  # or this would prove nothing
        for text in gone:
            assert store.finish_erasing([text])
        assert traces(store.path, gone) == []
        assert all(check.ok for check in store.check())


def test_what_other_memories_say_is_no_leftover(quick_path: Path) -> None:
    text = "两个空间里有同一句话 the very same line in two spaces, long enough to be a piece"
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        for space in ("a", "b"):
            store.put([make_entry(make_memory(text, f"m-{space}", space=space))])
        store.delete(["m-a"])
        assert not left_in(store.path, [text])
        assert store.finish_erasing([text])
        assert [memory and memory.text for memory in store.get(["m-a", "m-b"])] == [None, text]


def test_short_texts_and_no_file(quick_path: Path) -> None:
    assert not left_in(quick_path / "nothing.db", ["a text that is long enough to be looked for"])
    (quick_path / "empty.db").write_bytes(b"")
    assert not left_in(quick_path / "empty.db", ["a text that is long enough to be looked for"])
