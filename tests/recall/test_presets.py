"""Every preset from the question to the answer, on a real store, in Chinese, English and mixed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest import approx
from tools.pages.presets import page

from bethink import Engine, Status
from bethink.errors import InvalidInput
from bethink.recall.preset_outline import as_record
from bethink.recall.presets import PRESETS, PURPOSES, Preset, preset_named
from bethink.recall.presets_by_use import BY_USE
from bethink.recall.thresholds import Thresholds
from bethink.settings import Settings
from tests.embedders_of_tests import Hung, Letters
from tests.recall.asking_presets import clock as clock
from tests.recall.asking_presets import engine as engine
from tests.recall.asking_presets import letters as letters
from tests.recall.asking_presets import notes

ROOT = Path(__file__).parents[2]
FIVE = pytest.mark.parametrize("preset", list(BY_USE))
BOTH = pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Mei prefers dark mode in every editor.", "which mode does Mei prefer?"),
        ("小美在所有编辑器里都喜欢深色主题。", "小美喜欢什么主题？"),
        ("小美的 vim 偏好 dark mode。", "小美的 vim 用什么 mode？"),
    ],
    ids=["English", "Chinese", "mixed"],
)
OTHERS = [
    "The launch party needs forty chairs and a marquee.",
    "Rain flooded the northern car park again.",
    "服务器机房的空调每年三月检修一次。",
    "财务要求报销单附上原始发票。",
]


# All five


@FIVE
@BOTH
def test_it_answers(engine: Engine, preset: str, text: str, question: str) -> None:
    engine.remember_many([{"text": one} for one in (*OTHERS, text)])
    answer = engine.recall(question, preset=preset)
    assert answer.status is Status.ANSWERED, answer.reasons
    assert answer.hits[0].text == text
    assert answer.trace.preset == preset
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for hit in answer.hits:
        assert sum(hit.parts.values()) == approx(hit.score, abs=1e-5)


@FIVE
@BOTH
def test_without_an_embedder(tmp_path: Path, preset: str, text: str, question: str) -> None:
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings()) as engine:
        engine.remember_many([{"text": one} for one in (*OTHERS, text)])
        answer = engine.recall(question, preset=preset)
        assert answer.status is Status.ANSWERED, answer.reasons
        assert answer.hits[0].text == text
        assert "meaning: no embedder is set" in notes(answer)


@FIVE
@BOTH
def test_a_failing_embedder(
    engine: Engine, letters: Letters, preset: str, text: str, question: str
) -> None:
    engine.remember_many([{"text": one} for one in (*OTHERS, text)])
    letters.fails = True
    answer = engine.recall(question, preset=preset)
    assert answer.status is Status.DEGRADED
    assert "on holiday" in answer.reasons[0]
    assert answer.hits[0].text == text


@FIVE
@pytest.mark.parametrize("question", ["which mode does Mei prefer?", "小美喜欢什么主题？", "???"])
def test_an_empty_store(engine: Engine, preset: str, question: str) -> None:
    answer = engine.recall(question, preset=preset)
    assert answer.status is Status.EMPTY
    assert answer.hits == ()


@FIVE
@BOTH
def test_a_deadline_leaves_out_who_is_late(
    tmp_path: Path, preset: str, text: str, question: str
) -> None:
    hung = Hung()
    with Engine(tmp_path / "m.db", embedder=hung, settings=Settings()) as engine:
        engine.remember_many([{"text": one} for one in (*OTHERS, text)])
        answer = engine.recall(question, preset=preset, deadline=0.2)
        hung.released.set()
        assert hung.entered.is_set()
        assert answer.status is Status.DEGRADED
        assert "search_meaning was not done within 0.2 s" in answer.reasons[0]
        assert answer.hits[0].text == text


@FIVE
def test_spaces_are_walls(engine: Engine, preset: str) -> None:
    engine.remember("Mei prefers dark mode. 小美喜欢深色。", space="a")
    engine.remember("Mei prefers light mode. 小美喜欢浅色。", space="b")
    for question in ("which mode does Mei prefer?", "小美喜欢什么？"):
        answer = engine.recall(question, spaces="a", preset=preset)
        assert [hit.memory.space for hit in answer.hits] == ["a"]


@FIVE
def test_both_thresholds_act(engine: Engine, preset: str) -> None:
    engine.remember("old context 旧的背景", id="first")
    engine.remember("Mei prefers dark mode 小美喜欢深色", id="near")
    engine.remember("the garden is green", id="far")
    kept: dict[tuple[float, float], list[str]] = {}
    for thresholds in ((-1.0, 0.0), (-1.0, 0.9), (0.99, 0.0), (0.99, 0.9)):
        answer = engine.recall(
            "Mei prefers dark mode 小美喜欢深色 garden",
            preset=preset,
            meaning_threshold=thresholds[0],
            words_threshold=thresholds[1],
            limit=10,
        )
        cut = next(step for step in answer.trace.steps if step.stage == "thresholds")
        kept[thresholds] = sorted({dropped.reason.split(" ")[0] for dropped in cut.dropped})
    assert kept == {
        (-1.0, 0.0): [],
        (-1.0, 0.9): ["words"],
        (0.99, 0.0): ["meaning"],
        (0.99, 0.9): ["meaning", "words"],
    }


# Their own limits and budgets


@pytest.mark.parametrize(
    ("preset", "limit", "budget"),
    [
        ("balanced", 10, 1500),
        ("workflow", 15, 8000),
        ("notebook", 10, 1500),
        ("story", 10, 1500),
        ("knowledge", 10, 5000),
        ("skill", 3, 1500),
    ],
)
def test_bounds_of_a_preset(engine: Engine, preset: str, limit: int, budget: int) -> None:
    query = engine.recall("anything 什么", preset=preset).query
    assert (query.limit, query.budget) == (limit, budget)
    assert query.unverified_share == (1.0 if preset == "workflow" else 0.5)


@FIVE
def test_the_caller_and_the_settings_come_first(tmp_path: Path, preset: str) -> None:
    chosen = Settings(limit=7, budget=777, unverified_share=0.2)
    with Engine(tmp_path / "m.db", embedder="none", settings=chosen) as engine:
        query = engine.recall("anything 什么", preset=preset).query
        assert (query.limit, query.budget, query.unverified_share) == (7, 777, 0.2)
        query = engine.recall(
            "anything 什么", preset=preset, limit=4, budget=44, unverified_share=0
        ).query
        assert (query.limit, query.budget, query.unverified_share) == (4, 44, 0)


# As data


def test_every_preset_has_a_purpose_and_thresholds() -> None:
    assert list(PRESETS) == list(PURPOSES)
    assert len(PRESETS) == len(PURPOSES)
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert any(isinstance(stage, Thresholds) for stage in preset.stages)


@pytest.mark.parametrize("name", ["magic", "", "Skill", None, ["skill"]])
def test_an_unknown_preset_names_the_known_ones(engine: Engine, name: Any) -> None:
    with pytest.raises(InvalidInput, match="known: balanced, workflow, notebook, story"):
        engine.recall("x", preset=name)
    with pytest.raises(InvalidInput):
        preset_named(name)


def test_the_page_is_true() -> None:
    assert (ROOT / "docs/reference/presets.md").read_text("utf-8") == page(), (
        "run: python -m tools.pages.presets > docs/reference/presets.md"
    )


def test_a_preset_as_a_record() -> None:
    record = as_record(BY_USE["skill"])
    assert record["limit"] == 3
    assert record["steps"][1] == [
        {"stage": "search_meaning", "options": {"candidates": 10, "exactly": True}},
        {"stage": "search_words", "options": {"candidates": 10, "exactly": True}},
    ]
    own = as_record(Preset("own", ()))
    assert own == {
        "name": "own",
        "purpose": "",
        "limit": None,
        "budget": None,
        "unverified_share": None,
        "form": "markdown",
        "steps": [],
    }
