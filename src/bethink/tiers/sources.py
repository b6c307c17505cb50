"""Everything that came from one source, and what was made from it: to look at, and to remove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bethink.filters import Condition
from bethink.stores.tiers import OfferPage
from bethink.text.redaction import redact
from bethink.tiers.deciding import held_by
from bethink.tiers.kit import Kit
from bethink.tiers.offering import source_hash
from bethink.tiers.undoing import withdraw
from bethink.vocabulary import Decision, Memory, Offer

_PAGE = 500


class Origin(NamedTuple):
    """What one source led to."""

    source: str
    offers: tuple[Offer, ...]  # from it
    derived: tuple[Offer, ...]  # made from those, however far
    memories: tuple[Memory, ...]  # in long-term memory: promoted of these, or told with the source

    def __bool__(self) -> bool:
        return bool(self.offers or self.derived or self.memories)


class RolledBack(NamedTuple):
    rejected: int
    forgotten: int
    in_files: int = 0  # memories that stay, because files of yours say them
    revised: int = 0  # memories that stay, because you wrote them anew


def from_source(source: str, *, spaces: Sequence[str] | None, kit: Kit) -> Origin:
    if kit.settings.redact:
        source = redact(source).text  # it is kept without its secrets, and found so
    offers: list[Offer] = []
    cursor: str | None = None
    while True:
        page: OfferPage = kit.quarantine.scan(
            spaces=spaces,
            source_hash=source_hash(source),
            newest_first=False,
            cursor=cursor,
            limit=_PAGE,
        )
        offers += page.offers
        cursor = page.cursor
        if cursor is None:
            break
    told = _remembered(source, spaces, kit)
    own = [offer.id for offer in offers] + [memory.id for memory in told]
    derived = _derived(own, kit.quarantine.made_from(source_hash(source)), spaces, kit)
    promoted = [o for o in (*offers, *derived) if o.decision is Decision.PROMOTED]
    memories = {memory.id: memory for memory in told}
    for offer in promoted:
        if (memory := held_by(offer, kit)) is not None:
            memories.setdefault(memory.id, memory)
    return Origin(source, tuple(offers), tuple(derived), tuple(memories.values()))


def roll_back(origin: Origin, *, by: str, kit: Kit) -> RolledBack:
    """Out of long-term and working memory. The offers stay in the log as rejected, so that one can
    see what was done; `forget` erases them too."""
    reason = f"rolled back: it came from {origin.source}"
    own = [*origin.derived, *origin.offers]
    left = [offer for offer in own if offer.decision is not Decision.REJECTED]
    revised = withdraw(left, by=by, reason=reason, kit=kit).revised
    ids = {offer.id for offer in own}
    found = [m for m in kit.store.get([m.id for m in origin.memories]) if m is not None]
    # what another source had said before stays: only this telling of it went
    told = [m for m in found if m.id not in ids and m.source == origin.source]
    in_files = [memory for memory in told if "book" in memory.provenance]
    kit.forget([memory for memory in told if memory not in in_files])
    forgotten = len(origin.memories) - len(found) + len(told) - len(in_files)
    return RolledBack(len(left), forgotten, len(in_files), len(revised))


def _remembered(source: str, spaces: Sequence[str] | None, kit: Kit) -> list[Memory]:
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page = kit.store.scan(
            spaces=spaces, where=Condition("source", None, "=", source), cursor=cursor, limit=_PAGE
        )
        found += page.memories
        cursor = page.cursor
        if cursor is None:
            return found


def _derived(
    ids: Sequence[str], known: Sequence[str], spaces: Sequence[str] | None, kit: Kit
) -> list[Offer]:
    """Generation by generation, each once; first those that are known to be."""
    seen = set(ids)
    found: list[Offer] = []
    while ids or known:
        ids = [one for one in (*known, *kit.quarantine.children(ids)) if one not in seen]
        ids, known = list(dict.fromkeys(ids)), ()
        seen.update(ids)
        offers = [offer for offer in kit.quarantine.get(ids) if offer is not None]
        found += [offer for offer in offers if spaces is None or offer.space in spaces]
    return found
