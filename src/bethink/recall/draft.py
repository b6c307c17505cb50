"""What travels through the reading pipeline: the draft, and the tools that stages may use."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from bethink.clock import Clock
from bethink.errors import BethinkError, said_to_anybody
from bethink.stores.protocol import Neighbours, Store
from bethink.text.tokens import count_tokens
from bethink.vocabulary import (
    Candidate,
    Dropped,
    Found,
    Hit,
    Memory,
    Passage,
    Query,
    Status,
    Vector,
    Vectors,
)

if TYPE_CHECKING:  # importing it costs a cold process 5 ms, and most questions need no thread
    from concurrent.futures import Executor, Future

    from bethink.llms.protocol import LLM
    from bethink.recall.route import RouteRule
    from bethink.recall.signals import Signals
    from bethink.rerankers.protocol import Reranker


class Period(NamedTuple):
    """When the question is about: [start, end), and the question without the words that say so."""

    start: datetime
    end: datetime
    rest: str


class Plan(NamedTuple):
    """What the words channel looks for. Meaning is always asked with the question as it was."""

    rewritten: str  # without "can you tell me" and the like
    keywords: tuple[str, ...]  # the most telling first
    phrases: tuple[str, ...]  # what the question quotes
    by: Literal["rules", "llm"]


class Standing(NamedTuple):
    """How far passages stand out by meaning: in spreads above what is usual in their spaces."""

    spreads: Mapping[tuple[str, int], float]
    mean: float  # the usual cosine
    spread: float

    def cosine(self, key: tuple[str, int]) -> float | None:
        spreads = self.spreads.get(key)
        return None if spreads is None else self.mean + spreads * self.spread


class Fault(NamedTuple):
    """Why the answer is not simply `answered` or `empty`."""

    status: Status
    reason: str


class Draft(NamedTuple):
    """The answer in the making. Stages return a new one; nothing is changed in place.

    A named tuple: every question makes twenty, each in a quarter of the time of a dataclass."""

    query: Query
    period: Period | None = None
    plan: Plan | None = None
    settled: str = ""  # why nothing more needs to be searched: a route or a period has answered
    question: Question | None = None  # with its vector, once it is embedded
    channels: Mapping[str, tuple[Found, ...]] = MappingProxyType({})
    standing: Standing | None = None
    beside: Mapping[str, Neighbours] = MappingProxyType({})  # of the candidates' memories
    signals: Signals | None = None  # what speaks for each candidate
    # what no search of the store finds, by memory id and ordinal: working memory, and the web
    working: Mapping[tuple[str, int], tuple[Memory, Passage]] = MappingProxyType({})
    candidates: tuple[Candidate, ...] = ()
    hits: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()  # of the stage that runs now
    dropped: tuple[Dropped, ...] = ()  # by the stage that runs now
    faults: tuple[Fault, ...] = ()
    confidence: float | None = None
    read_by: str = ""  # the measured reader that judged last
    nearest: Hit | None = None  # the best of what was below the floor
    unread: frozenset[date] = frozenset()  # days whose files there was no time to read

    def note(self, text: str) -> Draft:
        return self._replace(notes=(*self.notes, text))

    def fault(self, status: Status, reason: str) -> Draft:
        return self._replace(
            faults=(*self.faults, Fault(status, reason)), notes=(*self.notes, reason)
        )

    def failed(self, what: str, error: BethinkError) -> Draft:
        """Go on without it."""
        return self.fault(Status.DEGRADED, f"{what} failed: {said_to_anybody(error)}")

    def with_channel(self, name: str, found: tuple[Found, ...]) -> Draft:
        return self._replace(channels={**self.channels, name: found})

    @property
    def size(self) -> int:
        """How much there is to go on with; for the trace. Each form gives way to the next."""
        return len(self.hits) + len(self.candidates) + sum(map(len, self.channels.values()))


class Deadline(NamedTuple):
    """A moment after which no stage may keep the caller waiting."""

    end: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        return max(0.0, self.end - time.monotonic())


class Question(NamedTuple):
    """A question's vector and whose index it fits."""

    vector: Vector
    fingerprint: str
    note: str = ""  # e.g. that the index is by another embedder than the settings name
    word_vectors: Callable[[Sequence[str]], Vectors] | None = None  # if the embedder has any


class Kit(NamedTuple):
    """What stages may use. The embedder comes as a function: loading it may be slow or fail."""

    store: Store
    question: Callable[[Query], Question | None]  # None: meaning is switched off
    clock: Clock
    deadline: Deadline
    pool: Callable[[], Executor]
    zone: tzinfo
    llm: Callable[[], LLM | None] = lambda: None  # None: no language model is set
    routes: Callable[[], tuple[RouteRule, ...] | None] = lambda: None  # None: the built-in ones
    reranker: Callable[[], Reranker | None] = lambda: None  # None: nothing is reranked
    count_tokens: Callable[[str], int] = count_tokens
    # vectors of texts by whoever made the index; None: nobody did
    documents: Callable[[Sequence[str]], Vectors | None] = lambda texts: None
    # whether the second memory, told later, says otherwise than the first
    contradicts: Callable[[Memory, Memory], bool] = lambda older, newer: False


class Stage(Protocol):
    """One step. A stage that has nothing to do returns the draft with a note that says why."""

    @property
    def name(self) -> str: ...

    def __call__(self, draft: Draft, kit: Kit) -> Draft: ...


class Apart(Stage, Protocol):
    """A search that waits for strangers, on threads of its own; see `side_by_side.py`."""

    def start(self, draft: Draft, kit: Kit) -> Future[Draft]: ...
