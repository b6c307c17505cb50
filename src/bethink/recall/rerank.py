"""Let a reranker, which reads question and text together, put the first few candidates in order.

Its scores take the place of relevance. Scores that are all from 0 to 1 stay as they are; any others
are taken for logits and go through the logistic function, so larger stays larger. What was not
reranked follows with its order kept, scaled to lie below the last that was.

A reranker that fails or is late changes nothing but the status, which then says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, ClassVar

from bethink.errors import RerankerError
from bethink.recall.draft import Draft, Kit
from bethink.text.both_ends import both_ends
from bethink.vocabulary import Candidate, Status

if TYPE_CHECKING:
    from bethink.rerankers.protocol import Reranker

PART = "reranker"


@dataclass(frozen=True, slots=True)
class Rerank:
    name: ClassVar[str] = "rerank"
    candidates: int = 20  # each costs a pass of the model

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if len(draft.candidates) < 2 or draft.settled:  # a whole list or a day has its own order
            return draft
        try:
            reranker = kit.reranker()
            if reranker is None:
                return draft
            first = draft.candidates[: self.candidates]
            scores = self._scores(reranker, draft, kit, first)
        except RerankerError as e:
            return draft.fault(Status.DEGRADED, f"not reranked, the order is as found: {e}")
        ordered = [
            candidate._replace(score=score, parts={PART: score})
            for _, score, candidate in sorted(
                zip(scores, _from_0_to_1(scores), first, strict=True), key=lambda row: -row[0]
            )
        ]
        rest = _below(ordered[-1].score, draft.candidates[self.candidates :])
        moved = sum(a.key != b.key for a, b in zip(ordered, first, strict=True))
        return draft._replace(candidates=(*ordered, *rest)).note(
            f"{reranker.name} read {len(ordered)} and moved {moved}"
        )

    @staticmethod
    def _scores(
        reranker: Reranker, draft: Draft, kit: Kit, first: tuple[Candidate, ...]
    ) -> list[float]:
        """In the pool, so that one that hangs is left behind when the time is up."""
        from bethink.rerankers.protocol import score_texts  # a cold start does without it

        question = both_ends(draft.query.text)
        texts = [candidate.text for candidate in first]
        left = kit.deadline.left()
        late = f"{reranker.name} was not done within {draft.query.deadline:g} s"
        if not left:
            raise RerankerError(f"no time was left for {reranker.name}; give a longer deadline")
        future = kit.pool().submit(score_texts, reranker, question, texts, seconds=left)
        try:
            return future.result(timeout=kit.deadline.left())
        except TimeoutError:
            future.cancel()
            raise RerankerError(f"{late}; give a longer deadline or a faster reranker") from None


def _from_0_to_1(scores: list[float]) -> list[float]:
    if all(0.0 <= score <= 1.0 for score in scores):
        return scores
    return [1 / (1 + exp(-min(max(score, -80.0), 80.0))) for score in scores]


def _below(most: float, rest: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The rest, scaled so that none stands above what was reranked."""
    best = max((candidate.score for candidate in rest), default=0.0)
    if best <= most:
        return rest
    scale = most / best
    return tuple(
        candidate._replace(
            score=candidate.score * scale,
            parts={name: value * scale for name, value in candidate.parts.items()},
        )
        for candidate in rest
    )
