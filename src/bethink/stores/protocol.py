"""What a store must do. Every store passes `bethink.testing.StoreContract`, word for word.

Methods are batch-first. Order in = order out. Scores promise order only: words are BM25 by the
contract in `bethink.text.bm25`, meaning is the cosine. A write is all or nothing, and durable
when it returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

from bethink.filters import Filter
from bethink.stores.tiers import Tiers
from bethink.vocabulary import (
    Action,
    Check,
    Entry,
    Found,
    Memory,
    Passage,
    Revision,
    SpaceInfo,
    Vector,
    Vectors,
)

MAX_COUNT = 2**53  # a counter stops there: beyond it JSON loses ones, and nothing could be imported


class Embedding(NamedTuple):
    """Which embedder made the vectors of an index, and how to load it again."""

    fingerprint: str
    dimension: int
    name: str


class Written(NamedTuple):
    """What became of one entry: its action, and the id that now holds the memory."""

    action: Action
    id: str


class Unembedded(NamedTuple):
    """A passage that has no vector yet. The handle is the store's own and is never reused."""

    handle: int
    text: str


class Compared(NamedTuple):
    """Cosines of some passages, and what is usual: mean and spread over a sample of the spaces."""

    scores: list[float | None]  # None: no such passage, or it has no vector
    mean: float
    spread: float


class Frequencies(NamedTuple):
    """How common terms are in some spaces, and how long what is kept there usually is."""

    holding: list[int]  # how many passages hold each term, in the order asked
    passages: int
    memories: int
    length: float  # of a passage, in terms, on average


class Counted(NamedTuple):
    """What a passage holds of some terms, and its length."""

    counts: dict[str, int]  # of the terms that it holds, in the order asked
    length: int  # in terms


class TermCounts(NamedTuple):
    """How common terms are, and what some passages hold of them; both at one moment."""

    common: Frequencies
    held: list[Counted | None]


class Neighbours(NamedTuple):
    """The memories told just before and just after another, in its space."""

    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """Some memories in order; iterating, counting and indexing are about them."""

    memories: list[Memory]
    cursor: str | None  # give it back to go on; None at the end
    damaged: tuple[str, ...] = ()  # ids of memories that belong here and cannot be read any more

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __getitem__(self, index: int) -> Memory:
        return self.memories[index]


class Shortfall(NamedTuple):
    """Why an answer may lack something."""

    behind: bool  # what answered does not hold the newest yet; False: something did not answer
    reason: str


class FoundPartly(list[Found]):
    """What a store of several parts found while one of them was missing or behind."""

    def __init__(self, found: Iterable[Found], shortfalls: Sequence[Shortfall]) -> None:
        super().__init__(found)
        self.shortfalls = tuple(shortfalls)


