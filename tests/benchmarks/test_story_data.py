"""The novel of the story benchmark is whole: both languages, and questions that can be answered."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from benchmarks.story.novel import LANGUAGES, PARTS, At, Check, Novel, at, load

ENTITIES, CHAPTERS, QUESTIONS = 15, 12, 60  # at least


@pytest.fixture(params=LANGUAGES, scope="module")
def novel(request: pytest.FixtureRequest) -> Novel:
    return load(request.param)


def test_it_is_long_enough(novel: Novel) -> None:
    chapters = Counter(scene.at.chapter for scene in novel.scenes)
    assert len(chapters) >= CHAPTERS and set(chapters.values()) <= {2, 3}
    for scene in novel.scenes:
        words = len(scene.text.split()) if novel.language == "en" else len(scene.text)
        assert 60 <= words <= 250, scene.at


def test_states_change(novel: Novel) -> None:
    told: dict[str, dict[str, set[str]]] = {}
    known = {one["id"] for one in novel.cast}
    for scene in novel.scenes:
        assert scene.states.keys() <= known
        for entity, facts in scene.states.items():
            for fact, value in facts.items():
                told.setdefault(entity, {}).setdefault(fact, set()).add(value)
    changing = [one for one, facts in told.items() if any(len(v) > 1 for v in facts.values())]
    assert len(told) >= ENTITIES and len(changing) >= ENTITIES


def test_threads_are_opened_before_they_are_closed(novel: Novel) -> None:
    opened: set[str] = set()
    known = {one["id"] for one in novel.cast}
    for scene in novel.scenes:
        assert set(scene.closes) <= opened
        opened -= set(scene.closes)
        assert all(set(thread.entities) <= known for thread in scene.opens)
        opened |= {thread.id for thread in scene.opens}
    assert len(opened) == 1  # one debt is never paid


def test_plans_name_who_is_in_the_cast(novel: Novel) -> None:
    names = {n for one in novel.cast for n in (one["name"], *one["aliases"], *one["titles"])}
    for scene in novel.scenes:
        assert set(scene.characters) <= names, scene.at


def test_there_are_enough_questions(novel: Novel) -> None:
    assert len(novel.checks) >= QUESTIONS
    assert len({check.id for check in novel.checks}) == len(novel.checks)
    halves = Counter(check.half for check in novel.checks)
    assert min(halves.values()) >= len(novel.checks) * 0.45
    for part in PARTS:
        for say in ("must", "never"):
            assert any(c.part == part and c.say == say for c in novel.checks), (part, say)


def test_questions_are_about_what_was_told(novel: Novel) -> None:
    for check in novel.checks:
        if check.part == "memories":
            scene = novel.scene(at(check.about))
            assert check.text in scene.text and scene.at < check.at, check.id
            others = [s.at for s in novel.scenes if s != scene and check.text in s.text]
            assert not others, f"{check.id}: also in {others}"
        elif check.part == "timeline":
            scene = novel.scene(at(check.about))
            assert check.text in scene.event, check.id
            assert (scene.at < check.at) == (check.say == "must"), check.id
        elif check.part == "threads":
            assert _is_open(novel, check) or check.say == "never", check.id
        elif check.say == "must":
            assert check.text in _state(novel, check.at, *check.about.split(".", 1)), check.id
        else:
            entity, fact = check.about.split(".", 1)
            told = [s.states.get(entity, {}) for s in novel.scenes]
            assert any(check.text in v for f in told for k, v in f.items() if fact in ("*", k))


def _state(novel: Novel, before: At, entity: str, fact: str) -> str:
    told = [s.states.get(entity, {}).get(fact, "") for s in novel.scenes if s.at < before]
    return next(value for value in reversed(told) if value)


def _is_open(novel: Novel, check: Check) -> bool:
    told = [s for s in novel.scenes if s.at < check.at]
    opened = any(check.about == thread.id for s in told for thread in s.opens)
    return opened and not any(check.about in s.closes for s in told)


def test_both_languages_ask_the_same() -> None:
    english, chinese = (load(language) for language in LANGUAGES)
    assert [s.at for s in english.scenes] == [s.at for s in chinese.scenes]
    for one, other in zip(english.checks, chinese.checks, strict=True):
        assert (one.half, one.at, one.part, one.say) == (
            other.half, other.at, other.part, other.say,
        )  # fmt: skip


def test_the_model_has_not_read_the_novel(novel: Novel) -> None:
    """It answers for every scene but the first, and quotes none."""
    assert list(novel.answers) == [scene.at for scene in novel.scenes[1:]]
    needles = [check.text for check in novel.checks if check.part in ("memories", "timeline")]
    for answer in novel.answers.values():
        assert 2 <= len(answer["phrases"]) <= 5
        told = json.dumps(answer, ensure_ascii=False)
        assert not [text for text in needles if text in told]
