"""What a retriever must do: an engine that finds passages by words or by meaning, beside the truth.

The truth is a `Store`: it is written first, and it alone says what there is. A retriever holds
copies of passages, follows the truth's changes (`Feed`) and may be behind, wrong, or gone:
`bethink.stores.composite` checks whatever it returns against the truth, and can make it anew.

To write one: keep a row for each passage (memory id, ordinal, space, version, what filters ask for,
terms or vectors) and one row for the position. Every retriever passes
`bethink.testing.RetrieverContract`. Calls come from several threads at once, and every one must
end: set a timeout on whatever goes through a network. Any exception counts as a failure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from hashlib import blake2b
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from bethink.errors import StoreError
from bethink.filters import Filter
from bethink.stores.protocol import Embedding
from bethink.vocabulary import Check, Memory, Passage, Vector

Finds: TypeAlias = Literal["words", "meaning"]
WORDS: Finds = "words"
MEANING: Finds = "meaning"

# Counted at every recall and followed by no retriever: the truth alone filters by these.
COUNTERS = frozenset({"reinforcement", "access_count"})

MAKE_ANEW = "run 'bethink reindex --files', which makes it anew from the store"


class RetrieverUnfit(StoreError):
    """What the retriever holds cannot be brought to what the truth holds now: make it anew."""

    code = "retriever_unfit"


def version_of(text: str) -> str:
    """What two copies of the same passage share, and no other passage does."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# The truth's side


class What(StrEnum):
    """What a change is about. It never says how it changed: the truth is read when it is passed
    on, so that nothing forgotten ever waits here, and passing it on twice does no harm."""

    MEMORY = "memory"  # written, erased, or given vectors; the name is its id
    SPACE = "space"  # erased as a whole; what is told in it afterwards has changes of its own
    VECTORS = "vectors"  # all of an embedder went; the name is its fingerprint
    EMBEDDINGS = "embeddings"  # another answers, or one is being built; no name


class Change(NamedTuple):
    number: int  # increasing; what changes again gets a new one and loses the old
    what: What
    name: str
    at: float  # seconds since 1970


class HeldPassage(NamedTuple):
    """A passage with what the indexes hold of it. The handle is the store's own."""

    handle: int
    passage: Passage
    vectors: Mapping[str, Vector]  # by fingerprint


class Held(NamedTuple):
    memory: Memory
    passages: tuple[HeldPassage, ...]


class Feed(Protocol):
    """The changes of a store for those who follow it, from the first follower on. While nobody
    follows, nothing is kept and no write takes longer."""

    @property
    def store(self) -> str:
        """Which store this is; no other has the same."""

    def follow(self, name: str) -> None:
        """Keep changes for this follower from now on. Again: nothing new."""

    def unfollow(self, name: str) -> None:
        """Keep none for it any more."""

    def followers(self) -> Mapping[str, int]:
        """Each with the number up to which it said that it has everything."""

    def since(self, number: int, *, limit: int) -> list[Change]:
        """Changes after this number, oldest first."""

    def last(self) -> int:
        """The greatest number ever given; 0 before the first. Asked with every search."""

    def dropped(self) -> int:
        """Changes up to this number may be gone: whoever has less must be made anew."""

    def history(self, number: int) -> str:
        """Of which stretch of the store's history the number is: the same as long as that is the
        past of this store, and another where it was put back to before and then went on. Empty
        where no follower is known."""

    def waiting(self, number: int) -> int:
        """How many changes there are after this number."""

    def passed(self, name: str, number: int) -> None:
        """This follower has everything up to the number. What all of them have is dropped."""

    def alone(self, name: str, *, patience: float) -> AbstractContextManager[None]:
        """While this is held nobody else feeds this follower, in any thread or process. StoreBusy
        after so many seconds."""

    def held(self, ids: Sequence[str]) -> list[Held | None]:
        """Memories as they are now, with their passages and vectors, all of one moment."""

    def embeddings(self) -> tuple[Embedding, ...]:
        """The one that answers, then the one that is being built; of this moment."""


