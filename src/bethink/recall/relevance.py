"""Relevance: the probability, 0 to 1, that a candidate answers the question.

It alone decides what is handed out and which status the answer has. `signals.py` writes down what
speaks for each candidate; here a linear model in log-odds weighs it:

    log-odds = base + Σ weight × signal        relevance = 1 / (1 + exp(−log-odds))

The weights are in `relevance.json`, fitted by `python -m benchmarks.relevance` on real questions
with right and wrong memories, for each embedder by itself. Signals of one topic (words, meaning,
speaker, …) are added up to one named part, so every hit can say what its relevance is made of, and
anybody can recompute it. docs/reference/relevance.md has the parts, the curves and the limits.

`Judge` gives every candidate its relevance. `Cut` drops what is below the floor or far below the
best, and sets the status:

- `answered`: the best is so relevant that at least 85 % of such answers were right;
- `uncertain`: there is some chance; at most three hits are handed out;
- `below_floor`: nothing is handed out, and the nearest miss is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from bethink.recall.budget import hit_of
from bethink.recall.draft import Draft, Kit
from bethink.recall.parts import best_first
from bethink.recall.signals import SIGNALS
from bethink.text.scripts import mostly_latin
from bethink.vocabulary import Candidate, Dropped, Status

WORDS_ALONE = "words"  # the model for questions that meaning did not answer
ANY_EMBEDDER = "any"  # and for an embedder that was not measured: its cosines mean nothing to us
BASE = "base"
_FILE = "relevance.json"
# What another channel found (the newest of working memory, an earlier turn's reference, the web) is
# handed out for a reason of its own: it is neither judged nor cut.
_JUDGED = frozenset(
    {"meaning", "words", "exact", "entity", "timeline", "neighbour", "faq", "expansion"}
)
_UNCERTAIN_HITS = 3
_ROUNDING = 1e-9


class Marks(NamedTuple):
    """Where on the scale of the relevance an answer is sure, and where it is none."""

    answered: float
    floor: float
    unasked: float
    keep: float


class Model(NamedTuple):
    """One set of weights, and the marks on its scale."""

    base: float
    weights: tuple[float, ...]  # in the order of SIGNALS
    answered: float  # from here on at least 85 % of the answers were right
    floor: float  # below it nothing is handed out
    unasked: float  # the floor where nobody asked: an agent's hook speaks only if it helps
    keep: float  # the share of the best relevance that a further hit needs

    def log_odds(self, row: tuple[float, ...]) -> dict[str, float]:
        """The named parts; their sum is the log-odds of the relevance."""
        parts = {BASE: self.base}
        for name, weight, value in zip(_PARTS, self.weights, row, strict=True):
            if value and weight:
                parts[name] = parts.get(name, 0.0) + weight * value
        return parts


_PARTS = tuple(name.split(".")[0] for name in SIGNALS)


@cache
def models() -> Mapping[str, Model]:
    """Every model by the beginning of the fingerprint of its embedder."""
    read: Any = json.loads(Path(__file__).with_name(_FILE).read_text("utf-8"))
    return {name: model_from(one) for name, one in read["models"].items()}


def model_from(values: Mapping[str, Any]) -> Model:
    weights: Mapping[str, float] = values["weights"]
    unknown = set(weights) - set(SIGNALS)
    if unknown:
        raise ValueError(f"{_FILE} weighs signals that nothing computes: {sorted(unknown)}")
    return Model(
        base=values["base"],
        weights=tuple(weights.get(name, 0.0) for name in SIGNALS),
        answered=values["answered"],
        floor=values["floor"],
        unasked=values["unasked"],
        keep=values["keep"],
    )


def model_for(draft: Draft) -> Model:
    """By the embedder that answered, and the script of the question where it was fitted apart."""
    if draft.standing is None or draft.question is None:
        return models()[WORDS_ALONE]
    script = "latin" if mostly_latin(draft.query.text) else "other"
    known = models()
    for name in known:
        beginning, _, of_script = name.partition(" ")
        if draft.question.fingerprint.startswith(beginning) and of_script in ("", script):
            return known[name]
    return known[ANY_EMBEDDER]


class Calibration(NamedTuple):
    """How a reader's logit joins the log-odds of a candidate; see `read.py`."""

    base: float
    prior: float
    score: float
    behind: float = 0.0
    ahead: float = 0.0
    marks: Marks | None = None  # on the scale of the relevance after reading

    def log_odds(self, before: float, logit: float, best: float, second: float) -> float:
        """`best` and `second`: the two highest logits of this question."""
        weighed = self.base + self.prior * before + self.score * logit
        if logit < best:
            return weighed + self.behind * max(logit - best, -_MOST_BEHIND)
        return weighed + self.ahead * min(best - second, _MOST_AHEAD)


_MOST_BEHIND, _MOST_AHEAD = 4.0, 6.0  # logits: beyond it says no more


@cache
def readers() -> Mapping[str, Calibration]:
    """Every reader that was measured, by its name."""
    read: Any = json.loads(Path(__file__).with_name(_FILE).read_text("utf-8"))
    return {
        name: Calibration(**one["weights"], marks=Marks(*(one[mark] for mark in Marks._fields)))
        for name, one in read.get("readers", {}).items()
    }


