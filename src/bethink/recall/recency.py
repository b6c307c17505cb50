"""What is newer leads a little among what fits alike; for a whole turn of a conversation, more.

A short question may be about anything ever told. Who speaks at length goes on with something, most
often with what was last spoken of, and so many words fit many memories alike: there age says what
the words cannot. A question that names a time has said which age it wants; in a whole turn a time
is named by the way. Measured in benchmarks/LOG.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.parts import added, best_first
from bethink.recall.salience import days_old, fresh
from bethink.recall.what_is_asked import turn_of


@dataclass(frozen=True, slots=True)
class Recency:
    """Newness adds at most this share of a memory's own score: what does not fit gains nothing."""

    name: ClassVar[str] = "recency"
    question: float = 0.1
    turn: float = 0.6
    half_life: float = 14.0  # days

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or len(draft.candidates) < 2:
            return draft
        turn = turn_of(draft.query.text)
        if draft.period is not None and turn < 1:
            return draft
        most = self.question + (self.turn - self.question) * turn
        now = draft.query.as_of or kit.clock()
        aged = []
        for one in draft.candidates:
            new = fresh(days_old(one.memory, now), self.half_life) if one.memory else 0.0
            aged.append(added(one, "recency", most * new * one.score, ceiling=1 + most))
        told = f"newness adds up to {most:.0%}"
        return draft._replace(candidates=best_first(aged), notes=(*draft.notes, told))