@runtime_checkable
class KeepsChanges(Protocol):
    """A store that can be followed."""

    def feed(self) -> Feed: ...


# The retriever's side


class Position(NamedTuple):
    """How far a retriever has come. It is kept in the retriever itself, so that both are always
    of one piece, also after one of them was restored from a backup."""

    store: str  # which truth it follows; it is refused by any other
    number: int  # it has every change up to this one
    tokeniser: int  # whose terms it holds; of another, it is made anew
    cursor: str | None = None  # being made anew: go on there ("": begin); None: it is whole
    made: int = 0  # how many memories that has copied so far
    history: str = ""  # of which the number is (`Feed.history`); of another, it is made anew


class IndexedPassage(NamedTuple):
    """A passage to be indexed."""

    passage: Passage
    version: str
    terms: str  # separated by spaces
    vectors: Mapping[str, Vector]  # unit vectors by fingerprint; one that is not there: none yet


class Indexed(NamedTuple):
    """A memory with all its passages: it takes the place of whatever the retriever holds under the
    memory's id, in any space. The memory is for what filters ask; its text need not be kept."""

    memory: Memory
    passages: tuple[IndexedPassage, ...]


class Changes(NamedTuple):
    """What to do, in this order.

    `embeddings` are those that hold now, the one that answers first: keep vectors of these side by
    side and of no others. After a switch, the vectors of some passages may still be on their way.
    """

    spaces_gone: tuple[str, ...] = ()
    vectors_gone: tuple[str, ...] = ()  # fingerprints: drop all vectors of theirs
    embeddings: tuple[Embedding, ...] = ()
    gone: tuple[str, ...] = ()  # ids of memories that are no more
    written: tuple[Indexed, ...] = ()


class Seen(NamedTuple):
    """A passage that a retriever found. Scores as the store contract has them: BM25, the cosine."""

    memory_id: str
    ordinal: int
    score: float
    version: str


class Copy(NamedTuple):
    """A passage that a retriever holds."""

    memory_id: str
    ordinal: int
    space: str
    version: str


class Copies(NamedTuple):
    copies: list[Copy]
    cursor: str | None  # give it back to go on; None at the end


class Retriever(Protocol):
    @property
    def name(self) -> str:
        """As people know it; among the retrievers of a store no other has the same."""

    @property
    def finds(self) -> Collection[Finds]: ...

    def position(self) -> Position | None:
        """None: it is new, or was cleared."""

    def set_position(self, position: Position) -> None:
        """Durable when it returns; what was applied before is durable by then too."""

    def apply(self, changes: Changes) -> None:
        """Make these changes; searches see them when it returns. Again: nothing new. What it
        does not find by (terms, vectors) it may leave out."""

    def clear(self) -> None:
        """Hold nothing any more, no position either."""

    def expresses(self, where: Filter) -> bool:
        """Can a search apply this filter, exactly as `bethink.filters.matches` says? If not, it
        is asked for more, and the truth filters. Never asked about `COUNTERS`."""

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        """As `Store.search_words`; a space that it does not know is empty."""

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        """As `Store.search_meaning`, among the vectors of this fingerprint; FingerprintMismatch
        if it holds none of this embedder."""

    def copies(self, *, cursor: str | None, limit: int) -> Copies:
        """Every passage that it holds, a page at a time; the copies of a memory need not come
        together."""

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        """As `Store.finish_erasing`: True when nothing deleted is left in logs and files."""

    def check(self) -> list[Check]:
        """Look at every part that is its own."""

    def close(self) -> None: ...


def not_opened_with(name: str) -> Check:
    from shlex import quote

    return Check(
        f"retriever {name}",
        False,
        "changes are kept for it, but this store is opened without it",
        "name it in the setting 'retrievers'; or, to erase its copies and let go of it: bethink "
        "retrievers let-go ADDRESS; or, if it is gone for good: bethink retrievers let-go "
        f"{quote(name)} --keep-copies",
    )
