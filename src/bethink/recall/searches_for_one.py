"""What every search of a run made of one memory.

Where a search did not bring the memory at all, that search is asked again, for more of its list, to
see how far down the memory stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bethink.recall.draft import Draft, Kit
from bethink.recall.search_hot import CHANNEL as HOT
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.recall.sightings import place_of
from bethink.recall.what_is_asked import names_nothing
from bethink.text.coverage import held_and_lacking
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Found, Memory, Recollection, Tier

_DEEP = 10_000  # passages: who stands lower than this is not worth a number
_BATCH = 64


class Looked(NamedTuple):
    """What one search made of the memory. `rank` is from 1, also where it did not get in.

    `score` is the search's own: the cosine for meaning, BM25 for words. `last` is that of the last
    that got in.
    """

    channel: str
    got_in: bool
    rank: int | None  # None: not found at all, or too far down
    score: float | None
    candidates: int
    last: float | None
    holds: tuple[str, ...] = ()  # of the words that are looked for
    lacks: tuple[str, ...] = ()
    note: str = ""  # e.g. why this search was not made


class SearchesForOne:
    """Every search of a run, looked through for one memory."""

    def __init__(
        self, memory: Memory, answer: Recollection, seen: Sequence[Draft], kit: Kit, tier: Tier
    ) -> None:
        self._memory = memory
        self._answer = answer
        self._seen = seen
        self._kit = kit
        self._tier = tier

    def all(self) -> tuple[Looked, ...]:
        """What every search made of it, also those that did not bring it."""
        lists: dict[str, tuple[Found, ...]] = {}
        for draft in self._seen:
            for name, found in draft.channels.items():
                if len(found) >= len(lists.get(name, ())):
                    lists[name] = found
        if not lists and self._seen and self._seen[-1].settled:
            return ()
        if self._tier is Tier.WORKING:  # where it is not found, there is no list to look deeper in
            return tuple(
                self._looked(name, found)
                for name, found in lists.items()
                if name == HOT or place_of(found, self._memory.id) is not None
            )
        looked = [self._looked(name, found) for name, found in lists.items()]
        others = [name for name in (MEANING, WORDS) if name not in lists]
        return (*looked, *filter(None, map(self._not_asked, others)))

    def _not_asked(self, name: str) -> Looked | None:
        """Why this search was not made, as its stage noted it; None where the preset has none."""
        notes = (note for step in self._answer.trace.steps for note in step.notes)
        about = (f"{name}:", f"{name} ", f"search_{name} ")
        why = next((note for note in notes if note.startswith(about)), None)
        return None if why is None else Looked(name, False, None, None, 0, None, note=why)

    def _looked(self, name: str, found: tuple[Found, ...]) -> Looked:
        holds, lacks = self._held() if name == WORDS else ((), ())
        last = found[-1].score if found else None
        place = place_of(found, self._memory.id)
        got_in, note = place is not None, ""
        if name == WORDS and not holds and not lacks:
            note = "the question holds no word to search for"
        if not got_in and name == WORDS and holds:
            place, note = self._deeper_by_words()
        elif not got_in and name == MEANING:
            place, note = self._deeper_by_meaning()
        rank, score = place or (None, None)
        return Looked(name, got_in, rank, score, len(found), last, holds, lacks, note)

    def _asked(self) -> str:
        """What words looked for."""
        plan = next((d.plan for d in reversed(self._seen) if d.plan), None)
        return plan.rewritten if plan else self._answer.query.text

    def _held(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        asked = self._asked()
        return ((), ()) if names_nothing(asked) else held_and_lacking(asked, self._memory.text)

    def _deeper_by_words(self) -> tuple[tuple[int, float] | None, str]:
        query = self._answer.query
        found = self._kit.store.search_words(
            query_terms(self._asked()), spaces=query.spaces, where=query.where, limit=_DEEP
        )
        place = place_of(found, self._memory.id)
        return place, "" if place else f"not among the first {_DEEP:,}"

    def _deeper_by_meaning(self) -> tuple[tuple[int, float] | None, str]:
        query = self._answer.query
        question = next((d.question for d in reversed(self._seen) if d.question), None)
        if question is None:
            return None, ""
        store, fingerprint = self._kit.store, question.fingerprint
        found = store.search_meaning(
            question.vector,
            fingerprint=fingerprint,
            spaces=query.spaces,
            where=query.where,
            limit=_DEEP,
        )
        place = place_of(found, self._memory.id)
        if place is not None:
            return place, ""
        compared = store.compare(
            question.vector, list(self._passages()), fingerprint=fingerprint, spaces=query.spaces
        )
        cosines = [score for score in compared.scores if score is not None]
        if not cosines:
            return None, "it waits for its vector; 'bethink reindex' fills it in"
        return None, f"cosine {max(cosines):.3f}, not among the first {_DEEP:,}"

    def _passages(self) -> Iterator[tuple[str, int]]:
        start = 0
        while True:
            keys = [(self._memory.id, ordinal) for ordinal in range(start, start + _BATCH)]
            there = [key for key, one in zip(keys, self._kit.store.fetch(keys), strict=True) if one]
            yield from there
            if len(there) < _BATCH:
                return
            start += _BATCH


def described(looked: Looked) -> str:
    """One search as a phrase."""
    name, got_in, rank, score, candidates, last, holds, lacks, note = looked
    if note:
        told = note.removeprefix(f"{name}: ")
    elif name == WORDS and lacks and not holds and not got_in:
        return f"{name}: holds none of: {_some(lacks)}"
    elif rank is None or score is None:
        told = "not in its list"
    elif got_in:
        told = f"rank {rank} of {candidates}, {_scale(name)} {score:.3f}"
    else:
        told = f"rank {rank}, {_scale(name)} {score:.3f}; only {candidates} got in"
        if last is not None:
            told += f", the last with {last:.3f}"
    if holds or lacks:
        told += f" (holds: {_some(holds)}; lacks: {_some(lacks)})"
    return f"{name}: {told}"


def _scale(channel: str) -> str:
    return {MEANING: "cosine", WORDS: "BM25"}.get(channel, "score")


def _some(words: Sequence[str]) -> str:
    return " ".join(words[:12]) + (" …" if len(words) > 12 else "") if words else "none"
