"""Out of long-term memory again: a rejection, an undo, a rollback.

Only this telling goes. Where others told the same and were promoted too, the memory stays with what
they said; and where one of them alone had made it verified, it is so no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from bethink.errors import Conflict
from bethink.remember.succession import SUPERSEDED_BY, SUPERSEDES, unlink
from bethink.text.bare import bare
from bethink.tiers.deciding import (
    came_from,
    decide,
    held_by,
    is_vouched,
    rule,
    standing,
)
from bethink.tiers.kit import Kit
from bethink.tiers.promoting import VOUCHED, as_trusted, write_over
from bethink.tiers.scanning import same_words
from bethink.vocabulary import TRUST, UNVERIFIED, Decision, Memory, Offer, Ruling

# What an offer's provenance says of where it came from.
_OFFERED = ("who", "door", "source_hash", "parents", "risk", TRUST, VOUCHED)


def reject(offers: Sequence[Offer], *, by: str, reason: str, kit: Kit) -> list[Offer]:
    """It stays in the log, and nobody finds it."""
    for offer in offers:
        if offer.decision is Decision.PROMOTED:
            raise Conflict(f"{offer.id} is in long-term memory; undo its promotion first")
    return withdraw(offers, by=by, reason=reason, kit=kit).offers


class Withdrawn(NamedTuple):
    offers: list[Offer]
    revised: list[str]  # memories that stay: they are the user's own words by now


def withdraw(offers: Sequence[Offer], *, by: str, reason: str, kit: Kit) -> Withdrawn:
    """Out of every tier at once; in the log they are rejected."""
    leaving = {offer.id for offer in offers}
    revised: list[str] = []
    for offer in offers:
        if offer.decision is Decision.PROMOTED:
            revised += _out_of_long_term(offer, held_by(offer, kit), kit, leaving)
    # a promotion that a crash cut short left a memory, and no ruling
    waiting = [offer for offer in offers if offer.decision is not Decision.PROMOTED]
    for offer, memory in zip(waiting, kit.store.get([o.id for o in waiting]), strict=True):
        if memory is not None and came_from(memory, offer):
            revised += _out_of_long_term(offer, memory, kit, leaving)
    return Withdrawn(rule(offers, Decision.REJECTED, by=by, reason=reason, kit=kit), revised)


def undo(offer: Offer, *, by: str, kit: Kit) -> Offer:
    """Take the last decision back; what was promoted leaves long-term memory."""
    held = standing(offer, kit)
    if len(held) < 2:
        raise Conflict(f"nothing to undo: {offer.id} is as the filter left it")
    last, former = held[-1], held[-2]
    again, note = "", ""
    if last.decision is Decision.PROMOTED and former.decision is Decision.PROMOTED:
        memory = held_by(offer, kit)  # promoted by the rules, then by a person
        again = former.memory_id
        if memory is not None and not is_vouched(offer, former):
            write_over([_unvouched(memory, offer, kit, {offer.id})], kit)
    elif last.decision is Decision.PROMOTED:
        if _out_of_long_term(offer, held_by(offer, kit), kit, {offer.id}):
            note = f"; {offer.id} was revised since, and stays as what you wrote"
    elif former.decision is Decision.PROMOTED:
        again, note = _promoted_again(offer, former, kit)
    reason = f"{last.decision.value} is taken back: {former.reason}{note}"
    back = former._replace(reason=reason, by=by, at=kit.clock(), undo=True, memory_id=again)
    return decide([offer], [back], kit)[0]


def _promoted_again(offer: Offer, former: Ruling, kit: Kit) -> tuple[str, str]:
    """The memory that holds it, and what could not be as it was."""
    taken = kit.store.get([offer.id])[0]
    if taken is not None and not came_from(taken, offer):
        raise Conflict(
            f"{offer.id} is a memory of your own by now, which stays as it is; offer this under "
            "another id to have both"
        )
    memory = as_trusted(offer, is_vouched(offer, former))
    old = kit.store.get([former.supersedes], spaces=[offer.space])[0] if former.supersedes else None
    if old is not None and (old.valid_to is None or old.valid_to > kit.clock()):
        return kit.remember([memory], old.id)[0].id, ""
    note = f"; {former.supersedes} is not superseded by it any more" if former.supersedes else ""
    return kit.remember([memory], None)[0].id, note


def _out_of_long_term(
    offer: Offer, memory: Memory | None, kit: Kit, leaving: set[str]
) -> list[str]:
    """Which memory stays all the same, because the user wrote it anew."""
    if memory is None:  # forgotten since
        return []
    if not came_from(memory, offer):  # it was there before: only this telling of it goes
        fewer = max(0, memory.reinforcement - 1)
        write_over([replace(_unvouched(memory, offer, kit, leaving), reinforcement=fewer)], kit)
        return []
    if bare(memory.text) != bare(offer.memory.text):
        write_over([_of_the_user(memory)], kit)
        return [memory.id]
    superseded = memory.metadata.get(SUPERSEDES)
    old = kit.store.get([superseded])[0] if isinstance(superseded, str) else None
    if old is not None and old.metadata.get(SUPERSEDED_BY) == memory.id:
        unlink(kit.store, old)
    others = _others(offer, memory, kit, leaving)
    kit.forget([memory])
    if others:  # the first is how it reads now; the others are counted
        others.sort(key=lambda pair: not is_vouched(*pair))
        kit.remember([as_trusted(one, is_vouched(one, ruling)) for one, ruling in others], None)
    return []


def _of_the_user(memory: Memory) -> Memory:
    """It says what the user wrote, and nothing of who once offered something else. What was
    unverified stays so: trust does not rise by a revision."""
    rest = {key: value for key, value in memory.provenance.items() if key not in _OFFERED}
    if not memory.verified:
        rest[TRUST] = UNVERIFIED
    return replace(memory, provenance=rest)


def _others(
    offer: Offer, memory: Memory, kit: Kit, leaving: set[str]
) -> list[tuple[Offer, Ruling]]:
    """Offers of the same words that were promoted and that this memory holds, with how."""
    found: list[tuple[Offer, Ruling]] = []
    for one in same_words(offer.space, [offer.identity], kit, decisions=[Decision.PROMOTED]):
        if one.id not in leaving:
            holder = held_by(one, kit)
            if holder is not None and holder.id == memory.id:
                found.append((one, standing(one, kit)[-1]))
    return found


def _unvouched(memory: Memory, offer: Offer, kit: Kit, leaving: set[str]) -> Memory:
    """As trusted as it is without this offer."""
    if memory.provenance.get(VOUCHED) not in leaving:
        return memory
    others = _others(offer, memory, kit, leaving)
    vouched = [one.id for one, ruling in others if is_vouched(one, ruling)]
    rest = {key: value for key, value in memory.provenance.items() if key != VOUCHED}
    if vouched:
        return replace(memory, provenance={**rest, VOUCHED: vouched[0]})
    return replace(memory, provenance={**rest, TRUST: UNVERIFIED})
