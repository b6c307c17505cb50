"""What the routes of knowledge bases answer with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bethink.doors.http.answers import Answer, HitAnswer, Recollection
from bethink.vocabulary import Status

_ID = "docs~document/0f3a9c…"


class BaseAnswer(Answer):
    name: str
    documents: int
    entries: int = Field(description="frequent questions")


class Bases(Answer):
    knowledge_bases: list[BaseAnswer]
    formats: list[str] = Field(
        description="that are read here; without the extra `documents`, few",
        examples=[["markdown", "text", "csv"]],
    )
    largest: int = Field(description="bytes that a document may have")
    web: bool = Field(description="whether a search of the web is set up")


class DocumentTaken(Answer):
    """What became of a file. It is on disk."""

    id: str = Field(examples=[_ID])
    address: str = Field(description="by which it is known and cited", examples=["handbook.pdf"])
    fate: Literal["added", "replaced", "unchanged"]
    sections: int
    notes: list[str] = Field(description="what was left out, or read otherwise than named")


class Switched(Answer):
    id: str
    enabled: bool


class DocumentRemoved(Answer):
    id: str
    memories: int = Field(description="the card and the sections that were erased")
    notes: list[str] = Field([], description="what is left of it for now: nothing, as a rule")


class DocumentAnswer(Answer):
    id: str = Field(examples=[_ID])
    address: str = Field(examples=["handbook.pdf"])
    title: str
    format: str
    sections: int
    pages: int = Field(description="of what `unit` names; 0: there are none")
    unit: str = Field(examples=["page"])
    bytes: int
    enabled: bool = Field(description="false: it is kept, and no question finds it")
    state: str = Field(description="ready, or unfinished: send it again")
    updated_at: str
    notes: list[str]


class Documents(Answer):
    documents: list[DocumentAnswer]
    cursor: str | None = Field(description="for the next page; null: this is the last")


class PartAnswer(Answer):
    id: str
    headings: str = Field(examples=["Guide › Install"])
    page: int
    page_end: int
    text: str


class DocumentWithParts(DocumentAnswer):
    parts: list[PartAnswer]
    next: int | None = Field(description="what to ask for as `after`; null: these are the last")


class EntryTaken(Answer):
    id: str
    action: Literal["added", "updated", "unchanged"]
    notes: list[str]


class EntryRemoved(Answer):
    id: str
    removed: bool
    notes: list[str] = Field([], description="what is left of it for now: nothing, as a rule")


class EntryAnswer(Answer):
    id: str = Field(description="your own, where you gave one")
    question: str = Field(examples=["怎么退款？"])
    similar: list[str]
    negative: list[str]
    answers: list[str]
    tags: list[str]
    enabled: bool
    memory_id: str
    source: str


class Entries(Answer):
    entries: list[EntryAnswer]
    cursor: str | None = Field(description="for the next page; null: this is the last")


class FailedRow(Answer):
    place: int = Field(description="the line or number, from 1")
    why: str


class FaqImported(Answer):
    added: int
    updated: int
    unchanged: int
    failed: list[FailedRow] = Field(description="these were not taken, the others were")
    notes: list[str]
    dry_run: bool


class ExtentAnswer(Answer):
    memory_id: str
    start: int
    end: int


class CitationAnswer(Answer):
    number: int = Field(description="from 1, as the passages stand")
    memory_id: str
    document: str | None
    title: str
    heading: str
    address: str
    page: int | None
    page_end: int | None
    unit: str
    start: int
    end: int
    match_types: list[str] = Field(
        description="exact, meaning, words, faq, entity, history, web, neighbour"
    )
    beside: list[ExtentAnswer] = Field(description="what is shown of the sections around it")
    space: str
    kind: str
    verified: bool
    fetched_at: str | None = Field(description="of a page of the web")


class PassageAnswer(HitAnswer):
    citation: CitationAnswer


class PassagesAnswer(Recollection):
    hits: list[PassageAnswer]  # type: ignore[assignment]  # each is a hit with its citation


class AnswerAnswer(Answer):
    question: str
    asked_as: str = Field(description="what was searched for: a follow-up is made whole first")
    answer: str = Field(
        description="with marks like [2], each the number of a citation; where no language model "
        "wrote it, the cited passages themselves"
    )
    by: Literal["llm", "passages"]
    known: bool = Field(description="false: nothing that was found answers it")
    uncited: bool = Field(description="a model wrote it and cites nothing: read the passages")
    unsupported: list[str] = Field(description="sentences that share nothing with what they cite")
    citations: list[CitationAnswer]
    status: Status
    reasons: list[str]
    passages: PassagesAnswer
