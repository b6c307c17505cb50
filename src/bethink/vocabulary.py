"""The words of Bethink as frozen values. The same names are used in every door.

A `Memory` is what was told; a `Passage` is the part of it that is indexed; a `Query` asks; a
`Candidate` is a passage on its way through the pipeline; a `Hit` is what is handed out; a
`Recollection` is the whole answer with its status and trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bethink.lazy_exports import hinting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    Vectors: TypeAlias = NDArray[np.float32]

    from bethink.filters import Filter
    from bethink.search_response import SearchResponse
else:  # naming a type must not cost a cold process the import of NumPy
    Vector = Vectors = Any

Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None

GLOBAL_SPACE = "global"
FILE = "file:"  # begins the id of a hit that is a whole file
# In a memory's provenance; set by us, never taken from whoever tells it.
SUPERSEDES = "supersedes"  # in a memory's metadata: the memory whose place it took
TRUST, UNVERIFIED, VERIFIED = "trust", "unverified", "verified"


class Status(StrEnum):
    """What kind of answer this is. Never a guess."""

    ANSWERED = "answered"  # at least 85 % of such answers hold a right memory
    UNCERTAIN = "uncertain"  # some chance: at most three hits, each marked
    EMPTY = "empty"  # searched well, nothing there
    BELOW_FLOOR = "below_floor"  # found, not good enough
    DEGRADED = "degraded"  # a channel was missing; the reasons say which and why
    STALE = "stale"  # the index is behind the truth
    UNAVAILABLE = "unavailable"  # no channel could answer
    DISABLED = "disabled"  # the caller switched every channel off


class Action(StrEnum):
    """What a write did."""

    CREATED = "created"
    REINFORCED = "reinforced"  # told again: counted, not repeated
    UNCHANGED = "unchanged"  # the same id with the same content: a repeated delivery
    REVISED = "revised"
    FORGOTTEN = "forgotten"


class Tier(StrEnum):
    """How far something has come: from what was heard to what is known."""

    QUARANTINE = "quarantine"  # logged; nobody finds it
    WORKING = "working"  # recent and expiring; handed out as unverified
    LONG_TERM = "long_term"  # remembered and searched


class Decision(StrEnum):
    """What became of an offer. Only `admitted` and `promoted` ever leave quarantine."""

    ADMITTED = "admitted"  # into working memory
    IGNORED = "ignored"  # too short to mean anything
    REFUSED = "refused"  # its own author was not sure enough
    HELD = "held"  # suspicious: a person must look first
    PROMOTED = "promoted"  # into long-term memory
    REJECTED = "rejected"

    @property
    def tier(self) -> Tier:
        """Where the offer is after this decision."""
        tiers = {Decision.ADMITTED: Tier.WORKING, Decision.PROMOTED: Tier.LONG_TERM}
        return tiers.get(self, Tier.QUARANTINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered item."""

    id: str
    space: str
    text: str
    kind: str = "note"
    section: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    source: str = ""
    provenance: Mapping[str, Json] = field(default_factory=dict)
    confidence: float = 1.0
    occurred_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    reinforcement: int = 0
    access_count: int = 0
    metadata: Mapping[str, Json] = field(default_factory=dict)

    @property
    def verified(self) -> bool:
        """Told by somebody trusted, or reviewed. Only what comes through quarantine can be less."""
        return self.provenance.get(TRUST) != UNVERIFIED

    @property
    def speaker(self) -> str:
        """Who said it, by name; empty if that is not known."""
        return _text_of(self.metadata, "speaker")

    @property
    def role(self) -> str:
        """`user`, `assistant`, `tool` or `other`; empty if that is not known."""
        return _text_of(self.metadata, "role")

    @property
    def conversation(self) -> str:
        """The conversation that it was said in; else its source. Empty if neither is known."""
        return _text_of(self.metadata, "conversation") or self.source

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, every field present."""
        from bethink.records import memory_record

        return memory_record(self)


def _text_of(metadata: Mapping[str, Json], key: str) -> str:
    value = metadata.get(key)
    return value if isinstance(value, str) else ""


class OpenMemory:
    """A memory that is still being filled; its class is then set to `Memory`, which has the same
    shape. A frozen one sets its fields through a detour that takes four times as long, and every
    recall makes thirty, every telling one."""

    __slots__ = Memory.__slots__


class Revision(NamedTuple):
    """How a memory read before it was revised."""

    memory: Memory
    replaced_at: datetime


class Passage(NamedTuple):
    """A part of a memory's text, `text[start:end]`, by its place among its siblings."""

    ordinal: int
    start: int
    end: int


