"""Is there in one store what there is in another? Both are read whole, and what is compared are the
counts and digests of every part."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from bethink.relocate.carrying import walk
from bethink.relocate.carrying_tiers import events_of, notes_of, offers_of, recent_of
from bethink.relocate.digests import (
    Digest,
    counted,
    of_event,
    of_note,
    of_offer,
    of_recent,
    of_uncounted,
)
from bethink.stores.movable import MovableStore

Progress = Callable[[int, int | None], None]
EVENTS = "events"


class Contents(NamedTuple):
    """What a store holds, in numbers."""

    spaces: dict[str, Digest]  # by name; an empty one too
    parts: dict[str, Digest]  # offers, recent, notes
    events: Counter[bytes] | None  # how often each happened; None: nobody wants to know
    embeddings: tuple[str, ...]  # fingerprints: whose vectors answer, whose are being built
    damaged: tuple[str, ...]


class Compared(NamedTuple):
    """One part of both stores."""

    name: str
    source: Digest
    target: Digest
    on_both_sides: bool = True  # also where it is empty
    only_there: int = 0  # beside that, in the target: what happened there is no fault of the copy

    @property
    def in_target(self) -> int:
        return self.target.number + self.only_there

    @property
    def same(self) -> bool:
        return self.on_both_sides and self.source.holds_as(self.target)

    @property
    def same_uncounted(self) -> bool:
        """But for how often memories were read and told."""
        return self.on_both_sides and self.source.holds_uncounted_as(self.target)

    @property
    def same_order(self) -> bool:
        return self.source.order == self.target.order


class Proof(NamedTuple):
    spaces: list[Compared]
    parts: list[Compared]
    embeddings: bool  # the same answers, and the same is being built
    damaged: tuple[str, ...]  # of the source: nobody can read these any more

    @property
    def holds(self) -> bool:
        return self.embeddings and all(one.same for one in (*self.spaces, *self.parts))

    @property
    def holds_uncounted(self) -> bool:
        return self.embeddings and all(one.same_uncounted for one in (*self.spaces, *self.parts))

    @property
    def same_order(self) -> bool:
        return all(one.same_order for one in self.spaces)

    @property
    def differing(self) -> list[str]:
        named = [
            f"the space {one.name!r}"
            + (" (only how often its memories were read or told)" if one.same_uncounted else "")
            for one in self.spaces
            if not one.same
        ]
        named += [one.name for one in self.parts if not one.same]
        return named if self.embeddings else [*named, "whose vectors answer"]

    @property
    def memories(self) -> int:
        return sum(one.source.number for one in self.spaces)


def contents(
    store: MovableStore,
    *,
    now: datetime,
    events: bool = False,
    progress: Progress | None = None,
) -> Contents:
    spaces: dict[str, Digest] = defaultdict(Digest)
    for info in store.spaces():
        spaces[info.name] = Digest()
    total, done = sum(info.memories for info in store.spaces()), 0
    damaged: list[str] = []
    for page in walk(store, None, damaged):
        for one in page.whole:
            space, uncounted = one.memory.space, of_uncounted(one)
            spaces[space] = spaces[space].plus(
                counted(uncounted, one.memory), one.memory.id, uncounted
            )
        done += len(page.whole)
        if progress is not None:
            progress(done, total)
    parts = {"offers": Digest(), "recent": Digest(), "notes": Digest()}
    for offer, rulings in offers_of(store):
        parts["offers"] = parts["offers"].plus(of_offer(offer, rulings), offer.id)
    for recent in recent_of(store, now=now):
        parts["recent"] = parts["recent"].plus(of_recent(recent.memory, recent.until))
    for key, value in notes_of(store).items():
        parts["notes"] = parts["notes"].plus(of_note(key, value))
    happened = Counter(of_event(e) for some in events_of(store) for e in some) if events else None
    fingerprints = tuple(embedding.fingerprint for embedding in store.embeddings())
    return Contents(dict(spaces), parts, happened, fingerprints, tuple(damaged))


def compare(source: Contents, target: Contents) -> Proof:
    none = Digest()

    def both(of: dict[str, Digest], to: dict[str, Digest]) -> list[Compared]:
        names = sorted(of.keys() | to.keys())
        return [Compared(n, of.get(n, none), to.get(n, none), n in of and n in to) for n in names]

    parts = both(source.parts, target.parts)
    if source.events is not None and target.events is not None:
        parts.append(_compared_events(source.events, target.events))
    return Proof(
        both(source.spaces, target.spaces),
        parts,
        not source.embeddings or source.embeddings == target.embeddings,
        source.damaged,
    )


def _compared_events(source: Counter[bytes], target: Counter[bytes]) -> Compared:
    """A log goes on wherever it is, so the target's may hold more: its own."""
    here, there = (_digest(events) for events in (source, source & target))
    return Compared(EVENTS, here, there, only_there=(target - source).total())


def _digest(events: Counter[bytes]) -> Digest:
    digest = Digest()
    for event in events.elements():
        digest = digest.plus(event)
    return digest


def proof_record(proof: Proof) -> dict[str, Any]:
    """As JSON-ready values."""

    def record(one: Compared) -> dict[str, Any]:
        return {
            "source": one.source.number,
            "target": one.in_target,
            "digest": one.source.said,
            "same": one.same,
        }

    def of_space(one: Compared) -> dict[str, Any]:
        known = {"same_but_for_counters": one.same_uncounted, "order": one.same_order}
        return {**record(one), **known}

    return {
        "same": proof.holds,
        "same_but_for_counters": proof.holds_uncounted,
        "spaces": {one.name: of_space(one) for one in proof.spaces},
        **{one.name: record(one) for one in proof.parts},
        "embeddings": proof.embeddings,
        "damaged": list(proof.damaged),
    }
