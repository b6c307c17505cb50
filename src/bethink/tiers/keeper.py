"""The tiers as the engine offers them: what is offered, what was decided, and by whom."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from bethink.checks import check_encodable, check_space, is_id, shown
from bethink.errors import InvalidInput, unknown_space
from bethink.lazy_exports import hinting
from bethink.recall.asking import whole
from bethink.remember.pipeline import BATCH
from bethink.stores.tiers import OfferPage
from bethink.text.redaction import redact
from bethink.tiers.deciding import held_by, restore, the_offers
from bethink.tiers.kit import FILTER, RULES, Kit
from bethink.tiers.offering import offer
from bethink.tiers.promoting import finish, promote
from bethink.tiers.scanning import same_words
from bethink.tiers.telling import words_of
from bethink.tiers.undoing import reject, undo
from bethink.vocabulary import (
    Check,
    Decision,
    Memory,
    Offer,
    Principal,
    Receipt,
    Ruling,
    SpaceNames,
)

if TYPE_CHECKING:
    from bethink.tiers.digest import Digest
    from bethink.tiers.sources import Origin, RolledBack

_BY_HAND = "reviewed"
_MOST_NAME, _MOST_REASON = 128, 2_000  # characters


class TierKeeper:
    """`spaces`, where a method has it, is where to look; None is everywhere. Ids of other spaces
    are then not found, as if there were none. `by` is who decides: a name, or a `Principal`."""

    if not TYPE_CHECKING:  # a type checker would accept any name
        __getattr__ = hinting(
            {
                **dict.fromkeys(("list", "offers", "pending", "waiting"), "quarantine()"),
                **dict.fromkeys(("approve", "accept", "admit"), "promote(id, by=...)"),
                **dict.fromkeys(("history", "decisions", "log"), "rulings(id)"),
            }
        )

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    def offer(
        self,
        told: Mapping[str, Any],
        *,
        by: Principal | str | None,
        parents: Sequence[str],
        space: str,
    ) -> Offer:
        made = offer(told, by=_who(by), parents=parents, space=space, kit=self._kit)
        if made.decision is Decision.ADMITTED:
            rules = self._kit.settings_for([made.space])
            if rules.promotion == "by-rule":
                from bethink.tiers.by_rule import promote_if_spoken_for

                return promote_if_spoken_for(made, rules, self._kit)
        return made

    def promote(
        self,
        ids: str | Sequence[str],
        *,
        by: Principal | str | None = None,
        reason: str = "",
        supersedes: str | None = None,
        spaces: SpaceNames | None = None,
    ) -> list[Receipt]:
        who, why = _who(by).name, _said(reason)
        if supersedes is not None and (not isinstance(supersedes, str) or not is_id(supersedes)):
            raise InvalidInput(f"supersedes: {shown(supersedes)} is no id")
        with self.alone():
            offers = self._offers(ids, spaces)
            if supersedes is not None and len(offers) != 1:
                raise InvalidInput("only one at a time can supersede a memory; promote it alone")
            return promote(offers, by=who, reason=why, kit=self._kit, supersedes=supersedes)

    def finish(self) -> None:
        """Complete a promotion that a killed process left under way."""
        with self.alone():
            finish(self._kit)

    def reject(
        self,
        ids: str | Sequence[str],
        *,
        by: Principal | str | None = None,
        reason: str = "",
        spaces: SpaceNames | None = None,
    ) -> list[Offer]:
        who, why = _who(by).name, _said(reason)
        with self.alone():
            return reject(self._offers(ids, spaces), by=who, reason=why, kit=self._kit)

    def restore(
        self,
        ids: str | Sequence[str],
        *,
        by: Principal | str | None = None,
        reason: str = "",
        spaces: SpaceNames | None = None,
    ) -> list[Offer]:
        who, why = _who(by).name, _said(reason)
        with self.alone():
            return restore(self._offers(ids, spaces), by=who, reason=why, kit=self._kit)

    def undo(
        self,
        offer_id: str,
        *,
        by: Principal | str | None = None,
        spaces: SpaceNames | None = None,
    ) -> Offer:
        """Take the last decision about an offer back."""
        who = _who(by).name
        with self.alone():
            return undo(self._offers(offer_id, spaces)[0], by=who, kit=self._kit)

    def alone(self) -> AbstractContextManager[None]:
        """While this is held nobody else decides or forgets, in any process."""
        return self._kit.quarantine.alone()

    # Looking

    def get(self, offer_id: str, *, spaces: SpaceNames | None = None) -> Offer | None:
        if not is_id(offer_id):
            return None
        found = self._kit.quarantine.get([offer_id])[0]
        within = _names(spaces)
        return found if found is not None and (within is None or found.space in within) else None

    def quarantine(
        self,
        *,
        spaces: SpaceNames | None = None,
        decisions: Collection[Decision | str] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> OfferPage:
        """Everything that was offered, with what was decided and why."""
        return self._kit.quarantine.scan(
            spaces=_names(spaces),
            decisions=None if decisions is None else [_decision(d) for d in decisions],
            newest_first=newest_first,
            cursor=cursor,
            limit=whole("limit", limit),
        )

    def held_by(self, offer: Offer) -> str | None:
        """The long-term memory that holds what was offered, if it was promoted and is there."""
        held = held_by(offer, self._kit) if offer.decision is Decision.PROMOTED else None
        return None if held is None else held.id

    def rulings(self, offer_id: str, *, spaces: SpaceNames | None = None) -> list[Ruling]:
        """Every decision about an offer, oldest first."""
        return self._kit.quarantine.rulings(self._offers(offer_id, spaces)[0].id)

    def working(self, *, spaces: SpaceNames | None = None, limit: int = 10) -> list[Memory]:
        """What is recent in some spaces (the default one if none is named), newest first; what has
        been promoted, as long-term memory has it."""
        recent = self._kit.working.recent(
            _names(spaces) or [self._kit.settings.space],
            now=self._kit.clock(),
            limit=whole("limit", limit),
        )
        known = self._kit.store.get([memory.id for memory in recent])
        return [
            held if held is not None and held.space == memory.space else memory
            for memory, held in zip(recent, known, strict=True)
        ]

    def digest(self, space: str | None = None) -> Digest:
        """What waits in a space (the default one if none is named), with what speaks for it and
        against it."""
        from bethink.tiers.digest import digest

        return digest(self._known_space(space or self._kit.settings.space), self._kit)

    def promote_by_rules(self, space: str | None = None) -> list[Receipt]:
        """Promote what the rules speak for, unless long-term memory or another offer says
        otherwise. A receipt for each proposal; others of the same words are counted with it."""
        from bethink.tiers.by_rule import promote_by_rules

        return promote_by_rules(self._known_space(space or self._kit.settings.space), self._kit)

    def checks(self) -> list[Check]:
        """What a crash left half done, and how to mend it."""
        from bethink.tiers.health import checks

        return checks(self._kit)

    # Removing

    def from_source(self, source: str, *, spaces: SpaceNames | None = None) -> Origin:
        """Everything that came from a source, and what was made from it."""
        from bethink.tiers.sources import from_source

        if not isinstance(source, str) or not source.strip():
            raise InvalidInput(f"a source is text, got {shown(source)}")
        return from_source(source, spaces=_names(spaces), kit=self._kit)

    def roll_back(
        self,
        source: str,
        *,
        by: Principal | str | None = None,
        spaces: SpaceNames | None = None,
    ) -> RolledBack:
        """Remove all of that from long-term and working memory."""
        from bethink.tiers.sources import roll_back

        who = _who(by).name
        with self.alone():
            return roll_back(self.from_source(source, spaces=spaces), by=who, kit=self._kit)

    def erase(self, memory: Memory) -> int:
        """Leave nothing of these words, nor of those that it had before, in quarantine or working
        memory; how many offers went."""
        forms = [memory, *(former.memory for former in self._kit.store.history(memory.id))]
        words = list({words_of(form) for form in forms})
        with self._kit.quarantine.settling():
            ids = [one.id for one in same_words(memory.space, words, self._kit)]
            own = self._kit.quarantine.get([memory.id])[0]
            if own is None or own.space == memory.space:
                ids.append(memory.id)
            ids = list(dict.fromkeys(ids))
            self._kit.working.remove(ids)
            return self._kit.quarantine.erase(ids)

    def erase_many(self, memories: Sequence[Memory], *, space: str) -> int:
        """The same for many of one space. Where nobody ever offered anything there is nothing to
        look for, which is so in most bases of documents."""
        if space not in self._kit.quarantine.counts(list(Decision)):
            return 0
        return sum(map(self.erase, memories))

    def erase_space(self, space: str) -> int:
        tiers = self._kit.store.tiers()
        with tiers.quarantine.settling():
            self._kit.working.erase_space(space)
            tiers.events.erase_space(space)
            return tiers.quarantine.erase_space(space)

    def _known_space(self, space: str) -> str:
        """A name that was mistyped has nothing that waits; whoever asks must hear that."""
        names = [info.name for info in self._kit.store.spaces()]
        if check_space(space) not in names:
            raise unknown_space(space, names)
        return space

    def _offers(self, ids: str | Sequence[str], spaces: SpaceNames | None) -> list[Offer]:
        wanted = [ids] if isinstance(ids, str) else list(ids)
        if not wanted:
            raise InvalidInput("no ids were given; name at least one")
        if len(wanted) > BATCH:
            raise InvalidInput(f"{len(wanted):,} at once are too many; at most {BATCH:,} are taken")
        for one in wanted:
            if not isinstance(one, str) or not is_id(one):
                raise InvalidInput(f"{shown(one)} is no id")
        return the_offers(list(dict.fromkeys(wanted)), self._kit, _names(spaces))


def _who(by: Principal | str | None) -> Principal:
    """Names are shown to people and kept for good: one line, and nobody is called as we are."""
    if by is None:
        return Principal()
    if isinstance(by, str):
        by = Principal(by)
    if not isinstance(by, Principal):
        raise InvalidInput(
            f"by: {shown(by)} is nobody's name; give a text, or a Principal as in "
            'Principal("mei", "my-workflow")'
        )
    for what, name in (("name", by.name), ("door", by.door)):
        fits = isinstance(name, str) and name == name.strip() and 0 < len(name) <= _MOST_NAME
        if not fits or not name.isprintable() or name in (FILTER, RULES):
            raise InvalidInput(
                f"by: {shown(name)} is no {what} for who offers or decides; use one line of at "
                f"most {_MOST_NAME} visible characters, and not {FILTER!r} or {RULES!r}"
            )
    return by


def _names(spaces: SpaceNames | None) -> Sequence[str] | None:
    return [spaces] if isinstance(spaces, str) else spaces


def _said(reason: str) -> str:
    """Why somebody decided so, in one line; they may have quoted a secret."""
    if not isinstance(reason, str):
        raise InvalidInput(f"reason: expected text, got {shown(reason)}")
    line = " ".join(check_encodable(reason, name="reason").split())
    if len(line) > _MOST_REASON:
        raise InvalidInput(f"reason has {len(line):,} characters; at most {_MOST_REASON:,} fit")
    return redact(line).text or _BY_HAND


def _decision(value: Decision | str) -> Decision:
    try:
        return Decision(value)
    except ValueError:
        known = ", ".join(decision.value for decision in Decision)
        raise InvalidInput(f"there is no decision {shown(value)}; known: {known}") from None
