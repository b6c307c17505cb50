"""The reader of the registry: pulled for real, and used from then on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import RerankerError
from bethink.models.files import is_ready, verify
from bethink.models.pulling import pull
from bethink.rerankers.cross_encoder import PulledReader
from bethink.rerankers.loading import reranker_named
from bethink.rerankers.models import READERS, reader_named
from bethink.settings import Settings
from bethink.vocabulary import Status

(READER,) = READERS
TOLD = [
    "Mei prefers the dark theme in every editor.",
    "Mei asked which theme looks best on the new website.",
    "The invoice is due on Friday.",
    "小美喜欢深色主题。",
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("models")
    assert pull(READER, place) == place / "reader-en"
    return place


def test_it_is_here_and_whole(models: Path) -> None:
    assert reader_named("reader-en") == READER
    assert reader_named("use-m") is None
    assert is_ready(READER, models)
    assert verify(READER, models) is None


def test_it_tells_what_answers(models: Path) -> None:
    reader = PulledReader(READER, models, seconds=60)
    answers, asks, other = reader.read("Which theme does Mei like?", TOLD[:3], seconds=60)
    assert answers > asks > other
    assert reader.read("Which theme does Mei like?", TOLD, seconds=0) == []


def test_a_damaged_one_is_not_loaded(models: Path, tmp_path: Path) -> None:
    pull(READER, tmp_path, origin=str(models / "reader-en"))
    with open(tmp_path / "reader-en" / "model.onnx", "rb+") as file:
        file.seek(1_000)
        file.write(b"evil")
    with pytest.raises(RerankerError, match="get it with: bethink models pull reader-en"):
        PulledReader(READER, tmp_path, seconds=1).read("?", ["a"], seconds=1)


def test_auto_is_the_reader_once_it_is_pulled(models: Path, tmp_path: Path) -> None:
    assert reranker_named("auto", Settings(models=str(tmp_path))) is None
    found = reranker_named("auto", Settings(models=str(models)))
    assert isinstance(found, PulledReader)
    assert found.name == "reader-en"
    assert reranker_named("none", Settings(models=str(models))) is None


def test_named_but_not_pulled(tmp_path: Path) -> None:
    settings = Settings(embedder="none", models=str(tmp_path), reranker="reader-en")
    with Engine.in_memory(settings=settings) as engine:
        engine.remember_many([{"text": text} for text in TOLD])
        answer = engine.recall("which theme would suit Mei?")
        assert answer.status is Status.DEGRADED
        assert "bethink models pull reader-en" in " ".join(answer.reasons)


def test_it_reads_in_a_recall_and_leaves_chinese_alone(models: Path) -> None:
    with Engine.in_memory(settings=Settings(embedder="none", models=str(models))) as engine:
        engine.remember_many([{"text": text} for text in TOLD])
        answer = engine.recall("Mei and her favourite theme", deadline=60, floor=0)
        notes = [
            note for step in answer.trace.steps for note in step.notes if step.stage == "reader"
        ]
        assert any("reader-en read" in note for note in notes), notes
        assert answer.hits[0].text == TOLD[0]
        answer = engine.recall("小美喜欢什么主题？", deadline=60, floor=0)
        notes = [
            note for step in answer.trace.steps for note in step.notes if step.stage == "reader"
        ]
        assert any("read nothing" in note for note in notes), notes
