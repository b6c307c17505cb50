"""What a server that speaks OpenAI's chat completions replies."""

from __future__ import annotations

import json
from typing import Any

from tests.embedders.serving import Reply


def chat_reply(**message: Any) -> Reply:
    """The assistant's message as it is told, e.g. with calls of tools or no content."""
    choice = {"index": 0, "message": {"role": "assistant", **message}}
    return Reply(body=json.dumps({"choices": [choice]}).encode())


def say(told: Any) -> Reply:
    """A text, or data as JSON."""
    text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
    return chat_reply(content=text)
