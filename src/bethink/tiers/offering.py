"""Something is offered: cleaned, judged and logged, before anybody can find it.

Who offers it and through which door is what the door says. What it is made from (its parents) is
what the caller says, and can only lower the trust in it: made from nothing untrusted, by somebody
trusted, is trusted; a summary of untrusted text is untrusted, whoever wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from bethink.checks import is_id, shown
from bethink.errors import Conflict, InvalidInput
from bethink.remember.ingress import accept
from bethink.remember.redacting import MARK
from bethink.remember.succession import REPLACED_BY, SUPERSEDED_BY, SUPERSEDES
from bethink.text.fold import fold
from bethink.text.suspicion import suspicion
from bethink.tiers.deciding import PASSED
from bethink.tiers.filtering import filtered
from bethink.tiers.kit import FILTER, Kit
from bethink.tiers.recent import make_recent
from bethink.tiers.scanning import same_words
from bethink.tiers.telling import words_of
from bethink.vocabulary import (
    TRUST,
    UNVERIFIED,
    VERIFIED,
    Decision,
    Memory,
    Offer,
    Principal,
    Ruling,
)

_OURS = ("provenance", "reinforcement", "access_count", "created_at", "updated_at")
_OUR_METADATA = (SUPERSEDES, SUPERSEDED_BY, REPLACED_BY)
_MOST_PARENTS = 256
_MOST_ORIGINS = 1_000


def source_hash(source: str) -> str:
    """The same source has the same hash, however its name is capitalised or spaced."""
    return sha256(" ".join(fold(source).split()).encode("utf-8")).hexdigest()[:32]


def is_trusted(by: Principal, kit: Kit) -> bool:
    names = {name.strip() for name in kit.settings_for(()).trusted.split(",")} - {""}
    return by.trusted or by.name in names


def offer(
    told: Mapping[str, Any], *, by: Principal, parents: Sequence[str], space: str, kit: Kit
) -> Offer:
    """Log one offer and, if the filter lets it pass, admit it to working memory. Offered again
    under the same id, it is the same offer: nothing changes."""
    made = _made(told, by=by, parents=_checked(parents), space=space, kit=kit)
    if told.get("id") and kit.store.get([made.id]) != [None]:
        known = kit.quarantine.get([made.id])[0]
        if known is None:  # else it was promoted, and the log says whether this is the same
            raise Conflict(f"the id {made.id!r} is taken by a memory; offer this under another id")
    if all(info.name != made.space for info in kit.store.spaces()):
        kit.store.open_space(made.space)  # so that it can be asked what is recent there
    with kit.quarantine.settling():  # nobody decides about it or erases it half-way
        if made.decision is Decision.ADMITTED:
            made = _unless_rejected_before(made, kit)
        if kit.quarantine.log([made]) == [False]:
            return _known(made, kit)
        if made.decision is Decision.ADMITTED:
            make_recent([made], kit)
    first = Ruling(made.id, made.decision, made.reason, made.decided_by, made.decided_at)
    kit.changed(made, first, None, made.decision.tier)
    return made


def _known(made: Offer, kit: Kit) -> Offer:
    """As it was logged before."""
    known = kit.quarantine.get([made.id])[0]
    if known is None:  # its space was erased at this very moment: what was asked for holds
        return made
    if known.by.name != made.by.name:  # what others offered, and from where, is not for everybody
        raise Conflict(f"the id {made.id!r} is taken by another offer; offer this under another id")
    admitted = known.decision is Decision.ADMITTED
    if admitted and kit.working.get([known.id], now=kit.clock()) == [None]:
        make_recent([known], kit)  # expired, or the process ended between the log and this
    return known


def _made(
    told: Mapping[str, Any], *, by: Principal, parents: tuple[str, ...], space: str, kit: Kit
) -> Offer:
    for name in _OURS:
        if told.get(name) not in (None, "", {}):
            raise InvalidInput(f"{name} of an offer is set here, not told; leave it out")
    now = kit.clock()
    told = _with_confidence(told)
    memory = accept(told, now=now, space=space, redact=kit.settings.redact)
    for name in _OUR_METADATA:
        if name in memory.metadata:
            raise InvalidInput(f"metadata: {name!r} is set here, not told; leave it out")
    redacted = _redacted(memory)
    found = suspicion("\n".join((memory.text, *_told_besides(memory))))
    findings = dict.fromkeys(f"{finding.kind}: {finding.shown}" for finding in found.findings)
    trusted = is_trusted(by, kit) and all(trusted_parents(parents, memory.space, kit))
    source = source_hash(memory.source or f"{by.door}:{by.name}")
    provenance: dict[str, Any] = {
        "who": by.name,
        "door": by.door,
        "source_hash": source,
        TRUST: VERIFIED if trusted else UNVERIFIED,
    }
    if parents:
        provenance["parents"] = list(parents)
    if redacted:
        provenance[MARK] = list(redacted)
    if found.risk:
        provenance["risk"] = round(found.risk, 3)
    memory = replace(memory, provenance=provenance)
    kinds = [finding.kind for finding in found.findings]
    decision, reason = filtered(
        memory, risk=found.risk, kinds=kinds, by=kit.settings_for([memory.space])
    )
    return Offer(
        memory=memory,
        by=by,
        source_hash=source,
        parents=parents,
        origins=_origins(parents, kit),
        identity=words_of(memory),
        trusted=trusted,
        risk=found.risk,
        findings=tuple(findings),
        redacted=redacted,
        decision=decision,
        reason=reason,
        decided_at=now,
        decided_by=FILTER,
    )


def _with_confidence(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the offer with the confidence that its metadata tell, as agents send it. If it is told
    twice, the lower one counts."""
    metadata = told.get("metadata")
    within = metadata.get("confidence") if isinstance(metadata, Mapping) else None
    if isinstance(within, bool) or not isinstance(within, int | float) or not 0 <= within <= 1:
        return told
    given = told.get("confidence")
    if given is None:
        return {**told, "confidence": float(within)}
    if isinstance(given, int | float) and not isinstance(given, bool):
        return {**told, "confidence": min(given, float(within))}
    return told


