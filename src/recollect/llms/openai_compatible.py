"""A language model over HTTP, from any server that speaks OpenAI's `/chat/completions`."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.errors import LLMError, MissingExtra

_ATTEMPTS = 3
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_DOES_NOT_KNOW = frozenset({400, 404, 422})  # how servers refuse a form of answer they do not know
_MOST_BYTES = 1_000_000  # an answer of ours is a few hundred


class _Reply(NamedTuple):
    status: int
    body: bytes
    retry_after: str


class OpenAICompatibleLLM:
    def __init__(
        self, model: str, *, endpoint: str, key: str = "", max_tokens: int = 1_000
    ) -> None:
        if not endpoint:
            raise LLMError(
                f"openai:{model} needs an address; set it with: "
                "recollect config set llm_endpoint URL"
            )
        self._key = key.strip()  # a key read from a file often ends with its line
        if not (self._key.isascii() and self._key.isprintable()):
            raise LLMError(
                "the language model's key has characters that no key has; set it again with: "
                "recollect config set llm_endpoint_key KEY"
            )
        self._model = model
        self._address = endpoint.rstrip("/") + "/chat/completions"
        self._max_tokens = max_tokens
        self._client: Any = None
        self._lock = threading.Lock()
        self._knows_schemas = True  # until the server says otherwise

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    def complete(
        self, instructions: str, data: str, *, schema: Mapping[str, Any] | None, seconds: float
    ) -> str:
        end = time.monotonic() + seconds
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": data.encode("utf-8", "replace").decode()},
            ],
            "temperature": 0,
            "max_tokens": self._max_tokens,
        }
        if schema is not None and self._knows_schemas:
            form = {"name": "answer", "schema": dict(schema), "strict": True}
            asked = {**body, "response_format": {"type": "json_schema", "json_schema": form}}
            reply = self._post(asked, end)
            if reply.status not in _DOES_NOT_KNOW:
                return self._text_of(reply)
            # the instructions show the schema as well: ask again without the formal part
            reply = self._post(body, end)
            self._knows_schemas = reply.status != 200
            return self._text_of(reply)
        return self._text_of(self._post(body, end))

    def _post(self, body: dict[str, Any], end: float) -> _Reply:
        """One reply, good or final; what may be better later is asked again while there is time."""
        httpx = _import_httpx()
        client = self._connected(httpx)
        problem = "there was no time left"
        for attempt in range(_ATTEMPTS):
            left = end - time.monotonic()
            if left <= 0:
                break
            wait = random.uniform(0.5, 1.0) * 2**attempt * 0.25  # noqa: S311  (jitter, no secret)
            try:
                reply = self._once(httpx, client, body, end, left)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as e:
                raise self._unusable(
                    f"{e}; set it with: recollect config set llm_endpoint URL"
                ) from None
            except httpx.HTTPError as e:
                problem = f"{type(e).__name__}: {e}"
            else:
                if reply.status not in _RETRIED:
                    return reply
                problem = _told(reply)
                wait = _seconds(reply.retry_after, wait)
            if attempt + 1 == _ATTEMPTS or wait >= end - time.monotonic():
                break
            time.sleep(wait)
        raise self._unusable(problem)

    def _once(
        self, httpx: Any, client: Any, body: dict[str, Any], end: float, left: float
    ) -> _Reply:
        """Read as it comes: a server that sends a byte a second would outwait any read timeout."""
        chunks: list[bytes] = []
        with client.stream("POST", self._address, json=body, timeout=left) as reply:
            for chunk in reply.iter_bytes():
                chunks.append(chunk)
                if time.monotonic() >= end:
                    raise httpx.ReadTimeout("the answer did not come in time")
                if sum(map(len, chunks)) > _MOST_BYTES:
                    raise httpx.ReadError(f"it sent more than {_MOST_BYTES:,} bytes")
            retry_after = reply.headers.get("retry-after") or ""
            return _Reply(reply.status_code, b"".join(chunks), retry_after)

    def _text_of(self, reply: _Reply) -> str:
        if reply.status != 200:
            raise self._unusable(_told(reply))
        try:
            answer = json.loads(reply.body)
            text = answer["choices"][0]["message"]["content"]
        except (ValueError, RecursionError, KeyError, IndexError, TypeError):
            text = None
        if not isinstance(text, str) or not text.strip():
            raise self._unusable("it sent no text; is it a chat completions API?")
        return text

    def _unusable(self, problem: str) -> LLMError:
        if self._key:  # servers like to say which key they did not like
            problem = problem.replace(self._key, "(the key)")
        return LLMError(f"{_without_password(self._address)} cannot be used: {problem}")

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
        raise LLMError(str(MissingExtra("talking to a language model", "http"))) from None
    return httpx


def _told(reply: _Reply) -> str:
    return f"it answered {reply.status}: {reply.body[:200].decode('utf-8', 'replace')}"


def _seconds(header: str, otherwise: float) -> float:
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
