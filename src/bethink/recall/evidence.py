"""How well the best candidates answer: what the confidence is made of.

`refine` has read the candidates already and says so by the way; a preset without it uses the stage
`GatherEvidence`, which reads the best few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Evidence, Kit, Standing
from bethink.recall.fuse import Key
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.text.bm25 import idf
from bethink.text.faq_layout import found_text
from bethink.text.fold import fold_for_terms
from bethink.text.tokenise import (
    FIRST_IDEOGRAPH,
    count_terms,
    identifiers,
    plain_words,
    query_terms,
    terms,
)
from bethink.vocabulary import Candidate

FROM = 3  # candidates: the answer may stand second or third
_ACROSS = 0.4  # the coverage that is taken for granted where none can be
_KNOWN_FROM = 100  # passages: from here on, what is rare is known rather than guessed
_LITTLE_ELSE = 3  # terms
_QUESTION_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class GatherEvidence:
    name: ClassVar[str] = "evidence"
    compare: bool = False  # also ask how near in meaning those are that words alone found

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or not draft.candidates:
            return draft
        asked = query_terms(draft.query.text) if draft.query.words else ()
        common = kit.store.frequencies(asked, spaces=draft.query.spaces)
        rarity = {
            term: idf(common.passages, holding)
            for term, holding in zip(asked, common.holding, strict=True)
        }
        held = {
            c.key: count_terms(fold_for_terms(found_text(c)), rarity)[0]
            for c in draft.candidates[:FROM]
        }
        draft = draft._replace(standing=draft.standing or _standing(draft, kit, self.compare))
        found = evidence(draft, draft.candidates, held, rarity, common.passages)
        return draft._replace(evidence=found)


def _standing(draft: Draft, kit: Kit, compare: bool) -> Standing | None:
    question = draft.question
    if question is None:
        return None
    cosines = {c.key: c.channels[MEANING].score for c in draft.candidates if MEANING in c.channels}
    others = [c.key for c in draft.candidates if c.key not in cosines] if compare else []
    usual = kit.store.compare(
        question.vector, others, fingerprint=question.fingerprint, spaces=draft.query.spaces
    )
    for key, score in zip(others, usual.scores, strict=True):
        if score is not None:
            cosines[key] = score
    spreads = {key: (cosine - usual.mean) / usual.spread for key, cosine in cosines.items()}
    return Standing(spreads, usual.mean, usual.spread)


def evidence(
    draft: Draft,
    candidates: Sequence[Candidate],
    held: Mapping[Key, Mapping[str, int]],
    rarity: Mapping[str, float],
    passages: int,
) -> Evidence:
    """What the best of them hold (terms, by candidate) and how far they stand out."""
    best = candidates[:FROM]
    if draft.period is not None:  # the words that name a time are answered by a time
        rest = set(query_terms(draft.period.rest))
        rarity = {term: rare for term, rare in rarity.items() if term in rest} or rarity
    others = besides(identifiers(draft.query.text), tuple(rarity))
    if others:  # an identifier that a longer question names by the way counts if it is there
        here = set(others).union(*(held[c.key] for c in best))
        rarity = {term: rare for term, rare in rarity.items() if term in here}
    # in a small space it is chance which words are rare: there they weigh nearly the same
    known = passages / (passages + _KNOWN_FROM)
    rarest = max(rarity.values(), default=1.0)
    weights = {term: 1 - known + known * rare / rarest for term, rare in rarity.items()}
    total = sum(weights.values()) or 1.0
    coverage = max(
        sum(weights[term] for term in held[c.key] if term in weights) / total for c in best
    )
    if not coverage and not any(_share_a_script(draft.query.text, c.text) for c in best):
        coverage = _ACROSS  # no word can be shared across languages: that says nothing
    standing = draft.standing
    if standing is None:
        return Evidence(coverage, None, None, passages)
    spreads = max(standing.spreads.get(c.key, 0.0) for c in best)
    return Evidence(coverage, spreads, standing.mean + spreads * standing.spread, passages)


def besides(named: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """The other terms of a question that names identifiers; nothing where it is about little
    else, and its identifiers are what is asked for."""
    parts = set(named).union(*map(terms, named))
    others = tuple(term for term in asked if term not in parts)
    return others if len(others) > _LITTLE_ELSE else ()


def _share_a_script(one: str, other: str) -> bool:
    return _scripts(one) & _scripts(other) != set()


def _scripts(text: str) -> set[bool]:
    """Whether there are words in ideographs (True) and in other letters (False)."""
    rest = plain_words(text[:_QUESTION_CHARS])
    return {word[0] >= FIRST_IDEOGRAPH for word in rest if not word.isdigit()}
