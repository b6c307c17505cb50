from __future__ import annotations

import numpy as np
import pytest

from bethink.embedders.hashing import HashingEmbedder
from bethink.embedders.protocol import Embedder, embed_texts
from bethink.testing import EmbedderContract


class TestHashing(EmbedderContract):
    tolerance = 1e-6

    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()


def test_it_is_the_same_in_every_process() -> None:
    """The vectors are stored: a hash that depends on the process would be worthless."""
    row = HashingEmbedder().embed(["dark mode 深色主题"], kind="document")[0]
    assert np.flatnonzero(row)[:6].tolist() == [5, 8, 85, 134, 142, 144]


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("dark theme", "the dark themes of Mei", "a recipe for bread"),
        ("深色主题", "小美喜欢深色的主题", "面包的做法"),
        ("ERR_CONN_1042", "it failed with ERR_CONN_1042", "it failed with ERR_DISK_7"),
    ],
)
def test_shared_words_are_near(question: str, near: str, far: str) -> None:
    a, b, c = embed_texts(HashingEmbedder(), [question, near, far], kind="document")
    assert a @ b > a @ c


def test_a_text_without_words_has_a_direction() -> None:
    vectors = embed_texts(HashingEmbedder(), ["", "?!", "🙂", "\ud800"], kind="document")
    assert vectors.shape == (4, 512)
