"""Tools for a model that answers from documents: only where there are some. Everybody else would
pay for them in every conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from bethink.access.caller import Scope
from bethink.doors.mcp.arguments import Names, Tuning
from bethink.doors.mcp.data import DATA
from bethink.doors.mcp.tools import Tool

if TYPE_CHECKING:
    from bethink.access.desk import Desk

_BASE = "the knowledge base: the name of a space; status lists them"
_WEB = "search the web as well; refused where no search is set up"


class SearchKnowledge(Tuning):
    question: str = Field(description="what to look for, whole, in any language")
    base: str | None = Field(None, description=_BASE)
    documents: Names | None = Field(None, description="only in these, by id or address")
    limit: int | None = Field(None, description="how many passages at most")
    budget: int | None = Field(None, description="tokens that all passages may cost")
    web: bool = Field(False, description=_WEB)


class Ask(Tuning):
    question: str = Field(description="whole, without 'it' or 'that one', in any language")
    base: str | None = Field(None, description=_BASE)
    documents: Names | None = Field(None, description="only from these, by id or address")
    limit: int | None = Field(None, description="how many passages at most")
    budget: int | None = Field(None, description="tokens that all passages may cost")
    web: bool = Field(False, description=_WEB)


class Cited(TypedDict):
    """`number` is that of the mark [2] in a text."""

    number: int
    title: str
    heading: str
    address: str
    page: int | None
    unit: str
    memory_id: str
    document: str | None
    verified: bool


class Passage(Cited):
    text: str
    match_types: list[str]


class Passages(TypedDict):
    notice: str
    status: str
    reasons: list[str]
    confidence: float | None
    passages: list[Passage]
    tokens_used: int


class Answered(TypedDict):
    notice: str
    answer: str
    by: Literal["llm", "passages"]
    known: bool
    uncited: bool
    unsupported: list[str]
    citations: list[Cited]
    status: str
    reasons: list[str]


def knowledge_tools(base: str = "") -> tuple[Tool, ...]:
    """For one base, whoever asks; without a name, where the desk sees any."""

    def searched(desk: Desk, asked: SearchKnowledge) -> Passages:
        params = asked.given("base", "web")
        found = desk.search_knowledge(asked.base or base, params, web=asked.web)
        return {
            "notice": DATA,
            "status": found["status"],
            "reasons": found["reasons"],
            "confidence": found["confidence"],
            "passages": [
                {
                    **_cited(hit["citation"]),
                    "text": hit["text"],
                    "match_types": hit["citation"]["match_types"],
                }
                for hit in found["hits"]
            ],
            "tokens_used": found["tokens_used"],
        }

    def answered(desk: Desk, asked: Ask) -> Answered:
        params = asked.given("base", "web")
        told = desk.ask_knowledge(asked.base or base, params, web=asked.web)
        return {
            "notice": DATA,
            "answer": told["answer"],
            "by": told["by"],
            "known": told["known"],
            "uncited": told["uncited"],
            "unsupported": told["unsupported"],
            "citations": [_cited(one) for one in told["citations"]],
            "status": told["status"],
            "reasons": told["reasons"],
        }

    fits: Callable[[Desk], bool] | None = None if base else _has_knowledge
    reads = frozenset({Scope.READ})
    return (
        Tool(
            "search_knowledge",
            "Search documents",
            "Passages of documents and frequent questions that answer a question, best first, "
            "each with its number, document, heading and page to cite.\n"
            "Use it for what handbooks, manuals and other documents say. For what was said or "
            "decided in conversations use recall.",
            SearchKnowledge,
            Passages,
            searched,
            reads,
            open_world=True,
            fits=fits,
        ),
        Tool(
            "ask",
            "Ask documents",
            "One answer from documents with citations that were checked; where this server has no "
            "language model, the cited passages themselves.\n"
            "Use it for a short answer to hand on. To read and judge yourself, use "
            "search_knowledge. `known` false: the documents do not say it; do not make it up.",
            Ask,
            Answered,
            answered,
            reads,
            open_world=True,
            fits=fits,
        ),
    )


def _has_knowledge(desk: Desk) -> bool:
    return desk.has_knowledge()


def _cited(citation: Mapping[str, Any]) -> Cited:
    return {
        "number": citation["number"],
        "title": citation["title"],
        "heading": citation["heading"],
        "address": citation["address"],
        "page": citation["page"],
        "unit": citation["unit"],
        "memory_id": citation["memory_id"],
        "document": citation["document"],
        "verified": citation["verified"],
    }
