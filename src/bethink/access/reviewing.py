"""The tiers at a desk: offering, looking at what was offered, and deciding about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bethink.access.caller import Scope
from bethink.access.wall import Record, Records, Wall, fields_of, verb
from bethink.errors import no_such_offer
from bethink.records import memory_record, offer_record
from bethink.remember.transfer import promotion_record
from bethink.tiers.offering import source_hash
from bethink.tiers.records import digest_record, origin_record, ruling_record
from bethink.vocabulary import SpaceNames


def _source(source: object) -> list[str]:
    """A source is text; its hash is what offers carry too."""
    return [f"source:{source_hash(source)}"] if isinstance(source, str) else []


class Reviewing(Wall):
    @verb(Scope.OFFER, audited="offer")
    def offer(self, told: Mapping[str, Any], *, parents: Sequence[str] = ()) -> Record:
        fields = fields_of(self._told(told), not_among=("parents", "by"))
        text = fields.pop("text", None)
        made = self._engine.offer(text, parents=parents, by=self.caller.principal, **fields)
        return offer_record(made)

    @verb(Scope.REVIEW)
    def quarantine(
        self,
        *,
        spaces: SpaceNames | None = None,
        decisions: Collection[str] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Record:
        page = self._engine.tiers.quarantine(
            spaces=self._spaces(spaces),
            decisions=decisions,
            newest_first=newest_first,
            cursor=self._opened(cursor, "offers"),
            limit=limit,
        )
        return {
            "offers": [offer_record(offer) for offer in page.offers],
            "cursor": self._sealed(page.cursor, "offers"),
        }

    @verb(Scope.REVIEW)
    def offered(self, offer_id: str) -> Record:
        tiers, spaces = self._engine.tiers, self.caller.spaces
        offer_id = self._offer_id(offer_id)
        offer = tiers.get(offer_id, spaces=spaces)
        if offer is None:
            raise no_such_offer(offer_id)
        rulings = tiers.rulings(offer_id, spaces=spaces)
        return {**offer_record(offer), "rulings": [ruling_record(ruling) for ruling in rulings]}

    @verb(Scope.READ)
    def working(self, *, spaces: SpaceNames | None = None, limit: int = 10) -> Record:
        memories = self._engine.tiers.working(spaces=self._spaces(spaces), limit=limit)
        return {"memories": [memory_record(memory) for memory in memories]}

    @verb(Scope.REVIEW)
    def digest(self, space: str | None = None) -> Record:
        name = self._space(space)
        return digest_record(self._engine.tiers.digest(name))

    @verb(Scope.REVIEW, audited="promote_by_rules")
    def promote_by_rules(self, space: str | None = None) -> Records:
        name = self._space(space)
        return [self._receipt(r) for r in self._engine.tiers.promote_by_rules(name)]

    @verb(Scope.REVIEW, audited="promote")
    def promote(
        self, ids: Sequence[str], *, reason: str = "", supersedes: str | None = None
    ) -> Records:
        if supersedes is not None:
            supersedes = self._existing(supersedes).id
        receipts = self._engine.promote(
            self._offer_ids(ids),
            by=self.caller.principal,
            reason=reason,
            supersedes=supersedes,
            spaces=self.caller.spaces,
        )
        # one that is named twice is promoted once
        promoted = zip(dict.fromkeys(self._offer_ids(ids)), receipts, strict=True)
        return [promotion_record(one, self._shown(receipt)) for one, receipt in promoted]

    @verb(Scope.REVIEW, audited="reject")
    def reject(self, ids: Sequence[str], *, reason: str = "") -> Records:
        offers = self._engine.reject(
            self._offer_ids(ids), by=self.caller.principal, reason=reason, spaces=self.caller.spaces
        )
        return [offer_record(offer) for offer in offers]

    @verb(Scope.REVIEW, audited="restore")
    def restore(self, ids: Sequence[str], *, reason: str = "") -> Records:
        offers = self._engine.restore(
            self._offer_ids(ids), by=self.caller.principal, reason=reason, spaces=self.caller.spaces
        )
        return [offer_record(offer) for offer in offers]

    @verb(Scope.REVIEW, audited="undo")
    def undo(self, offer_id: str) -> Record:
        return offer_record(
            self._engine.tiers.undo(
                self._offer_id(offer_id), by=self.caller.principal, spaces=self.caller.spaces
            )
        )

    @verb(Scope.REVIEW)
    def from_source(self, source: str, *, spaces: SpaceNames | None = None) -> Record:
        names = self.caller.spaces if spaces is None else self._spaces(spaces)
        return origin_record(self._engine.tiers.from_source(source, spaces=names))

    @verb(Scope.REVIEW, audited="roll_back", about=_source)
    def roll_back(self, source: str, *, spaces: SpaceNames | None = None) -> Record:
        names = self.caller.spaces if spaces is None else self._spaces(spaces)
        done = self._engine.tiers.roll_back(source, by=self.caller.principal, spaces=names)
        return {"source": source, **done._asdict()}
