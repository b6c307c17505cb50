"""A language model over real HTTP that answers from a script.

Its answers (`model.jsonl`) are those of a model that reads the plan and the cast and has never seen
the novel; they were written before any figure was measured. It speaks OpenAI's chat completions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.story.novel import Novel
from tests.servers import http_server
from tests.servers.http_server import Reply, Request


class Script:
    """What it is asked, by the title of the plan, and what it answers."""

    def __init__(self, novel: Novel, *, phrases: int | None = None) -> None:
        self._answers = {
            novel.scene(at).title: {**answer, "phrases": answer["phrases"][:phrases]}
            for at, answer in novel.answers.items()
        }
        self.asked = 0

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        asked = json.loads(request["messages"][-1]["content"])
        text = json.dumps(self._answers[asked["plan"]["title"]], ensure_ascii=False)
        return {"choices": [{"message": {"role": "assistant", "content": text}}]}


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """Serve until the block ends; gives the address for `llm_endpoint`."""

    def answer(request: Request) -> Reply:
        body = json.dumps(script.answer(request.json)).encode()
        return Reply(body=body, headers={"content-type": "application/json"})

    with http_server.serving(answer) as address:
        yield f"{address}/v1"
