"""A real model file, read by the real runtime."""

from __future__ import annotations

import sys
from math import exp
from pathlib import Path

import pytest
from pytest import approx

from bethink.errors import RerankerError
from bethink.rerankers.cross_encoder import CrossEncoder
from bethink.rerankers.protocol import score_texts
from tests.rerankers.tiny_model import make

WORDS = "which theme does mei like dark mode 小美喜欢深色主题"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("cross-encoder"), WORDS)


def by_hand(common: int) -> float:
    return 1 / (1 + exp(-common))


def test_pairs_are_read_together(model: Path) -> None:
    encoder = CrossEncoder(model)
    texts = ["Mei: dark mode", "小美喜欢深色", "nothing of it", ""]
    assert encoder.score("which dark theme does Mei like", texts, seconds=30) == approx(
        [by_hand(2), by_hand(0), by_hand(0), by_hand(0)]
    )
    assert encoder.score("小美喜欢什么主题", texts, seconds=30) == approx(
        [by_hand(0), by_hand(4), by_hand(0), by_hand(0)]
    )
    assert encoder.name == f"onnx:{model}"


def test_many_and_long_and_broken_texts(model: Path) -> None:
    texts = ["mei " * 2_000, "\ud800"] + [f"{n} theme" for n in range(30)]
    scores = score_texts(CrossEncoder(model), "theme \ud800", texts, seconds=60)
    assert scores == approx([by_hand(0)] * 2 + [by_hand(1)] * 30)
    assert CrossEncoder(model).score("theme", [], seconds=1) == []


def test_it_stops_when_the_time_is_up(model: Path) -> None:
    encoder = CrossEncoder(model)
    with pytest.raises(RerankerError, match="0 of 1 texts when the time was up; use a smaller"):
        encoder.score("theme", ["theme"], seconds=0)


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_says_what_to_do(tmp_path: Path, missing: str) -> None:
    make(tmp_path, WORDS)
    (tmp_path / missing).unlink()
    with pytest.raises(RerankerError, match=rf"{missing}; put a cross-encoder's model.onnx") as e:
        CrossEncoder(tmp_path).score("theme", ["theme"], seconds=5)
    assert "bethink config set reranker onnx:DIRECTORY" in str(e.value)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_says_what_to_do(tmp_path: Path, damaged: str) -> None:
    make(tmp_path, WORDS)
    (tmp_path / damaged).write_bytes(b"damage")
    with pytest.raises(RerankerError, match=r"cannot be loaded: .*; get the two files anew"):
        CrossEncoder(tmp_path).score("theme", ["theme"], seconds=5)


def test_a_missing_extra_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(RerankerError, match=r"pip install 'bethink\[onnx\]'"):
        CrossEncoder(model).score("theme", ["theme"], seconds=5)
