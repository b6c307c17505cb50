"""What stands before long-term memory and beside it: offers with every decision about them, what is
recent, what happened, and notes. Each may be carried again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recollect.relocate.carrying import MovableStore
from recollect.stores.movable import Kept, Movable
from recollect.stores.protocol import Store
from recollect.vocabulary import Event, Offer, Ruling

_PAGE = 500
_ALL = 2**31 - 1  # so many are kept: those that there are, and not one less


def offers_of(store: Store) -> Iterator[tuple[Offer, list[Ruling]]]:
    """Oldest first, each with its decisions."""
    quarantine = store.tiers().quarantine
    cursor: str | None = None
    while True:
        page = quarantine.scan(newest_first=False, cursor=cursor, limit=_PAGE)
        for offer in page.offers:
            yield offer, quarantine.rulings(offer.id)
        cursor = page.cursor
        if cursor is None:
            return


def carry_offers(source: Store, target: Store, *, told_before: datetime) -> None:
    """What is in the source no more goes here too; what was offered here since then is somebody
    else's."""
    there = target.tiers().quarantine
    wanted: set[str] = set()
    for offer, rulings in offers_of(source):
        wanted.add(offer.id)
        held = there.rulings(offer.id)
        if held and held != rulings[: len(held)]:
            there.erase([offer.id])
            held = []
        if not held:
            there.log([_as_it_came(offer, rulings)])
            held = there.rulings(offer.id)
        if rulings[len(held) :]:
            there.decide(rulings[len(held) :])
    others = [
        offer.id
        for offer, _ in offers_of(target)
        if offer.id not in wanted and offer.memory.created_at <= told_before
    ]
    if others:
        there.erase(others)


def _as_it_came(offer: Offer, rulings: Sequence[Ruling]) -> Offer:
    """The offer before anything but the first was decided."""
    if not rulings:
        return offer
    first = rulings[0]
    return replace(
        offer,
        decision=first.decision,
        reason=first.reason,
        decided_by=first.by,
        decided_at=first.at,
    )


def recent_of(store: Movable, *, now: datetime) -> list[Kept]:
    """What working memory holds, oldest first."""
    return [one for one in store.working() if one.until > now]


def carry_recent(
    source: Movable, target: MovableStore, *, now: datetime, told_before: datetime
) -> None:
    there = target.tiers().working
    wanted = recent_of(source, now=now)
    kept = {one.memory.id for one in wanted}
    others = [
        one.memory.id
        for one in recent_of(target, now=now)
        if one.memory.id not in kept and one.memory.created_at <= told_before
    ]
    if others:
        there.remove(others)
    for one in wanted:  # one by one, since each has its own time; the newest comes last
        seconds = (one.until - now).total_seconds()
        there.add([one.memory], now=now, keep=_ALL, seconds=seconds)


def notes_of(store: Store, own: str) -> dict[str, str]:
    """All but that of the move itself."""
    return {key: value for key, value in store.notes().items() if key != own}


def carry_notes(source: Store, target: Store, own: str) -> None:
    wanted, held = notes_of(source, own), notes_of(target, own)
    for key in held.keys() - wanted.keys():
        target.write_note(key, None)
    for key, value in wanted.items():
        if held.get(key) != value:
            target.write_note(key, value)


def events_of(store: Store, after: int = 0) -> Iterator[list[Event]]:
    log = store.tiers().events
    while events := log.since(after, limit=_PAGE):
        yield events
        after = events[-1].id


class EventsCarried(NamedTuple):
    """How far the events are, in the numbers of either log."""

    source: int = 0
    target: int = 0


def carry_events(source: Store, target: Store, so_far: EventsCarried) -> Iterator[EventsCarried]:
    """Each time some are kept, how far it is now. Of the last that were kept nobody may have noted
    it: they are counted, and passed over."""
    log = target.tiers().events
    known = log.last() - so_far.target
    for events in events_of(source, so_far.source):
        fresh = events[known:]
        known = max(known - len(events), 0)
        if fresh:
            log.append(fresh, keep=_ALL)
        yield EventsCarried(events[-1].id, log.last())
