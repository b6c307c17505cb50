"""Drop what only fills the list: there is always something nearest, and a word in common.

Whatever words or meaning found is judged by itself, on the line that the confidence is made of: how
much of the question it holds and how near it is in meaning. Below what any right passage of the
measured documents had, it is noise (docs/reference/knowledge-quality.md). In a small base that is
most of what is found. What came in another way (an identifier, an entry, the web, an earlier turn)
has other reasons to be here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.abstain import Calibration, calibration_for
from bethink.recall.budget import hit_of
from bethink.recall.draft import Draft, Evidence, Kit
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.text.coverage import Asked
from bethink.vocabulary import Candidate, Dropped, Status

_JUDGED = frozenset({MEANING, WORDS})


@dataclass(frozen=True, slots=True)
class DropNoise:
    """Stands behind `GatherEvidence(compare=True)`, which finds out how near everything is."""

    name: ClassVar[str] = "noise"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or draft.evidence is None or draft.query.floor == 0:
            return draft  # whoever wants no floor wants to see what there is
        line = calibration_for(draft)
        least = line.raised(line.noise, draft.evidence.passages)
        question = _Question(draft)
        kept: list[Candidate] = []
        dropped: list[Dropped] = []
        for candidate in draft.candidates:
            sure = question.confidence_in(candidate, line, least)
            if sure is None or sure >= least:
                kept.append(candidate)
                continue
            reason = f"by itself it has a confidence of {sure:.3f}, as what is about something else"
            dropped.append(Dropped(*candidate.key, reason))
        if not dropped:
            return draft
        best = draft.candidates[0]
        draft = draft._replace(candidates=tuple(kept), dropped=tuple(dropped))
        if kept:
            return draft
        return draft._replace(nearest=hit_of(best, kit.count_tokens(best.text))).fault(
            Status.BELOW_FLOOR,
            "nothing here seems to answer this: all that was found is about something else. "
            "Ask in other words, or with a floor of 0",
        )


class _Question:
    """What is asked, made ready once, and only if somebody wants to know."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._asked: Asked | None = None

    def confidence_in(self, candidate: Candidate, line: Calibration, least: float) -> float | None:
        """None where it came in a way that says more than this could."""
        if not _JUDGED.issuperset(candidate.channels):
            return None
        near = self._evidence(candidate, 0.0)
        sure = line.confidence(near)
        if sure >= least:  # as most of what is found: no text needs to be read
            return sure
        return line.confidence(near._replace(coverage=self._share_in(_told(candidate))))

    def _evidence(self, candidate: Candidate, coverage: float) -> Evidence:
        standing = self._draft.standing
        if standing is None:
            return Evidence(coverage, None, None, 0)
        spreads = standing.spreads.get(candidate.key, 0.0)
        return Evidence(coverage, spreads, standing.mean + spreads * standing.spread, 0)

    def _share_in(self, text: str) -> float:
        if self._asked is None:
            from bethink.text.keywords import without_scaffolding

            self._asked = Asked.of(without_scaffolding(self._draft.query.text))
        # a question of grammar alone ("what is it?") can be held by nothing
        return self._asked.share_in(text) if self._asked.total else 1.0


def _told(candidate: Candidate) -> str:
    """With what stands above it: a section below "Travel" need not say the word again."""
    memory = candidate.memory
    if memory is None:
        return candidate.text
    return f"{memory.metadata.get('title', '')}\n{memory.section}\n{candidate.text}"
