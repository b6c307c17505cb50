"""What speaks for promoting something, counted over all offers that say the same.

Only what we set ourselves counts as a source: two names that one principal made up are one source,
and so is a summary together with what it was made from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.settings import Settings
from recollect.tiers.filtering import RISKY
from recollect.vocabulary import Decision, Offer


class Spoken(NamedTuple):
    """Do the rules promote it, why (or why not), and may it count as verified?"""

    promote: bool
    reasons: tuple[str, ...]
    verified: bool = False


def independent_sources(offers: Sequence[Offer]) -> int:
    """By different principals, from different sources, none made from another of them."""
    ids = {offer.id for offer in offers}
    own = [offer for offer in offers if not ids & set(offer.parents)]
    principals = {(offer.by.door, offer.by.name) for offer in own}
    sources = {offer.source_hash for offer in own}
    ancestors = {parent for offer in own for parent in offer.parents}
    if ancestors and len(ancestors) < sum(len(offer.parents) for offer in own):
        return min(len(principals), len(sources), len(ancestors))  # retold from the same
    return min(len(principals), len(sources))


def speaks_for(offers: Sequence[Offer], settings: Settings) -> Spoken:
    """`offers` all say the same and none is rejected."""
    risk = max(offer.risk for offer in offers)
    if risk >= RISKY:
        return Spoken(False, (f"suspicious (risk {risk:.2f}): only a person may promote it",))
    passed = [offer for offer in offers if offer.decision in (Decision.ADMITTED, Decision.PROMOTED)]
    if not passed:
        return Spoken(False, (f"{offers[0].decision.value}: {offers[0].reason}",))
    trusted = sorted({offer.by.name for offer in passed if offer.trusted})
    if trusted:
        return Spoken(True, (f"{', '.join(trusted)} is trusted",), verified=True)
    reasons: list[str] = []
    sources = independent_sources(passed)
    if 0 < settings.promote_sources <= sources:
        reasons.append(f"{sources} independent sources say it")
    if 0 < settings.promote_told <= len(passed):
        reasons.append(f"offered {len(passed)} times")
    if reasons:
        return Spoken(True, tuple(reasons))
    times = "once" if len(passed) == 1 else f"{len(passed)} times"
    from_where = "one source" if sources == 1 else f"{sources} independent sources"
    return Spoken(False, (f"offered {times}, by {from_where}, nobody trusted among them",))
