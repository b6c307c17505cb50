"""A notebook that may be written, and an engine that remembers into it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.notebook.books import Form
from bethink.settings import Settings
from bethink.testing.fake_clock import FakeClock
from bethink.vocabulary import Receipt, Recollection

MAY = datetime(2026, 5, 1, 6, tzinfo=UTC)  # 14:00 in Shanghai
PREFERENCES = "user/preferences.md"


class Notebook:
    def __init__(self, folder: Path, **settings: Any) -> None:
        self.root = folder / "notebook"
        self.root.mkdir(exist_ok=True)
        self.clock = FakeClock(MAY)
        self.settings = Settings(**{"timezone": "Asia/Shanghai", **settings})
        self.path = folder / "memory.db"
        self.engine = self.open()

    def open(self, store: Path | None = None) -> Engine:
        engine = Engine(
            store or self.path, embedder="hashing", settings=self.settings, clock=self.clock
        )
        assert engine.books is not None
        engine.books.add(
            self.root, space="global", form=Form.NOTEBOOK, writable=True, project=False
        )
        return engine

    def tell(self, text: str, kind: str = "preference", **fields: Any) -> Receipt:
        self.clock.advance(hours=1)
        return self.engine.remember(text, kind=kind, **fields)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(text.encode())

    def read(self, path: str = PREFERENCES) -> str:
        return (self.root / path).read_bytes().decode()

    def files(self) -> set[str]:
        return {str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()}


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    made = Notebook(tmp_path)
    with made.engine:
        yield made


def texts(recollection: Recollection) -> list[str]:
    return [hit.text for hit in recollection.hits]
