"""Reranking over HTTP, by any server with the `/rerank` that most of them share.

Sent is `{"model", "query", "documents", "top_n"}`; the answer is `{"results": [{"index",
"relevance_score"}]}`. Text Embeddings Inference (`tei`) calls the documents `texts` and answers
with `[{"index", "score"}]`; either answer is understood from either.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from bethink.endpoint import Endpoint
from bethink.errors import RerankerError


class HttpReranker:
    def __init__(self, model: str, *, endpoint: str, key: str = "", tei: bool = False) -> None:
        self._tei = tei
        self._model = model
        if not endpoint:
            raise RerankerError(
                f"{self.name} needs an address; set it with: "
                "bethink config set reranker_endpoint URL"
            )
        base = endpoint.rstrip("/")
        self._endpoint = Endpoint(
            base if base.endswith("/rerank") else f"{base}/rerank",
            key=key,
            error=RerankerError,
            setting="reranker_endpoint",
            key_setting="reranker_key",
        )

    @property
    def name(self) -> str:
        return "tei" if self._tei else f"http:{self._model}"

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        if not texts:
            return []
        asked = question.encode("utf-8", "replace").decode()
        whole = [text.encode("utf-8", "replace").decode() or " " for text in texts]
        if self._tei:
            body: dict[str, Any] = {"query": asked, "texts": whole, "truncate": True}
        else:
            body = {
                "model": self._model,
                "query": asked,
                "documents": whole,
                "top_n": len(whole),
            }
        reply = self._endpoint.post(body, seconds=seconds, end=time.monotonic() + seconds)
        if reply.status != 200:
            raise self._endpoint.unusable(reply.told())
        answer = reply.json()
        if answer is None:
            raise self._endpoint.unusable("it did not answer with JSON; is it a rerank API?")
        return self._in_order(answer, len(whole))

    def _in_order(self, answer: Any, count: int) -> list[float]:
        """A score for each text by its index. One that is missing would be a guess, so it is an
        error and the order stays as it was."""
        results = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(results, list):
            raise self._endpoint.unusable("its answer has no list of results; is it a rerank API?")
        scores: dict[int, float] = {}
        for item in results:
            index = item.get("index") if isinstance(item, dict) else None
            score = item.get("relevance_score", item.get("score")) if index is not None else None
            if type(index) is not int or type(score) is bool or not isinstance(score, int | float):
                raise self._endpoint.unusable("a result has no index or no score")
            scores[index] = float(score)
        if len(results) != count or scores.keys() != set(range(count)):
            raise self._endpoint.unusable(
                f"it did not give exactly one score to each of {count} texts"
            )
        return [scores[at] for at in range(count)]

    def close(self) -> None:
        self._endpoint.close()
