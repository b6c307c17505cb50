"""Passages as they are held in memory, and how well they fit a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bethink.stores.cursors import place
from bethink.stores.protocol import MAX_COUNT, Frequencies, Neighbours, Page
from bethink.text.bm25 import idf, weight
from bethink.text.tokenise import stands_for_many
from bethink.vocabulary import Entry, Memory, Passage


@dataclass
class Held:
    """A passage as it is held: its memory's id, its terms, its vector by fingerprint."""

    handle: int
    memory_id: str
    passage: Passage
    terms: Counter[str]
    vectors: dict[str, tuple[float, ...]]


def held_of(entry: Entry, fingerprint: str | None, *, after: int) -> list[Held]:
    """An entry's passages, with handles that follow one that is taken."""
    held: list[Held] = []
    for position, passage in enumerate(entry.passages):
        vectors: dict[str, tuple[float, ...]] = {}
        if entry.vectors is not None and fingerprint is not None:
            vectors[fingerprint] = tuple(map(float, entry.vectors[position]))
        terms = Counter(entry.terms[position].split())
        held.append(Held(after + 1 + position, entry.memory.id, passage, terms, vectors))
    return held


def word_scores(terms: Sequence[str], held: Sequence[Held]) -> list[float]:
    """BM25 of every passage among these."""
    average = _mean_length(held)
    rarity = {t: idf(len(held), _holding(t, held)) for t in terms}
    return [
        sum(
            rarity[t] * weight(times, h.terms.total(), average)
            for t in dict.fromkeys(terms)
            if (times := _occurs(t, h.terms))
        )
        for h in held
    ]


def frequencies(terms: Sequence[str], held: Sequence[Held]) -> Frequencies:
    holding = [_holding(t, held) for t in terms]
    memories = len({h.memory_id for h in held})
    return Frequencies(holding, len(held), memories, _mean_length(held))


def cosine(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Of two vectors of length one."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def _mean_length(held: Sequence[Held]) -> float:
    return sum(h.terms.total() for h in held) / max(len(held), 1)


def _holding(term: str, held: Sequence[Held]) -> int:
    return sum(_occurs(term, h.terms) > 0 for h in held)


def _occurs(asked: str, held: Counter[str]) -> int:
    """How often a passage holds what a term of a question means."""
    if not stands_for_many(asked):
        return held[asked]
    return sum(count for term, count in held.items() if term.startswith(asked))


def said(memory: Memory) -> tuple[str, str, str]:
    return memory.space, memory.text, memory.kind


def more(count: int, times: int) -> int:
    return min(count + times, MAX_COUNT)


def beside(memory_id: str, lines: Iterable[Sequence[str]]) -> Neighbours:
    """Who stands next to a memory in the line of its space."""
    line = next((line for line in lines if memory_id in line), ())
    at = line.index(memory_id) if line else 0
    return Neighbours(
        line[at - 1] if at > 0 else None,
        line[at + 1] if at + 1 < len(line) else None,
    )


def page_of(
    memories: list[Memory],
    numbers: Mapping[str, int],
    *,
    newest_first: bool,
    cursor: str | None,
    limit: int,
) -> Page:
    """So many of these, which stand in the order told, from where the cursor says."""
    found = memories[::-1] if newest_first else memories
    if cursor is not None:
        at = place(cursor)
        found = [m for m in found if (numbers[m.id] < at if newest_first else numbers[m.id] > at)]
    page = found[:limit]
    return Page(page, str(numbers[page[-1].id]) if len(found) > limit else None)
