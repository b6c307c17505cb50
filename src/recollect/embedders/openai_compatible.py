"""Embeddings over HTTP from any server that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import base64
import random
import time
from collections.abc import Sequence
from typing import Any

from recollect.embedders.protocol import Kind
from recollect.errors import EmbedderError, MissingExtra
from recollect.vocabulary import Vectors

_ATTEMPTS = 4
_LONGEST_WAIT = 10.0
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


def import_httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("talking to a server", "http") from None
    return httpx


class OpenAICompatible:
    """A model on a server. The dimension is asked for once if the settings do not say it."""

    batch = 64

    def __init__(
        self, model: str, *, endpoint: str, key: str = "", dimension: int = 0, timeout: float = 30.0
    ) -> None:
        if not endpoint:
            raise EmbedderError(
                f"openai:{model} needs an address; set it with: recollect config set endpoint URL"
            )
        self._model = model
        self._address = endpoint.rstrip("/") + "/embeddings"
        self._key = key
        self._asked_dimension = dimension
        self._dimension = dimension
        self._timeout = timeout
        self._client: Any = None

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    @property
    def fingerprint(self) -> str:
        # the same model name behind another address may be another model
        return f"openai/{self._address}/{self._model}/{self._asked_dimension or 'native'}"

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self._dimension = len(self.embed(["dimension"], kind="document")[0])
        return self._dimension

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        import numpy as np

        body: dict[str, Any] = {
            "model": self._model,
            "input": list(texts),
            "encoding_format": "base64",
        }
        if self._asked_dimension:
            body["dimensions"] = self._asked_dimension
        data = self._post(body).get("data")
        if not isinstance(data, list) or len(data) != len(texts):
            raise EmbedderError(f"{self._address} did not answer with {len(texts)} embeddings")
        data = sorted(data, key=lambda item: item.get("index", 0))
        return np.array([_vector(item.get("embedding")) for item in data], np.float32)

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        httpx = import_httpx()
        if self._client is None:
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = httpx.Client(timeout=self._timeout, headers=headers)
        problem = ""
        for attempt in range(_ATTEMPTS):
            wait = random.uniform(0.5, 1.0) * 2**attempt * 0.25  # noqa: S311  (jitter, no secret)
            try:
                reply = self._client.post(self._address, json=body)
            except httpx.HTTPError as e:
                problem = f"{type(e).__name__}: {e}"
            else:
                if reply.status_code == 200:
                    return _json(reply, self._address)
                problem = f"it answered {reply.status_code}: {reply.text[:200]}"
                if reply.status_code not in _RETRIED:
                    break
                wait = _retry_after(reply.headers.get("retry-after"), wait)
            if attempt + 1 < _ATTEMPTS:
                time.sleep(wait)
        raise EmbedderError(f"{self._address} cannot be used: {problem}")


def _json(reply: Any, address: str) -> dict[str, Any]:
    try:
        answer = reply.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise EmbedderError(f"{address} did not answer with JSON; is it an embeddings API?")
    return answer


def _retry_after(header: str | None, otherwise: float) -> float:
    try:
        return min(float(header or ""), _LONGEST_WAIT)
    except ValueError:
        return otherwise


def _vector(value: object) -> Any:
    """Servers that do not know base64 answer with numbers; take both."""
    import numpy as np

    if isinstance(value, str):
        try:
            return np.frombuffer(base64.b64decode(value, validate=True), "<f4")
        except ValueError:
            raise EmbedderError("the server sent an embedding that cannot be decoded") from None
    if isinstance(value, list):
        try:
            return np.array(value, np.float32)
        except (TypeError, ValueError):
            raise EmbedderError("the server sent an embedding that is no list of numbers") from None
    raise EmbedderError("the server sent an answer without an embedding")
