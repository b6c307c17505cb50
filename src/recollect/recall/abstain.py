"""Say how likely it is that an answer is here at all, and keep silent below a floor.

The confidence is 0 to 1, from two things that mean the same in every space: how much of the
question, weighted by how rare its words are there, one of the best candidates holds; and how near
they are in meaning. What nearness means differs from embedder to embedder, so each that was
measured has its own calibration; the others go by how far a passage stands out from the usual.
docs/reference/confidence.md tells what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp
from typing import ClassVar, NamedTuple

from recollect.recall.budget import hit_of
from recollect.recall.draft import Draft, Evidence, Kit
from recollect.recall.search_exact import CHANNEL as EXACT
from recollect.text.tokenise import identifiers
from recollect.vocabulary import Dropped, Status


class Calibration(NamedTuple):
    """Log odds that a question is answered from here: a straight line through the evidence."""

    offset: float
    coverage: float
    cosine: float = 0.0
    standing: float = 0.0
    floor: float = 0.0  # at most one answerable question in fifty was below it

    def confidence(self, evidence: Evidence) -> float:
        odds = (
            self.offset
            + self.coverage * evidence.coverage
            + self.cosine * (evidence.cosine or 0.0)
            + self.standing * (evidence.standing or 0.0)
        )
        return 1 / (1 + exp(-odds))


WORDS_ALONE = Calibration(-1.61, 4.4, floor=0.2)
ANY_EMBEDDER = Calibration(-2.01, 3.95, standing=0.16, floor=0.2)
# By the beginning of the fingerprint: another version of a model is measured anew.
MEASURED = {"use-multilingual-v3/": Calibration(-4.36, 2.9, cosine=7.0, floor=0.03)}

# Nothing was measured in smaller spaces, and whoever has told five things wants to see them.
_CALIBRATED_FROM = 30
_NOT_HELD = 0.1  # and whoever does not, has not: 1042 is not 1043
_EXACT = 0.95  # whoever asks for an identifier and finds it has found what they asked for


@dataclass(frozen=True, slots=True)
class Abstain:
    name: ClassVar[str] = "abstain"
    least: float | None = None  # the preset's own floor, in a space of any size

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        evidence = draft.evidence
        if draft.settled or evidence is None or not draft.candidates:
            return draft
        calibration = _calibration(draft)
        confidence = calibration.confidence(evidence)
        named = identifiers(draft.query.text) if draft.query.words else ()
        missing = ""
        if EXACT in draft.candidates[0].channels:
            confidence = max(confidence, _EXACT)
        elif named:
            confidence *= _NOT_HELD
            missing = f"; nothing holds {' '.join(named[:3])} exactly"
        floor = self.least if draft.query.floor is None else draft.query.floor
        if floor is None:
            floor = calibration.floor if evidence.passages >= _CALIBRATED_FROM else 0.0
        told = (
            f"confidence {confidence:.2f}: the best hold {evidence.coverage:.0%} of what the "
            f"question asks for{missing}"
        )
        if evidence.cosine is not None:
            told += f", cosine {evidence.cosine:.2f}"
        sure = round(confidence, 4)
        if confidence >= floor:
            return replace(draft, confidence=sure, notes=(*draft.notes, told))
        best = draft.candidates[0]
        gone = tuple(
            Dropped(*c.key, f"the confidence {confidence:.2f} is below the floor {floor:.2f}")
            for c in draft.candidates
        )
        return replace(
            draft,
            candidates=(),
            dropped=gone,
            confidence=sure,
            nearest=hit_of(best, kit.count_tokens(best.text)),
        ).fault(
            Status.BELOW_FLOOR,
            f"nothing here seems to answer this ({told}; the floor is {floor:.2f}). "
            "Ask in other words, or lower the floor",
        )


def _calibration(draft: Draft) -> Calibration:
    if draft.standing is None or draft.question is None:
        return WORDS_ALONE
    fingerprint = draft.question.fingerprint
    for beginning, calibration in MEASURED.items():
        if fingerprint.startswith(beginning):
            return calibration
    return ANY_EMBEDDER
