"""An answer with the field names of a notebook's search, as values and as JSON."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from bethink import Engine, SearchResponse, SearchResult
from bethink.recall import FORMATS
from tests.embedders_of_tests import Letters

TOLD = ("Mei prefers dark mode", "小美喜欢深色主题", "偏好 dark mode 的是小美")


def test_the_field_names_are_those_of_the_contract() -> None:
    assert [field.name for field in fields(SearchResponse)] == [
        *("results", "total_tokens", "budget_remaining")
    ]
    assert [field.name for field in fields(SearchResult)] == [
        *("chunk_id", "uri", "content", "score", "memory_type", "section", "reinforcement"),
        *("token_count", "verified", "uncertain"),
    ]


@pytest.mark.parametrize("text", TOLD)
def test_each_hit_is_a_result(text: str) -> None:
    with Engine.in_memory(embedder=Letters()) as engine:
        told = engine.remember(text, kind="preference", section="界面 UI", source="notes/ui.md")
        engine.reinforce(told.id)
        answer = engine.recall(text, budget=300)
        response = answer.as_search_response()
    assert isinstance(response, SearchResponse)
    assert response.results == (
        SearchResult(
            chunk_id=f"{told.id}#0",
            uri="notes/ui.md",
            content=text,
            score=answer.hits[0].score,
            memory_type="preference",
            section="界面 UI",
            reinforcement=1,
            token_count=answer.hits[0].tokens,
        ),
    )
    assert response.total_tokens == answer.tokens_used > 0
    assert response.budget_remaining == 300 - response.total_tokens
    assert response.as_record() == FORMATS["search-response"](answer, False, "en")
    assert "verified" not in response.as_record()["results"][0]


@pytest.mark.parametrize(
    "text",
    [
        "The deploy log says that staging moved to port 5433 on Monday morning, before noon.",
        "部署日志里说，预发布环境在周一上午换到了五四三三端口，原因是旧的端口已经被另一个服务占用了，之后所有人都要用新的端口连接数据库。",
    ],
)
def test_what_nobody_reviewed_says_so(text: str) -> None:
    with Engine.in_memory(embedder=Letters()) as engine:
        offer = engine.offer(text, confidence=0.9)
        response = engine.recall(text, preset="workflow").as_search_response()
    assert [(one.chunk_id, one.verified) for one in response.results] == [(f"{offer.id}#0", False)]
    assert response.as_record()["results"][0]["verified"] is False
    assert response.results[0].uri == f"memory:{offer.id}"


def test_nothing_found_is_an_empty_response() -> None:
    with Engine.in_memory(embedder="none") as engine:
        response = engine.recall("量子计算 quantum", budget=300).as_search_response()
    assert response == SearchResponse(results=(), total_tokens=0, budget_remaining=300)


def test_they_are_frozen() -> None:
    response = SearchResponse(results=(), total_tokens=0, budget_remaining=1)
    with pytest.raises(FrozenInstanceError):
        response.total_tokens = 5  # type: ignore[misc]
