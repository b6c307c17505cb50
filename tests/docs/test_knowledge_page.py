"""The page on knowledge bases tells of every parameter, every field and every match type."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from bethink.knowledge.citations import MATCH_TYPES, Citation
from bethink.knowledge.params import FIELDS
from bethink.recall.presets_by_use import KNOWLEDGE, KNOWLEDGE_WIDEN
from bethink.settings import RANGES

PAGE = (Path(__file__).parents[2] / "docs/reference/knowledge.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]


def row(name: str) -> str:
    return next(line for line in ROWS if f"`{name}`" in line.split("|")[1])


def test_every_parameter_with_its_setting_and_scale() -> None:
    for name, told in FIELDS.items():
        assert f"`{told.setting}`" in row(name) or not told.setting, name
        if told.setting in RANGES:
            least, most = RANGES[told.setting]
            assert f"{least:,} to {most:,}" in row(name), name
    assert f"`budget`, {KNOWLEDGE.budget:,}" in row("budget")


def test_every_field_of_a_citation_and_every_match_type() -> None:
    for field in fields(Citation):
        assert row(field.name)
    for name in MATCH_TYPES:
        assert row(name)


def test_the_lengths() -> None:
    assert f"fewer than {KNOWLEDGE_WIDEN.below} characters" in PAGE
    assert f"up to {KNOWLEDGE_WIDEN.up_to}:" in PAGE
