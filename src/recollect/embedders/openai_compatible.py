"""Embeddings over HTTP from any server that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

import base64
import random
import threading
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
        self._key = key.strip()  # a key read from a file often ends with its line
        if not (self._key.isascii() and self._key.isprintable()):
            raise EmbedderError(
                "the endpoint's key has characters that no key has; set it again with: "
                "recollect config set endpoint_key KEY"
            )
        self._model = model
        self._address = endpoint.rstrip("/") + "/embeddings"
        self._shown = _without_password(self._address)
        self._asked_dimension = dimension
        self._dimension = dimension
        self._timeout = timeout
        self._client: Any = None
        self._lock = threading.Lock()

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
        httpx = import_httpx()
        client = self._connected(httpx)
        problem = ""
        for attempt in range(_ATTEMPTS):
            wait = random.uniform(0.5, 1.0) * 2**attempt * 0.25  # noqa: S311  (jitter, no secret)
            try:
                reply = client.post(self._address, json=body)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as e:
                problem = f"{e}; set it with: recollect config set endpoint URL"
                break
            except httpx.HTTPError as e:
                problem = f"{type(e).__name__}: {e}"
            else:
                if reply.status_code == 200:
                    return _json(reply, self._shown)
                problem = f"it answered {reply.status_code}: {reply.text[:200]}"
                if reply.status_code not in _RETRIED:
                    break
                wait = _retry_after(reply.headers.get("retry-after"), wait)
            if attempt + 1 < _ATTEMPTS:
                time.sleep(wait)
        if self._key:  # servers like to say which key they did not like
            problem = problem.replace(self._key, "(the key)")
        raise EmbedderError(f"{self._shown} cannot be used: {problem}")

    def _connected(self, httpx: Any) -> Any:
        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.Client(timeout=self._timeout, headers=headers)
            return self._client

    def close(self) -> None:
        """Let go of the connections. Used again, it opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def _without_password(address: str) -> str:
    """An address as it may be shown and stored: without `user:password@`."""
    before, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return before + slashes + host.rpartition("@")[2] + slash + path


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
        seconds = float(header or "")
    except ValueError:  # missing, or a date
        return otherwise
    return min(seconds, _LONGEST_WAIT) if seconds >= 0 else otherwise


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
