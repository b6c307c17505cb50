"""What is recent is there once, however often it is told. All of this happens within `settling`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from bethink.tiers.kit import Kit
from bethink.tiers.scanning import same_words
from bethink.tiers.telling import Telling, telling
from bethink.vocabulary import Decision, Memory, Offer


def make_recent(offers: Sequence[Offer], kit: Kit) -> None:
    """Into working memory. Of the same telling the newest stays, unless somebody trusted told it
    before: what is unverified takes nothing verified away."""
    told = {(offer.space, telling(offer.memory)): offer for offer in offers}
    if not told:
        return
    before: dict[tuple[str, Telling], Memory] = {}
    gone: list[str] = []
    for space in dict.fromkeys(offer.space for offer in offers):
        kept = kit.settings_for([space]).working_kept
        for memory in kit.working.recent([space], now=kit.clock(), limit=kept):
            key = space, telling(memory)
            offer = told.get(key)
            if offer is None or memory.id == offer.id:
                continue
            if memory.verified and not offer.trusted and key not in before:
                before[key] = memory
            else:
                gone.append(memory.id)
    if gone:
        kit.working.remove(gone)
    kit.admit([before.get(key, offer.memory) for key, offer in told.items()])


def take_out(offers: Sequence[Offer], kit: Kit) -> list[Offer]:
    """Out of working memory; those that were there."""
    there = kit.working.remove([offer.id for offer in offers])
    return [offer for offer, was in zip(offers, there, strict=True) if was]


def bring_back(gone: Sequence[Offer], kit: Kit) -> None:
    """Whose place these had taken is recent again: what others told in the same words stays
    admitted, and goes when its own time is over."""
    by_space: dict[str, list[Offer]] = defaultdict(list)
    for offer in gone:
        by_space[offer.space].append(offer)
    now = kit.clock()
    for space, went in by_space.items():
        rules = kit.settings_for([space])
        lasts = timedelta(hours=rules.working_hours)
        left = {telling(offer.memory) for offer in went}
        found: dict[Telling, Offer] = {}
        words = list(dict.fromkeys(offer.identity for offer in went))
        for one in same_words(space, words, kit, decisions=[Decision.ADMITTED]):
            key = telling(one.memory)
            if key in left and one.decided_at + lasts > now:
                found[key] = max(found.get(key, one), one, key=lambda o: (o.trusted, o.decided_at))
        recent = kit.working.recent([space], now=now, limit=rules.working_kept)
        for key in {telling(memory) for memory in recent} & found.keys():
            del found[key]
        for one in sorted(found.values(), key=lambda o: o.decided_at):
            seconds = (one.decided_at + lasts - now).total_seconds()
            kit.working.add([one.memory], now=now, keep=rules.working_kept, seconds=seconds)
