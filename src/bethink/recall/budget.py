"""Choose what fits: best first, within the number of hits, of tokens, and of what is unverified.

The limit counts what a search found. Of a list or a time that is handed out as a whole (`settled`)
only the budget cuts, and the entries of one file become one hit.

What does not fit is skipped and noted; something smaller behind it may still fit. What is left then
goes to what stands around the hits (`around.py`): a hit cut out of a long text reads better so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar, NamedTuple

from bethink.recall.draft import Draft, Kit
from bethink.recall.sections import as_entry, whole_files
from bethink.recall.unverified import (
    is_verified,
    noted,
    of_uncertain_answer,
    share_of,
    too_many,
    within_share,
)
from bethink.text.faq_layout import FAQ
from bethink.vocabulary import Candidate, Dropped, Hit, Status

NEIGHBOUR = "neighbour"


@dataclass(frozen=True, slots=True)
class Widen:
    """Hits of fewer than `below` characters are shown with what stands around them, `up_to` so many
    in all."""

    below: int
    up_to: int


@dataclass(frozen=True, slots=True)
class Budget:
    name: ClassVar[str] = "budget"
    count: Callable[[str], int] | None = None  # None: as the engine counts
    fill: bool = False  # show hits with the passages next to them
    widen: Widen | None = None  # what is short, also by the sections beside it

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        count = self.count or kit.count_tokens
        share = draft.query.unverified_share
        chosen = wanted = _chosen(draft, count)
        if share < 1 and share_of(chosen.hits) > share:
            count = cache(count)  # chosen from again and again
            chosen = within_share(draft, partial(_chosen, draft, count))
            if (fewer := of_uncertain_answer(draft, chosen.hits)) is not None:
                chosen = within_share(fewer, partial(_chosen, fewer, count))
        hits, dropped, skipped, left, cut = chosen
        notes: list[str] = []
        if draft.settled:
            hits, left = _files_within(chosen, draft.query.budget, count), 0
        if (self.fill or self.widen) and left > 0:
            from bethink.recall.around import with_surroundings  # few presets show more

            hits, notes = with_surroundings(
                hits, left, draft.query, kit, count, fill=self.fill, widen=self.widen
            )
        draft = draft._replace(
            candidates=(),
            hits=tuple(hits),
            dropped=tuple(dropped),
            notes=(*draft.notes, *notes),
        )
        if cut:
            draft = draft.fault(
                Status.ANSWERED,
                f"the answer of the entry {hits[0].id} is cut: it has {cut}; raise the budget to "
                "read all of it",
            )
        if wanted is not chosen:
            draft = noted(draft, wanted.hits)
        if draft.settled and skipped and hits:
            draft = draft.fault(
                Status.ANSWERED,  # makes no status worse: what is shown is right
                f"{len(skipped)} of {len(wanted.hits) + len(wanted.skipped)} entries do not fit in "
                f"{draft.query.budget} tokens; raise the budget to read all",
            )
        if skipped and not hits:
            # neither empty nor answered: there is something, and the caller can have it
            draft = draft.fault(
                Status.DEGRADED,
                f"{len(skipped)} hits were found but none fits in {draft.query.budget} tokens; "
                "raise the budget",
            )
        return draft


class _Chosen(NamedTuple):
    hits: list[Hit]
    dropped: list[Dropped]
    skipped: list[str]  # what did not fit
    left: int  # tokens
    cut: str = ""  # how much of the best is shown, where it is not whole


def _chosen(draft: Draft, count: Callable[[str], int], unverified: int | None = None) -> _Chosen:
    """With at most so many unverified; None: as many as come."""
    left = draft.query.budget
    hits: list[Hit] = []
    dropped: list[Dropped] = []
    skipped: list[str] = []
    limit = len(draft.candidates) + 1 if draft.settled else draft.query.limit
    cost = _cost_of_entries(count) if draft.settled else lambda one: count(one.text)
    cut = ""
    beyond = f"beyond the limit of {limit} hits"
    for candidate in draft.candidates:
        if len(hits) == limit:
            dropped.append(Dropped(candidate.memory_id, candidate.ordinal, beyond))
            continue
        doubted = unverified is not None and not is_verified(candidate)
        if doubted and not unverified:
            dropped.append(Dropped(*candidate.key, too_many(draft.query)))
            continue
        tokens = cost(candidate)
        if tokens > left and not hits and not skipped and _is_entry(candidate):
            part = _part_of(candidate, left, count)
            if part is not None:
                hits.append(part)
                left -= part.tokens
                cut = f"{tokens} tokens, of which {part.tokens} are shown"
                continue
        if tokens > left:
            reason = f"{tokens} tokens do not fit in the {left} left"
            dropped.append(Dropped(*candidate.key, reason))
            skipped.append(f"{candidate.memory_id}: {reason}")
            continue
        left -= tokens
        hits.append(hit_of(candidate, tokens, () if draft.settled else tuple(skipped)))
        if unverified is not None and doubted:
            unverified -= 1
    return _Chosen(hits, dropped, skipped, left, cut)


def _is_entry(candidate: Candidate) -> bool:
    return candidate.memory is not None and candidate.memory.kind == FAQ


def _part_of(candidate: Candidate, left: int, count: Callable[[str], int]) -> Hit | None:
    """The beginning of an entry that is too long, in whole sentences: another entry would be the
    answer to another question. None if not even its first sentence fits."""
    text, passage = candidate.text, candidate.passage
    assert passage is not None
    ends = [found.end() for found in re.finditer(r"[。！？；\n]|[.!?](?=\s)", text)]
    fitting = [end for end in ends if count(text[:end].rstrip()) <= left]
    question = text.find("\n") + 1
    if not fitting or fitting[-1] <= question:  # of one long sentence, as many words as fit
        words = [found.end() for found in re.finditer(r"[^\x00-\x7f]|\S+", text)]
        fitting = [end for end in words if end > question and count(text[:end]) <= left]
    if not fitting:
        return None
    end = passage.start + len(text[: fitting[-1]].rstrip())
    shown = candidate._replace(passage=passage._replace(end=end))
    return hit_of(shown, count(shown.text))


def _cost_of_entries(count: Callable[[str], int]) -> Callable[[Candidate], int]:
    """Return what an entry of a list costs in the file that it will be shown in, with its mark and
    with the heading of its section where it is the first below it."""
    headed: set[tuple[str, str]] = set()

    def cost(candidate: Candidate) -> int:
        memory = candidate.memory
        assert memory is not None
        if "file" not in memory.provenance:
            return count(candidate.text)
        tokens = count(as_entry(memory, candidate.text) + "\n")
        under = (memory.source, memory.section)
        if memory.section and under not in headed:
            headed.add(under)
            tokens += count(f"\n## {memory.section}\n")
        return tokens

    return cost


def _files_within(chosen: _Chosen, budget: int, count: Callable[[str], int]) -> list[Hit]:
    """Return the entries with those of one file as one hit, within the budget. Entries that are
    counted one by one may cost a few tokens less than the file that they make."""
    entries = list(chosen.hits)
    files = whole_files(entries, count)
    while entries and sum(hit.tokens for hit in files) > budget:
        last = entries.pop()
        reason = f"{last.tokens} tokens do not fit in the budget of {budget}"
        chosen.dropped.append(Dropped(last.id, last.passage.ordinal, reason))
        chosen.skipped.append(f"{last.id}: {reason}")
        files = whole_files(entries, count)
    return files


def hit_of(candidate: Candidate, tokens: int, displaced: tuple[str, ...] = ()) -> Hit:
    assert candidate.memory is not None and candidate.passage is not None
    parts = candidate.parts or {"relevance": candidate.score}
    return Hit(
        memory=candidate.memory,
        passage=candidate.passage,
        text=candidate.text,
        score=round(candidate.score, 6),
        tokens=tokens,
        channels=candidate.channels,
        parts={name: round(value, 6) for name, value in parts.items()},
        displaced=displaced,
        tier=candidate.tier,
        relevance=None if candidate.relevance is None else round(candidate.relevance, 6),
        evidence={name: round(value, 4) for name, value in candidate.evidence.items()},
        contradicted_by=candidate.contradicted_by,
    )
