"""Weights, candidates, expansion and days: what a caller may set beside the question."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.clock import end_of_day
from bethink.errors import InvalidInput
from bethink.settings import Settings
from bethink.testing import FakeClock

# Of each pair the first shares a word with the question, the second its meaning.
BY_WORDS = {
    "car repair": "The car park of the office closes at ten.",
    "猫 生病": "猫 咖啡馆 开在学校旁边。",
}
BY_MEANING = {
    "car repair": "Our mechanic fixes the vehicle's engine and brakes.",
    "猫 生病": "宠物不舒服，去看了兽医。",
}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(settings=Settings()) as engine:
        engine.remember_many([{"text": t} for t in (*BY_WORDS.values(), *BY_MEANING.values())])
        engine.remember_many([{"text": f"filler {n} 填充 {n}"} for n in range(20)])
        yield engine


@pytest.mark.parametrize("preset", ["balanced", "knowledge", "ranks", "story"])
@pytest.mark.parametrize("question", ["car repair", "猫 生病"])
def test_weights_set_the_order(engine: Engine, question: str, preset: str) -> None:
    def order(weights: Any) -> list[str]:
        asked = engine.recall(
            question, weights=weights, preset=preset, floor=0 if preset != "ranks" else None
        )
        return [hit.text for hit in asked.hits]

    assert order("words_first")[0] == BY_WORDS[question]
    assert order("meaning_first")[0] == BY_MEANING[question]
    assert order({"meaning": 0.0, "words": 1.0}) == order({"words": 1, "meaning": 0})
    assert order("meaning-first") == order("Meaning first") == order("meaning_first")


def test_weights_are_refused_where_they_would_do_nothing(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="weights: the preset 'notebook' orders its hits by"):
        engine.recall("预算", weights="words_first", preset="notebook")
    with pytest.raises(InvalidInput, match="weights: expected meaning_first, words_first, equal"):
        engine.recall("预算", weights="meaning")
    with pytest.raises(InvalidInput, match="enable_query_expansion: the preset 'balanced' does"):
        engine.recall("预算", enable_query_expansion=True)
    with pytest.raises(InvalidInput, match="candidates: expected a whole number from 1 to 1,000"):
        engine.recall("预算", candidates=0)


@pytest.mark.parametrize(("preset", "question"), [("balanced", "filler"), ("skill", "填充")])
def test_as_many_candidates_as_asked_for(engine: Engine, preset: str, question: str) -> None:
    def searched(count: int | None) -> set[str]:
        asked = engine.recall(question, preset=preset, candidates=count, limit=2)
        notes = [note for step in asked.trace.steps for note in step.notes]
        return {note for note in notes if note.startswith(("meaning: ", "words: "))}

    assert any(note.startswith("meaning: 4 nearest") for note in searched(4))
    assert any(note.startswith("words: 4 for") for note in searched(4))
    assert not any(note.startswith("meaning: 4 ") for note in searched(None))


@pytest.mark.parametrize("question", ["谁修车", "where is the “mechanic”?"])
def test_expansion_can_be_switched_off_by_call_and_by_setting(
    engine: Engine, question: str
) -> None:
    def notes(**options: object) -> list[str]:
        answer = engine.recall(question, preset="knowledge", **options)  # type: ignore[arg-type]
        (step,) = [step for step in answer.trace.steps if step.stage == "expand"]
        return list(step.notes)

    assert notes() and "expand: switched off" not in notes()
    assert notes(enable_query_expansion=False) == ["expand: switched off"]
    engine.set_override("enable_query_expansion", False, space="global")
    assert notes() == ["expand: switched off"]
    assert "expand: switched off" not in notes(enable_query_expansion=True)


NOON = datetime(2026, 5, 1, 4, tzinfo=UTC)  # in Shanghai


def test_a_day_means_its_end_where_the_user_lives() -> None:
    clock = FakeClock(NOON)
    settings = Settings(timezone="Asia/Shanghai", embedder="hashing")
    with Engine.in_memory(settings=settings, clock=clock) as engine:
        engine.remember("The API timeout is 30 seconds", id="old")
        clock.advance(days=2)
        engine.remember("接口超时改为 60 seconds, API timeout", id="new", supersedes="old")
        clock.advance(days=2)

        def held(as_of: object) -> list[str]:
            asked = engine.recall("API timeout seconds", as_of=as_of, floor=0)  # type: ignore[arg-type]
            return [hit.id for hit in asked.hits]

        assert held("2026-04-30") == []
        assert held("2026-05-01") == held(date(2026, 5, 1)) == ["old"]
        assert held("2026-05-01T00:00:00+08:00") == []
        assert held("2026-05-03") == held("2026-05-05") == ["new"]


def test_the_end_of_a_day_in_a_zone() -> None:
    zone = Settings(timezone="Asia/Shanghai").zone
    last = datetime(2026, 5, 1, 15, 59, 59, 999999, tzinfo=UTC)
    assert end_of_day("2026-05-01", zone, NOON - timedelta(days=9)) == last
    assert end_of_day("2026-05-01", zone, NOON) == NOON  # the rest of today has not happened
    for more in ("2026-05-01T10:00", "yesterday", "昨天", NOON):
        assert end_of_day(more, zone, NOON) is None


def test_an_unseen_project_beside_the_global_space() -> None:
    with Engine.in_memory(settings=Settings(space="项目", embedder="hashing")) as engine:
        answer = engine.recall("anything 什么")
        assert answer.status is Status.EMPTY
        assert answer.reasons == ("nothing was remembered in the space '项目' yet",)
