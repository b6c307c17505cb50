"""Let a reader judge the best candidates again: a model that reads question and passage together.

It costs some 10 ms a passage, so it reads only the few best, within a time of its own, and not at
all where the first judgement is sure. Its score is one more part of the relevance:

    log-odds = base + prior × (log-odds before) + score × (reader's logit)
               + behind × (how far the reader puts it behind its best)
               + ahead × (how far it puts its best ahead of the second)

The part `reader` in the evidence is the difference, so the parts still add up to the log-odds. The
weights of a measured reader are in `relevance.json`, with marks of their own for `Cut`, fitted by
`python -m benchmarks.relevance.reader`. For any other the two log-odds are averaged, see `DEFAULT`.

A candidate that was not read in time keeps its relevance. A reader that fails changes nothing but
the status, which then says why. Where no stage has judged before, the reader's score is the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, ClassVar

from bethink.errors import RerankerError
from bethink.recall.draft import Draft, Kit
from bethink.recall.parts import best_first
from bethink.recall.relevance import Calibration, log_odds_of, probability, readers
from bethink.recall.replies import ASKS_FROM, replies_to
from bethink.text.both_ends import both_ends
from bethink.text.questions import asking_share
from bethink.text.scripts import mostly_latin
from bethink.vocabulary import Candidate, Status

if TYPE_CHECKING:
    from bethink.rerankers.protocol import Reranker

PART = "reader"
# A reader that was not measured: the mean of both log-odds. Its scores are seldom calibrated, so
# neither side may decide alone.
DEFAULT = Calibration(base=0.0, prior=0.5, score=0.5)
_MOST = 6.0  # log-odds: the most that the score of such a reader can say


@dataclass(frozen=True, slots=True)
class Read:
    """With `order`, the relevance is the score too; else the preset has a formula of its own."""

    name: ClassVar[str] = PART
    candidates: int = 10  # 10 give most of what 30 give (benchmarks/LOG.md)
    order: bool = True
    sure: float = 0.9  # nothing is read if the best is at least so relevant …
    ahead: float = 3.0  # … and this far ahead of the second, in log-odds

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if not draft.candidates or draft.settled:  # a whole list or a day has its own order
            return draft
        judged = draft.candidates[0].relevance is not None
        if not judged and len(draft.candidates) < 2:
            return draft
        try:
            reader = kit.reranker()
            if reader is None:
                return draft
            if judged and self._is_sure(draft.candidates):
                return draft.note(f"{reader.name} read nothing: the best is clear")
            chosen = to_read(draft, self.candidates, english_only(reader))
            if not chosen:
                return draft.note(f"{reader.name} read nothing: it reads English only")
            logits = _logits(reader, draft, kit, chosen)
        except RerankerError as e:
            return draft.fault(Status.DEGRADED, f"not read again, the order is as found: {e}")
        said = f"{reader.name} read {len(logits)} of {len(draft.candidates)}"
        if len(logits) < len(chosen):
            said += f"; the time was up before {len(chosen) - len(logits)} more"
        if not logits:
            return draft.note(said)
        read = dict(zip((candidate.key for candidate in chosen), logits, strict=False))
        if judged:
            draft = self._judged(draft, reader, read)
        else:
            draft = draft._replace(candidates=_by_score(draft.candidates, read))
        return draft.note(said)

    def _is_sure(self, candidates: Sequence[Candidate]) -> bool:
        relevances = sorted((c.relevance or 0.0 for c in candidates), reverse=True)
        if relevances[0] < self.sure:
            return False
        return (
            len(relevances) < 2
            or log_odds_of(relevances[0]) - log_odds_of(relevances[1]) >= self.ahead
        )

    def _judged(self, draft: Draft, reader: Reranker, read: dict[tuple[str, int], float]) -> Draft:
        calibration = readers().get(reader.name)
        weights = calibration or DEFAULT
        ordered = sorted(read.values(), reverse=True)
        best, second = ordered[0], ordered[min(1, len(ordered) - 1)]
        after: list[Candidate] = []
        for candidate in draft.candidates:
            logit = read.get(candidate.key)
            one = candidate
            if logit is not None and one.relevance is not None:
                before = sum(one.evidence.values()) if one.evidence else log_odds_of(one.relevance)
                if calibration is None:
                    logit = min(max(logit, -_MOST), _MOST)
                now = weights.log_odds(before, logit, best, second)
                evidence = {**one.evidence, PART: now - before}
                one = one._replace(relevance=probability(now), evidence=evidence)
            if self.order and one.relevance is not None:
                one = one._replace(score=one.relevance, parts={"relevance": one.relevance})
            after.append(one)
        return draft._replace(
            candidates=best_first(after) if self.order else tuple(after),
            read_by=reader.name if calibration is not None else "",
        )


def english_only(reader: Reranker) -> bool:
    return bool(getattr(reader, "english_only", False))


def to_read(draft: Draft, most: int, english: bool) -> tuple[Candidate, ...]:
    """The best candidates that the reader can read, the most relevant first."""
    if english and not mostly_latin(draft.query.text):
        return ()
    ordered = sorted(draft.candidates, key=lambda c: -(c.relevance or 0.0))
    return tuple(c for c in ordered[:most] if not english or mostly_latin(c.text))


def text_of(candidate: Candidate, draft: Draft) -> str:
    """What is read: the passage, after the turn that it replies to if that is a candidate too."""
    memory = candidate.memory
    beside = draft.beside.get(candidate.memory_id)
    if memory is None or beside is None or beside.before is None:
        return candidate.text
    for other in draft.candidates:
        turn = other.memory
        if turn is not None and turn.id == beside.before:
            if asking_share(turn.text) >= ASKS_FROM and replies_to(memory, turn):
                return f"{both_ends(turn.text, _TURN_CHARS)}\n{candidate.text}"
            break
    return candidate.text


_TURN_CHARS = 300


def _logits(reader: Reranker, draft: Draft, kit: Kit, chosen: Sequence[Candidate]) -> list[float]:
    """In the pool, so that one that hangs is left behind when the time is up."""
    from bethink.rerankers.protocol import ReadsInOrder, read_texts  # most recalls have no reader

    question = both_ends(draft.query.text)
    texts = [text_of(candidate, draft) for candidate in chosen]
    left = kit.deadline.left()
    if not left:
        raise RerankerError(f"no time was left for {reader.name}; give a longer deadline")
    if isinstance(reader, ReadsInOrder):
        future = kit.pool().submit(read_texts, reader, question, texts, seconds=left)
    else:
        future = kit.pool().submit(_scored, reader, question, texts, left)
    try:
        return future.result(timeout=kit.deadline.left())
    except TimeoutError:
        future.cancel()
        raise RerankerError(
            f"{reader.name} was not done within {draft.query.deadline:g} s; give a longer deadline "
            "or a faster reranker"
        ) from None


def _scored(reader: Reranker, question: str, texts: Sequence[str], seconds: float) -> list[float]:
    """Its scores as logits. Scores that are all from 0 to 1 are taken for probabilities."""
    from bethink.rerankers.protocol import score_texts

    scores = score_texts(reader, question, texts, seconds=seconds)
    if all(0.0 <= score <= 1.0 for score in scores):
        return [_logit(score) for score in scores]
    return scores


def _logit(score: float) -> float:
    return log(max(score, 1e-300)) - log(max(1.0 - score, 1e-16))


def _by_score(
    candidates: tuple[Candidate, ...], read: dict[tuple[str, int], float]
) -> tuple[Candidate, ...]:
    """The order of the reader, then what it did not read, scaled to lie below."""
    mine = sorted((c for c in candidates if c.key in read), key=lambda c: -read[c.key])
    ordered: list[Candidate] = []
    for candidate in mine:
        score = 1 / (1 + exp(-min(max(read[candidate.key], -80.0), 80.0)))
        ordered.append(candidate._replace(score=score, parts={PART: score}))
    rest = tuple(c for c in candidates if c.key not in read)
    return (*ordered, *_below(ordered[-1].score, rest))


def _below(most: float, rest: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The rest, scaled so that none stands above what was read."""
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
