"""Do not say nearly the same ten times: each hit should add something to those above it.

Maximal marginal relevance: again and again the candidate with the largest
`relevance − (1 − balance) / balance × likeness` to what is chosen already. That value becomes the
score: it is how much the candidate adds, it never grows along the list, so the list stays sorted by
what it shows, and the parts say what was taken off ("repeats").

Likeness is the share of common terms (Jaccard), which needs no vectors, works in both languages and
without any embedder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.errors import InvalidInput
from bethink.recall.draft import Draft, Kit
from bethink.text.tokenise import terms
from bethink.vocabulary import Candidate


@dataclass(frozen=True, slots=True)
class Diversify:
    name: ClassVar[str] = "diversify"
    balance: float = 0.7  # 1: relevance alone; towards 0: difference alone
    among: int = 50  # candidates that are compared; those behind keep their order

    def __post_init__(self) -> None:
        if not 0 < self.balance <= 1:
            raise InvalidInput("diversify: balance is above 0 and at most 1")

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if len(draft.candidates) < 2:
            return draft
        price = (1 - self.balance) / self.balance
        near, rest = draft.candidates[: self.among], draft.candidates[self.among :]
        held = [frozenset(terms(candidate.text, ends=False)) for candidate in near]
        closest = [0.0] * len(near)  # how like each is to the most similar of the chosen
        waiting = list(range(len(near)))
        order: list[int] = []
        for _ in range(min(draft.query.limit, len(near))):
            best = max(waiting, key=lambda at: (near[at].score - price * closest[at], -at))
            waiting.remove(best)
            order.append(best)
            for at in waiting:
                closest[at] = max(closest[at], _likeness(held[at], held[best]))
        # what is not chosen follows by the same value, which is no larger than the last choice's
        order += sorted(waiting, key=lambda at: price * closest[at] - near[at].score)
        chosen = [_less(near[at], price * closest[at]) for at in order]
        floor = chosen[-1].score
        chosen += [_less(candidate, candidate.score - floor) for candidate in rest]
        moved = sum(at != place for place, at in enumerate(order))
        return draft._replace(candidates=tuple(chosen)).note(
            f"{moved} of {len(order)} changed their place so that each adds something"
        )


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def _less(candidate: Candidate, taken: float) -> Candidate:
    """With this much taken off, down to nothing."""
    taken = min(max(taken, 0.0), max(candidate.score, 0.0))
    if not taken:
        return candidate
    parts = candidate.parts or {"relevance": candidate.score}
    return candidate._replace(
        score=candidate.score - taken, parts={**parts, "repeats": parts.get("repeats", 0.0) - taken}
    )
