"""Whoever holds an identifier of the question exactly stands above whoever does not.

Fusion by ranks knows no such thing, and what is new or often told may be lifted above it later:
`ERR_CONN_1043`, told yesterday, is still not what was asked for. Stands after whatever mixes
scores: half of the score is then what it was, the other half is for holding the identifier.

`AskedByName` does the same for the relevance of a memory whose entity is the whole question: its
text may share no word with it, and is about it all the same, since whoever told it said so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.parts import added, best_first
from bethink.recall.relevance import log_odds_of, marks_for, model_for, probability
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_exact import ENTITY, asked_name, is_about
from bethink.recall.signals import SIGNALS
from bethink.vocabulary import Candidate

_HELD = SIGNALS.index("exact.held")


@dataclass(frozen=True, slots=True)
class ExactFirst:
    name: ClassVar[str] = "exact_first"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        holding = sum(EXACT in c.channels for c in draft.candidates)
        if not holding:
            return draft
        lifted = [added(c, EXACT, float(EXACT in c.channels), ceiling=2) for c in draft.candidates]
        lifted.sort(key=lambda c: (EXACT not in c.channels, -c.score))
        return draft._replace(candidates=tuple(lifted)).note(f"{holding} hold it exactly, first")


@dataclass(frozen=True, slots=True)
class AskedByName:
    """As relevant as with an identifier that it holds, and at least as a sure answer is. With
    `order` the relevance is the score too. The difference is the part `entity` of the evidence."""

    name: ClassVar[str] = "asked_by_name"
    order: bool = True

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or not any(ENTITY in c.channels for c in draft.candidates):
            return draft
        asked, sure = asked_name(draft.query.text), marks_for(draft).answered
        weight = model_for(draft).weights[_HELD]
        lifted = [self._lifted(c, asked, sure, weight) for c in draft.candidates]
        return draft._replace(candidates=best_first(lifted) if self.order else tuple(lifted))

    def _lifted(self, candidate: Candidate, asked: str, sure: float, weight: float) -> Candidate:
        memory, before = candidate.memory, candidate.relevance
        if memory is None or before is None or ENTITY not in candidate.channels:
            return candidate
        if not is_about(memory, asked):
            return candidate
        now = max(probability(log_odds_of(before) + weight), sure + (1 - sure) * before)
        more = log_odds_of(now) - log_odds_of(before)
        lifted = candidate._replace(relevance=now, evidence={**candidate.evidence, ENTITY: more})
        return lifted._replace(score=now, parts={"relevance": now}) if self.order else lifted
