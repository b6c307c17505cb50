"""Asked as of a moment: what was told later is left out, unless it says itself when it held, and
what was revised since is shown as it read then. What had ended by then, or not begun, the searches
leave out themselves.

A memory is found by the words it has now. One that was superseded is a memory of its own and found
by its own words; one that was revised in place is not found by words that only its former form had.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.vocabulary import Candidate, Dropped, Memory, Passage


@dataclass(frozen=True, slots=True)
class AsOf:
    name: ClassVar[str] = "as_of"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        moment = draft.query.as_of
        if not draft.query.looking_back or moment is None:
            return draft
        kept: list[Candidate] = []
        dropped: list[Dropped] = []
        former = 0
        for candidate in draft.candidates:
            memory = candidate.memory
            if memory is None or memory.updated_at <= moment:
                kept.append(candidate)
                continue
            if memory.created_at > moment and not (memory.valid_from or memory.valid_to):
                dropped.append(Dropped(*candidate.key, f"told later, {memory.created_at:%Y-%m-%d}"))
                continue
            then = _as_it_read(memory, moment, kit)
            if not _held(then, moment):
                dropped.append(Dropped(*candidate.key, "it did not hold then"))
                continue
            former += then.text != memory.text
            kept.append(candidate if then is memory else _shown(candidate, then))
        draft = draft._replace(candidates=tuple(kept), dropped=(*draft.dropped, *dropped))
        return draft.note(
            f"as of {moment:%Y-%m-%d %H:%M}: {len(dropped)} left out, {former} as they read then"
        )


def _as_it_read(memory: Memory, moment: datetime, kit: Kit) -> Memory:
    """The form that was replaced first after that moment; the present one if none was."""
    then = memory
    for revision in kit.store.history(memory.id):  # newest first
        if revision.replaced_at <= moment:
            break
        then = revision.memory
    return then


def _held(memory: Memory, moment: datetime) -> bool:
    began = memory.valid_from is None or memory.valid_from <= moment
    return began and (memory.valid_to is None or moment < memory.valid_to)


def _shown(candidate: Candidate, then: Memory) -> Candidate:
    """Its passage of the same place, or the last if the text was shorter then."""
    from bethink.text.faq_layout import layout_of, passages_of

    passages = passages_of(then)
    passage = passages[min(candidate.ordinal, len(passages) - 1)]
    if (entry := layout_of(then)) is not None:
        passage = Passage(candidate.ordinal, *entry.shown)
    return candidate._replace(memory=then, passage=passage)
