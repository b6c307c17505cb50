"""Two models in one vector: English by both, everything else by the first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bethink import Engine
from bethink.embedders.loading import embedder_named
from bethink.embedders.measured import ByScript, measured
from bethink.embedders.models import model_named
from bethink.embedders.onnx import OnnxEmbedder
from bethink.embedders.protocol import Embedder, embed_question, embed_texts
from bethink.embedders.two_models import MEASURED, TwoModels, Weights, joined, models_of
from bethink.embedders.use_multilingual import UseMultilingual
from bethink.errors import EmbedderError, InvalidInput
from bethink.recall import faq_nearness, fuse_adaptively
from bethink.remember import sameness
from bethink.settings import Settings, is_embedder
from bethink.testing import EmbedderContract
from bethink.vocabulary import Status

NAME = "use-m+arctic-s"
FIRST = 512


@pytest.fixture(scope="module")
def settings(pulled: Path) -> Settings:
    return Settings(embedder=NAME, models=str(pulled))


@pytest.fixture(scope="module")
def pair(settings: Settings) -> TwoModels:
    found = embedder_named(NAME, settings)
    assert isinstance(found, TwoModels)
    return found


class TestPair(EmbedderContract):
    tolerance = 0.05  # the second one's: int8

    @pytest.fixture
    def embedder(self, pair: TwoModels) -> Embedder:
        return pair


def _cosine(pair: TwoModels, question: str, text: str) -> float:
    return float(embed_question(pair, question) @ embed_texts(pair, [text], kind="document")[0])


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Why did the release fail?", "The deploy broke: the disk was full.", "Lunch is at noon."),
        ("发布为什么失败了？", "部署中断，因为磁盘满了。", "午饭在十二点。"),
        ("发布为什么失败了？", "The deploy broke: the disk was full.", "Lunch is at noon."),
        ("Why did the release fail?", "部署中断，因为磁盘满了。", "午饭在十二点。"),
        ("PostgreSQL 为什么变慢了？", "PostgreSQL 变慢是因为缺少索引。", "Lunch is at noon."),
        # across languages, against one that is in the question's own
        ("Why did the release fail?", "部署中断，因为磁盘满了。", "Lunch is at noon."),
        ("发布为什么失败了？", "The deploy broke: the disk was full.", "午饭在十二点。"),
    ],
)
def test_related_is_nearer_in_both_languages(
    pair: TwoModels, question: str, near: str, far: str
) -> None:
    assert _cosine(pair, question, near) > _cosine(pair, question, far) + 0.02


def test_both_languages_have_one_scale(pair: TwoModels) -> None:
    """A Chinese question's cosines are the first model's, scaled, whatever the memory is in."""
    first = UseMultilingual()
    texts = ["部署中断，因为磁盘满了。", "The deploy broke: the disk was full.", "1042", "🎉"]
    asked = embed_question(first, "发布为什么失败了？")
    alone = embed_texts(first, texts, kind="document") @ asked
    both = [_cosine(pair, "发布为什么失败了？", text) for text in texts]
    np.testing.assert_allclose(both, pair.scale * alone, atol=1e-5)


def test_the_second_model_reads_english_only(pair: TwoModels) -> None:
    rows = embed_texts(
        pair, ["灯塔修好了", "1042", "🎉🎉", "The lighthouse is mended"], kind="document"
    )
    seconds = rows[:, FIRST:]
    np.testing.assert_allclose(seconds[0], seconds[1], atol=1e-6)
    np.testing.assert_allclose(seconds[0], seconds[2], atol=1e-6)
    assert abs(float(seconds[0] @ seconds[3])) < 1e-4  # at right angles to all that is English
    np.testing.assert_allclose(np.linalg.norm(rows[:, :FIRST], axis=1), pair.scale, atol=1e-4)
    for question in ("灯塔", "1042", "🎉🎉"):
        assert not embed_question(pair, question)[FIRST:].any()


def test_the_second_alone_is_given_its_prefix(pair: TwoModels, pulled: Path) -> None:
    arctic = model_named("arctic-s")
    asked = embed_texts(pair, ["dark mode"], kind="query")[0]
    prefixed = embed_texts(pair, [arctic.query_prefix + "dark mode"], kind="document")[0]
    told = embed_texts(pair, ["dark mode"], kind="document")[0]

    def direction(row: np.ndarray) -> np.ndarray:
        usual = embed_texts(pair, ["灯塔"], kind="document")[0][FIRST:]
        usual = usual / np.linalg.norm(usual)
        rest = row[FIRST:] - (row[FIRST:] @ usual) * usual
        unit: np.ndarray = rest / np.linalg.norm(rest)
        return unit

    assert float(direction(asked) @ direction(prefixed)) > 0.999
    assert float(direction(asked) @ direction(told)) < 0.99
    plain = asked[:FIRST] / np.linalg.norm(asked[:FIRST])
    np.testing.assert_allclose(plain, told[:FIRST] / np.linalg.norm(told[:FIRST]), atol=1e-4)


def test_it_says_who_it_is_without_loading(tmp_path: Path) -> None:
    pair = embedder_named(NAME, Settings(models=str(tmp_path)))
    assert isinstance(pair, TwoModels)
    assert (pair.name, pair.dimension) == (NAME, 896)
    arctic = OnnxEmbedder(model_named("arctic-s"), tmp_path)
    assert pair.fingerprint.startswith(f"{NAME}/")
    assert UseMultilingual.fingerprint in pair.fingerprint
    assert arctic.fingerprint in pair.fingerprint
    other = TwoModels(UseMultilingual(), arctic, model_named("arctic-s"), Weights(2.0, 0.25))
    assert other.fingerprint != pair.fingerprint


def test_words_have_vectors(pair: TwoModels) -> None:
    assert pair.word_vectors is not None
    bought, purchase, cloud = pair.word_vectors(["bought", "purchase", "cloud"])
    assert bought @ purchase > bought @ cloud


def test_any_two_local_models_can_be_joined() -> None:
    pair = joined("use-m+hashing", lambda name: embedder_named(name, Settings()))
    assert pair.dimension == 1024
    texts = ["the deploy broke", "部署中断", "1042", "🎉"]
    rows = embed_texts(pair, texts, kind="document")
    asked = np.stack([embed_question(pair, text) for text in texts])
    assert (asked @ rows.T).argmax(axis=1).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("use-m+use-m", "two different models"),
        ("use-m+arctic-s+hashing", "two different models"),
        ("arctic-s+use-m", "reads English only; put one that reads every language first"),
        ("use-m+bert", "there is no model 'bert'"),
        ("use-m+", "there is no model ''"),
    ],
)
def test_what_cannot_be_joined_is_said(name: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        models_of(name)


def test_the_settings_know_pairs() -> None:
    assert is_embedder(NAME) and is_embedder("use-m+hashing")
    for name in ("use-m+bert", "use-m+none", "use-m+arctic-s+hashing", "+", "openai:"):
        assert not is_embedder(name)


def test_one_model_is_missing(tmp_path: Path) -> None:
    pair = embedder_named(NAME, Settings(models=str(tmp_path)))
    assert pair is not None
    with pytest.raises(EmbedderError, match="get it with: bethink models pull arctic-s"):
        embed_texts(pair, ["the lighthouse"], kind="document")
    with Engine(
        tmp_path / "memory.db", settings=Settings(embedder=NAME, models=str(tmp_path / "none"))
    ) as engine:
        told = engine.remember("The lighthouse is mended 灯塔 at last")
        assert not told.embedded
        got = engine.recall("lighthouse")
        assert [hit.id for hit in got.hits] == [told.id]
        assert got.status is Status.DEGRADED
        assert "bethink models pull arctic-s" in " ".join(got.reasons)


@pytest.fixture
def moved(tmp_path: Path, settings: Settings) -> Iterator[Engine]:
    """A store that was made with one model, opened with both."""
    path = tmp_path / "memory.db"
    with Engine(path, settings=Settings(embedder="use-m")) as engine:
        engine.remember("The deploy broke: the disk was full.", id="en")
        engine.remember("午饭在十二点。", id="zh")
    with Engine(path, settings=settings) as engine:
        yield engine


def test_a_store_changes_over_by_reindexing(moved: Engine) -> None:
    before = moved.recall("Why did the release fail?")
    assert before.status is Status.STALE
    assert f"the index is by use-m, the settings name {NAME}" in " ".join(before.reasons)
    moved.reindex()
    held = moved.store.embedding()
    assert held is not None and (held.name, held.dimension) == (NAME, 896)
    after = moved.recall("Why did the deploy break?")
    assert (after.status, after.hits[0].id) == (Status.ANSWERED, "en")
    assert moved.recall("几点吃中饭？", floor=0).hits[0].id == "zh"


def test_what_was_measured_is_found_by_script() -> None:
    table: dict[str, str | ByScript[str]] = {"one/": "a", "pair/": ByScript("latin", "other")}
    assert measured(table, "one/2", "灯塔", "-") == "a"
    assert measured(table, "pair/1/2", "lighthouse", "-") == "latin"
    assert measured(table, "pair/1/2", "灯塔 42", "-") == "other"
    assert measured(table, "two/1", "灯塔", "-") == measured(table, None, "灯塔", "-") == "-"


def test_every_measured_pair_is_known_wherever_cosines_are_read(pair: TwoModels) -> None:
    for name in MEASURED:
        assert name in (NAME,)
    for table in (faq_nearness.MEASURED, fuse_adaptively.MEASURED, sameness.MEASURED):
        assert any(pair.fingerprint.startswith(beginning) for beginning in table)
