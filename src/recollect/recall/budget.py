"""Choose what fits: best first, within the number of hits, of tokens, and of what is unverified.

What does not fit is skipped and noted; something smaller behind it may still fit. With `fill`, what
is left then goes to the passages next to a hit in its own memory, best hit first: a hit cut out of
a long text reads better with what stands around it, and no other memory wants the room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar, NamedTuple

from recollect.recall.draft import Draft, Kit
from recollect.recall.unverified import is_verified, noted, share_of, too_many, within_share
from recollect.vocabulary import Candidate, Dropped, Hit, Passage, Status

NEIGHBOUR = "neighbour"


@dataclass(frozen=True, slots=True)
class Budget:
    name: ClassVar[str] = "budget"
    count: Callable[[str], int] | None = None  # None: as the engine counts
    fill: bool = False

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        count = self.count or kit.count_tokens
        share = draft.query.unverified_share
        chosen = wanted = _chosen(draft, count)
        if share < 1 and share_of(chosen.hits) > share:
            count = cache(count)  # chosen from again and again
            chosen = within_share(draft, partial(_chosen, draft, count))
        hits, dropped, skipped, left = chosen
        notes: list[str] = []
        if self.fill and left > 0:
            hits, notes = _widened(hits, left, kit, count)
        draft = replace(
            draft,
            candidates=(),
            hits=tuple(hits),
            dropped=tuple(dropped),
            notes=(*draft.notes, *notes),
        )
        if wanted is not chosen:
            draft = noted(draft, wanted.hits[0])
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


def _chosen(draft: Draft, count: Callable[[str], int], unverified: int | None = None) -> _Chosen:
    """With at most so many unverified; None: as many as come."""
    left = draft.query.budget
    hits: list[Hit] = []
    dropped: list[Dropped] = []
    skipped: list[str] = []
    for candidate in draft.candidates:
        if len(hits) == draft.query.limit:
            dropped.append(Dropped(*candidate.key, f"beyond the limit of {len(hits)} hits"))
            continue
        # by meaning alone, 0 only says that others are nearer
        if candidate.score <= 0.0 and hits and draft.query.words and not draft.settled:
            dropped.append(Dropped(*candidate.key, "nothing speaks for it, and others answer"))
            continue
        doubted = unverified is not None and not is_verified(candidate)
        if doubted and not unverified:
            dropped.append(Dropped(*candidate.key, too_many(draft.query)))
            continue
        tokens = count(candidate.text)
        if tokens > left:
            reason = f"{tokens} tokens do not fit in the {left} left"
            dropped.append(Dropped(*candidate.key, reason))
            skipped.append(f"{candidate.memory_id}: {reason}")
            continue
        left -= tokens
        hits.append(hit_of(candidate, tokens, tuple(skipped)))
        if unverified is not None and doubted:
            unverified -= 1
    return _Chosen(hits, dropped, skipped, left)


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
    )


def _widened(
    hits: list[Hit], left: int, kit: Kit, count: Callable[[str], int]
) -> tuple[list[Hit], list[str]]:
    """Each hit with the passages next to it, as far as they fit, and what was done."""
    beside = _beside(hits, kit)
    shown: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        shown.setdefault(hit.id, []).append((hit.passage.start, hit.passage.end))
    wider: list[Hit] = []
    notes: list[str] = []
    for hit in hits:
        start, end = hit.passage.start, hit.passage.end
        tokens = hit.tokens
        spans = shown[hit.id]
        for passage in beside.get((hit.id, hit.passage.ordinal), ()):
            # up to where another hit of this memory says it already
            before = max((one[1] for one in spans if one[1] < end), default=0)
            after = min((one[0] for one in spans if one[0] > start), default=passage.end)
            span = (
                min(start, max(passage.start, before)),
                max(end, min(passage.end, after)),
            )
            if span == (start, end):
                continue
            cost = count(hit.memory.text[slice(*span)])
            if cost - tokens > left:
                continue
            left -= cost - tokens
            spans[spans.index((start, end))] = span
            (start, end), tokens = span, cost
        if tokens == hit.tokens and (start, end) == hit.passage[1:]:
            wider.append(hit)
            continue
        notes.append(f"{hit.id}: widened by its {NEIGHBOUR}s, {tokens - hit.tokens} tokens more")
        wider.append(
            hit._replace(
                text=hit.memory.text[start:end],
                tokens=tokens,
                parts={**hit.parts, NEIGHBOUR: 0.0},  # shown with it, no reason for its place
            )
        )
    return wider, notes


def _beside(hits: list[Hit], kit: Kit) -> dict[tuple[str, int], list[Passage]]:
    """For each hit that is a part of its memory: the passage after it, then the one before."""
    wanted: list[tuple[Hit, tuple[str, int]]] = []
    for hit in hits:
        at = hit.passage
        if at.end < len(hit.memory.text):
            wanted.append((hit, (hit.id, at.ordinal + 1)))
        if at.start > 0 and at.ordinal > 0:
            wanted.append((hit, (hit.id, at.ordinal - 1)))
    if not wanted:
        return {}
    beside: dict[tuple[str, int], list[Passage]] = {}
    for (hit, _), found in zip(wanted, kit.store.fetch([key for _, key in wanted]), strict=True):
        # revised since it was fetched: its passages are of another text
        if found is not None and found[0].text == hit.memory.text:
            beside.setdefault((hit.id, hit.passage.ordinal), []).append(found[1])
    return beside