def marks_for(draft: Draft) -> Marks:
    """Of the reader that has judged last, else of the embedder's model."""
    calibration = readers().get(draft.read_by) if draft.read_by else None
    if calibration is not None and calibration.marks is not None:
        return calibration.marks
    model = model_for(draft)
    return Marks(model.answered, model.floor, model.unasked, model.keep)


def probability(log_odds: float) -> float:
    return 1 / (1 + exp(-min(max(log_odds, -30.0), 30.0)))


def log_odds_of(relevance: float) -> float:
    bounded = min(max(relevance, 1e-9), 1 - 1e-9)
    return log(bounded / (1 - bounded))


@dataclass(frozen=True, slots=True)
class Judge:
    """Give every candidate its relevance. With `order` it is also their score and their order;
    else the preset has a formula of its own."""

    name: ClassVar[str] = "relevance"
    order: bool = True

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        signals = draft.signals
        if draft.settled or signals is None or not draft.candidates:
            return draft
        model = model_for(draft)
        judged: list[Candidate] = []
        for candidate in draft.candidates:
            parts = model.log_odds(signals.rows[candidate.key])
            p = probability(sum(parts.values()))
            if self.order:
                told = {"relevance": p}
                judged.append(candidate._replace(score=p, parts=told, relevance=p, evidence=parts))
            else:
                judged.append(candidate._replace(relevance=p, evidence=parts))
        best = max((c.relevance or 0.0 for c in judged), default=0.0)
        return draft._replace(
            candidates=best_first(judged) if self.order else tuple(judged),
            notes=(*draft.notes, f"the best has a relevance of {best:.2f}"),
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """Drop what is not relevant enough, and say how sure the answer is.

    `unasked`: nobody asked, so speak only if it helps. What was found in another way than by the
    question's words and meaning stays, and then the answer is not uncertain. A caller's floor of 0
    switches the cut off.
    """

    name: ClassVar[str] = "cut"
    unasked: bool = False

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        judged = [c.relevance for c in draft.candidates if c.relevance is not None and _is_cut(c)]
        if draft.settled or not judged:
            return draft
        model = marks_for(draft)
        best = max(judged)
        draft = draft._replace(confidence=round(best, 4))
        asked_for = draft.query.floor
        floor = asked_for
        if floor is None:
            floor = model.unasked if self.unasked else model.floor
        lacks = _lacks_the_detail(draft)
        sure = (best >= model.answered and not lacks) or len(judged) < len(draft.candidates)
        if not floor:
            return draft if sure else _uncertain(draft, best, model, lacks)
        kept: list[Candidate] = []
        dropped: list[Dropped] = []
        least = floor if asked_for is not None else max(floor, model.keep * best)
        for candidate in draft.candidates:
            relevance = candidate.relevance
            if relevance is None or relevance >= least - _ROUNDING or not _is_cut(candidate):
                kept.append(candidate)
            else:
                dropped.append(Dropped(*candidate.key, _why_dropped(relevance, floor, best)))
        if not kept:
            return _nothing_left(draft, kit, dropped, best, floor)
        if not sure:
            for candidate in kept[_UNCERTAIN_HITS:]:
                reason = f"beyond the {_UNCERTAIN_HITS} hits of an uncertain answer"
                dropped.append(Dropped(*candidate.key, reason))
            kept = kept[:_UNCERTAIN_HITS]
        draft = draft._replace(candidates=tuple(kept), dropped=tuple(dropped))
        return draft if sure else _uncertain(draft, best, model, lacks)


def _lacks_the_detail(draft: Draft) -> bool:
    """The best candidate holds no price, age, colour … where one is asked for."""
    if draft.signals is None:
        return False
    best = max(draft.candidates, key=lambda c: c.relevance or 0.0)
    row = draft.signals.rows.get(best.key)
    return row is not None and row[_DETAIL_MISSING] > 0


_DETAIL_MISSING = SIGNALS.index("detail.missing")


def _is_cut(candidate: Candidate) -> bool:
    return _JUDGED.issuperset(candidate.channels)


def _why_dropped(relevance: float, floor: float, best: float) -> str:
    if relevance < floor:
        return f"its relevance {relevance:.2f} is below the floor {floor:.2f}"
    return f"its relevance {relevance:.2f} is far below the best, {best:.2f}"


def _uncertain(draft: Draft, best: float, model: Marks, lacks: bool) -> Draft:
    if lacks and best >= model.answered:
        return draft.fault(Status.UNCERTAIN, "the subject is known, the asked detail is not")
    return draft.fault(
        Status.UNCERTAIN,
        f"the best hit has a relevance of {best:.2f}; an answer is sure from {model.answered:.2f}",
    )


def _nothing_left(
    draft: Draft, kit: Kit, dropped: list[Dropped], best: float, floor: float
) -> Draft:
    nearest = max(draft.candidates, key=lambda c: c.relevance or 0.0)
    missing = draft.signals.missing if draft.signals else ""
    lacking = f"; nothing holds {missing} exactly" if missing else ""
    return draft._replace(
        candidates=(),
        dropped=tuple(dropped),
        nearest=hit_of(nearest, kit.count_tokens(nearest.text)),
    ).fault(
        Status.BELOW_FLOOR,
        f"nothing here seems to answer this: the best has a relevance of {best:.2f}, the floor is "
        f"{floor:.2f}{lacking}. Ask in other words, or lower the floor",
    )
