"""What is newer leads a little among what fits alike; for a whole turn of a conversation, more.

A short question may be about anything ever told. Who speaks at length goes on with something, most
often with what was last spoken of, and so many words fit many memories alike: there age says what
the words cannot. A question that names a time has said which age it wants. Measured in
benchmarks/LOG.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.recall.parts import added
from recollect.recall.salience import days_old, fresh
from recollect.text.tokenise import query_terms


@dataclass(frozen=True, slots=True)
class Recency:
    """Newness adds at most this share of a memory's own score: what does not fit gains nothing."""

    name: ClassVar[str] = "recency"
    question: float = 0.1
    turn: float = 0.6
    short: int = 6  # terms: up to here it is a question
    long: int = 18  # and from here on a turn; in between, by degrees
    half_life: float = 14.0  # days

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.period is not None or draft.settled or len(draft.candidates) < 2:
            return draft
        length = (len(query_terms(draft.query.text)) - self.short) / (self.long - self.short)
        most = self.question + (self.turn - self.question) * min(max(length, 0.0), 1.0)
        now = draft.query.as_of or kit.clock()
        aged = []
        for one in draft.candidates:
            new = fresh(days_old(one.memory, now), self.half_life) if one.memory else 0.0
            aged.append(added(one, "recency", most * new * one.score, ceiling=1 + most))
        aged.sort(key=lambda c: -c.score)
        return replace(draft, candidates=tuple(aged)).note(f"newness adds up to {most:.0%}")
