"""What requests to a knowledge base bring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from bethink.doors.http.bodies import Body
from bethink.knowledge.params import FIELDS, PARAMETER_ALIASES


def _said(name: str) -> Any:
    return Field(None, description=FIELDS[name].meaning)


class Turn(Body):
    """A question of the conversation so far, with what came of it."""

    question: str
    answer: str = ""
    references: list[str | dict[str, Any]] = Field(
        [], description="ids of memories, or citations as they were given"
    )


class ForSearch(Body):
    """A question to a knowledge base. What is left out is as the base, the tenant or the server
    sets it."""

    query_text: str = Field(
        description=FIELDS["query_text"].meaning,
        examples=["how long is the notice period? 离职要提前多久通知？"],
    )
    vector_threshold: float | None = _said("vector_threshold")
    keyword_threshold: float | None = _said("keyword_threshold")
    match_count: int | None = _said("match_count")
    disable_keywords_match: bool | None = _said("disable_keywords_match")
    disable_vector_match: bool | None = _said("disable_vector_match")
    floor: float | None = _said("floor")
    weights: str | dict[str, float] | None = _said("weights")
    enable_query_expansion: bool | None = _said("enable_query_expansion")
    candidates: int | None = _said("candidates")
    budget: int | None = _said("budget")
    knowledge_bases: list[str] | None = _said("knowledge_bases")
    documents: list[str] | None = _said("documents")
    tags: list[str] | None = _said("tags")
    where: dict[str, Any] | None = _said("where")
    history: list[Turn] = Field([], description="the conversation so far, oldest first")
    web: bool = Field(False, description="search the web as well, where the server can")
    deadline: float | None = Field(None, description="seconds for the search")
    explain: bool = Field(False, description="with what every stage did, and how long it took")

    @classmethod
    def _aliases(cls) -> Mapping[str, str]:
        return PARAMETER_ALIASES

    def params(self) -> dict[str, Any]:
        """Search parameters, as `SearchParams` reads them."""
        told = {name: value for name, value in self.given().items() if name in FIELDS}
        return {self._came_as.get(name, name): value for name, value in told.items()}

    def options(self) -> dict[str, Any]:
        """The rest that was named."""
        return {name: value for name, value in self.given().items() if name not in FIELDS}


class ForAnswer(ForSearch):
    seconds: float | None = Field(None, description="for the language model, where there is one")


class ToldEntry(Body):
    """A question that is asked often. Told again, by its id or else by its question, the entry is
    changed."""

    question: str = Field(examples=["How do I get a refund? 怎么退款？"])
    answers: list[str] = Field(examples=[["Ask within 30 days. 三十天内申请。"]])
    similar: list[str] | None = Field(
        None, description="other ways to ask it", examples=[["can I have my money back"]]
    )
    negative: list[str] | None = Field(
        None,
        description="questions that look alike and must not get this answer",
        examples=[["how do I return a rented bike"]],
    )
    tags: list[str] | None = None
    id: str | None = Field(None, description="an id of your own")
    enabled: bool | None = None
    source: str | None = None
