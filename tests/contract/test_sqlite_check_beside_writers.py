"""A thorough look at a file that others write to: what they do meanwhile is no fault."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from bethink.stores.sqlite import words
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory
from tests.contract.composites import TOY, tell


def test_what_is_told_or_forgotten_meanwhile_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, writes = SQLiteStore(tmp_path / "m.db"), SQLiteStore(tmp_path / "m.db")
    tell(writes, "预算会议 budget", "a", space="项目")
    tell(writes, "dark theme 深色", "b")
    honest = words.size
    numbers = iter(range(100))

    def meanwhile(connection: apsw.Connection, space: int) -> int | None:
        """Between the look at the space and the look at its index."""
        number = next(numbers)
        told = make_memory(f"又一条 more {number}", f"more-{number}", space="项目")
        writes.put([make_entry(told, TOY)], fingerprint=TOY.fingerprint)
        writes.delete([f"more-{number - 1}"])
        return honest(connection, space)

    monkeypatch.setattr(words, "size", meanwhile)
    checks = looks.check()
    assert next(numbers) == 2  # of two spaces
    assert [one for one in checks if not one.ok and one.part != "disk"] == []
    looks.close()
    writes.close()


def test_a_space_that_is_forgotten_meanwhile_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, writes = SQLiteStore(tmp_path / "m.db"), SQLiteStore(tmp_path / "m.db")
    for space in ("global", "项目", "team"):
        tell(writes, "预算会议 budget", space, space=space)
    honest = words.size

    def meanwhile(connection: apsw.Connection, space: int) -> int | None:
        if "team" in {info.name for info in writes.spaces()}:
            writes.delete_space("team")
        return honest(connection, space)

    with monkeypatch.context() as busy:
        busy.setattr(words, "size", meanwhile)
        checks = looks.check()
    assert [one for one in checks if not one.ok and one.part != "disk"] == []
    assert not any("'team'" in one.part for one in checks)
    assert any("'项目'" in one.part for one in checks)
    looks.close()
    writes.close()