class Entry(NamedTuple):
    """What a store writes at once: a memory, its passages, their terms and (if had) vectors."""

    memory: Memory
    passages: tuple[Passage, ...]
    terms: tuple[str, ...]  # one string of space-separated terms for each passage
    identity: str  # what two tellings of the same thing share
    vectors: Vectors | None = None  # one unit row for each passage, or none yet
    merge: bool = True  # told again (same identity in the space): reinforce, do not repeat
    history: tuple[Revision, ...] = ()  # former forms, newest first; only when taken over


class Receipt(NamedTuple):
    """The proof of a write. Once you hold it, the write survives a power cut."""

    id: str
    space: str
    action: Action
    passages: int = 0
    embedded: bool = True  # False: found by words now, by meaning after the backfill
    notes: tuple[str, ...] = ()


class Found(NamedTuple):
    """A passage that a store found, with the channel's own score (order is all it promises)."""

    memory_id: str
    ordinal: int
    score: float


class Weights(NamedTuple):
    """How much the rank by meaning and the rank by words count in the order of the hits."""

    meaning: float
    words: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked, where, and within which bounds."""

    text: str
    spaces: tuple[str, ...] = (GLOBAL_SPACE,)
    limit: int = 10
    budget: int = 1500  # tokens
    where: Filter | None = None
    as_of: datetime | None = None
    looking_back: bool = False  # as_of was asked for: it is not simply now
    words: bool = True
    meaning: bool = True
    meaning_threshold: float | None = None  # a cosine, -1 to 1
    floor: float | None = None  # of the relevance; None: the one calibrated for the embedder
    unverified_share: float = 0.5  # of the hits, at most
    words_threshold: float | None = None  # a share of the question's telling words, 0 to 1
    weights: Weights | None = None  # None: the preset's own order
    enable_query_expansion: bool = True  # of presets that ask again in other words
    candidates: int | None = None  # that each search looks at; None: as the preset says
    vector: Vector | None = None  # given when the caller has embedded the question already
    deadline: float = 10.0  # seconds


class Place(NamedTuple):
    """Where a channel had a passage: rank from 0, and the channel's own score."""

    rank: int
    score: float


class Candidate(NamedTuple):
    """A passage inside the pipeline, with its place in every channel that found it."""

    memory_id: str
    ordinal: int
    score: float
    channels: Mapping[str, Place]
    memory: Memory | None = None
    passage: Passage | None = None
    parts: Mapping[str, float] = MappingProxyType({})  # what the score is made of, once mixed
    tier: Tier = Tier.LONG_TERM
    relevance: float | None = None  # 0 to 1: the probability that it answers; None: not judged
    evidence: Mapping[str, float] = MappingProxyType({})  # what the relevance is made of
    contradicted_by: str = ""  # the id of a newer memory that says otherwise

    @property
    def key(self) -> tuple[str, int]:
        return (self.memory_id, self.ordinal)

    @property
    def text(self) -> str:
        """The passage's text; only after `hydrate` has fetched the memory."""
        if self.memory is None or self.passage is None:
            raise ValueError(f"passage {self.key} has not been fetched yet")
        return self.memory.text[self.passage.start : self.passage.end]


class Extent(NamedTuple):
    """A part of a memory's text, `text[start:end]`."""

    memory_id: str
    start: int
    end: int


