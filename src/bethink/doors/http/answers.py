"""What answers hold, for the API's page and for programs that are made from it. Desks answer with
ready values that are not checked against this at every request; the tests do it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bethink.vocabulary import Action, Decision, Status, Tier


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What went wrong and what to do (RFC 9457). `code` is stable: programs go by that."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:bethink:not_found"])
    title: str = Field(examples=["There is no such thing"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no memory has the id 'm1'"])
    code: str = Field(examples=["not_found"])


class Receipt(Answer):
    """What a write did. It is on disk."""

    id: str
    space: str
    action: Action
    passages: int
    embedded: bool = Field(description="false: found by words now, by meaning a little later")
    notes: list[str]


class Receipts(Answer):
    receipts: list[Receipt]


class Promotion(Receipt):
    offer_id: str = Field(description="what was promoted; `id` is the memory that holds it now")


class Promotions(Answer):
    receipts: list[Promotion]


class MemoryAnswer(Answer):
    id: str
    space: str
    text: str
    kind: str
    section: str
    tags: list[str]
    entities: list[str]
    source: str
    provenance: dict[str, Any] = Field(description="set by the server: who, how, how far to trust")
    confidence: float
    occurred_at: str | None
    created_at: str
    updated_at: str
    valid_from: str | None
    valid_to: str | None
    reinforcement: int = Field(description="how often it was told again")
    access_count: int
    metadata: dict[str, Any]


class Memories(Answer):
    memories: list[MemoryAnswer]
    cursor: str | None = Field(description="for the next page; null: this is the last")
    damaged: list[str] = Field(
        description="ids of memories of this page that are damaged and therefore left out"
    )
    reasons: list[str] = Field(description="what is missing from this page, and what to do")


class Recent(Answer):
    memories: list[MemoryAnswer]


class FormerMemory(MemoryAnswer):
    replaced_at: str


class History(Answer):
    memory: MemoryAnswer
    history: list[FormerMemory]
    succession: list[MemoryAnswer] = Field(description="what took whose place, oldest first")


class Forgotten(Answer):
    space: str
    forgotten: int


class Place(Answer):
    """Which part of the memory's text it is."""

    ordinal: int
    start: int
    end: int


class Channel(Answer):
    rank: int
    score: float


class HitAnswer(Answer):
    id: str
    space: str
    text: str
    score: float = Field(
        description="0 to 1: the relevance, unless the preset has a formula of its own"
    )
    relevance: float | None = Field(
        description="0 to 1: the probability that it answers; null: not judged"
    )
    tokens: int
    kind: str
    section: str
    tags: list[str]
    entities: list[str]
    source: str
    confidence: float
    tier: Tier
    verified: bool = Field(description="false: heard, and not reviewed yet")
    contradicted_by: str = Field(
        description="the id of a newer memory that says otherwise; empty: none is known"
    )
    occurred_at: str | None
    created_at: str
    updated_at: str
    reinforcement: int
    access_count: int
    metadata: dict[str, Any]
    passage: Place
    channels: dict[str, Channel] = Field(description="where each channel had it")
    parts: dict[str, float] = Field(description="what its score is made of; they add up to it")
    evidence: dict[str, float] = Field(
        description="what its relevance is made of: log-odds by name, they add up to its log-odds"
    )
    displaced: list[str] = Field(description="ids that it stands for: near duplicates")


class Lost(Answer):
    memory_id: str
    ordinal: int
    reason: str


class StepAnswer(Answer):
    stage: str
    milliseconds: float
    received: int
    passed_on: int
    notes: list[str]
    dropped: list[Lost]


class TraceAnswer(Answer):
    preset: str
    milliseconds: float
    steps: list[StepAnswer]


class Recollection(Answer):
    query: str
    spaces: list[str]
    status: Status = Field(
        description="what kind of answer it is; `uncertain`: the hits may not answer, there are at "
        "most three; an empty answer is never a guess"
    )
    reasons: list[str]
    confidence: float | None = Field(description="the relevance of the best, 0 to 1")
    hits: list[HitAnswer]
    nearest: HitAnswer | None = Field(description="below the floor: what came nearest")
    tokens_used: int
    tokens_left: int
    trace: TraceAnswer | None = Field(None, description="with `explain`")


