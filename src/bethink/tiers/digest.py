"""What waits, put so that a person can decide in a minute: the same things together, those that the
rules speak for first, each with its reasons and with what long-term memory says about it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from bethink.remember.sameness import Verdict, judge
from bethink.text.containment import contains
from bethink.tiers.beside import Beside, Known, ReadOnce, Said, in_long_term, said, share
from bethink.tiers.kit import Kit
from bethink.tiers.offering import trusted_parents
from bethink.tiers.rules import Ancestry, Spoken, ancestry_of, independent_sources, speaks_for
from bethink.tiers.telling import Telling, telling
from bethink.vocabulary import Decision, Offer

WAITING = (Decision.ADMITTED, Decision.HELD)
_MOST = 200  # the newest; a digest is for reading, and comparing each takes milliseconds
_COMPARED = 8  # who says the same is among the first few that share most words
_ALIKE = 0.5  # a share of terms, below which nobody need compare two texts
_NEAR = 0.8  # from here on a person should see both, whatever the rules make of them


class Proposal(NamedTuple):
    """Offers that say the same; the first is the one to promote."""

    offers: tuple[Offer, ...]
    promote: bool
    reasons: tuple[str, ...]
    verified: bool
    sources: int
    conflicts: tuple[Beside, ...] = ()
    disputed: str = ""  # why no rule may decide, though it speaks for it

    @property
    def id(self) -> str:
        return self.offers[0].id


@dataclass(frozen=True, slots=True)
class Digest:
    """Proposals, best first; iterating, counting and indexing are about them."""

    space: str
    proposals: tuple[Proposal, ...]
    waiting: int
    left_out: bool  # more wait than were looked at

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.proposals)

    def __len__(self) -> int:
        return len(self.proposals)

    def __getitem__(self, index: int) -> Proposal:
        return self.proposals[index]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, as REST and `bethink digest --json` give them."""
        from bethink.tiers.records import digest_record

        return digest_record(self)


class _Offered(NamedTuple):
    """An offer and what it says."""

    offer: Offer
    said: Said
    telling: Telling

    @property
    def when(self) -> tuple[datetime | None, ...]:
        memory = self.offer.memory
        return memory.occurred_at, memory.valid_from, memory.valid_to

    @property
    def text(self) -> str:
        return self.offer.memory.text

    @property
    def words(self) -> frozenset[str]:
        return self.said.words

    @property
    def told(self) -> ReadOnce:
        return self.said.told


def digest(space: str, kit: Kit) -> Digest:
    page = kit.quarantine.scan(spaces=[space], decisions=WAITING, limit=_MOST)
    offers = as_trusted_now(page.offers, kit)
    zone = kit.settings.zone
    groups = _groups([_Offered(o, said(o.memory), telling(o.memory)) for o in offers], zone)
    ancestry = ancestry_of(offers, kit)
    best = [_best(group, ancestry, kit) for group in groups]
    known = in_long_term([one.said for one, _, _ in best], kit)
    proposals = [
        _proposal(group, groups, chosen, beside, ancestry, zone)
        for group, chosen, beside in zip(groups, best, known, strict=True)
    ]
    proposals.sort(key=lambda p: (not p.promote, -p.sources, -len(p.offers), p.offers[0].risk))
    return Digest(space, tuple(proposals), len(offers), page.cursor is not None)


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


def _proposal(
    group: Sequence[_Offered],
    groups: Sequence[Sequence[_Offered]],
    chosen: _Chosen,
    known: Known,
    ancestry: Ancestry,
    zone: tzinfo,
) -> Proposal:
    best, support, spoken = chosen
    first = [one.offer for one in support if one is not best]
    rest = [one.offer for one in group if one not in support]
    others = tuple(_among(best, groups, zone))
    disputed = known.disputed
    if not disputed and any(other.verdict is Verdict.CORRECTION for other in others):
        disputed = "another offer contradicts it"
    left = (f"{disputed}: a person must look",) if spoken.promote and disputed else ()
    return Proposal(
        (best.offer, *first, *rest),
        spoken.promote and not disputed,
        (*spoken.reasons, *left),
        spoken.verified,
        independent_sources([one.offer for one in support], ancestry),
        (*known.beside, *others),
        disputed,
    )


class _Chosen(NamedTuple):
    """Of a group the one to promote, who else says all of it, and what speaks for it."""

    best: _Offered
    support: list[_Offered]
    spoken: Spoken


def _best(group: Sequence[_Offered], ancestry: Ancestry, kit: Kit) -> _Chosen:
    """The one that says most among those that the rules speak for, and who else says all of that.
    One that says more than the others did is not borne out by them."""
    ordered = sorted(
        group,
        key=lambda s: (
            not s.offer.trusted, s.offer.risk, -len(s.text), -s.offer.memory.confidence
        ),
    )  # fmt: skip
    first: _Chosen | None = None
    rules = kit.settings_for([ordered[0].offer.space])
    tried: set[Telling] = set()
    for one in ordered:
        if one.telling in tried:
            continue
        tried.add(one.telling)
        support = [other for other in group if _says_all_of(other, one, kit.settings.zone)]
        spoken = speaks_for([other.offer for other in support], rules, ancestry)
        if spoken.promote:
            return _Chosen(one, support, spoken)
        first = first or _Chosen(one, support, spoken)
    assert first is not None
    return first


def _says_all_of(other: _Offered, one: _Offered, zone: tzinfo) -> bool:
    return (
        other.telling == one.telling
        or contains(other.text, one.text)
        or judge(one.told, other.told, zone=zone).verdict is Verdict.SAME
    )


def _among(one: _Offered, groups: Sequence[Sequence[_Offered]], zone: tzinfo) -> Iterator[Beside]:
    """Other offers that contradict it, or may; of many the nearest."""
    near = [
        (common, group[0])
        for group in groups
        if (common := share(one.words, group[0].words)) >= _ALIKE
        and not any(member is one for member in group)
    ]
    near.sort(key=lambda pair: -pair[0])
    for common, other in near[:_COMPARED]:
        judged = judge(other.told, one.told, zone=zone)
        if judged.verdict is Verdict.CORRECTION or common >= _NEAR:
            yield Beside(other.offer.id, other.text, judged.verdict, judged.why, "quarantine")


def _groups(offered: Sequence[_Offered], zone: tzinfo) -> list[list[_Offered]]:
    """Those that say the same, newest first. Only texts that share words are compared, and each
    with those that share most."""
    groups: list[list[_Offered]] = []
    by_telling: dict[Telling, int] = {}
    by_word: dict[str, set[int]] = defaultdict(set)
    for one in offered:
        at = by_telling.get(one.telling)
        if at is None:
            shared = Counter(group for word in one.words for group in by_word[word])
            near = (group for group, _ in shared.most_common(_COMPARED))
            at = next((group for group in near if _same(groups[group][0], one, zone)), None)
            if at is None:
                at = len(groups)
                groups.append([])
                for word in one.words:
                    by_word[word].add(at)
            by_telling[one.telling] = at
        groups[at].append(one)
    return groups


def _same(a: _Offered, b: _Offered, zone: tzinfo) -> bool:
    if a.offer.memory.kind != b.offer.memory.kind or a.when != b.when:
        return False
    if share(a.words, b.words) < _ALIKE:
        return False
    if judge(a.told, b.told, zone=zone).verdict is Verdict.SAME:
        return True
    one, other = sorted((a.text, b.text), key=len)
    return contains(other, one)
