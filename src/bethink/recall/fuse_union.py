"""Weighted union: 0.7 × meaning + 0.3 × words, over all that either search found.

- meaning is the cosine, below 0 counted as 0. What words alone found gets its cosine as well: being
  outside the ten nearest is not the same as having no meaning in common;
- words is 1 / (1 + rank), rank from 0;
- a search that did not run has no weight: the rest is scaled up, so that 1 stays the best score
  possible and a floor means the same. So it is for a single passage that waits for its vector;
- whoever holds an identifier of the question exactly stands above whoever does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.fuse import Key, places_of
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.vocabulary import Candidate, Place

_LEAST_FOR_EXACT = 0.5  # above any floor that leaves room for a hit by words alone


@dataclass(frozen=True, slots=True)
class FuseUnion:
    name: ClassVar[str] = "fuse"
    meaning: float = 0.7
    words: float = 0.3

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled and not draft.channels:
            return draft
        places = places_of(draft.channels)
        weights = {MEANING: self.meaning, WORDS: self.words}
        ran = {name: weight for name, weight in weights.items() if name in draft.channels}
        near = cosines(draft, kit, list(places))
        candidates = []
        for key, at in places.items():
            parts = _parts(at, near.get(key), ran)
            candidates.append(Candidate(*key, sum(parts.values()), at, parts=parts))
        candidates.sort(key=lambda c: -c.score)
        candidates = exact_first(draft, candidates)
        both = sum(MEANING in c.channels and WORDS in c.channels for c in candidates)
        draft = draft._replace(candidates=tuple(candidates), channels={}).note(
            f"{len(candidates)} passages, {both} found by words and by meaning"
        )
        for name in weights.keys() - ran.keys() if ran else ():
            draft = draft.note(f"{name} did not run: what did run has all the weight")
        waiting = len(places) - len(near)
        if MEANING in ran and waiting:
            draft = draft.note(f"{waiting} have no vector: words have all the weight there")
        return draft


def _parts(
    at: Mapping[str, Place], cosine: float | None, ran: Mapping[str, float]
) -> dict[str, float]:
    """What the score is made of."""
    values: dict[str, float] = {}
    if MEANING in ran and cosine is not None:
        values[MEANING] = min(max(cosine, 0.0), 1.0)
    if WORDS in ran:
        values[WORDS] = 1 / (1 + at[WORDS].rank) if WORDS in at else 0.0
    if not values:  # found in another way, which only knows an order
        name, place = next(iter(at.items()))
        return {name: round(1 / (1 + place.rank), 6)}
    total = sum(ran[name] for name in values) or 1.0
    return {name: round(ran[name] * value / total, 6) for name, value in values.items()}


def exact_first(draft: Draft, candidates: list[Candidate]) -> list[Candidate]:
    """Lift what holds an identifier above the rest; the more of the identifiers, the higher."""
    found = draft.channels.get(EXACT, ())
    best = max((f.score for f in found), default=0.0) or 1.0
    share = {(f.memory_id, f.ordinal): min(max(f.score / best, 0.0), 1.0) for f in found}
    others = [c for c in candidates if c.key not in share]
    lead = max([_LEAST_FOR_EXACT, *(c.score for c in others)])
    lifted: list[Candidate] = []
    for c in candidates:
        if c.key in share:
            score = lead + (1 - lead) * (share[c.key] + min(c.score, 1.0)) / 2
            own = {name: value for name, value in c.parts.items() if name != EXACT}
            parts = {**own, EXACT: round(score - sum(own.values()), 6)}
            lifted.append(c._replace(score=score, parts=parts))
    # where others score 1 there is no room above them: then what they hold decides
    lifted.sort(key=lambda c: (-c.score, -share[c.key]))
    return [*lifted, *others]


def cosines(draft: Draft, kit: Kit, keys: Sequence[Key]) -> dict[Key, float]:
    """How near these passages are, also those that only words found; without those that have
    no vector."""
    known = {(f.memory_id, f.ordinal): f.score for f in draft.channels.get(MEANING, ())}
    known = {key: known[key] for key in keys if key in known}
    question = draft.question
    others = [key for key in keys if key not in known]
    if question is None or MEANING not in draft.channels or not others:
        return known
    compared = kit.store.compare(
        question.vector, others, fingerprint=question.fingerprint, spaces=draft.query.spaces
    )
    scores = zip(others, compared.scores, strict=True)
    return known | {key: score for key, score in scores if score is not None}
