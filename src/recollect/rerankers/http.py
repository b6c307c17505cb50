"""Reranking over HTTP, by any server with the `/rerank` that most of them share.

Sent is `{"model", "query", "documents", "top_n"}`; the answer is `{"results": [{"index",
"relevance_score"}]}`. Text Embeddings Inference (`tei`) calls the documents `texts` and answers
with `[{"index", "score"}]`; either answer is understood from either.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Sequence
from typing import Any

from recollect.errors import MissingExtra, RerankerError

_ATTEMPTS = 3
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_MOST_BYTES = 1_000_000  # a score for each of some twenty texts is a few hundred


class HttpReranker:
    def __init__(self, model: str, *, endpoint: str, key: str = "", tei: bool = False) -> None:
        self._tei = tei
        self._model = model
        if not endpoint:
            raise RerankerError(
                f"{self.name} needs an address; set it with: "
                "recollect config set reranker_endpoint URL"
            )
        self._key = key.strip()  # a key read from a file often ends with its line
        if not (self._key.isascii() and self._key.isprintable()):
            raise RerankerError(
                "the reranker's key has characters that no key has; set it again with: "
                "recollect config set reranker_key KEY"
            )
        base = endpoint.rstrip("/")
        self._address = base if base.endswith("/rerank") else f"{base}/rerank"
        self._client: Any = None
        self._lock = threading.Lock()

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
        return self._in_order(self._post(body, time.monotonic() + seconds), len(whole))

    def _post(self, body: dict[str, Any], end: float) -> Any:
        """The answer; what may be better later is asked for again while there is time."""
        httpx = _import_httpx()
        client = self._connected(httpx)
        problem = "there was no time left"
        for attempt in range(_ATTEMPTS):
            if end - time.monotonic() <= 0:
                break
            wait = random.uniform(0.5, 1.0) * 2**attempt * 0.25  # noqa: S311  (jitter, no secret)
            try:
                status, content, retry_after = self._once(httpx, client, body, end)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as e:
                raise self._unusable(
                    f"{e}; set it with: recollect config set reranker_endpoint URL"
                ) from None
            except httpx.HTTPError as e:
                problem = f"{type(e).__name__}: {e}"
            else:
                if status == 200:
                    return self._json(content)
                problem = f"it answered {status}: {content[:200].decode('utf-8', 'replace')}"
                if status not in _RETRIED:
                    break
                wait = _wait(retry_after, wait)
            if attempt + 1 == _ATTEMPTS or wait >= end - time.monotonic():
                break
            time.sleep(wait)
        raise self._unusable(problem)

    def _once(
        self, httpx: Any, client: Any, body: dict[str, Any], end: float
    ) -> tuple[int, bytes, str]:
        """Read as it comes: a server that sends a byte a second would outwait any read timeout."""
        content = bytearray()
        left = max(end - time.monotonic(), 0.001)
        with client.stream("POST", self._address, json=body, timeout=left) as reply:
            for chunk in reply.iter_bytes():
                content += chunk
                if time.monotonic() >= end:
                    raise httpx.ReadTimeout("the answer did not come in time")
                if len(content) > _MOST_BYTES:
                    raise httpx.ReadError(f"it sent more than {_MOST_BYTES:,} bytes")
            return reply.status_code, bytes(content), reply.headers.get("retry-after") or ""

    def _json(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise self._unusable("it did not answer with JSON; is it a rerank API?") from None

    def _in_order(self, answer: Any, count: int) -> list[float]:
        """A score for each text by its index. One that is missing would be a guess, so it is an
        error and the order stays as it was."""
        results = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(results, list):
            raise self._unusable("its answer has no list of results; is it a rerank API?")
        scores: dict[int, float] = {}
        for item in results:
            index = item.get("index") if isinstance(item, dict) else None
            score = item.get("relevance_score", item.get("score")) if index is not None else None
            if type(index) is not int or type(score) is bool or not isinstance(score, int | float):
                raise self._unusable("a result has no index or no score")
            scores[index] = float(score)
        if len(results) != count or scores.keys() != set(range(count)):
            raise self._unusable(f"it did not give exactly one score to each of {count} texts")
        return [scores[at] for at in range(count)]

    def _unusable(self, problem: str) -> RerankerError:
        if self._key:  # servers like to say which key they did not like
            problem = problem.replace(self._key, "(the key)")
        return RerankerError(f"{_without_password(self._address)} cannot be used: {problem}")

    def _connected(self, httpx: Any) -> Any:
        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.Client(headers=headers)
            return self._client

    def close(self) -> None:
        """Let go of the connections. Used again, it opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def _import_httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise RerankerError(str(MissingExtra("reranking by a server", "http"))) from None
    return httpx


def _wait(header: str, otherwise: float) -> float:
    try:
        seconds = float(header)
    except ValueError:  # missing, or a date
        return otherwise
    return seconds if seconds >= 0 else otherwise


def _without_password(address: str) -> str:
    """An address as it may be shown: without `user:password@`."""
    before, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return before + slashes + host.rpartition("@")[2] + slash + path
