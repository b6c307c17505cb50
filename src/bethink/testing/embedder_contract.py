"""What every embedder must do. Subclass `EmbedderContract` and say how to make one."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from bethink.embedders.protocol import Embedder, Kind, embed_texts, unit_rows

KINDS: tuple[Kind, ...] = ("query", "document")
TEXTS = [
    "The deploy failed because the disk was full.",
    "Mei prefers a dark theme.",
    "部署失败，因为磁盘已满。",
    "小美喜欢深色主题。",
    "ERR_CONN_1042",
]
ODD_TEXTS = [
    "🙂👩‍👩‍👧‍👦🏳️‍🌈",
    "مرحبا بالعالم",
    "שלום עולם",
    "\u202eright to left\u202c",
    "?!… —",
    "a",
    "的",
    "x" * 10_000,
    "很长的文字。" * 1_700,
    "word " * 2_000,
]


class EmbedderContract:
    """Subclasses give a fixture (or method with the fixture's mark) called `embedder`."""

    # Models that quantise or batch by length differ a little; a hash does not differ at all.
    tolerance = 1e-4

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError("give a fixture 'embedder' that returns the embedder to test")

    def test_it_says_who_it_is(self, embedder: Embedder) -> None:
        assert embedder.name
        assert embedder.name == embedder.name.strip()
        assert embedder.fingerprint
        assert embedder.dimension > 0
        assert embedder.batch > 0

    def test_the_fingerprint_stays_while_it_works(self, embedder: Embedder) -> None:
        before = (embedder.name, embedder.fingerprint, embedder.dimension)
        embedder.embed(["one text"], kind="document")
        assert (embedder.name, embedder.fingerprint, embedder.dimension) == before

    @pytest.mark.parametrize("kind", KINDS)
    def test_shape_and_type(self, embedder: Embedder, kind: Kind) -> None:
        vectors = embedder.embed(TEXTS, kind=kind)
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_text_gives_no_row(self, embedder: Embedder, kind: Kind) -> None:
        vectors = embedder.embed([], kind=kind)
        assert vectors.shape == (0, embedder.dimension)
        assert vectors.dtype == np.float32

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_same_text_gets_the_same_vector(self, embedder: Embedder, kind: Kind) -> None:
        first = embedder.embed(TEXTS, kind=kind)
        again = embedder.embed(TEXTS, kind=kind)
        np.testing.assert_allclose(first, again, atol=1e-6)

    @pytest.mark.parametrize("kind", KINDS)
    def test_order_is_kept_and_company_changes_nothing(
        self, embedder: Embedder, kind: Kind
    ) -> None:
        together = self._unit(embedder, TEXTS, kind)
        backwards = self._unit(embedder, TEXTS[::-1], kind)
        alone = np.concatenate([self._unit(embedder, [text], kind) for text in TEXTS])
        np.testing.assert_allclose(backwards[::-1], together, atol=self.tolerance)
        np.testing.assert_allclose(alone, together, atol=self.tolerance)

    def test_more_than_a_batch_at_once(self, embedder: Embedder) -> None:
        texts = [f"sentence number {n}" for n in range(embedder.batch + 3)]
        vectors = embed_texts(embedder, texts, kind="document")
        assert vectors.shape == (len(texts), embedder.dimension)
        last = self._unit(embedder, texts[-1:], "document")
        np.testing.assert_allclose(vectors[-1:], last, atol=self.tolerance)

    @pytest.mark.parametrize("language", ["English", "Chinese"])
    def test_different_texts_differ(
        self, embedder: Embedder, language: Literal["English", "Chinese"]
    ) -> None:
        one, other = (0, 1) if language == "English" else (2, 3)
        vectors = self._unit(embedder, TEXTS, "document")
        assert float(vectors[one] @ vectors[other]) < 0.99

    @pytest.mark.parametrize("language", ["English", "Chinese"])
    def test_a_question_finds_its_own_text(
        self, embedder: Embedder, language: Literal["English", "Chinese"]
    ) -> None:
        documents = self._unit(embedder, TEXTS, "document")
        asked = 0 if language == "English" else 2
        question = self._unit(embedder, [TEXTS[asked]], "query")[0]
        assert int(np.argmax(documents @ question)) == asked

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text[:12]))
    def test_odd_texts_pass_the_door(self, embedder: Embedder, text: str, kind: Kind) -> None:
        assert self._unit(embedder, [text], kind).shape == (1, embedder.dimension)

    def test_odd_texts_do_not_disturb_their_neighbours(self, embedder: Embedder) -> None:
        mixed = self._unit(embedder, [ODD_TEXTS[-1], TEXTS[0], ODD_TEXTS[0]], "document")
        alone = self._unit(embedder, [TEXTS[0]], "document")
        np.testing.assert_allclose(mixed[1:2], alone, atol=self.tolerance)

    @staticmethod
    def _unit(embedder: Embedder, texts: list[str], kind: Kind) -> np.ndarray:
        """Vectors as the engine takes them: finite, not zero, of length 1."""
        return unit_rows(
            embedder.embed(texts, kind=kind),
            rows=len(texts),
            dimension=embedder.dimension,
            maker=embedder.name,
        )