class Store(Protocol):
    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        """Write new memories. The same id and content again changes nothing; the same id with
        other content raises Conflict; the same identity in the space reinforces what is there,
        unless the two hold at other times (`told_again.takes_in`)."""

    def known(self, entries: Sequence[Entry]) -> list[bool]:
        """Which of these would create nothing new? (So that they need not be embedded.)"""

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        """Replace the memory that has the entry's id; its former form goes to the history."""

    def revise_many(
        self, entries: Sequence[Entry], *, fingerprint: str | None = None, history: bool = True
    ) -> None:
        """The same for several, all or nothing. `history=False` keeps no former form: for what
        nobody said otherwise, as when a line of a file is now another line."""

    def get(
        self, ids: Sequence[str], *, spaces: Sequence[str] | None = None
    ) -> list[Memory | None]:
        """Memories by id, in the order asked; None where there is none (or none in the spaces)."""

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        """Passages by (memory id, ordinal) with their memories."""

    def delete(self, ids: Sequence[str]) -> list[bool]:
        """Erase memories: text, history, words, vectors. False where there was none."""

    def open_space(self, space: str) -> None:
        """See to it that there is such a space, so that it can be asked before it holds anything:
        it may belong to a folder that is still empty."""

    def delete_space(self, space: str) -> int:
        """Erase a space with all that it holds; how many memories went."""

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        """See to it that nothing forgotten is left in logs and files, also not of these texts;
        False while readers of other processes still hold some of it."""

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        where: Filter | None = None,
        newest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        damaged: list[str] | None = None,
    ) -> Page:
        """Return memories in the order told, a page at a time. What cannot be read any more is left
        out and named in the page's `damaged`, and added to the list if one is given."""

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int: ...

    def history(self, memory_id: str) -> list[Revision]:
        """Former forms, newest first."""

    def touch(self, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
        """Add to the counters, up to `MAX_COUNT`; `updated_at` stays. Unknown ids are left out."""

    def spaces(self) -> list[SpaceInfo]: ...

    def pending(self, spaces: Sequence[str]) -> int:
        """How many passages of these spaces the answering index has no vector for."""

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        """Passages that hold any of the terms, best first."""

    def frequencies(self, terms: Sequence[str], *, spaces: Sequence[str]) -> Frequencies:
        """How many passages of these spaces hold each term, and how long passages are."""

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        """The nearest passages by cosine, best first."""

    def compare(
        self,
        vector: Vector,
        keys: Sequence[tuple[str, int]],
        *,
        fingerprint: str,
        spaces: Sequence[str],
    ) -> Compared:
        """How near these passages of these spaces are, and how near passages usually are."""

    def neighbours(self, ids: Sequence[str]) -> list[Neighbours]:
        """Who stands next to each memory in the order told; nobody for an unknown id."""

    def embedding(self) -> Embedding | None:
        """Whose vectors answer now; None before the first."""

    def declare(self, embedding: Embedding) -> Embedding:
        """Make this the embedding if there is none yet; the one that holds is returned."""

    def build(self, embedding: Embedding) -> None:
        """Begin (or resume) an index by another embedder beside the one that answers."""

    def clear_vectors(self) -> None:
        """Throw all vectors away, to be made anew; the embedding that holds stays declared."""

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        """Passages without a vector of this fingerprint, oldest first."""

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        """Store vectors; passages that are gone meanwhile are passed over. How many were kept."""

    def switch(self, fingerprint: str) -> bool:
        """Let the built index answer and drop the former; False while passages are missing."""

    def rebuild_words(self) -> int:
        """Make the words index anew from the texts; how many passages it holds."""

    def maintain(self, *, anew: bool = False) -> None:
        """Bring derived files up to date (`anew`: throw them away first). Never needed for right
        answers, only for fast ones."""

    def tiers(self) -> Tiers:
        """Where what is offered waits, what is recent, and what happened."""

    def notes(self, prefix: str = "") -> dict[str, str]:
        """Short texts that the engine keeps with the memories, by key: those whose key begins so.
        Asked at every question, so it must be cheap."""

    def write_note(self, key: str, value: str | None) -> None:
        """Keep a note, or (None) erase it."""

    def write_notes(self, told: Mapping[str, str | None]) -> None:
        """The same with several, all or none."""

    def check(self) -> list[Check]:
        """Look at every part, thoroughly."""

    def close(self) -> None: ...


@runtime_checkable
class CountsTerms(Protocol):
    """A store that may know what a passage holds without its text being read."""

    def count_terms(
        self, terms: Sequence[str], keys: Sequence[tuple[str, int]], *, spaces: Sequence[str]
    ) -> TermCounts:
        """`frequencies`, and each passage as `bethink.text.tokenise.count_terms` would count it;
        None where the text must be read: it is not at hand, or there is no such passage in these
        spaces."""


@runtime_checkable
class KeepsGenerations(Protocol):
    """A store that can say cheaply whether an answer from it could be another now."""

    def identity(self) -> str:
        """Of this store and this tenant, the same in every process; nobody else has it."""

    def generation(self, spaces: Sequence[str]) -> str:
        """A text that is another as soon as these spaces hold anything else that a question could
        notice: memories, vectors, working memory. Counting accesses is no such thing, and neither
        are notes. A space that does not exist is UnknownSpace."""

    def changes_by_itself(self, spaces: Sequence[str], *, after: datetime) -> datetime | None:
        """The first moment after this one at which a memory of these spaces begins or ceases to
        hold, or expires in working memory; None: never."""


@runtime_checkable
class SeenByQuestions(Protocol):
    """A store of which every look is a trip to somewhere else."""

    def for_question(self, spaces: Sequence[str], notes: Sequence[str]) -> Store:
        """The store as one question to these spaces sees it, which first looks at the notes that
        begin so: what it has to know is read at once, and nothing is asked twice. It is for this
        question alone, and for reading."""


@runtime_checkable
class WritesElsewhere(Protocol):
    """A store whose writing is another process's work: this one has time meanwhile, and whoever
    tells much makes the next batch ready in it."""

    writes_elsewhere: Literal[True]


MOVE_NOTE: Final = "move"  # a note of a store that a move fills, from its beginning until the proof
PROMOTION_NOTE: Final = "promotion under way"  # until its decisions are written


@runtime_checkable
class SeesMoves(Protocol):
    """A store of which every look is a trip to somewhere else, and each write looks anyway."""

    def half_moved(self) -> bool:
        """Was there a `MOVE_NOTE` when this object last wrote?"""


@runtime_checkable
class CaresForItself(Protocol):
    """A store that keeps what makes it fast in order, beside the questions."""

    def neglected(self) -> list[str]:
        """What that did not manage, why, and what to do, a sentence each. Quick."""


@runtime_checkable
class Owes(Protocol):
    """A store that knows what holds up the erasing."""

    def owed(self) -> list[str]:
        """Where what was forgotten is still held, a sentence each."""


@runtime_checkable
class HasParts(Owes, Protocol):
    """A store of several parts, of which some may be missing or behind."""

    def within(self, seconds: float) -> Store:
        """The same store, whose searches have so long and then do without what is late."""

    def engines(self) -> list[str]:
        """The names of its parts, which say what and where each is."""

    def shortcomings(self) -> list[str]:
        """What does not answer or is behind now, a sentence each. Quick."""
