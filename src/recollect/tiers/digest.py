"""What waits, put so that a person can decide in a minute: the same things together, those that the
rules speak for first, each with its reasons and with what long-term memory says about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import NamedTuple

from recollect.remember.judging import find
from recollect.remember.sameness import Told, Verdict, judge
from recollect.text.containment import contains
from recollect.text.tokenise import query_terms
from recollect.tiers.kit import Kit
from recollect.tiers.rules import Spoken, independent_sources, speaks_for
from recollect.vocabulary import Decision, Offer

WAITING = (Decision.ADMITTED, Decision.HELD)
_MOST = 500  # the newest; a digest is for reading
_ALIKE = 0.5  # a share of terms, below which nobody need compare two texts
_NEAR = 0.8  # from here on a person should see both, whatever the rules make of them


class Beside(NamedTuple):
    """What long-term memory, or another offer, says about the same."""

    id: str
    text: str
    verdict: Verdict  # same: it would be reinforced; correction: they contradict; new: it is near
    why: str
    tier: str


class Proposal(NamedTuple):
    """Offers that say the same; the first is the one to promote."""

    offers: tuple[Offer, ...]
    promote: bool
    reasons: tuple[str, ...]
    verified: bool
    sources: int
    conflicts: tuple[Beside, ...] = ()

    @property
    def id(self) -> str:
        return self.offers[0].id


class Digest(NamedTuple):
    space: str
    proposals: tuple[Proposal, ...]
    waiting: int
    left_out: bool  # more wait than were looked at


def digest(space: str, kit: Kit) -> Digest:
    page = kit.quarantine.scan(spaces=[space], decisions=WAITING, limit=_MOST)
    zone = kit.settings.zone
    groups = _groups(page.offers, zone)
    proposals = [_proposal(group, groups, kit) for group in groups]
    proposals.sort(key=lambda p: (not p.promote, -p.sources, -len(p.offers), p.offers[0].risk))
    return Digest(space, tuple(proposals), len(page.offers), page.cursor is not None)


def _proposal(group: Sequence[Offer], groups: Sequence[Sequence[Offer]], kit: Kit) -> Proposal:
    spoken: Spoken = speaks_for(group, kit.settings)
    best = max(group, key=lambda o: (o.trusted, -o.risk, len(o.memory.text), o.memory.confidence))
    ordered = (best, *(offer for offer in group if offer is not best))
    conflicts = (*_in_long_term(best, kit), *_among(best, groups, kit.settings.zone))
    return Proposal(
        ordered,
        spoken.promote,
        spoken.reasons,
        spoken.verified,
        independent_sources(group),
        conflicts,
    )


def _in_long_term(offer: Offer, kit: Kit) -> Iterator[Beside]:
    found = find(offer.memory, store=kit.store, embedder=kit.embedder, zone=kit.settings.zone)
    for memory in filter(None, (found.memory, *found.others)):
        yield Beside(memory.id, memory.text, found.verdict, found.why, "long_term")


def _among(offer: Offer, groups: Sequence[Sequence[Offer]], zone: tzinfo) -> Iterator[Beside]:
    """Other offers that contradict it, or may."""
    words = _words(offer)
    for group in groups:
        other = group[0]
        share = _share(words, _words(other))
        if any(o is offer for o in group) or share < _ALIKE:
            continue
        said = judge(_told(other), _told(offer), zone=zone)
        if said.verdict is Verdict.CORRECTION or share >= _NEAR:
            yield Beside(other.id, other.memory.text, said.verdict, said.why, "quarantine")


def _groups(offers: Sequence[Offer], zone: tzinfo) -> list[list[Offer]]:
    """Those that say the same, newest first. Only texts that share words are compared."""
    groups: list[list[Offer]] = []
    by_identity: dict[str, int] = {}
    by_word: dict[str, set[int]] = defaultdict(set)
    for offer in offers:
        at = by_identity.get(offer.identity)
        if at is None:
            words = _words(offer)
            near = set().union(*(by_word[word] for word in words)) if words else set()
            at = next((g for g in sorted(near) if _same(groups[g][0], offer, zone)), None)
            if at is None:
                at = len(groups)
                groups.append([])
                for word in words:
                    by_word[word].add(at)
            by_identity[offer.identity] = at
        groups[at].append(offer)
    return groups


def _same(a: Offer, b: Offer, zone: tzinfo) -> bool:
    if a.space != b.space or a.memory.kind != b.memory.kind:
        return False
    if _share(_words(a), _words(b)) < _ALIKE:
        return False
    if judge(_told(a), _told(b), zone=zone).verdict is Verdict.SAME:
        return True
    one, other = sorted((a.memory.text, b.memory.text), key=len)
    return contains(other, one)


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))


def _words(offer: Offer) -> frozenset[str]:
    return frozenset(query_terms(offer.memory.text))


def _told(offer: Offer) -> Told:
    return Told(offer.memory.text, offer.memory.created_at)
