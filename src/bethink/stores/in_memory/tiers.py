"""The tiers in plain Python: the reference for every other, gone when the process ends."""

from __future__ import annotations

import itertools
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import NamedTuple

from bethink.stores.cursors import place
from bethink.stores.offers import check_same, first_ruling, ruled, unknown_offer
from bethink.stores.tiers import OfferPage, Tiers
from bethink.vocabulary import Decision, Event, Memory, Offer, Ruling


def new_tiers(working: InMemoryWorkingMemory) -> Tiers:
    return Tiers(InMemoryQuarantine(), working, InMemoryEventLog())


class InMemoryQuarantine:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deciding = threading.Lock()
        self._settling = threading.Lock()
        self._offers: dict[str, Offer] = {}  # in the order they came
        self._numbers: dict[str, int] = {}
        self._rulings: dict[str, list[Ruling]] = {}
        self._came = 0

    def log(self, offers: Sequence[Offer]) -> list[bool]:
        with self._lock:
            fresh: dict[str, Offer] = {}
            kept: list[bool] = []
            for offer in offers:  # check all before keeping any
                before = self._offers.get(offer.id) or fresh.get(offer.id)
                if before is not None:
                    check_same(before, offer)
                kept.append(before is None)
                fresh.setdefault(offer.id, offer)
            for offer, new in zip(offers, kept, strict=True):
                if new:
                    self._came += 1
                    self._numbers[offer.id] = self._came
                    self._rulings[offer.id] = [first_ruling(offer)]
                    self._offers[offer.id] = offer
            return kept

    def get(self, ids: Sequence[str]) -> list[Offer | None]:
        return [self._offers.get(offer_id) for offer_id in ids]

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
        beyond = None if cursor is None else place(cursor)
        with self._lock:
            found = [
                (number, offer)
                for offer_id, offer in self._offers.items()
                if (number := self._numbers[offer_id])
                and (spaces is None or offer.space in spaces)
                and (decisions is None or offer.decision in decisions)
                and (source_hash is None or offer.source_hash == source_hash)
                and (identities is None or offer.identity in identities)
                and (beyond is None or (number < beyond if newest_first else number > beyond))
            ]
        if newest_first:
            found.reverse()
        page = found[:limit]
        return OfferPage(
            [offer for _, offer in page], str(page[-1][0]) if len(found) > limit else None
        )

    def decide(self, rulings: Sequence[Ruling]) -> None:
        with self._lock:
            for ruling in rulings:  # check all before deciding any
                if ruling.offer_id not in self._offers:
                    raise unknown_offer(ruling.offer_id)
            for ruling in rulings:
                self._rulings[ruling.offer_id].append(ruling)
                self._offers[ruling.offer_id] = ruled(self._offers[ruling.offer_id], ruling)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._deciding:
            yield

    @contextmanager
    def settling(self) -> Iterator[None]:
        with self._settling:
            yield

    def counts(self, decisions: Collection[Decision]) -> Mapping[str, Mapping[Decision, int]]:
        found: dict[str, dict[Decision, int]] = defaultdict(dict)
        with self._lock:
            for offer in self._offers.values():
                if offer.decision in decisions:
                    of_space = found[offer.space]
                    of_space[offer.decision] = of_space.get(offer.decision, 0) + 1
        return found

    def rulings(self, offer_id: str) -> list[Ruling]:
        return list(self._rulings.get(offer_id, ()))

    def children(self, ids: Sequence[str]) -> list[str]:
        with self._lock:
            return [o.id for o in self._offers.values() if not set(ids).isdisjoint(o.parents)]

    def made_from(self, source_hash: str) -> list[str]:
        with self._lock:
            return [o.id for o in self._offers.values() if source_hash in o.origins]

    def erase(self, ids: Sequence[str]) -> int:
        with self._lock:
            gone = [offer_id for offer_id in dict.fromkeys(ids) if offer_id in self._offers]
            for offer_id in gone:
                del self._offers[offer_id], self._numbers[offer_id], self._rulings[offer_id]
            return len(gone)

    def erase_space(self, space: str) -> int:
        return self.erase([o.id for o in list(self._offers.values()) if o.space == space])


class Recent(NamedTuple):
    memory: Memory
    expires_at: datetime
    number: int


class InMemoryWorkingMemory:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._recent: dict[str, Recent] = {}  # the newest at the end
        self._numbers = itertools.count(1)

    def add(self, memories: Sequence[Memory], *, now: datetime, keep: int, seconds: float) -> None:
        if not memories:
            return
        with self._lock:
            self._drop([i for i, held in self._recent.items() if held.expires_at <= now])
            for memory in memories:
                self._recent.pop(memory.id, None)
                until = now + timedelta(seconds=seconds)
                self._recent[memory.id] = Recent(memory, until, next(self._numbers))
            for space in {memory.space for memory in memories}:
                held = [i for i, recent in self._recent.items() if recent.memory.space == space]
                self._drop(held[: max(len(held) - keep, 0)])

    def recent(self, spaces: Sequence[str], *, now: datetime, limit: int) -> list[Memory]:
        with self._lock:
            living = [held.memory for held in self._recent.values() if held.expires_at > now]
        return [memory for memory in reversed(living) if memory.space in spaces][:limit]

    def get(self, ids: Sequence[str], *, now: datetime) -> list[Memory | None]:
        found = [self._recent.get(memory_id) for memory_id in ids]
        return [held.memory if held and held.expires_at > now else None for held in found]

    def remove(self, ids: Sequence[str]) -> list[bool]:
        with self._lock:
            return [self._recent.pop(memory_id, None) is not None for memory_id in ids]

    def erase_space(self, space: str) -> int:
        with self._lock:
            gone = [i for i, held in self._recent.items() if held.memory.space == space]
            self._drop(gone)
            return len(gone)

    def held(self) -> list[Recent]:
        """Return everything, expired or not, the newest last. A number is never given twice."""
        with self._lock:
            return list(self._recent.values())

    def _drop(self, ids: Sequence[str]) -> None:
        for memory_id in ids:
            del self._recent[memory_id]


class InMemoryEventLog:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._last = 0

    def append(self, events: Sequence[Event], *, keep: int) -> list[Event]:
        if not events:
            return []
        with self._lock:
            kept = [e._replace(id=number) for number, e in enumerate(events, self._last + 1)]
            self._last += len(kept)
            self._events = [e for e in [*self._events, *kept] if e.id > self._last - keep]
            return kept

    def since(
        self,
        after: int,
        *,
        spaces: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
        limit: int = 100,
    ) -> list[Event]:
        return [
            event
            for event in self._events
            if event.id > after
            and (spaces is None or set(event.spaces) <= set(spaces))
            and (kinds is None or event.kind in kinds)
        ][:limit]

    def last(self) -> int:
        return self._last

    def first(self) -> int:
        events = self._events
        return events[0].id if events else 0

    def erase(self, ids: Collection[int]) -> int:
        return self._erase(lambda event: event.id in ids)

    def erase_mentions(self, ids: Collection[str], *, kind: str) -> int:
        quoted = [json.dumps(one) for one in ids]  # as an id stands in the data
        return self._erase(
            lambda event: (
                event.kind == kind and any(one in json.dumps(event.data) for one in quoted)
            )
        )

    def erase_space(self, space: str) -> int:
        return self._erase(lambda event: space in event.spaces)

    def _erase(self, goes: Callable[[Event], bool]) -> int:
        with self._lock:
            stay = [event for event in self._events if not goes(event)]
            gone = len(self._events) - len(stay)
            self._events = stay
            return gone