class Hit(NamedTuple):
    """One line of the answer, with its reasons."""

    memory: Memory
    passage: Passage
    text: str
    score: float  # 0 to 1: the relevance, unless the preset has a formula of its own
    tokens: int
    channels: Mapping[str, Place]
    parts: Mapping[str, float]  # what the score is made of; they add up to it
    displaced: tuple[str, ...] = ()  # what lost its place to this hit, and why
    tier: Tier = Tier.LONG_TERM
    shown: tuple[Extent, ...] = ()  # what its text is made of; empty: the passage alone
    relevance: float | None = None  # 0 to 1: the probability that it answers; None: not judged
    evidence: Mapping[str, float] = MappingProxyType({})  # log-odds that add up to the relevance's
    contradicted_by: str = ""  # the id of a newer memory that says otherwise

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def space(self) -> str:
        return self.memory.space

    @property
    def kind(self) -> str:
        return self.memory.kind

    @property
    def tags(self) -> tuple[str, ...]:
        return self.memory.tags

    @property
    def source(self) -> str:
        return self.memory.source

    @property
    def metadata(self) -> Mapping[str, Json]:
        return self.memory.metadata

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values: the memory's, and why it was found."""
        from bethink.records import hit_record

        return hit_record(self)

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The ids of the memories that it hands out: those of all entries of a file, else its own.
        What only stands beside the hit is not one of them."""
        if self.memory.id.startswith(FILE):
            return tuple(dict.fromkeys(part.memory_id for part in self.shown)) or (self.memory.id,)
        return (self.memory.id,)


if not TYPE_CHECKING:  # a type checker would accept any name, and takes it in no NamedTuple
    Hit.__getattr__ = hinting(
        {
            **{name: f"memory.{name}" for name in Memory.__slots__},
            **{name: f"memory.{name}" for name in ("verified", "speaker", "role", "conversation")},
            **dict.fromkeys(("content", "value"), "text"),
            **dict.fromkeys(("memory_id", "key"), "id"),
            **dict.fromkeys(("reasons", "why", "explain"), "channels, parts and evidence"),
        }
    )


class Dropped(NamedTuple):
    memory_id: str
    ordinal: int
    reason: str


class Step(NamedTuple):
    """What one stage did."""

    stage: str
    milliseconds: float
    received: int
    passed_on: int
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Trace(NamedTuple):
    preset: str
    steps: tuple[Step, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """The answer: hits in order, what they cost, and how far to trust it."""

    query: Query
    hits: tuple[Hit, ...]
    status: Status
    reasons: tuple[str, ...]
    tokens_used: int
    tokens_left: int
    trace: Trace
    confidence: float | None = None  # 0 to 1: that the question can be answered from here
    nearest: Hit | None = None  # when all was below the floor: what came nearest

    if not TYPE_CHECKING:  # a type checker would accept any name
        __getattr__ = hinting(
            {
                **dict.fromkeys(("results", "memories", "items", "matches"), "hits"),
                **dict.fromkeys(("top", "first", "best"), "hits[0]"),
                **dict.fromkeys(
                    ("text", "context", "as_text", "as_markdown", "render"),
                    "bethink.recall.as_markdown(answer) or as_text(answer)",
                ),
                **dict.fromkeys(("tokens", "cost"), "tokens_used"),
                **dict.fromkeys(("explain", "explanation", "why"), "to_dict(explain=True)"),
                **dict.fromkeys(("json", "as_dict", "model_dump"), "to_dict()"),
                **dict.fromkeys(("reason", "notes"), "reasons"),
                **dict.fromkeys(("question", "asked"), "query.text"),
            }
        )

    def __bool__(self) -> bool:
        return bool(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, rank: int) -> Hit:
        return self.hits[rank]

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return JSON-ready values, as REST and `--json` give them; with its trace if `explain`."""
        from bethink.records import as_record

        return as_record(self, explain=explain)

    def as_search_response(self) -> SearchResponse:
        """Return the hits as results with the field names of a notebook's search."""
        from bethink.search_response import SearchResponse

        return SearchResponse.of(self)


class Principal(NamedTuple):
    """Who offers or decides, and through which door. Doors say it; callers cannot."""

    name: str = "local"
    door: str = "python"
    trusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What was offered, as it stands in quarantine, with the decision that holds now."""

    memory: Memory  # as it would be remembered, under the same id
    by: Principal
    source_hash: str  # of what it says its source is; the same source has the same hash
    parents: tuple[str, ...] = ()  # offers and memories that it was made from
    origins: tuple[str, ...] = ()  # hashes of the sources of all those, however far back
    identity: str = ""  # what two tellings of the same thing share
    trusted: bool = False  # by somebody trusted, and made from nothing that is not
    risk: float = 0.0  # 0 to 1: how suspicious its text is
    findings: tuple[str, ...] = ()  # why
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out
    decision: Decision
    reason: str
    decided_at: datetime
    decided_by: str = ""

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def space(self) -> str:
        return self.memory.space

    @property
    def text(self) -> str:
        return self.memory.text

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, as REST and `--json` give them."""
        from bethink.records import offer_record

        return offer_record(self)


class Ruling(NamedTuple):
    """One decision about an offer. All of them are kept."""

    offer_id: str
    decision: Decision
    reason: str
    by: str
    at: datetime
    memory_id: str = ""  # promoted: the memory that holds it now, perhaps one that was there before
    undo: bool = False  # it takes the ruling before it back
    supersedes: str = ""  # promoted: the memory whose place it took


class Event(NamedTuple):
    """Something that happened, for whoever watches. It never holds a memory's text."""

    id: int  # increasing; 0 before it is kept
    at: datetime
    kind: str
    spaces: tuple[str, ...]  # whoever may not see all of them does not see the event
    data: Mapping[str, Json]


class SpaceInfo(NamedTuple):
    name: str
    memories: int
    passages: int
    pending: int  # passages that wait for their vector


class Check(NamedTuple):
    """One line of `doctor`: a part, whether it is well, and what to do if not."""

    part: str
    ok: bool
    finding: str
    fix: str = ""


Progress: TypeAlias = Callable[[int, int | None], None]  # done, of how many (None: unknown)
SpaceNames: TypeAlias = str | Sequence[str]
