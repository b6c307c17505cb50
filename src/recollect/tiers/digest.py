"""What waits, put so that a person can decide in a minute: the same things together, those that the
rules speak for first, each with its reasons and with what long-term memory says about it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import NamedTuple

from recollect.remember.judging import find
from recollect.remember.sameness import Told, Verdict, judge
from recollect.text.containment import contains
from recollect.text.facts import Reading
from recollect.text.tokenise import query_terms
from recollect.tiers.kit import Kit
from recollect.tiers.offering import trusted_parents
from recollect.tiers.rules import Ancestry, Spoken, ancestry_of, independent_sources, speaks_for
from recollect.vocabulary import Decision, Offer

WAITING = (Decision.ADMITTED, Decision.HELD)
_MOST = 200  # the newest; a digest is for reading, and comparing each takes milliseconds
_COMPARED = 8  # who says the same is among the first few that share most words
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

    @property
    def disputed(self) -> bool:
        return any(beside.verdict is Verdict.CORRECTION for beside in self.conflicts)


class Digest(NamedTuple):
    space: str
    proposals: tuple[Proposal, ...]
    waiting: int
    left_out: bool  # more wait than were looked at


class _Told(Told):
    """Read once, however often it is compared."""

    _read: Reading | None = None

    def reading(self, zone: tzinfo | None) -> Reading:
        if self._read is None:
            self._read = super().reading(zone)
        return self._read


class _Said(NamedTuple):
    """An offer with its words, which are many and are found once."""

    offer: Offer
    words: frozenset[str]
    told: _Told

    @property
    def text(self) -> str:
        return self.offer.memory.text


def digest(space: str, kit: Kit) -> Digest:
    page = kit.quarantine.scan(spaces=[space], decisions=WAITING, limit=_MOST)
    offers = as_trusted_now(page.offers, kit)
    zone = kit.settings.zone
    groups = _groups([_said(offer) for offer in offers], zone)
    ancestry = ancestry_of(offers, kit)
    proposals = [_proposal(group, groups, ancestry, kit) for group in groups]
    proposals.sort(key=lambda p: (not p.promote, -p.sources, -len(p.offers), p.offers[0].risk))
    return Digest(space, tuple(proposals), len(offers), page.cursor is not None)


def _said(offer: Offer) -> _Said:
    memory = offer.memory
    return _Said(offer, frozenset(query_terms(memory.text)), _Told(memory.text, memory.created_at))


def as_trusted_now(offers: Sequence[Offer], kit: Kit) -> list[Offer]:
    """What was made from something that is held or rejected by now is not trusted any more."""
    return [
        replace(offer, trusted=False)
        if offer.trusted
        and offer.parents
        and not all(trusted_parents(offer.parents, offer.space, kit))
        else offer
        for offer in offers
    ]


def in_long_term(offer: Offer, kit: Kit) -> Iterator[Beside]:
    """What is remembered about the same, as of now."""
    asked = replace(offer.memory, created_at=kit.clock())
    found = find(asked, store=kit.store, embedder=kit.embedder, zone=kit.settings.zone)
    for memory in filter(None, (found.memory, *found.others)):
        yield Beside(memory.id, memory.text, found.verdict, found.why, "long_term")


def _proposal(
    group: Sequence[_Said], groups: Sequence[Sequence[_Said]], ancestry: Ancestry, kit: Kit
) -> Proposal:
    best, support, spoken = _best(group, ancestry, kit)
    first = [one.offer for one in support if one is not best]
    rest = [one.offer for one in group if one not in support]
    conflicts = (*in_long_term(best.offer, kit), *_among(best, groups, kit.settings.zone))
    return Proposal(
        (best.offer, *first, *rest),
        spoken.promote,
        spoken.reasons,
        spoken.verified,
        independent_sources([one.offer for one in support], ancestry),
        conflicts,
    )


def _best(
    group: Sequence[_Said], ancestry: Ancestry, kit: Kit
) -> tuple[_Said, list[_Said], Spoken]:
    """The one that says most among those that the rules speak for, and who else says all of that.
    One that says more than the others did is not borne out by them."""
    ordered = sorted(
        group,
        key=lambda s: (
            not s.offer.trusted, s.offer.risk, -len(s.text), -s.offer.memory.confidence
        ),
    )  # fmt: skip
    first: tuple[_Said, list[_Said], Spoken] | None = None
    rules = kit.settings_for([ordered[0].offer.space])
    tried: set[str] = set()
    for one in ordered:
        if one.offer.identity in tried:
            continue
        tried.add(one.offer.identity)
        support = [other for other in group if _says_all_of(other, one, kit.settings.zone)]
        spoken = speaks_for([other.offer for other in support], rules, ancestry)
        if spoken.promote:
            return one, support, spoken
        first = first or (one, support, spoken)
    assert first is not None
    return first


def _says_all_of(other: _Said, one: _Said, zone: tzinfo) -> bool:
    return (
        other.offer.identity == one.offer.identity
        or contains(other.text, one.text)
        or judge(one.told, other.told, zone=zone).verdict is Verdict.SAME
    )


def _among(one: _Said, groups: Sequence[Sequence[_Said]], zone: tzinfo) -> Iterator[Beside]:
    """Other offers that contradict it, or may; of many the nearest."""
    near = [
        (share, group[0])
        for group in groups
        if (share := _share(one.words, group[0].words)) >= _ALIKE
        and not any(member is one for member in group)
    ]
    near.sort(key=lambda pair: -pair[0])
    for share, other in near[:_COMPARED]:
        said = judge(other.told, one.told, zone=zone)
        if said.verdict is Verdict.CORRECTION or share >= _NEAR:
            yield Beside(other.offer.id, other.text, said.verdict, said.why, "quarantine")


def _groups(said: Sequence[_Said], zone: tzinfo) -> list[list[_Said]]:
    """Those that say the same, newest first. Only texts that share words are compared, and each
    with those that share most."""
    groups: list[list[_Said]] = []
    by_identity: dict[str, int] = {}
    by_word: dict[str, set[int]] = defaultdict(set)
    for one in said:
        at = by_identity.get(one.offer.identity)
        if at is None:
            shared = Counter(group for word in one.words for group in by_word[word])
            near = (group for group, _ in shared.most_common(_COMPARED))
            at = next((group for group in near if _same(groups[group][0], one, zone)), None)
            if at is None:
                at = len(groups)
                groups.append([])
                for word in one.words:
                    by_word[word].add(at)
            by_identity[one.offer.identity] = at
        groups[at].append(one)
    return groups


def _same(a: _Said, b: _Said, zone: tzinfo) -> bool:
    if a.offer.memory.kind != b.offer.memory.kind or _share(a.words, b.words) < _ALIKE:
        return False
    if judge(a.told, b.told, zone=zone).verdict is Verdict.SAME:
        return True
    one, other = sorted((a.text, b.text), key=len)
    return contains(other, one)


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))