def _checked(parents: Sequence[str]) -> tuple[str, ...]:
    if isinstance(parents, str) or not isinstance(parents, Sequence):
        raise InvalidInput(f'parents: expected a list of ids like ["a", "b"], got {shown(parents)}')
    if len(parents) > _MOST_PARENTS:
        raise InvalidInput(f"parents: {len(parents)} are too many; at most {_MOST_PARENTS} fit")
    for parent in parents:
        if not isinstance(parent, str) or not is_id(parent):
            raise InvalidInput(f"parents: {shown(parent)} is no id")
    return tuple(dict.fromkeys(parents))


def _origins(parents: tuple[str, ...], kit: Kit) -> tuple[str, ...]:
    """The sources of all that it was made from. A rollback finds it by them, also when its parents
    are forgotten by then."""
    found: set[str] = set()
    for made in filter(None, kit.quarantine.get(parents) if parents else []):
        found |= {made.source_hash, *made.origins}
    for memory in filter(None, kit.store.get(parents) if parents else []):
        if memory.source:
            found.add(source_hash(memory.source))
    if len(found) > _MOST_ORIGINS:
        raise InvalidInput(
            f"parents: they come from {len(found):,} sources; what is made from more than "
            f"{_MOST_ORIGINS:,} cannot be followed back. Offer it in parts"
        )
    return tuple(sorted(found))


def trusted_parents(parents: tuple[str, ...], space: str, kit: Kit) -> Iterator[bool]:
    """One that is not known here, or in another space, is not trusted: nobody can tell what it
    said. Nor is one that is held or was refused or rejected, whoever offered it."""
    memories = kit.store.get(parents, spaces=[space]) if parents else []
    offers = kit.quarantine.get(parents) if parents else []
    for memory, made in zip(memories, offers, strict=True):
        if memory is not None:
            yield memory.verified
        else:
            yield (
                made is not None
                and made.space == space
                and made.trusted
                and made.decision in PASSED
            )


def _told_besides(memory: Memory) -> Iterator[str]:
    """What else a model may get to read of it."""
    yield from (memory.section, memory.source, memory.kind, *memory.tags, *memory.entities)
    if memory.metadata:
        yield json.dumps(memory.metadata, ensure_ascii=False)


def _redacted(memory: Memory) -> tuple[str, ...]:
    kinds = memory.provenance.get(MARK)
    return tuple(str(kind) for kind in kinds) if isinstance(kinds, list) else ()


def _unless_rejected_before(made: Offer, kit: Kit) -> Offer:
    """What a person kept out does not come back by being said once more."""
    rejected = same_words(made.space, [made.identity], kit, decisions=[Decision.REJECTED])
    for other in rejected:
        reason = f"the same words were rejected before, as {other.id}: a person must look"
        return replace(made, decision=Decision.HELD, reason=reason)
    return made
