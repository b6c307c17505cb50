"""The prompts to a coding agent: enough of them, and the notes come to those that need them."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.prompts import LANGUAGES, fill, rows, served

from bethink import Engine
from bethink.settings import Settings


@pytest.mark.parametrize("language", LANGUAGES)
def test_enough_prompts_with_and_without_a_note(language: str) -> None:
    told = rows(language)
    assert sum("way" in row for row in told) == 35
    assert sum("way" not in row for row in told) == 40
    assert len({row["prompt"] for row in told}) == 75


@pytest.mark.parametrize("language", LANGUAGES)
def test_most_prompts_get_their_note_by_words_alone(language: str, tmp_path: Path) -> None:
    """A bound for machines without a model. benchmarks/LOG.md has the figures."""
    told = rows(language)
    settings = Settings(embedder="none", sync_seconds=0)
    with Engine(tmp_path / "memory.db", settings=settings) as engine:
        assert fill(engine, told, tmp_path / "project") <= 1
        on = [place for row, place in served(engine, told) if "way" in row]
    assert sum(place > 0 for place in on) >= 20
