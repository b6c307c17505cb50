"""What tools answer, for the output schemas. The values are those of the desk; what a model does
not need to read is left out, for every field costs tokens in every turn."""

from __future__ import annotations

from typing import Any, NotRequired

# pydantic asks for this one before Python 3.12
from typing_extensions import TypedDict


class Seen(TypedDict):
    """A hit as a model reads it."""

    id: str
    space: str
    text: str
    score: float
    kind: str
    tags: list[str]
    source: str
    tier: str
    verified: bool
    contradicted_by: str
    occurred_at: str | None
    updated_at: str


class Found(Seen, total=False):
    """With `explain`, the rest of it."""

    relevance: float | None
    section: str
    tokens: int
    entities: list[str]
    confidence: float
    created_at: str
    reinforcement: int
    access_count: int
    metadata: dict[str, Any]
    passage: dict[str, Any]
    channels: dict[str, Any]
    parts: dict[str, float]
    evidence: dict[str, float]
    displaced: list[str]


class Recalled(TypedDict):
    notice: str
    status: str
    reasons: list[str]
    confidence: float | None
    hits: list[Found]
    nearest: Found | None
    spaces: list[str]
    tokens_used: int
    tokens_left: int
    trace: NotRequired[dict[str, Any]]


class ContextText(TypedDict):
    text: str
    tokens: int
    status: str
    reasons: list[str]
    confidence: float | None
    ids: list[str]


class Written(TypedDict):
    """`action`: created, reinforced (known already), unchanged, revised, forgotten, or offered: it
    is then no memory yet, and `tier` and `reason` say what became of it."""

    id: str
    space: str
    action: str
    passages: int
    embedded: bool
    notes: list[str]
    tier: NotRequired[str]
    decision: NotRequired[str]
    reason: NotRequired[str]


class Kept(TypedDict):
    id: str
    space: str
    text: str
    kind: str
    tags: list[str]
    source: str
    verified: bool
    occurred_at: str | None
    created_at: str
    updated_at: str
    part: NotRequired[bool]  # the text is longer: get has the whole


class Whole(Kept):
    notice: str
    section: str
    entities: list[str]
    confidence: float
    valid_from: str | None
    valid_to: str | None
    reinforcement: int
    access_count: int
    provenance: dict[str, Any]
    metadata: dict[str, Any]


class Page(TypedDict):
    notice: str
    memories: list[Kept]
    cursor: str | None
    reasons: list[str]


class Space(TypedDict):
    name: str
    memories: int
    passages: int
    pending: int  # passages that wait for their vector


class Waiting(TypedDict):
    """Offers that nobody decided about."""

    space: str
    held: int
    admitted: int


class Condition(TypedDict):
    memories: int
    pending: int
    spaces: list[Space]
    embedder: str
    indexed_by: str
    waiting: list[Waiting]
    notes: list[str]
    hot: str
    may: list[str]


class Result(TypedDict):
    id: str
    title: str
    url: str


class Results(TypedDict):
    results: list[Result]


class Document(TypedDict):
    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any]
