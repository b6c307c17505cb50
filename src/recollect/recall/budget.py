"""Choose what fits: best first, within the number of hits and of tokens.

What does not fit is skipped and noted; something smaller behind it may still fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.text.tokens import count_tokens
from recollect.vocabulary import Candidate, Dropped, Hit, Status


@dataclass(frozen=True, slots=True)
class Budget:
    name: ClassVar[str] = "budget"
    count: Callable[[str], int] = count_tokens

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        left = draft.query.budget
        hits: list[Hit] = []
        dropped: list[Dropped] = []
        skipped: list[str] = []
        for candidate in draft.candidates:
            if len(hits) == draft.query.limit:
                dropped.append(Dropped(*candidate.key, f"beyond the limit of {len(hits)} hits"))
                continue
            tokens = self.count(candidate.text)
            if tokens > left:
                reason = f"{tokens} tokens do not fit in the {left} left"
                dropped.append(Dropped(*candidate.key, reason))
                skipped.append(f"{candidate.memory_id}: {reason}")
                continue
            left -= tokens
            hits.append(_hit(candidate, tokens, tuple(skipped)))
        draft = replace(draft, candidates=(), hits=tuple(hits), dropped=tuple(dropped))
        if skipped and not hits:
            # neither empty nor answered: there is something, and the caller can have it
            draft = draft.fault(
                Status.DEGRADED,
                f"{len(skipped)} hits were found but none fits in {draft.query.budget} tokens; "
                "raise the budget",
            )
        return draft


def _hit(candidate: Candidate, tokens: int, displaced: tuple[str, ...]) -> Hit:
    assert candidate.memory is not None and candidate.passage is not None
    return Hit(
        memory=candidate.memory,
        passage=candidate.passage,
        text=candidate.text,
        score=round(candidate.score, 6),
        tokens=tokens,
        channels=candidate.channels,
        parts=candidate.parts or {"relevance": round(candidate.score, 6)},
        displaced=displaced,
    )