class SearchResultAnswer(Answer):
    chunk_id: str = Field(description="the memory's id and the number of the passage: `ID#0`")
    uri: str = Field(description="the memory's source, else `memory:ID`")
    content: str
    score: float
    memory_type: str = Field(description="the memory's kind")
    section: str
    reinforcement: int
    token_count: int
    verified: bool = Field(True, description="only where it is false: not reviewed yet")
    uncertain: bool = Field(False, description="only where it is true: it may not answer")


class SearchResponse(Answer):
    results: list[SearchResultAnswer]
    total_tokens: int
    budget_remaining: int
    status: Status = Field(
        description="what kind of answer it is; `uncertain`: the hits may not answer, there are at "
        "most three; an empty answer is never a guess"
    )
    reasons: list[str]


class Context(Answer):
    text: str
    tokens: int
    status: Status
    reasons: list[str]
    confidence: float | None
    ids: list[str]


class SearchAnswer(Answer):
    channel: str
    got_in: bool
    rank: int | None
    score: float | None
    candidates: int
    last: float | None
    holds: list[str]
    lacks: list[str]
    note: str


class SightingAnswer(Answer):
    stage: str
    among: str
    rank: int
    of: int
    score: float


class WhyNotAnswer(Answer):
    memory_id: str
    outcome: str
    reason: str
    preset: str
    stage: str = Field(description="where it was lost")
    rank: int | None
    score: float | None
    needed: float | None
    searches: list[SearchAnswer]
    way: list[SightingAnswer]
    status: str
    reasons: list[str]
    by: float | None = Field(description="how much it lacked")


class OfferAnswer(Answer):
    id: str
    space: str
    text: str
    tier: Tier
    decision: Decision
    reason: str
    decided_at: str
    decided_by: str
    who: str
    door: str
    trusted: bool
    source: str
    source_hash: str
    parents: list[str]
    risk: float
    findings: list[str]
    redacted: list[str]
    confidence: float
    kind: str
    section: str
    tags: list[str]
    entities: list[str]
    occurred_at: str | None
    valid_from: str | None
    valid_to: str | None
    offered_at: str
    metadata: dict[str, Any]


class RulingAnswer(Answer):
    offer_id: str
    decision: Decision
    reason: str
    by: str
    at: str
    memory_id: str
    undo: bool
    supersedes: str


class OfferWithRulings(OfferAnswer):
    rulings: list[RulingAnswer]


class Offers(Answer):
    offers: list[OfferAnswer]


class OffersPage(Offers):
    cursor: str | None = Field(description="for the next page; null: this is the last")


class BesideAnswer(Answer):
    id: str
    text: str
    verdict: str
    why: str
    tier: str


class ProposalAnswer(Answer):
    id: str
    promote: bool
    reasons: list[str]
    verified: bool
    sources: int
    disputed: str = Field(description="why no rule may decide about it; empty: nothing is near")
    conflicts: list[BesideAnswer]
    offers: list[OfferAnswer]


class Digest(Answer):
    space: str
    waiting: int
    left_out: bool = Field(description="there was too much to look at all of it")
    proposals: list[ProposalAnswer]


class FromSourceAnswer(Answer):
    source: str
    offers: list[OfferAnswer]
    derived: list[OfferAnswer]
    memories: list[MemoryAnswer]


class RolledBack(Answer):
    source: str
    rejected: int
    forgotten: int
    in_files: int = Field(description="memories that stay, because files say them")
    revised: int = Field(description="memories that stay, because somebody wrote them anew")


class EventAnswer(Answer):
    id: int
    at: str
    kind: str
    spaces: list[str]
    data: dict[str, Any]


class Events(Answer):
    events: list[EventAnswer]
    last: int = Field(description="what to ask for next, as `after`")
