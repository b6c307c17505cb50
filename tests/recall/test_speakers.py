"""Who said it counts in recall: a named speaker's turns, and the user's before the assistant's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.settings import Settings
from tests.doors.running import process
from tests.recall.conversations import (
    ASSISTED_CHINESE,
    ASSISTED_ENGLISH,
    PEOPLE_CHINESE,
    PEOPLE_ENGLISH,
    tell_assisted,
    tell_people,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("speakers") / "memory.db"
    with Engine(path) as engine:
        tell_people(engine, PEOPLE_ENGLISH, "people-en")
        tell_people(engine, PEOPLE_CHINESE, "people-zh")
        tell_assisted(engine, ASSISTED_ENGLISH, "assisted-en")
        tell_assisted(engine, ASSISTED_CHINESE, "assisted-zh")
    yield path


@pytest.mark.parametrize(
    ("space", "question", "speaker", "holds"),
    [
        ("people-en", "Which instrument did Mei start learning?", "Mei", "violin"),
        ("people-en", "Which instrument did Jonas start learning?", "Jonas", "accordion"),
        ("people-zh", "小美开始学什么乐器？", "小美", "小提琴"),
        ("people-zh", "李雷在学什么乐器？", "李雷", "手风琴"),
    ],
)
def test_a_named_speaker_comes_first(
    store: Path, space: str, question: str, speaker: str, holds: str
) -> None:
    with Engine(store) as engine:
        best = engine.recall(question, spaces=[space]).hits[0]
    assert best.memory.speaker == speaker and holds in best.text


@pytest.mark.parametrize(
    ("space", "question", "role"),
    [
        ("assisted-en", "How many kilometres did my running shoes last?", "user"),
        ("assisted-en", "Which trip to Kyoto am I planning?", "user"),
        ("assisted-en", "What did you recommend for six people with two vegetarians?", "assistant"),
        ("assisted-zh", "我的跑鞋跑了多少公里？", "user"),
        ("assisted-zh", "我打算什么时候去京都旅行？", "user"),
        ("assisted-zh", "你当时说跑鞋能跑多少公里？", "assistant"),
    ],
)
def test_the_user_comes_first_unless_the_assistant_is_asked_for(
    store: Path, space: str, question: str, role: str
) -> None:
    with Engine(store) as engine:
        assert engine.recall(question, spaces=[space]).hits[0].memory.role == role


@pytest.mark.parametrize(
    ("space", "question", "speaker"),
    [
        ("people-en", "Which instrument did Jonas start learning?", "Jonas"),
        ("people-zh", "小美开始学什么乐器？", "小美"),
    ],
)
def test_at_the_command_line(store: Path, space: str, question: str, speaker: str) -> None:
    done = process(
        "recall", question, "--space", space, "--json",
        store=store, BETHINK_EMBEDDER=Settings().embedder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["hits"][0]["metadata"]["speaker"] == speaker
