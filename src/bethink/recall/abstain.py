"""Say how likely it is that an answer is here at all, and keep silent below a floor.

The confidence is 0 to 1, from two things that mean the same in every space: how much of the
question, weighted by how rare its words are there, one of the best candidates holds; and how near
they are in meaning. What nearness means differs from embedder to embedder, so each that was
measured has its own calibration; the others go by how far a passage stands out from the usual.
docs/reference/confidence.md tells what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar, NamedTuple

from bethink.embedders.measured import ByScript, measured
from bethink.recall.budget import hit_of
from bethink.recall.draft import Draft, Evidence, Kit
from bethink.recall.evidence import FROM, besides
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_exact import plain_numbers
from bethink.text.tokenise import identifiers, query_terms
from bethink.vocabulary import Dropped, Status

_USUAL, _LARGE = 2_000, 100_000  # passages


class Calibration(NamedTuple):
    """Log odds that a question is answered from here: a straight line through the evidence."""

    offset: float
    coverage: float
    cosine: float = 0.0
    standing: float = 0.0
    floor: float = 0.0  # at most one answerable question in fifty was below it
    unasked: float = 0.5  # from here on it is worth speaking without being asked
    documents: float = 0.0  # the floor for documents: they say more than memories, and at length
    noise: float = 0.0  # a single passage below it answered none of the questions to documents
    growth: float = 0.0  # of these two, in log odds, for each e-fold of passages

    def raised(self, least: float, passages: int) -> float:
        """In a large base something stands this near by chance: from 2,000 passages to 100,000."""
        if not least:
            return least
        times = min(max(passages, _USUAL), _LARGE) / _USUAL
        return 1 / (1 + exp(-(log(least / (1 - least)) + self.growth * log(times))))

    def confidence(self, evidence: Evidence) -> float:
        odds = (
            self.offset
            + self.coverage * evidence.coverage
            + self.cosine * (evidence.cosine or 0.0)
            + self.standing * (evidence.standing or 0.0)
        )
        return 1 / (1 + exp(-odds))


WORDS_ALONE = Calibration(
    -1.61, 4.4, floor=0.2, unasked=0.45, documents=0.2, noise=0.25, growth=0.1
)
ANY_EMBEDDER = Calibration(
    -2.01, 3.95, standing=0.16, floor=0.2, unasked=0.45, documents=0.2, noise=0.25, growth=0.1
)
USE_MULTILINGUAL = Calibration(
    -4.36, 2.9, cosine=7.0, floor=0.03, unasked=0.15, documents=0.08, noise=0.05, growth=0.33
)
# By the beginning of the fingerprint: another version of a model is measured anew.
MEASURED: Mapping[str, Calibration | ByScript[Calibration]] = {
    "use-multilingual-v3/": USE_MULTILINGUAL,
    "use-m+arctic-s/": ByScript(
        # fitted with -3.33; lowered until its floors mean what they do for the other
        latin=USE_MULTILINGUAL._replace(offset=-4.33, coverage=2.53, cosine=9.06),
        other=USE_MULTILINGUAL._replace(cosine=9.04),  # of cosines up to .775
    ),
}

# Nothing was measured in smaller spaces, and whoever has told five things wants to see them.
_CALIBRATED_FROM = 30
_NOT_HELD = 0.1  # and whoever does not, has not: 1042 is not 1043
_WEB = "web"  # the channel of what is read on the web
_EXACT = 0.95  # whoever asks for an identifier and finds it has found what they asked for


@dataclass(frozen=True, slots=True)
class Abstain:
    name: ClassVar[str] = "abstain"
    unasked: bool = False  # nobody put a question: speak only if it is worth it
    documents: bool = False  # these are asked

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        evidence = draft.evidence
        if draft.settled or evidence is None or not draft.candidates:
            return draft
        calibration = calibration_for(draft)
        confidence = calibration.confidence(evidence)
        named = _named(draft.query.text) if draft.query.words else ()
        missing = ""
        if EXACT in draft.candidates[0].channels and (named or _names_a_number(draft.query.text)):
            confidence = max(confidence, _EXACT)
        elif named and _is_what_is_asked(named, draft):
            confidence *= _NOT_HELD
            missing = f"; nothing holds {' '.join(named[:3])} exactly"
        floor = draft.query.floor
        if floor is None and any(_WEB in c.channels for c in draft.candidates[:FROM]):
            floor = 0.0  # the web was asked too, and nothing was measured there
        elif floor is None and self.unasked:
            floor = calibration.unasked
        elif floor is None:
            # without words nothing is covered, and that says nothing against it
            strict = self.documents and draft.query.words
            floor = (
                calibration.raised(calibration.documents, evidence.passages)
                if strict
                else calibration.floor
            )
            floor = floor if evidence.passages >= _CALIBRATED_FROM else 0.0
        told = (
            f"confidence {confidence:.2f}: the best hold {evidence.coverage:.0%} of what the "
            f"question asks for{missing}"
        )
        if evidence.cosine is not None:
            told += f", cosine {evidence.cosine:.2f}"
        sure = round(confidence, 4)
        if confidence >= floor:
            return draft._replace(confidence=sure, notes=(*draft.notes, told))
        best = draft.candidates[0]
        gone = tuple(
            Dropped(*c.key, f"the confidence {confidence:.2f} is below the floor {floor:.2f}")
            for c in draft.candidates
        )
        return draft._replace(
            candidates=(),
            dropped=gone,
            confidence=sure,
            nearest=hit_of(best, kit.count_tokens(best.text)),
        ).fault(
            Status.BELOW_FLOOR,
            f"nothing here seems to answer this ({told}; the floor is {floor:.2f}). "
            "Ask in other words, or lower the floor",
        )


def _is_what_is_asked(named: tuple[str, ...], draft: Draft) -> bool:
    """Whether an answer must hold the identifier: the question is about little else, or the best
    candidate is about its like (1043 instead of 1042). A file that a longer question names by the
    way speaks against nothing."""
    if not besides(named, query_terms(draft.query.text)):
        return True
    held = _named(draft.candidates[0].text)
    return any(_alike(one, other) for one in named for other in held)


def _named(text: str) -> tuple[str, ...]:
    from bethink.text.verbatim import verbatim_names  # loaded by the exact search already

    return (*identifiers(text), *verbatim_names(text))


def _names_a_number(text: str) -> bool:
    """A long one (error 40029) is hardly a quantity; "500 users" is."""
    return any(len(number) > 3 for number in plain_numbers(text))


def _alike(one: str, other: str) -> bool:
    """Do they differ in their numbers only, or in one of several parts? Paths are all alike."""
    if "/" in one or "\\" in one:
        return False
    mine, yours = (re.split(r"[^a-z0]+", re.sub(r"\d+", "0", name)) for name in (one, other))
    if len(mine) != len(yours):
        return False
    differing = sum(a != b for a, b in zip(mine, yours, strict=True))
    return differing == 0 or (differing == 1 and len(mine) > 1)


def calibration_for(draft: Draft) -> Calibration:
    if draft.standing is None or draft.question is None:
        return WORDS_ALONE
    return measured(MEASURED, draft.question.fingerprint, draft.query.text, ANY_EMBEDDER)
