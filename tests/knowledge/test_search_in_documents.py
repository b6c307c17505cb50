"""Searching documents that were read from files: citations, neighbours, what is disabled."""

from __future__ import annotations

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase

GUIDE = """# Travel guide

## Trains

Train tickets are refunded within two weeks.

## Planes

Flights need the consent of your manager.

## Hotels

Hotels are booked by the office.
"""
ZHINAN = """# 差旅指南

## 火车

火车票在两周之内报销。

## 飞机

乘坐飞机须经理同意。

## 酒店

酒店由办公室预订。
"""


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    base = KnowledgeBase(engine, "差旅")
    base.add(GUIDE.encode(), name="guide.md")
    base.add(ZHINAN.encode(), name="指南.md")
    return base


@pytest.mark.parametrize(
    ("question", "line", "address"),
    [
        ("who consents to flights?", "[1] Travel guide › Planes (guide.md)", "guide.md"),
        ("乘坐飞机要谁同意？", "[1] 差旅指南 › 飞机 (指南.md)", "指南.md"),
    ],
)
def test_cited_and_shown_with_its_neighbours(
    base: KnowledgeBase, question: str, line: str, address: str
) -> None:
    ((hit, citation),) = base.search(question, match_count=1)
    assert str(citation) == line
    assert citation.document == base.document(address).id
    parts = base.document_parts(address)
    assert hit.text == "\n\n".join(part.text for part in parts)
    assert [one.memory_id for one in citation.beside] == [parts[0].id, parts[2].id]


@pytest.mark.parametrize(
    ("question", "address", "other"),
    [
        ("who consents to flights?", "guide.md", "指南.md"),
        ("飞机 经理 同意", "指南.md", "guide.md"),
    ],
)
def test_what_is_disabled_comes_in_no_way(
    base: KnowledgeBase, question: str, address: str, other: str
) -> None:
    ids = {part.id for part in base.document_parts(address)} | {base.document(address).id}
    assert base.search(question).citations[0].memory_id in ids
    base.disable_documents(address)
    for params in ({}, {"documents": [address, other]}):
        found = base.search(question, **params)  # type: ignore[arg-type]
        shown = {one.memory_id for c in found.citations for one in c.beside}
        assert not ids & ({c.memory_id for c in found.citations} | shown)
    assert base.why_not(min(ids - {base.document(address).id}), question).outcome == "withheld"
    base.enable_documents(address)
    assert base.search(question).citations[0].memory_id in ids


def test_a_section_that_is_withheld_is_not_shown_beside_another(
    engine: Engine, base: KnowledgeBase
) -> None:
    trains, planes, hotels = base.document_parts("指南.md")
    engine.withheld.add([hotels.id], space=base.space)
    ((hit, citation),) = base.search("乘坐飞机须经理同意", match_count=1)
    assert citation.memory_id == planes.id
    assert [one.memory_id for one in citation.beside] == [trains.id]
    assert "酒店" not in hit.text
