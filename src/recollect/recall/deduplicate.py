"""Say nothing twice: one passage for each memory, one memory for each content.

The first needs no text, so it comes before anything is fetched: a long memory with many passages
among the candidates must not take the places of others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.text.fold import fold
from recollect.vocabulary import Candidate, Dropped


def signature(text: str) -> str:
    """The same for texts that differ only in case, width, script variant or white space."""
    return " ".join(fold(text).split())


@dataclass(frozen=True, slots=True)
class OnePerMemory:
    """The best passage speaks for its memory; the others add to it, each a smaller share.

    A long memory that is about the question in several places is a better answer than one that
    touches it once. With a share of 0 only the best passage counts.
    """

    name: ClassVar[str] = "one_per_memory"
    share: float = 0.0

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        kept: dict[str, Candidate] = {}
        sums: dict[str, float] = {}
        shares: dict[str, float] = {}
        dropped: list[Dropped] = []
        for candidate in draft.candidates:  # best first
            name = candidate.memory_id
            if kept.setdefault(name, candidate) is not candidate:
                dropped.append(Dropped(*candidate.key, f"another passage of {name} stands higher"))
            if self.share:
                sums[name] = sums.get(name, 0.0) + candidate.score * shares.get(name, 1.0)
                shares[name] = shares.get(name, 1.0) * self.share
        if not self.share:
            return replace(draft, candidates=tuple(kept.values()), dropped=tuple(dropped))
        ceiling = max([1.0, *sums.values()])
        best = [c._replace(score=sums[name] / ceiling) for name, c in kept.items()]
        best.sort(key=lambda c: -c.score)
        return replace(draft, candidates=tuple(best), dropped=tuple(dropped))


@dataclass(frozen=True, slots=True)
class Deduplicate:
    name: ClassVar[str] = "deduplicate"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        kept: dict[str, Candidate] = {}
        dropped: list[Dropped] = []
        for candidate in draft.candidates:
            first = kept.setdefault(signature(candidate.text), candidate)
            if first is not candidate:
                dropped.append(Dropped(*candidate.key, f"says the same as {first.memory_id}"))
        return replace(draft, candidates=tuple(kept.values()), dropped=tuple(dropped))
