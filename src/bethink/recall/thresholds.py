"""What is not good enough goes, and by how much it failed is written down.

`Thresholds` cuts each search's list on that search's own scale, before the lists are mixed:

- meaning: the cosine, -1 to 1;
- words: the share of the question's telling words that the passage holds, 0 to 1
  (`bethink.text.coverage`). Never BM25, which has no upper bound and means something else in
  every space.

What holds an identifier of the question exactly is left alone. Where nothing is left, the answer is
`below_floor` and shows the nearest miss. `floor.py` cuts the mixed list by its score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from bethink.recall.draft import Draft, Kit
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.text.searched import searched_text
from bethink.vocabulary import (
    Candidate,
    Dropped,
    Found,
    Hit,
    Memory,
    Passage,
    Place,
    Status,
    Tier,
)

ROUNDING = 1e-5  # the cosine of a text with itself may come out as 0.999998
_GONE = "forgotten while this question was answered"
_LOOKED_AT = 5  # of the nearest misses: some may have been forgotten meanwhile


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The question's thresholds, or where it names none, those of the preset."""

    name: ClassVar[str] = "thresholds"
    meaning: float | None = None
    words: float | None = None

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        query = draft.query
        least = {
            MEANING: self.meaning if query.meaning_threshold is None else query.meaning_threshold,
            WORDS: self.words if query.words_threshold is None else query.words_threshold,
        }
        missed: list[Miss] = []
        for channel, threshold in least.items():
            found = draft.channels.get(channel, ())
            if threshold is None or not found:
                continue
            measured = (
                [f.score for f in found] if channel == MEANING else _word_shares(draft, kit, found)
            )
            draft, fell = _cut(draft, channel, threshold, measured)
            missed += fell
        if not missed or any(draft.channels.values()):
            return draft
        return nothing_left(draft, kit, missed, "meaning_threshold or words_threshold")


class Miss(NamedTuple):
    """A candidate that is not good enough, and by how much."""

    candidate: Candidate
    what: str
    value: float
    least: float

    @property
    def gap(self) -> float:
        return self.least - self.value

    @property
    def dropped(self) -> Dropped:
        reason = f"{self.what} {self.value:.3f} is {self.gap:.3f} below the least of {self.least:g}"
        return Dropped(*self.candidate.key, reason)


def _word_shares(draft: Draft, kit: Kit, found: Sequence[Found]) -> list[float | None]:
    """How much of the question each passage holds; None where it is gone."""
    from bethink.text.coverage import Asked
    from bethink.text.keywords import without_scaffolding

    text = draft.plan.rewritten if draft.plan else draft.query.text
    asked = Asked.of(without_scaffolding(text))
    if draft.period is not None:  # the words that name a time are answered by the time
        rest = Asked.of(without_scaffolding(draft.period.rest))
        asked = rest if rest.total else asked
    fetched = _fetched([(f.memory_id, f.ordinal) for f in found], draft, kit)
    return [None if one is None else asked.share_in(searched_text(*one)) for one in fetched]


def _fetched(
    keys: Sequence[tuple[str, int]], draft: Draft, kit: Kit
) -> list[tuple[Memory, Passage] | None]:
    """Passages by key, from the store or from working memory."""
    fetched = iter(kit.store.fetch([key for key in keys if key not in draft.working]))
    return [draft.working[key] if key in draft.working else next(fetched) for key in keys]


def _cut(
    draft: Draft, channel: str, least: float, measured: Sequence[float | None]
) -> tuple[Draft, list[Miss]]:
    found = draft.channels[channel]
    kept: list[Found] = []
    missed: list[Miss] = []
    dropped: list[Dropped] = []
    for rank, (one, value) in enumerate(zip(found, measured, strict=True)):
        if value is None:
            dropped.append(Dropped(one.memory_id, one.ordinal, _GONE))
        elif value >= least - ROUNDING:
            kept.append(one)
        else:
            places = {channel: Place(rank, one.score)}
            candidate = Candidate(one.memory_id, one.ordinal, max(0.0, value), places)
            missed.append(Miss(candidate, channel, value, least))
    dropped += [miss.dropped for miss in missed]
    draft = draft._replace(dropped=(*draft.dropped, *dropped)).with_channel(channel, tuple(kept))
    return draft.note(f"{channel}: {len(kept)} of {len(found)} reach {least:g}"), missed


def nothing_left(draft: Draft, kit: Kit, missed: list[Miss], what_to_lower: str) -> Draft:
    """Below the floor, with the nearest of the misses."""
    missed = sorted(missed, key=lambda miss: miss.gap)[:_LOOKED_AT]
    fetched = _fetched([miss.candidate.key for miss in missed], draft, kit)
    for miss, one in zip(missed, fetched, strict=True):
        if one is None or one[0].space not in draft.query.spaces:
            continue
        memory, passage = one
        text = memory.text[passage.start : passage.end]
        nearest = Hit(
            memory=memory,
            passage=passage,
            text=text,
            score=round(miss.candidate.score, 6),
            tokens=kit.count_tokens(text),
            channels=miss.candidate.channels,
            parts=miss.candidate.parts or {miss.what: round(miss.value, 6)},
            tier=Tier.WORKING if miss.candidate.key in draft.working else Tier.LONG_TERM,
        )
        return draft._replace(nearest=nearest).fault(
            Status.BELOW_FLOOR,
            f"something was found, but nothing good enough: the nearest, {memory.id}, has "
            f"{miss.what} {miss.value:.3f} where {miss.least:g} is the least; lower "
            f"{what_to_lower} to see it",
        )
    return draft.note("what came nearest was forgotten meanwhile")
