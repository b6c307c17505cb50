"""Everything that came from one source, and what was made from it: to look at, and to remove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.filters import Condition
from recollect.stores.tiers import OfferPage
from recollect.tiers.kit import Kit
from recollect.tiers.offering import source_hash
from recollect.tiers.promoting import held_by, the_offers, withdraw
from recollect.vocabulary import Decision, Memory, Offer

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


def from_source(source: str, *, spaces: Sequence[str] | None, kit: Kit) -> Origin:
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
    derived = _derived([offer.id for offer in offers] + [m.id for m in told], spaces, kit)
    promoted = [o for o in (*offers, *derived) if o.decision is Decision.PROMOTED]
    ids = dict.fromkeys([m.id for m in told] + [held_by(offer, kit) for offer in promoted])
    memories = [memory for memory in kit.store.get(list(ids), spaces=spaces) if memory is not None]
    return Origin(source, tuple(offers), tuple(derived), tuple(memories))


def roll_back(origin: Origin, *, by: str, kit: Kit) -> RolledBack:
    """Out of long-term and working memory. The offers stay in the log as rejected, so that one can
    see what was done; `forget` erases them too."""
    reason = f"rolled back: it came from {origin.source}"
    rejected = 0
    for offer in (*origin.derived, *origin.offers):
        if offer.decision is not Decision.REJECTED:
            withdraw(offer, by=by, reason=reason, kit=kit)
            rejected += 1
    own = {offer.id for offer in (*origin.offers, *origin.derived)}
    left = kit.store.get([memory.id for memory in origin.memories])
    forgotten = len(left) - sum(memory is not None for memory in left)
    for memory in left:
        # what another source had said before stays: only this telling of it went
        if memory is not None and memory.id not in own and memory.source == origin.source:
            kit.forget(memory)
            forgotten += 1
    return RolledBack(rejected, forgotten)


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


def _derived(ids: Sequence[str], spaces: Sequence[str] | None, kit: Kit) -> list[Offer]:
    """Generation by generation; each once."""
    seen = set(ids)
    found: list[Offer] = []
    while ids:
        ids = [child for child in kit.quarantine.children(ids) if child not in seen]
        seen.update(ids)
        found += [o for o in the_offers(ids, kit) if spaces is None or o.space in spaces]
    return found
