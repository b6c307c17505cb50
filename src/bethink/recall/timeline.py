"""Time in a question: "last Tuesday", "上周五", "在5月2日".

`FindPeriod` reads it into a range of real moments. `SearchPeriod` brings what happened then as
candidates, so that a memory whose text never names its day is found by it. The relevance then lifts
what happened in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.clock import to_micros
from bethink.filters import All, AnyOf, Condition, Filter, Not
from bethink.recall.draft import Draft, Kit, Period
from bethink.text.time_hints import may_name_a_time
from bethink.vocabulary import Found

CHANNEL = "timeline"


@dataclass(frozen=True, slots=True)
class FindPeriod:
    """Read the time that the question names, in the user's time zone."""

    name: ClassVar[str] = "find_period"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if not may_name_a_time(draft.query.text):
            return draft
        from bethink.text.time_phrases import find_time_phrases

        phrases = find_time_phrases(draft.query.text, now=kit.clock(), zone=kit.zone)
        if not phrases:
            return draft
        text = draft.query.text
        for phrase in reversed(phrases):
            text = text[: phrase.span[0]] + " " + text[phrase.span[1] :]
        period = Period(phrases[0].start, phrases[0].end, text)
        shown = f"{period.start:%Y-%m-%d %H:%M} to {period.end:%Y-%m-%d %H:%M}"
        return draft._replace(period=period).note(f"“{phrases[0].text}” means {shown}")


@dataclass(frozen=True, slots=True)
class SearchPeriod:
    """Bring what happened then as candidates."""

    name: ClassVar[str] = "search_period"
    candidates: int = 50

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.period is None or draft.settled:
            return draft
        query = draft.query
        then = during(draft.period)
        where = then if query.where is None else All((query.where, then))
        page = kit.store.scan(
            spaces=query.spaces, where=where, newest_first=True, limit=self.candidates
        )
        found = tuple(Found(memory.id, 0, 1.0) for memory in page.memories)
        return draft.with_channel(CHANNEL, found).note(f"timeline: {len(found)} happened then")


def during(period: Period) -> Filter:
    """By when it happened; by when it was told if that is not known."""
    start, end = to_micros(period.start), to_micros(period.end)

    def between(field: str) -> Filter:
        return All((Condition(field, None, ">=", start), Condition(field, None, "<", end)))

    unknown = Not(Condition("occurred_at", None, "exists", True))
    return AnyOf((between("occurred_at"), All((unknown, between("created_at")))))
