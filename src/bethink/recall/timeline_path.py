"""A question about a time is answered by what happened then, newest first, without a search.

`FindPeriod` has read the time. Newest first holds whatever else the question says: somebody who
asks "最近在忙什么" or "what happened yesterday" reads a journal. Only where the period holds more
than the answer can do the other words of the question choose what goes in: "what did we say about
the budget last month" should not be filled up by the last day of that month.

Where nothing is kept of that time the question goes on to a search, and the answer says so: what it
finds is of other days. A memory that has no `occurred_at` counts as of when it was told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time, timedelta
from typing import ClassVar

from bethink.filters import All, Filter
from bethink.recall.draft import Draft, Kit, Period
from bethink.recall.partly import told_if_partly
from bethink.recall.sections import fit, in_order, sections
from bethink.recall.timeline import CHANNEL, during
from bethink.text.tokenise import telling_terms
from bethink.vocabulary import Dropped, Memory, Passage, Status

_Piece = tuple[Memory, Passage]
_MARKS = 4  # tokens for the mark of an entry, and its share of the headings of a file


@dataclass(frozen=True, slots=True)
class TimelinePath:
    name: ClassVar[str] = "timeline_path"
    only: Filter | None = None  # e.g. the kind "journal"; None: whatever happened then
    alone: bool = False  # only where nothing but the time is asked: "what did I do last Tuesday"
    most: int = 1000  # memories that are looked at; a longer period gives those told last

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query, period = draft.query, draft.period
        if period is None or draft.settled or (self.alone and _asks_for_more(period.rest)):
            return draft
        parts = tuple(f for f in (query.where, during(period), self.only) if f is not None)
        where = All(parts)
        page = kit.store.scan(spaces=query.spaces, where=where, newest_first=True, limit=self.most)
        if not page.memories and self.only is not None:  # what else happened then may follow
            return draft.note("timeline: no such entry of that time")
        if not page.memories and (unread := _unread(draft, period, kit)):
            return draft.fault(
                Status.STALE,
                f"the journal of {unread} is not read yet; 'bethink sync' reads it. What is found "
                "is of other times",
            )
        if not page.memories:
            return draft.fault(
                Status.ANSWERED,  # makes no status worse: the search may well have an answer
                f"there is nothing of {period_named(period)}; it was searched by words and meaning "
                "instead, so what is found is of other times",
            )
        newest = sorted(page.memories, key=_moment, reverse=True)  # stable: told later goes first
        if page.cursor is not None:
            draft = draft.note(f"timeline: only the {self.most} told last were looked at")
        pieces: list[_Piece] = [
            (memory, passage) for memory in newest for passage in sections(memory, query, kit)
        ]
        telling = telling_terms(period.rest)
        if telling and not fit(newest, query, kit):
            named = kit.store.search_words(
                telling, spaces=query.spaces, where=where, limit=self.most
            )
            draft = told_if_partly(draft, named)
            holding = {(found.memory_id, found.ordinal) for found in named}
            draft, pieces = _chosen(draft, kit, pieces, holding)
        return draft._replace(
            candidates=in_order(pieces, channel=CHANNEL, falling=True),
            channels={},
            settled=f"{len(newest)} memories of the time that the question names",
        ).note(_told(newest))


def _chosen(
    draft: Draft, kit: Kit, pieces: list[_Piece], holding: set[tuple[str, int]]
) -> tuple[Draft, list[_Piece]]:
    """As many as fit: first those that hold a word of the question, then the newest others."""
    of_memories = {memory_id for memory_id, _ in holding}

    def holds(piece: _Piece) -> bool:
        memory, passage = piece
        if passage.end - passage.start == len(memory.text):
            return memory.id in of_memories
        return _key(piece) in holding

    first = [piece for piece in pieces if holds(piece)]
    if not first:
        return draft, pieces
    left = draft.query.budget
    chosen: set[tuple[str, int]] = set()
    for piece in (*first, *(other for other in pieces if not holds(other))):
        memory, passage = piece
        tokens = kit.count_tokens(memory.text[passage.start : passage.end])
        tokens += _MARKS if "file" in memory.provenance else 0
        if tokens <= left:
            chosen.add(_key(piece))
            left -= tokens
    dropped = tuple(
        Dropped(*_key(piece), "others of that time left no room for it")
        for piece in pieces
        if _key(piece) not in chosen
    )
    draft = draft._replace(dropped=(*draft.dropped, *dropped))
    if dropped:
        draft = draft.fault(
            Status.ANSWERED,  # makes no status worse: what is shown is right
            f"{len(dropped)} of {len(pieces)} entries of that time do not fit in "
            f"{draft.query.budget} tokens; raise the budget to read all",
        )
    return draft.note(
        f"timeline: not all fit; {len(first)} hold words of the question and go first"
    ), [piece for piece in pieces if _key(piece) in chosen]


def _unread(draft: Draft, period: Period, kit: Kit) -> str:
    """Return the days of the period whose files there was no time to read."""
    first = period.start.astimezone(kit.zone).date()
    last = (period.end - timedelta(microseconds=1)).astimezone(kit.zone).date()
    days = sorted(day for day in draft.unread if first <= day <= last)
    return ", ".join(map(str, days[:3])) + (f" and {len(days) - 3} more" if len(days) > 3 else "")


# What happened is what a time is asked for.
_WHAT_HAPPENED = frozenset({"happen", "happened", "happening", "发生", "發生"})


def _asks_for_more(rest: str) -> bool:
    from bethink.text.keywords import keywords

    return not _WHAT_HAPPENED.issuperset(map(str.lower, keywords(rest)))


def _told(newest: list[Memory]) -> str:
    note = f"timeline: {len(newest)} happened then, newest first"
    only_told = sum(memory.occurred_at is None for memory in newest)
    if not only_told:
        return note
    return f"{note}; {only_told} of them were told then, and when they happened is not known"


def period_named(period: Period) -> str:
    """Whole days by their dates, anything else from when to when."""
    start, end = period.start, period.end
    if start.time() != time() or end.time() != time():
        return f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}"
    last = end - timedelta(days=1)
    return f"{start:%Y-%m-%d}" + (f" to {last:%Y-%m-%d}" if last.date() > start.date() else "")


def _key(piece: _Piece) -> tuple[str, int]:
    return piece[0].id, piece[1].ordinal


def _moment(memory: Memory) -> float:
    return (memory.occurred_at or memory.created_at).timestamp()
