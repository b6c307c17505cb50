"""What stands before long-term memory and beside it: offers with every decision about them, what is
recent, what happened, and notes. Each may be carried again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from bethink.relocate.digests import (
    mark_of_event,
    mark_of_note,
    mark_of_offer,
    mark_of_recent,
    of_event,
    of_offer,
)
from bethink.relocate.journal import Journal, is_of_a_move
from bethink.relocate.strangers import Strangers
from bethink.stores.movable import Kept, Movable, MovableStore
from bethink.stores.protocol import Store
from bethink.stores.tiers import Quarantine
from bethink.vocabulary import Event, Offer, Ruling

_PAGE = 500
_ALL = 2**31 - 1  # so many are kept: those that there are, and not one less


def offers_of(store: Store) -> Iterator[tuple[Offer, list[Ruling]]]:
    """Oldest first, each with its decisions."""
    quarantine = store.tiers().quarantine
    for page in _pages(store):
        for offer in page:
            yield offer, quarantine.rulings(offer.id)


def _pages(store: Store) -> Iterator[list[Offer]]:
    quarantine = store.tiers().quarantine
    cursor: str | None = None
    while True:
        page = quarantine.scan(newest_first=False, cursor=cursor, limit=_PAGE)
        yield page.offers
        cursor = page.cursor
        if cursor is None:
            return


def carry_offers(source: Store, target: Store, journal: Journal, strangers: Strangers) -> None:
    """Nobody offers or decides anything in the target between a look at a page and its writing."""
    here, there = source.tiers().quarantine, target.tiers().quarantine
    for page in _pages(source):
        with there.settling():
            _carry_page(page, here, there, journal, strangers)
    for page in _pages(target):
        with there.settling():
            _erase_others(page, here, there, journal, strangers)


def _carry_page(
    page: Sequence[Offer],
    here: Quarantine,
    there: Quarantine,
    journal: Journal,
    strangers: Strangers,
) -> None:
    fresh: list[tuple[Offer, list[Ruling]]] = []
    marks: list[bytes] = []
    decided: list[Ruling] = []
    replaced: list[str] = []
    for offer, held in zip(page, there.get([offer.id for offer in page]), strict=True):
        rulings = here.rulings(offer.id)
        if held is None:
            fresh.append((offer, rulings))
            continue
        known = there.rulings(offer.id)
        if of_offer(held, known) == of_offer(offer, rulings):
            continue
        first = rulings[:1]
        if known == rulings[: len(known)] and of_offer(_as_it_came(held, first), first) == of_offer(
            _as_it_came(offer, first), first
        ):
            marks.append(mark_of_offer(offer, rulings))
            decided += rulings[len(known) :]
        elif journal.ours([mark_of_offer(held, known)])[0]:
            replaced.append(offer.id)
            fresh.append((offer, rulings))
        else:
            strangers.otherwise("offers", [offer.id])
    for offer, rulings in fresh:  # a kill may come between its first decision and the others
        first = rulings[:1]
        marks += [
            mark_of_offer(_as_it_came(offer, first), first),
            mark_of_offer(offer, rulings),
        ]
        decided += rulings[1:]
    journal.bring(marks)
    if replaced:
        there.erase(replaced)
    if fresh:
        there.log([_as_it_came(offer, rulings) for offer, rulings in fresh])
    if decided:
        there.decide(decided)


def _erase_others(
    page: Sequence[Offer],
    here: Quarantine,
    there: Quarantine,
    journal: Journal,
    strangers: Strangers,
) -> None:
    """What was brought and is in the source no more."""
    known = here.get([offer.id for offer in page])
    others = [offer.id for offer, held in zip(page, known, strict=True) if held is None]
    now = [offer for offer in there.get(others) if offer is not None]  # the page may be older
    ours = journal.ours([mark_of_offer(offer, there.rulings(offer.id)) for offer in now])
    gone = [offer.id for offer, brought in zip(now, ours, strict=True) if brought]
    if gone:
        there.erase(gone)
    left = [offer.id for offer, brought in zip(now, ours, strict=True) if not brought]
    strangers.only_there("offers", left)


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
    source: Movable, target: MovableStore, journal: Journal, strangers: Strangers, *, now: datetime
) -> None:
    with target.tiers().quarantine.settling():  # whoever makes something recent there holds it too
        _carry_recent(source, target, journal, strangers, now)


def _carry_recent(
    source: Movable, target: MovableStore, journal: Journal, strangers: Strangers, now: datetime
) -> None:
    there = target.tiers().working
    wanted = recent_of(source, now=now)
    marks = {one.memory.id: mark_of_recent(one.memory) for one in wanted}
    held = {one.memory.id: mark_of_recent(one.memory) for one in recent_of(target, now=now)}
    differing = [one for one, mark in held.items() if marks.get(one) != mark]
    ours = journal.ours([held[one] for one in differing])
    left = {one for one, brought in zip(differing, ours, strict=True) if not brought}
    strangers.only_there("recent ones", [one for one in differing if one in left - marks.keys()])
    strangers.otherwise("recent ones", [one for one in differing if one in left & marks.keys()])
    gone = [one for one in differing if one not in left and one not in marks]
    if gone:
        there.remove(gone)
    journal.bring([m for one, m in marks.items() if held.get(one) != m and one not in left])
    for one in wanted:  # one by one, since each has its own time; the newest comes last
        if one.memory.id not in left:
            seconds = (one.until - now).total_seconds()
            there.add([one.memory], now=now, keep=_ALL, seconds=seconds)


def notes_of(store: Store) -> dict[str, str]:
    """All but those of a move itself."""
    return {key: value for key, value in store.notes().items() if not is_of_a_move(key)}


def carry_notes(
    source: Store, target: MovableStore, journal: Journal, strangers: Strangers
) -> None:
    wanted, held = notes_of(source), notes_of(target)
    differing = [key for key in held if held[key] != wanted.get(key)]
    ours = journal.ours([mark_of_note(key, held[key]) for key in differing])
    left = {key for key, brought in zip(differing, ours, strict=True) if not brought}
    strangers.only_there("notes", [key for key in differing if key in left - wanted.keys()])
    strangers.otherwise("notes", [key for key in differing if key in left & wanted.keys()])
    told = {key: value for key, value in wanted.items() if held.get(key) != value}
    told = {key: value for key, value in told.items() if key not in left}
    gone = dict.fromkeys(key for key in differing if key not in left and key not in wanted)
    # where somebody sets one of these just now, none is written, and the next round looks again
    marks = [mark_of_note(*note) for note in told.items()]
    journal.bring_notes({key: held.get(key) for key in (*told, *gone)}, {**told, **gone}, marks)


def events_of(store: Store, after: int = 0) -> Iterator[list[Event]]:
    log = store.tiers().events
    while events := log.since(after, limit=_PAGE):
        yield events
        after = events[-1].id


def carry_events(source: Store, target: Store, journal: Journal) -> None:
    """All that happened in the source is in the target; what was brought and is in the source no
    more (it forgot, or made room for newer ones) goes. What happened only there stays."""
    log = target.tiers().events
    held = Counter(of_event(event) for some in events_of(target) for event in some)
    for events in events_of(source):
        fresh: list[Event] = []
        for event in events:
            if held[said := of_event(event)]:
                held[said] -= 1
            else:
                fresh.append(event)
        journal.bring([mark_of_event(event) for event in fresh])
        log.append(fresh, keep=_ALL)
    if any(held.values()):
        log.erase(_brought_in_vain(target, held, journal))


def _brought_in_vain(target: Store, more: Counter[bytes], journal: Journal) -> list[int]:
    """Numbers of the move's own among these, of which the target has so many more."""
    found: list[int] = []
    for events in events_of(target):
        others: list[Event] = []
        for event in events:
            if more[said := of_event(event)]:
                more[said] -= 1
                others.append(event)
        ours = journal.ours([mark_of_event(event) for event in others])
        found += [event.id for event, brought in zip(others, ours, strict=True) if brought]
    return found
