"""What stands before long-term memory: quarantine, working memory, and the log of events.

Kept apart from `Store`, so that no search can ever reach them; every implementation passes
`bethink.testing.TierContract`. Time comes with each call that depends on it. What is written is
durable when the call returns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from bethink.vocabulary import Decision, Event, Memory, Offer, Ruling


@dataclass(frozen=True, slots=True)
class OfferPage:
    """Some offers in order; iterating, counting and indexing are about them."""

    offers: list[Offer]
    cursor: str | None  # give it back to go on; None at the end

    def __iter__(self) -> Iterator[Offer]:
        return iter(self.offers)

    def __len__(self) -> int:
        return len(self.offers)

    def __getitem__(self, index: int) -> Offer:
        return self.offers[index]


class Quarantine(Protocol):
    """Everything that was ever offered, with every decision about it."""

    def log(self, offers: Sequence[Offer]) -> list[bool]:
        """Keep offers, each with its first ruling. False where the id is known with the same text
        and space: nothing changes. Known with others: Conflict, and none is kept."""

    def get(self, ids: Sequence[str]) -> list[Offer | None]:
        """In the order asked; None where there is none."""

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        decisions: Collection[Decision] | None = None,
        source_hash: str | None = None,
        identities: Collection[str] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 100,
    ) -> OfferPage:
        """Offers in the order they came, a page at a time; None: whatever it is."""

    def decide(self, rulings: Sequence[Ruling]) -> None:
        """Let decisions hold from now on, all or none. An unknown id is NotFound."""

    def alone(self) -> AbstractContextManager[None]:
        """While this is held nobody else holds it, in any thread or process: whoever decides looks,
        writes and says so, and no other decision comes between. Ends with its process."""

    def settling(self) -> AbstractContextManager[None]:
        """The same for the moments in which what is logged and what is recent change together.
        Whoever offers holds only this one, and so never waits for what somebody embeds; whoever
        decides holds it within `alone`."""

    def counts(self, decisions: Collection[Decision]) -> Mapping[str, Mapping[Decision, int]]:
        """How many offers of each space stand so; spaces and decisions without any are left out."""

    def rulings(self, offer_id: str) -> list[Ruling]:
        """Every decision about an offer, oldest first."""

    def children(self, ids: Sequence[str]) -> list[str]:
        """Offers that name any of these among their parents, in the order they came."""

    def made_from(self, source_hash: str) -> list[str]:
        """Offers that have this source among their origins, in the order they came: what was made
        from a source is known also when that is forgotten."""

    def erase(self, ids: Sequence[str]) -> int:
        """Let nothing remain of these: text, rulings, logs. How many there were."""

    def erase_space(self, space: str) -> int: ...


class WorkingMemory(Protocol):
    """What is recent: per space, newest first, so many kept, for so long."""

    def add(self, memories: Sequence[Memory], *, now: datetime, keep: int, seconds: float) -> None:
        """The last one becomes the newest of its space. Known by its id, a memory takes the new
        form and the newest place. Beyond `keep` the oldest of a space fall out."""

    def recent(self, spaces: Sequence[str], *, now: datetime, limit: int) -> list[Memory]:
        """The newest of these spaces together, without what has expired."""

    def get(self, ids: Sequence[str], *, now: datetime) -> list[Memory | None]: ...

    def remove(self, ids: Sequence[str]) -> list[bool]:
        """Erase; False where there was none."""

    def erase_space(self, space: str) -> int: ...


class EventLog(Protocol):
    """What happened, for replay. Old events give way to new ones."""

    def append(self, events: Sequence[Event], *, keep: int) -> list[Event]:
        """The same events with their ids: each greater than any before, in every process. At most
        `keep` remain."""

    def since(
        self,
        after: int,
        *,
        spaces: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events after this id, oldest first. With spaces: those that happened in no other."""

    def last(self) -> int:
        """The greatest id ever given; 0 before the first."""

    def first(self) -> int:
        """The id of the oldest that is kept; 0 if none is."""

    def erase(self, ids: Collection[int]) -> int:
        """Erase the events of these numbers; how many there were."""

    def erase_mentions(self, ids: Collection[str], *, kind: str) -> int:
        """Erase every event of this kind whose data names one of these ids."""

    def erase_space(self, space: str) -> int:
        """Erase every event that names the space."""


class Tiers(NamedTuple):
    """The three together, as a store hands them out."""

    quarantine: Quarantine
    working: WorkingMemory
    events: EventLog
