"""Answers to questions that were asked a moment ago, for whoever asks the same again.

An answer is kept under all that it depends on: the store and the generation of its spaces, the
question and every bound, the preset, and who embedded, reranked and planned. A write to one of the
spaces makes another generation, so no invalidation can be lost. It is kept until something begins
or ceases to hold by itself, and no longer than `SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta, tzinfo

from bethink.clock import Clock, to_micros
from bethink.errors import BethinkError
from bethink.filters import All, Filter, ValidAt
from bethink.recall.kept_answer import KeptAnswer, as_bytes, from_bytes
from bethink.recall.presets import PRESETS, Preset
from bethink.recall.timeline import FindPeriod
from bethink.stores.protocol import KeepsGenerations
from bethink.stores.shelves import Looked, Shelf
from bethink.text.time_hints import may_name_a_time
from bethink.vocabulary import Query, Recollection, Status, Step

# Newness goes on counting: in a minute it changes a score by less than 0.00003 of itself (a
# half-life of 14 days, at most 0.6 of the score), and access counts are written late anyhow.
SECONDS = 60.0
STAGE = "cached"  # the first step in the trace of such an answer
_SOUND = frozenset({Status.ANSWERED, Status.UNCERTAIN, Status.EMPTY, Status.BELOW_FLOOR})
_LONGEST = 4_000  # characters; who asks a book will not ask it again


class AnsweredBefore:
    """`makers` says what else an answer depends on: the program, its models and their settings."""

    def __init__(
        self, store: KeepsGenerations, shelf: Shelf, clock: Clock, zone: tzinfo, makers: str
    ) -> None:
        self._zone = zone
        self._store = store
        self._shelf = shelf
        self._clock = clock
        self._makers = makers
        self.hits = self.misses = 0  # roughly: threads may lose one

    def recall(self, query: Query, preset: Preset, ask: Callable[[], Recollection]) -> Recollection:
        """The kept answer, or what `ask` answers."""
        began = time.perf_counter()
        if not may_be_kept(query, preset) or self._names_a_time(query, preset):
            return ask()
        try:
            generation = self._store.generation(query.spaces)
        except BethinkError:  # whoever asks says it better
            return ask()
        key = key_of(query, preset, generation, self._makers)
        looked = self._shelf.look(key)
        if looked.value is not None:
            kept = from_bytes(looked.value, query)
            if kept is not None and kept.at <= self._clock() < kept.until:
                self.hits += 1
                return self._again(kept, began)
        self.misses += 1
        answer = ask()
        if answer.status in _SOUND:
            self._keep(key, answer, looked=looked)
        return answer

    def forget(self) -> None:
        """What is forgotten may stand in any answer."""
        self._shelf.forget()

    def _names_a_time(self, query: Query, preset: Preset) -> bool:
        """ "Yesterday" is another day tomorrow."""
        if not may_name_a_time(query.text) or all(s.name != FindPeriod.name for s in preset.stages):
            return False
        from bethink.text.time_phrases import find_time_phrases

        return bool(find_time_phrases(query.text, now=self._clock(), zone=self._zone))

    def _keep(self, key: str, answer: Recollection, *, looked: Looked) -> None:
        query = answer.query
        at = query.as_of if query.as_of is not None and not query.looking_back else self._clock()
        until = at + timedelta(seconds=SECONDS)
        if not query.looking_back:
            try:
                change = self._store.changes_by_itself(query.spaces, after=at)
            except BethinkError:
                return
            until = until if change is None else min(until, change)
        seconds = (until - self._clock()).total_seconds()
        if seconds <= 0:
            return
        packed = as_bytes(answer, at=at, until=until)
        if packed is not None:
            self._shelf.keep(key, packed, seconds=seconds, looked=looked)

    def _again(self, kept: KeptAnswer, began: float) -> Recollection:
        age = (self._clock() - kept.at).total_seconds()
        spent = (time.perf_counter() - began) * 1000
        hits = len(kept.answer.hits)
        note = f"asked {age:.1f} s ago, and nothing was written since; the steps are of then"
        trace = kept.answer.trace
        steps = (Step(STAGE, spent, 0, hits, (note,)), *trace.steps)
        return replace(kept.answer, trace=trace._replace(steps=steps, milliseconds=spent))


def may_be_kept(query: Query, preset: Preset) -> bool:
    """Not with stages or a vector of the caller's own."""
    return (
        query.vector is None and len(query.text) <= _LONGEST and PRESETS.get(preset.name) is preset
    )


def key_of(query: Query, preset: Preset, generation: str, makers: str) -> str:
    return repr(
        (
            makers,
            generation,
            preset.name,
            query.text,
            query.spaces,
            query.limit,
            query.budget,
            _lasting(query),
            query.as_of if query.looking_back else None,
            query.words,
            query.meaning,
            query.meaning_threshold,
            query.words_threshold,
            query.floor,
            query.unverified_share,
            query.weights,
            query.enable_query_expansion,
            query.candidates,
        )
    )


def _lasting(query: Query) -> Filter | None:
    """The filter without "holds now", which is another one at every moment."""
    if query.looking_back or query.as_of is None:
        return query.where
    now = ValidAt(to_micros(query.as_of))
    if query.where == now:
        return None
    if isinstance(query.where, All):
        return All(tuple(part for part in query.where.parts if part != now))
    return query.where
