"""A language model that answers as a test tells it, on a real server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.settings import Settings
from tests.embedders.serving import Reply, Request, Server
from tests.knowledge.documents_of_tests import handbooks
from tests.llms.chatting import say

Told = dict[str, Any]


def given(request: Request) -> Told:
    """The data that the model was shown."""
    told: Told = json.loads(request.json["messages"][1]["content"])
    return told


class Model:
    """Answers as a test tells it, from what it was shown; never makes a question of it."""

    def __init__(self) -> None:
        self.answer: Callable[[Told], Any] = lambda _: {"known": True, "answer": "It says so [1]."}
        self.rewritten: Callable[[Told], Any] = lambda told: {
            "follow_up": False,
            "question": told["question"],
        }

    def __call__(self, request: Request) -> Reply:
        told = given(request)
        made = self.rewritten(told) if "turns" in told else self.answer(told)
        return made if isinstance(made, Reply) else say(made)


@contextmanager
def handbook_with(server: Server) -> Iterator[KnowledgeBase]:
    """A base with the handbooks in it, which asks the model on that server."""
    settings = Settings(llm="openai:small", llm_endpoint=server.address)
    with Engine.in_memory(embedder="hashing", settings=settings) as engine:
        base = KnowledgeBase(engine, "handbook")
        handbooks(base)
        yield base
