"""A language model over HTTP, from any server that speaks OpenAI's `/chat/completions`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from bethink.endpoint import Endpoint, Reply
from bethink.errors import LLMError

_DOES_NOT_KNOW = frozenset({400, 404, 422})  # how servers refuse a form of answer they do not know


class OpenAICompatibleLLM:
    def __init__(
        self, model: str, *, endpoint: str, key: str = "", max_tokens: int = 1_000
    ) -> None:
        if not endpoint:
            raise LLMError(
                f"openai:{model} needs an address; set it with: bethink config set llm_endpoint URL"
            )
        self._endpoint = Endpoint(
            endpoint.rstrip("/") + "/chat/completions",
            key=key,
            error=LLMError,
            setting="llm_endpoint",
            key_setting="llm_endpoint_key",
        )
        self._model = model
        self._max_tokens = max_tokens
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
            reply = self._endpoint.post(asked, seconds=seconds, end=end)
            if reply.status not in _DOES_NOT_KNOW:
                return self._text_of(reply)
            # the instructions show the schema as well: ask again without the formal part
            reply = self._endpoint.post(body, seconds=seconds, end=end)
            self._knows_schemas = reply.status != 200
            return self._text_of(reply)
        return self._text_of(self._endpoint.post(body, seconds=seconds, end=end))

    def _text_of(self, reply: Reply) -> str:
        if reply.status != 200:
            raise self._endpoint.unusable(reply.told())
        try:
            text = reply.json()["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            text = None
        if not isinstance(text, str) or not text.strip():
            raise self._endpoint.unusable("it sent no text; is it a chat completions API?")
        return text

    def close(self) -> None:
        self._endpoint.close()
