"""What speaks for promoting something, counted over all offers that say the same.

Only what we set ourselves counts as a source: two names that one principal made up are one source,
and so is a summary together with what it was made from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bethink.settings import Settings
from bethink.text.suspicion import RISKY
from bethink.tiers.deciding import PASSED
from bethink.tiers.kit import Kit
from bethink.vocabulary import Offer

_GENERATIONS = 32  # how far back one looks for a common origin
_MOST_PRINCIPALS = 500  # nobody asks for more, and each may be a step deeper

# For each offer all that it was made from, however far.
Ancestry = Mapping[str, frozenset[str]]


class Spoken(NamedTuple):
    """Do the rules promote it, why (or why not), and may it count as verified?"""

    promote: bool
    reasons: tuple[str, ...]
    verified: bool = False


def ancestry_of(offers: Sequence[Offer], kit: Kit) -> Ancestry:
    parents = {offer.id: offer.parents for offer in offers}
    wanted = {parent for offer in offers for parent in offer.parents} - parents.keys()
    for _ in range(_GENERATIONS):
        if not wanted:
            break
        found = [offer for offer in kit.quarantine.get(sorted(wanted)) if offer is not None]
        parents.update({offer.id: offer.parents for offer in found})
        wanted = {parent for offer in found for parent in offer.parents} - parents.keys()
    return {offer.id: _above(offer.id, parents) for offer in offers}


def _above(offer_id: str, parents: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    seen: set[str] = set()
    ahead = list(parents.get(offer_id, ()))
    while ahead:
        one = ahead.pop()
        if one not in seen:
            seen.add(one)
            ahead += parents.get(one, ())
    return frozenset(seen)


def independent_sources(offers: Sequence[Offer], ancestry: Ancestry | None = None) -> int:
    """How many stand each on their own: by different principals, from different sources, and with
    no origin in common. Without an `ancestry`, only parents are known."""
    above = ancestry or {offer.id: frozenset(offer.parents) for offer in offers}
    said: dict[str, set[str]] = defaultdict(set)
    for offer in offers:  # through whichever door: one who has two is still one
        said[offer.by.name].add(offer.source_hash)
    return min(_pairs(said), _origins(offers, above))


def independent_tellers(offers: Sequence[Offer], ancestry: Ancestry | None = None) -> int:
    """How many principals told it, with no origin in common; what they name as its source may be
    one page that all of them read. Who repeats it is still one."""
    above = ancestry or {offer.id: frozenset(offer.parents) for offer in offers}
    return min(len({offer.by.name for offer in offers}), _origins(offers, above))


def _pairs(said: Mapping[str, set[str]]) -> int:
    """How many principals can each be given a source of their own: a matching, found by making
    room for the next one again and again."""
    taken: dict[str, str] = {}

    def finds_room(who: str, tried: set[str]) -> bool:
        for source in said[who] - tried:
            tried.add(source)
            if source not in taken or finds_room(taken[source], tried):
                taken[source] = who
                return True
        return False

    return sum(finds_room(who, set()) for who in list(said)[:_MOST_PRINCIPALS])


def _origins(offers: Sequence[Offer], above: Ancestry) -> int:
    """Groups of offers with nothing in common that they were made from."""
    group_of: dict[str, set[str]] = {}
    groups: list[set[str]] = []
    for offer in offers:
        members = {offer.id, *above.get(offer.id, ())}
        for known in {id(group_of[m]): group_of[m] for m in members if m in group_of}.values():
            members |= known
            groups = [group for group in groups if group is not known]
        groups.append(members)
        group_of.update(dict.fromkeys(members, members))
    return len(groups)


def speaks_for(
    offers: Sequence[Offer], settings: Settings, ancestry: Ancestry | None = None
) -> Spoken:
    """`offers` all say the same and none is rejected."""
    # one that is suspicious neither speaks for the others nor keeps them out
    passed = [offer for offer in offers if offer.decision in PASSED and offer.risk < RISKY]
    if not passed:
        risk = max(offer.risk for offer in offers)
        if risk >= RISKY:
            return Spoken(False, (f"suspicious (risk {risk:.2f}): only a person may promote it",))
        return Spoken(False, (f"{offers[0].decision.value}: {offers[0].reason}",))
    trusted = sorted({offer.by.name for offer in passed if offer.trusted})
    if trusted:
        are = "is" if len(trusted) == 1 else "are"
        return Spoken(True, (f"{', '.join(trusted)} {are} trusted",), verified=True)
    reasons: list[str] = []
    sources = independent_sources(passed, ancestry)
    if 0 < settings.promote_sources <= sources:
        reasons.append(f"{sources} independent sources say it")
    tellers = independent_tellers(passed, ancestry)
    if 0 < settings.promote_told <= tellers:
        reasons.append(f"told by {tellers} independently" if tellers > 1 else "told once")
    if reasons:
        return Spoken(True, tuple(reasons))
    times = "once" if len(passed) == 1 else f"{len(passed)} times"
    from_where = "one source" if sources == 1 else f"{sources} independent sources"
    return Spoken(False, (f"offered {times}, by {from_where}, nobody trusted among them",))
