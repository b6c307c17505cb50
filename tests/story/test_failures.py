"""Each failure alone: vectors, database, an optional part. The rest answers, and says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import StoreError
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Page
from bethink.vocabulary import Found
from tests.embedders_of_tests import Hung, Letters
from tests.story.telling import CAST, story_in
from tests.story.test_context import PLAN, assert_rest_answers, told


def test_without_vectors_words_answer() -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters, settings=Settings()) as engine:
        story = told(story_in(engine))
        letters.fails = True
        context = story.scene_context(PLAN, None, 4, 2)
    assert_rest_answers(context)
    assert any("左臂流血" in memory.text for memory in context.relevant_memories)
    assert any("on holiday" in one for one in context.missing)
    assert context.status == "degraded"


def test_an_embedder_that_hangs_costs_the_deadline_and_no_more() -> None:
    hung = Hung()
    with Engine.in_memory(embedder=hung, settings=Settings()) as engine:
        story = told(story_in(engine))
        began = time.monotonic()
        context = story.scene_context(PLAN, None, 4, 2, deadline=1.0)
        took = time.monotonic() - began
        hung.released.set()
    assert took < 20  # it hangs for half a minute
    assert_rest_answers(context)
    assert context.status == "degraded"
    assert any(one.startswith("memories: ") for one in context.missing)


class Broken(InMemoryStore):
    """A store in which one thing goes wrong, once it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.broken: set[str] = set()
        self.broken_by: type[Exception] = StoreError

    def scan(self, **options: Any) -> Page:
        if "scan" in self.broken:
            raise StoreError("the table is gone 表没了")
        return super().scan(**options)

    def search_words(self, terms: Sequence[str], **options: Any) -> list[Found]:
        if "search" in self.broken:
            raise self.broken_by("no index")
        return super().search_words(terms, **options)

    def search_meaning(self, *given: Any, **options: Any) -> list[Found]:
        if "search" in self.broken:
            raise self.broken_by("no index")
        return super().search_meaning(*given, **options)


def test_without_the_database_memories_answer_by_the_cast_that_is_given() -> None:
    store = Broken()
    with Engine(store, embedder="hashing", settings=Settings()) as engine:
        story = told(story_in(engine))
        store.broken = {"scan"}
        context = story.scene_context(PLAN, CAST, 4, 2)
    assert any("左臂流血" in memory.text for memory in context.relevant_memories)
    assert (context.entity_states, context.timeline_context, context.open_threads) == ([], None, [])
    assert context.status == "degraded"
    for part in ("cast", "timeline", "previous scene", "entity states", "threads"):
        assert f"{part}: {StoreError.abroad}" in context.missing
    assert "the table is gone" not in str(context.missing)  # it may name where the store is


def test_one_fact_that_is_no_name_costs_no_state() -> None:
    """As a store of before may hold it, or one that somebody else writes to."""
    with Engine.in_memory(embedder="hashing", settings=Settings()) as engine:
        story = told(story_in(engine))
        place = {"chapter": 1, "scene": 1, "at": 100_001, "entity": "pot", "name": "Pot"}
        for facts in ({"lid": "\u200b\u200d"}, {"story": "长" * 1_000}):
            engine.remember(
                f"Pot {facts}",
                space="river",
                kind="entity_state",
                entities=["pot"],
                metadata={**place, "facts": facts},
            )
        context = story.scene_context(PLAN, None, 4, 2)
    assert_rest_answers(context)
    assert not any(one.startswith("entity states") for one in context.missing)


def test_without_the_search_the_rest_answers() -> None:
    store = Broken()
    with Engine(store, embedder="hashing", settings=Settings()) as engine:
        story = told(story_in(engine))
        store.broken = {"search"}
        context = story.scene_context(PLAN, CAST, 4, 2)
    assert_rest_answers(context)
    assert [m.reason for m in context.relevant_memories] == ["the scene before"]
    assert any(one.startswith("memories: ") for one in context.missing)
    assert context.status == "degraded"


@pytest.mark.parametrize("error", [StoreError, RuntimeError])
def test_when_nothing_answers_it_says_so(error: type[Exception]) -> None:
    store = Broken()
    store.broken_by = error
    with Engine(store, embedder="hashing", settings=Settings()) as engine:
        story = told(story_in(engine))
        store.broken = {"scan", "search"}
        context = story.scene_context(PLAN, None, 4, 2)
    assert (context.status, context.relevant_memories) == ("degraded", [])
    assert json.loads(context.model_dump_json())["missing"]


def test_without_pydantic_it_says_what_to_install(tmp_path: Path) -> None:
    """Everything else works; who asks for a story is told which part is missing."""
    blocked = "import sys; sys.modules['pydantic'] = None\n"
    run = (
        "from bethink.doors.cli.main import main\n"
        "main(['remember', '林婉 Lin Wan'])\n"
        "sys.exit(main(['scene', '--plan', 'p.json', '--project', 'p', '--chapter', '1', "
        "'--scene', '1']))"
    )
    (tmp_path / "p.json").write_text("{}", "utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", blocked + run],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={
            **os.environ, "BETHINK_STORE": str(tmp_path / "m.db"),
            "BETHINK_EMBEDDER": "none", "XDG_CONFIG_HOME": str(tmp_path),
        },
        check=False,
    )  # fmt: skip
    assert ran.returncode == 7, ran.stderr
    assert "pip install 'bethink[story]'" in ran.stderr
