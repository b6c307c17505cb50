"""From quarantine or working memory into long-term memory.

A promotion splits, embeds in batches and writes in one transaction, as every write does. The ruling
is a second one, so a note says what is under way from before the first until after the second: a
process that is killed in between leaves it, and the next that opens the store promotes again
(`finish`). Under the offer's own id that can be repeated. Nothing is decided twice: what holds
already changes nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from bethink.errors import BethinkError, Conflict, InvalidInput, NotFound, StoreError
from bethink.remember.ingress import identity
from bethink.remember.succession import SUPERSEDED_BY, SUPERSEDES
from bethink.stores.protocol import PROMOTION_NOTE
from bethink.stores.told_again import takes_in
from bethink.tiers.deciding import came_from, decide, held_by, is_vouched
from bethink.tiers.kit import Kit
from bethink.vocabulary import (
    TRUST,
    UNVERIFIED,
    VERIFIED,
    Action,
    Decision,
    Entry,
    Memory,
    Offer,
    Receipt,
    Ruling,
)

VOUCHED = "vouched"  # in a memory's provenance: the offer whose promotion made it verified
# Beside its words, what a model may get to read of a memory.
_READ = ("tags", "entities", "source")


class _Promoted(NamedTuple):
    offer: Offer
    ruling: Ruling
    receipt: Receipt


def promote(
    offers: Sequence[Offer], *, by: str, reason: str, kit: Kit, supersedes: str | None = None
) -> list[Receipt]:
    """A receipt for each, in order. By a person it is verified: somebody looked. By the rules, what
    somebody trusted said is."""
    for offer in offers:
        if offer.decision is Decision.REJECTED:
            raise Conflict(f"{offer.id} was rejected ({offer.reason}); restore it first")
    there = {o.id: held_by(o, kit) for o in offers if o.decision is Decision.PROMOTED}
    fresh = [offer for offer in offers if there.get(offer.id) is None]
    _refuse_taken_ids(fresh, kit)
    if supersedes is not None:
        supersedes = _checked_superseded(offers[0], fresh, supersedes, kit)
    now = kit.clock()
    if fresh:
        under_way = {
            "ids": [offer.id for offer in offers],
            "by": by,
            "reason": reason,
            "supersedes": supersedes,
        }
        kit.store.write_note(PROMOTION_NOTE, json.dumps(under_way, ensure_ascii=False))
    try:
        return _promoted(
            offers, fresh, there, Ruling("", Decision.PROMOTED, reason, by, now), supersedes, kit
        )
    finally:  # only a process that ended here leaves it
        if fresh:
            kit.store.write_note(PROMOTION_NOTE, None)


def finish(kit: Kit) -> None:
    """Complete a promotion that a killed process left under way. What cannot be promoted any more,
    because it was rejected or erased meanwhile, is let go."""
    told = kit.store.notes(PROMOTION_NOTE).get(PROMOTION_NOTE)
    if told is None:
        return
    left = json.loads(told)
    found = kit.quarantine.get(left["ids"])
    offers = [o for o in found if o is not None and o.decision is not Decision.REJECTED]
    decided = all(offer.decision is Decision.PROMOTED for offer in offers)
    supersedes = None if decided else left["supersedes"]
    try:
        if offers:
            promote(offers, by=left["by"], reason=left["reason"], kit=kit, supersedes=supersedes)
    except StoreError:
        raise
    except BethinkError as e:  # `doctor` names what is left half done
        logging.getLogger("bethink").warning("a promotion was not finished: %s", e)
    kit.store.write_note(PROMOTION_NOTE, None)


def _promoted(
    offers: Sequence[Offer],
    fresh: Sequence[Offer],
    there: Mapping[str, Memory | None],
    as_ruled: Ruling,
    supersedes: str | None,
    kit: Kit,
) -> list[Receipt]:
    done = [
        *_remembered(fresh, as_ruled, supersedes, kit),
        *(
            _Promoted(
                offer,
                as_ruled._replace(offer_id=offer.id, memory_id=memory.id),
                Receipt(memory.id, offer.space, Action.UNCHANGED),
            )
            for offer in offers
            if (memory := there.get(offer.id)) is not None
        ),
    ]
    receipts = _vouched(done, kit)
    return [receipts[offer.id] for offer in offers]


def as_trusted(offer: Offer, verified: bool) -> Memory:
    trust = VERIFIED if verified else UNVERIFIED
    return replace(offer.memory, provenance={**offer.memory.provenance, TRUST: trust})


def write_over(memories: Sequence[Memory], kit: Kit) -> None:
    """Change what nobody said otherwise: no former form is kept, words and vectors stay."""
    entries = [Entry(m, (), (), identity(m), merge=False) for m in memories]
    if entries:
        kit.store.revise_many(entries, history=False)


def _remembered(
    fresh: Sequence[Offer], as_ruled: Ruling, supersedes: str | None, kit: Kit
) -> list[_Promoted]:
    """In long-term memory, and the rulings written."""
    if not fresh:
        return []
    memories = [as_trusted(offer, is_vouched(offer, as_ruled)) for offer in fresh]
    receipts = kit.remember(memories, supersedes)
    held = kit.store.get([receipt.id for receipt in receipts])
    rulings = [
        as_ruled._replace(
            offer_id=offer.id,
            memory_id=receipt.id,
            supersedes=_superseded_by(offer, memory),
        )
        for offer, receipt, memory in zip(fresh, receipts, held, strict=True)
    ]
    # one that was promoted before, and whose memory a crash had taken, has its ruling
    new = [(o, r) for o, r in zip(fresh, rulings, strict=True) if o.decision != r.decision]
    try:
        decide([offer for offer, _ in new], [ruling for _, ruling in new], kit)
    except NotFound:  # one was erased at this very moment: nothing of it may come back by this
        made = [receipt.id for receipt in receipts if receipt.action is Action.CREATED]
        kit.forget([memory for memory in kit.store.get(made) if memory is not None])
        raise
    _recent_as_known([(o, r.id) for o, r in zip(fresh, receipts, strict=True) if r.id != o.id], kit)
    return [_Promoted(*one) for one in zip(fresh, rulings, receipts, strict=True)]


def _recent_as_known(merged: Sequence[tuple[Offer, str]], kit: Kit) -> None:
    """What another memory holds now is recent as that memory, and not a second time as it was
    offered."""
    if not merged:
        return
    with kit.quarantine.settling():
        recent = kit.working.get([offer.id for offer, _ in merged], now=kit.clock())
        there = [pair for pair, memory in zip(merged, recent, strict=True) if memory is not None]
        if there:
            kit.working.remove([offer.id for offer, _ in there])
            holders = kit.store.get(list(dict.fromkeys(held for _, held in there)))
            kit.admit([memory for memory in holders if memory is not None])


def _vouched(done: Sequence[_Promoted], kit: Kit) -> dict[str, Receipt]:
    """What was there before, unverified, is verified where somebody vouches for the very same. What
    else it says, nobody has looked at: then it stays as it is, and the receipt says so."""
    known = [one for one in done if one.receipt.action is not Action.CREATED]
    doubted = {
        memory.id: memory
        for memory in kit.store.get([one.receipt.id for one in known])
        if memory is not None and not memory.verified
    }
    receipts = {one.offer.id: one.receipt for one in done}
    verified: dict[str, Memory] = {}
    again: list[_Promoted] = []
    for one in known:
        memory = doubted.get(one.receipt.id)
        if memory is None or not is_vouched(one.offer, one.ruling):
            continue
        if not _says_the_same(memory, one.offer.memory):
            note = (
                f"{memory.id} stays unverified: its words or what stands with them are not those "
                "that were offered here. Look at it: 'bethink get', then 'promote' that one"
            )
        else:
            provenance = {**memory.provenance, TRUST: VERIFIED, VOUCHED: one.offer.id}
            verified.setdefault(memory.id, replace(memory, provenance=provenance))
            note = "it was unverified, and is verified now"
            if one.receipt.action is Action.UNCHANGED and one.offer.decision is Decision.PROMOTED:
                again.append(one)
        receipts[one.offer.id] = one.receipt._replace(notes=(*one.receipt.notes, note))
    write_over(list(verified.values()), kit)
    decide([one.offer for one in again], [one.ruling for one in again], kit)
    return receipts


def _says_the_same(memory: Memory, told: Memory) -> bool:
    return identity(memory) == identity(told) and all(
        getattr(memory, name) == getattr(told, name) for name in _READ
    ) and (
        _own_metadata(memory) == _own_metadata(told)
        and memory.valid_to == told.valid_to
        and takes_in(memory.valid_from, memory.valid_to, told)
    )  # fmt: skip


def _own_metadata(memory: Memory) -> dict[str, object]:
    return {key: value for key, value in memory.metadata.items() if key != SUPERSEDES}


def _refuse_taken_ids(fresh: Sequence[Offer], kit: Kit) -> None:
    for offer, memory in zip(fresh, kit.store.get([o.id for o in fresh]), strict=True):
        if memory is not None and not came_from(memory, offer):
            raise Conflict(
                f"the id {offer.id!r} is taken by a memory that was told otherwise; offer this "
                "under another id, and reject this one"
            )


def _superseded_by(offer: Offer, memory: Memory | None) -> str:
    """Whose place the offer's own memory took; so that it can take it again after an undo."""
    old = memory.metadata.get(SUPERSEDES) if memory is not None else None
    return old if isinstance(old, str) and memory is not None and memory.id == offer.id else ""


def _checked_superseded(
    offer: Offer, fresh: Sequence[Offer], supersedes: str, kit: Kit
) -> str | None:
    """Whose place it may take; None: it has it, since before a crash."""
    if not fresh:
        raise Conflict(
            f"{offer.id} is in long-term memory already, so it cannot take a place now; "
            "undo its promotion first, then promote it with 'supersedes'"
        )
    old = kit.store.get([supersedes], spaces=[offer.space])[0]
    if old is not None and "book" in old.provenance:
        raise InvalidInput(
            f"{old.id} stands in the file {old.source}, which what is offered does not change; "
            "promote this without 'supersedes' and edit the file, or tell it yourself: "
            "'bethink remember … --supersedes'"
        )
    taken = old is not None and old.metadata.get(SUPERSEDED_BY) == offer.id
    return None if taken and kit.store.get([offer.id])[0] is not None else supersedes
