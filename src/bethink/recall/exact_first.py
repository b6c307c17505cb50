"""Whoever holds an identifier of the question exactly stands above whoever does not.

Fusion by ranks knows no such thing, and what is new or often told may be lifted above it later:
`ERR_CONN_1043`, told yesterday, is still not what was asked for. Stands after whatever mixes
scores: half of the score is then what it was, the other half is for holding the identifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.parts import added
from bethink.recall.search_exact import CHANNEL as EXACT


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
