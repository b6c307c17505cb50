"""Put what is newer before the older that it contradicts, and mark the older.

A sure correction supersedes the older memory when it is told (`bethink.remember.judging`). Where
that was not sure, or where both came with many others, both are kept, and this stage compares the
best candidates in pairs by the same rules (`Kit.contradicts`). The newer of two that contradict
each other is as likely to answer as the older, so it gets at least its relevance and its place.
What is unverified contradicts nothing that is verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.unverified import is_verified
from bethink.text.tokenise import query_terms, terms
from bethink.vocabulary import Candidate

PART = "newer"  # the part of a score and of a relevance that comes from the older one
_LONGEST = 300  # characters: what is longer says several things
_IN_COMMON = 0.25  # of the words of the shorter one, without which nothing is compared


@dataclass(frozen=True, slots=True)
class NewerFirst:
    name: ClassVar[str] = "newer_first"
    best: int = 8  # candidates that are compared with each other

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or len(draft.candidates) < 2:
            return draft
        asked = frozenset(query_terms(draft.query.text))
        found = dict(_contradicted(draft.candidates[: self.best], kit, asked))
        if not found:
            return draft
        marked = tuple(
            c._replace(contradicted_by=found[c.memory_id]) if c.memory_id in found else c
            for c in draft.candidates
        )
        draft = draft._replace(candidates=newer_first(marked))
        for older, newer in found.items():
            draft = draft.note(f"{older} is contradicted by {newer}, which is newer")
        return draft


def _contradicted(
    candidates: tuple[Candidate, ...], kit: Kit, asked: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """The ids of what is contradicted, each with that of the newest that contradicts it. `asked`:
    the terms of the question."""
    short = [c for c in candidates if c.memory is not None and len(c.memory.text) <= _LONGEST]
    words = {c.memory_id: _words(c.memory.text) for c in short if c.memory is not None}
    for one, other in combinations(sorted(short, key=_told_at), 2):
        older, newer = one.memory, other.memory
        assert older is not None and newer is not None
        if older.id == newer.id or older.space != newer.space or older.kind != newer.kind:
            continue
        if older.speaker != newer.speaker or _told_at(one) == _told_at(other):
            continue
        if older.role != newer.role:
            continue  # what an assistant says is no fact about the user
        if is_verified(one) and not is_verified(other):
            continue
        if _only_in(older.text, newer.text, asked):
            continue  # order 7 is asked for, not order 19
        if not _comparable(words[older.id], words[newer.id]):
            continue
        if kit.contradicts(older, newer):
            yield older.id, newer.id


def _only_in(older: str, newer: str, asked: frozenset[str]) -> bool:
    """Whether the question names a number that only the older holds."""
    held = asked.intersection(terms(older)).difference(terms(newer))
    return any(any(character.isdigit() for character in term) for term in held)


def _told_at(candidate: Candidate) -> datetime:
    memory = candidate.memory
    assert memory is not None
    return memory.occurred_at or memory.valid_from or memory.created_at


def comparable(older: str, newer: str) -> bool:
    """Whether two texts share enough to be judged: most pairs share nothing, and judging costs."""
    return _comparable(_words(older), _words(newer))


def _comparable(older: frozenset[str], newer: frozenset[str]) -> bool:
    shorter = min(len(older), len(newer))
    return len(older & newer) >= max(1.0, _IN_COMMON * shorter)


def _words(text: str) -> frozenset[str]:
    """The beginnings of its words ("token", "tokens") and its Chinese characters."""
    found = re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower())
    return frozenset(word[:5] for word in found)


def newer_first(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Move what contradicts another before it, with at least its score and relevance."""
    ordered = list(candidates)
    for older in [c for c in candidates if c.contradicted_by]:
        at = next(i for i, c in enumerate(ordered) if c.key == older.key)
        place = next(
            (i for i, c in enumerate(ordered) if c.memory_id == older.contradicted_by), None
        )
        if place is not None and place > at:
            ordered.insert(at, _lifted(ordered.pop(place), ordered[at]))
    return tuple(ordered)


def _lifted(newer: Candidate, older: Candidate) -> Candidate:
    if older.score > newer.score:
        parts = {**newer.parts, PART: older.score - newer.score}
        newer = newer._replace(score=older.score, parts=parts)
    if older.relevance is not None and (newer.relevance or 0.0) < older.relevance:
        from bethink.recall.relevance import log_odds_of

        more = log_odds_of(older.relevance) - log_odds_of(newer.relevance or 0.0)
        evidence = {**newer.evidence, PART: more}
        newer = newer._replace(relevance=older.relevance, evidence=evidence)
    return newer
