"""The tiers as the engine offers them: what is offered, what was decided, and by whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.checks import check_space, is_id, shown
from recollect.errors import InvalidInput
from recollect.remember.ingress import identity
from recollect.stores.tiers import OfferPage
from recollect.text.redact import redact
from recollect.tiers.kit import Kit
from recollect.tiers.offering import offer
from recollect.tiers.promoting import RULES, promote, reject, restore, the_offers, undo
from recollect.vocabulary import Decision, Memory, Offer, Principal, Receipt, Ruling

if TYPE_CHECKING:
    from recollect.tiers.digest import Digest
    from recollect.tiers.sources import Origin, RolledBack

_BY_HAND = "reviewed"
_SAME = 1_000  # offers of the same words that the rules look at


class TierKeeper:
    """`spaces`, where a method has it, is where to look; None is everywhere. Ids of other spaces
    are then not found, as if there were none."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    def offer(
        self, told: Mapping[str, Any], *, by: Principal, parents: Sequence[str], space: str
    ) -> Offer:
        made = offer(told, by=by, parents=parents, space=space, kit=self._kit)
        if self._kit.settings.promotion == "by-rule" and made.decision is Decision.ADMITTED:
            return self._promoted_by_rule(made)
        return made

    def promote(
        self,
        ids: str | Sequence[str],
        *,
        by: Principal,
        reason: str = "",
        supersedes: str | None = None,
        spaces: Sequence[str] | None = None,
    ) -> list[Receipt]:
        offers = self._offers(ids, spaces)
        if supersedes is not None and len(offers) != 1:
            raise InvalidInput("only one at a time can supersede a memory; promote it alone")
        return promote(
            offers,
            by=by.name,
            reason=_said(reason),
            verified=True,
            kit=self._kit,
            supersedes=supersedes,
        )

    def reject(
        self,
        ids: str | Sequence[str],
        *,
        by: Principal,
        reason: str = "",
        spaces: Sequence[str] | None = None,
    ) -> list[Offer]:
        return reject(self._offers(ids, spaces), by=by.name, reason=_said(reason), kit=self._kit)

    def restore(
        self,
        ids: str | Sequence[str],
        *,
        by: Principal,
        reason: str = "",
        spaces: Sequence[str] | None = None,
    ) -> list[Offer]:
        return restore(self._offers(ids, spaces), by=by.name, reason=_said(reason), kit=self._kit)

    def undo(self, offer_id: str, *, by: Principal, spaces: Sequence[str] | None = None) -> Offer:
        return undo(self._offers(offer_id, spaces)[0], by=by.name, kit=self._kit)

    # Looking

    def get(self, offer_id: str, *, spaces: Sequence[str] | None = None) -> Offer | None:
        if not is_id(offer_id):
            return None
        found = self._kit.quarantine.get([offer_id])[0]
        return found if found is not None and (spaces is None or found.space in spaces) else None

    def quarantine(
        self,
        *,
        spaces: Sequence[str] | None = None,
        decisions: Collection[Decision | str] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> OfferPage:
        """Everything that was offered, with what was decided and why."""
        return self._kit.quarantine.scan(
            spaces=spaces,
            decisions=None if decisions is None else [_decision(d) for d in decisions],
            newest_first=newest_first,
            cursor=cursor,
            limit=limit,
        )

    def rulings(self, offer_id: str, *, spaces: Sequence[str] | None = None) -> list[Ruling]:
        """Every decision about an offer, oldest first."""
        return self._kit.quarantine.rulings(self._offers(offer_id, spaces)[0].id)

    def working(self, *, spaces: Sequence[str], limit: int = 10) -> list[Memory]:
        """What is recent, newest first."""
        return self._kit.working.recent(spaces, now=self._kit.clock(), limit=limit)

    def digest(self, space: str) -> Digest:
        """What waits in a space, with what speaks for it and against it."""
        from recollect.tiers.digest import digest

        return digest(check_space(space), self._kit)

    def promote_by_rules(self, space: str) -> list[Receipt]:
        """Promote what the rules speak for, unless long-term memory says otherwise."""
        from recollect.remember.sameness import Verdict

        receipts: list[Receipt] = []
        for proposal in self.digest(space).proposals:
            disputed = any(c.verdict is Verdict.CORRECTION for c in proposal.conflicts)
            if proposal.promote and not disputed:
                receipts += promote(
                    proposal.offers[:1],
                    by=RULES,
                    reason="; ".join(proposal.reasons),
                    verified=proposal.verified,
                    kit=self._kit,
                )
        return receipts

    # Removing

    def from_source(self, source: str, *, spaces: Sequence[str] | None = None) -> Origin:
        """Everything that came from a source, and what was made from it."""
        from recollect.tiers.sources import from_source

        if not isinstance(source, str) or not source.strip():
            raise InvalidInput(f"a source is text, got {shown(source)}")
        return from_source(source, spaces=spaces, kit=self._kit)

    def roll_back(
        self, source: str, *, by: Principal, spaces: Sequence[str] | None = None
    ) -> RolledBack:
        """Remove all of that from long-term and working memory."""
        from recollect.tiers.sources import roll_back

        return roll_back(self.from_source(source, spaces=spaces), by=by.name, kit=self._kit)

    def erase(self, memory: Memory) -> int:
        """Leave nothing of these words in quarantine or working memory; how many offers went."""
        same = self._kit.quarantine.scan(
            spaces=[memory.space], identities=[identity(memory)], limit=_SAME
        )
        ids = list(dict.fromkeys([memory.id, *(one.id for one in same.offers)]))
        self._kit.working.remove(ids)
        return self._kit.quarantine.erase(ids)

    def erase_space(self, space: str) -> int:
        tiers = self._kit.store.tiers()
        tiers.working.erase_space(space)
        tiers.events.erase_space(space)
        return tiers.quarantine.erase_space(space)

    def _promoted_by_rule(self, made: Offer) -> Offer:
        from recollect.tiers.rules import speaks_for

        page = self._kit.quarantine.scan(
            spaces=[made.space], identities=[made.identity], limit=_SAME
        )
        same = [one for one in page.offers if one.decision is not Decision.REJECTED]
        spoken = speaks_for(same or [made], self._kit.settings)
        if not spoken.promote:
            return made
        promote(
            [made],
            by=RULES,
            reason="; ".join(spoken.reasons),
            verified=spoken.verified,
            kit=self._kit,
        )
        return self._offers(made.id, None)[0]

    def _offers(self, ids: str | Sequence[str], spaces: Sequence[str] | None) -> list[Offer]:
        wanted = [ids] if isinstance(ids, str) else list(ids)
        if not wanted:
            raise InvalidInput("no ids were given; name at least one")
        for one in wanted:
            if not isinstance(one, str) or not is_id(one):
                raise InvalidInput(f"{shown(one)} is no id")
        return the_offers(list(dict.fromkeys(wanted)), self._kit, spaces)


def _said(reason: str) -> str:
    """Why somebody decided so; they may have quoted a secret."""
    return redact(reason).text or _BY_HAND


def _decision(value: Decision | str) -> Decision:
    try:
        return Decision(value)
    except ValueError:
        known = ", ".join(decision.value for decision in Decision)
        raise InvalidInput(f"there is no decision {shown(value)}; known: {known}") from None
