"""Embeddings over HTTP from any server that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence
from typing import Any

from bethink.embedders.protocol import Kind
from bethink.endpoint import Endpoint
from bethink.errors import EmbedderError
from bethink.vocabulary import Vectors

_MOST_BYTES = 100_000_000  # 64 vectors of some thousands of numbers, written out


class OpenAICompatible:
    """A model on a server. The dimension is asked for once if the settings do not say it."""

    batch = 64

    def __init__(
        self, model: str, *, endpoint: str, key: str = "", dimension: int = 0, timeout: float = 30.0
    ) -> None:
        if not endpoint:
            raise EmbedderError(
                f"openai:{model} needs an address; set it with: bethink config set endpoint URL"
            )
        self._endpoint = Endpoint(
            endpoint.rstrip("/") + "/embeddings",
            key=key,
            error=EmbedderError,
            setting="endpoint",
            key_setting="endpoint_key",
            attempts=4,
            most_bytes=_MOST_BYTES,
        )
        self._model = model
        self._shown = self._endpoint.shown
        self._asked_dimension = dimension
        self._dimension = dimension
        self._timeout = timeout

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    @property
    def fingerprint(self) -> str:
        # the same model name behind another address may be another model
        return f"openai/{self._shown}/{self._model}/{self._asked_dimension or 'native'}"

    @property
    def dimension(self) -> int:
        if not self._dimension:
            self._dimension = len(self._embed(["dimension"])[0])
        return self._dimension

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return np.array(self._embed(texts), np.float32)

    def _embed(self, texts: Sequence[str]) -> list[Any]:
        """One vector for each text, in order, all of one length."""
        body: dict[str, Any] = {
            "model": self._model,
            "input": [text.encode("utf-8", "replace").decode() or " " for text in texts],
            "encoding_format": "base64",
        }
        if self._asked_dimension:
            body["dimensions"] = self._asked_dimension
        data = self._post(body).get("data")
        if not isinstance(data, list) or len(data) != len(texts):
            raise EmbedderError(f"{self._shown} did not answer with {len(texts)} embeddings")
        vectors = [_vector(item) for item in _in_order(data, self._shown)]
        if len({len(vector) for vector in vectors}) != 1 or not len(vectors[0]):
            raise EmbedderError(f"{self._shown} answered with embeddings of different lengths")
        return vectors

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        self._endpoint.get_ready()
        end = time.monotonic() + self._timeout  # of all attempts: somebody waits for it
        reply = self._endpoint.post(body, seconds=self._timeout, end=end)
        if reply.status != 200:
            raise self._endpoint.unusable(reply.told())
        answer = reply.json()
        if not isinstance(answer, dict):
            raise EmbedderError(f"{self._shown} did not answer with JSON; is it an embeddings API?")
        return answer

    def close(self) -> None:
        self._endpoint.close()


def _in_order(data: list[Any], shown: str) -> list[object]:
    """The embeddings by their index; a server that sends none answers in the order asked."""
    places = [
        item.get("index", at) if isinstance(item, dict) else None for at, item in enumerate(data)
    ]
    try:
        by_place = dict(zip(places, data, strict=True))
        return [by_place[at]["embedding"] for at in range(len(data))]
    except (KeyError, TypeError):
        raise EmbedderError(f"{shown} answered without an embedding for each text") from None


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
            with np.errstate(over="ignore"):  # infinity is refused at the door
                vector = np.array(value, np.float32)
        except (TypeError, ValueError, OverflowError):
            raise EmbedderError("the server sent an embedding that is no list of numbers") from None
        if vector.ndim == 1:
            return vector
    raise EmbedderError("the server sent an answer without an embedding")
