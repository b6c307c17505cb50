"""Working memory: the newest of it (`SearchHot`), or what fits the question (`SearchWorking`).

In a workflow the last few things are the context of everything, and need share no word with the
question. They come as channel `hot`; `HotFirst` puts them before all others. Every preset that
answers questions searches working memory by words and meaning instead, as it does long-term memory;
what it finds there is judged in the same way and marked as unverified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from bethink.errors import EmbedderError
from bethink.filters import matches
from bethink.recall.draft import Draft, Kit
from bethink.recall.fuse import Key, places_of
from bethink.recall.fuse_union import cosines, exact_first
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.recall.unverified import is_verified
from bethink.recall.what_is_asked import names_nothing
from bethink.text.bm25 import idf, weight
from bethink.text.fold import fold, fold_for_terms
from bethink.text.split import split
from bethink.text.tokenise import count_terms, query_terms
from bethink.vocabulary import Candidate, Dropped, Found, Memory, Passage, Query

CHANNEL = "hot"


@dataclass(frozen=True, slots=True)
class SearchHot:
    """The `count` newest working memories that pass the question's filter, never one more.

    One that has been promoted is shown as long-term memory has it. Of a long one the passage with
    most of the question's words is shown. Whoever looks back in time gets none: this is now.
    """

    name: ClassVar[str] = "search_hot"
    count: int = 10

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        if draft.query.looking_back:
            return draft.note("hot: working memory is of now, and the question looks back")
        newest = _newest(draft.query, kit, self.count)
        terms = query_terms(draft.query.text)
        found: list[Found] = []
        working: dict[Key, tuple[Memory, Passage]] = {}
        for memory, promoted in newest:
            ordinal = 0
            if not promoted:
                passage = _best_passage(memory.text, terms)
                ordinal = passage.ordinal
                working[memory.id, ordinal] = memory, passage
            found.append(Found(memory.id, ordinal, 1.0))
        draft = draft.with_channel(CHANNEL, tuple(found))._replace(working=working)
        return draft.note(
            f"hot: the {len(found)} newest of working memory, {len(found) - len(working)} promoted"
        )


@dataclass(frozen=True, slots=True)
class SearchWorking:
    """What of working memory shares words or meaning with the question, in the channels of those.

    What has been promoted is left to the other searches. Whoever looks back in time gets none. A
    space in which nothing is offered costs one look.
    """

    name: ClassVar[str] = "search_working"
    count: int = 100  # the newest; a space keeps 50 unless the settings say otherwise

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        if draft.settled or query.looking_back or not query.unverified_share:
            return draft
        recent = [one.memory for one in _newest(query, kit, self.count) if not one.promoted]
        if not recent:
            return draft
        text = draft.plan.rewritten if draft.plan else query.text
        terms = () if names_nothing(text) else query_terms(text)
        passages = {memory.id: (memory, _best_passage(memory.text, terms)) for memory in recent}
        scores: dict[str, Mapping[str, float]] = {}
        if WORDS in draft.channels and terms:
            scores[WORDS] = _by_words(passages, terms, query, kit)
        if MEANING in draft.channels and draft.question is not None:
            scores[MEANING], draft = _by_meaning(passages, draft, kit)
        found: set[str] = set()
        for channel, by_id in scores.items():
            more = [
                Found(name, passages[name][1].ordinal, score)
                for name, score in by_id.items()
                if score > 0
            ]
            found.update(one.memory_id for one in more)
            both = sorted((*draft.channels[channel], *more), key=lambda one: -one.score)
            draft = draft.with_channel(channel, tuple(both))
        working = {(name, passages[name][1].ordinal): passages[name] for name in found}
        draft = draft._replace(working={**draft.working, **working})
        return draft.note(f"working memory: {len(found)} of {len(recent)}, unverified")


_Passages = Mapping[str, tuple[Memory, Passage]]


def _by_words(
    passages: _Passages, terms: Sequence[str], query: Query, kit: Kit
) -> dict[str, float]:
    """BM25 with the statistics of the spaces, comparable with what the store's search gives."""
    common = kit.store.frequencies(terms, spaces=query.spaces)
    rarity = {
        term: idf(common.passages, holding)
        for term, holding in zip(terms, common.holding, strict=True)
    }
    scores: dict[str, float] = {}
    for name, (memory, passage) in passages.items():
        counts, length = count_terms(
            fold_for_terms(memory.text[passage.start : passage.end]), rarity
        )
        usual = common.length or length or 1.0
        scores[name] = sum(rarity[t] * weight(n, length, usual) for t, n in counts.items())
    return scores


def _by_meaning(passages: _Passages, draft: Draft, kit: Kit) -> tuple[dict[str, float], Draft]:
    """Cosines. An embedder that fails or is late leaves it to the words."""
    assert draft.question is not None
    texts = [memory.text[at.start : at.end] for memory, at in passages.values()]
    try:
        vectors = kit.pool().submit(kit.documents, texts).result(timeout=kit.deadline.left())
    except (EmbedderError, TimeoutError) as e:
        why = str(e) or "the embedder took too long"
        return {}, draft.note(f"working memory was searched by words alone: {why}")
    if vectors is None or len(vectors) != len(texts):
        return {}, draft
    from bethink.one_thread import product

    return dict(zip(passages, product(vectors, draft.question.vector).tolist(), strict=True)), draft


def _newest(query: Query, kit: Kit, count: int) -> list[_Recent]:
    """Return the newest that pass the filter; read further back until there are enough."""
    recent = kit.store.tiers().working.recent
    now, limit = kit.clock(), count
    while True:
        working = recent(query.spaces, now=now, limit=limit)
        passed = [one for one in _as_known(working, kit) if matches(one.memory, query.where)]
        if len(passed) >= count or len(working) < limit:
            return passed[:count]
        limit *= 4


class _Recent(NamedTuple):
    memory: Memory
    promoted: bool


def _as_known(working: list[Memory], kit: Kit) -> Iterator[_Recent]:
    if not working:
        return
    long_term = kit.store.get([memory.id for memory in working])
    for memory, known in zip(working, long_term, strict=True):
        if known is not None and known.space == memory.space:
            yield _Recent(known, promoted=True)
        else:
            yield _Recent(memory, promoted=False)


def _best_passage(text: str, terms: tuple[str, ...]) -> Passage:
    """The one that holds most of these; the first of equals."""
    passages = split(text)
    if len(passages) == 1:
        return passages[0]

    def held(passage: Passage) -> int:
        folded = fold(text[passage.start : passage.end])
        return sum(term in folded for term in terms)

    return max(passages, key=held)


@dataclass(frozen=True, slots=True)
class HotFirst:
    """Hot memories at 1.0, the newest first; then the nearest others, each at its cosine.

    A memory is in the answer once. One that is hot and promoted is shown by its passage nearest to
    the question, if that is known. Without meaning, the others come by words, each at
    1 / (1 + rank). Whoever of them holds an identifier of the question exactly comes first.
    """

    name: ClassVar[str] = "fuse"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled and not draft.channels:
            return draft
        places = places_of(draft.channels)
        best = {key[0]: key for key in reversed(list(_cold_order(draft)))}
        hot: dict[str, Candidate] = {}
        for found in draft.channels.get(CHANNEL, ()):
            own = found.memory_id, found.ordinal
            key = own if own in draft.working else best.get(found.memory_id, own)
            at = {**places.get(key, {}), **places[own]}
            hot[found.memory_id] = Candidate(*key, 1.0, at, parts={CHANNEL: 1.0})
        others = self._others(draft, kit, [key for key in places if key[0] not in hot])
        dropped = [
            Dropped(*key, "another passage of a memory that is hot")
            for key in places
            if key[0] in hot and key != hot[key[0]].key and CHANNEL not in places[key]
        ]
        cold: dict[str, Candidate] = {}
        for candidate in others:
            if cold.setdefault(candidate.memory_id, candidate) is not candidate:
                reason = f"another passage of {candidate.memory_id} stands higher"
                dropped.append(Dropped(*candidate.key, reason))
        candidates = (*hot.values(), *cold.values())
        draft = draft._replace(
            candidates=candidates, channels={}, dropped=(*draft.dropped, *dropped)
        )
        return draft.note(f"{len(hot)} hot ones first, then {len(cold)} others")

    @staticmethod
    def _others(draft: Draft, kit: Kit, keys: list[Key]) -> list[Candidate]:
        places = places_of(draft.channels)
        near = cosines(draft, kit, keys)
        scored: list[Candidate] = []
        for key in keys:
            if MEANING in draft.channels:
                what, score = MEANING, min(max(near.get(key, 0.0), 0.0), 1.0)
            else:
                what, place = next(iter(places[key].items()))
                score = 1 / (1 + place.rank)
            scored.append(Candidate(*key, score, places[key], parts={what: round(score, 6)}))
        return exact_first(draft, sorted(scored, key=lambda c: -c.score))


@dataclass(frozen=True, slots=True)
class NearestFew:
    """The few nearest behind what is hot. Where only a share of an answer may be unverified, what
    is does not count among the few: the share decides on it."""

    name: ClassVar[str] = "nearest"
    count: int = 5

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        all_alike = draft.query.unverified_share >= 1
        kept: list[Candidate] = []
        dropped: list[Dropped] = []
        places = self.count
        for candidate in draft.candidates:
            if CHANNEL in candidate.channels:
                kept.append(candidate)
            elif places:
                kept.append(candidate)
                places -= all_alike or is_verified(candidate)
            else:
                reason = f"beyond the {self.count} nearest: {candidate.score:.3f}, the last has "
                dropped.append(Dropped(*candidate.key, reason + f"{kept[-1].score:.3f}"))
        return draft._replace(candidates=tuple(kept), dropped=tuple(dropped))


def _cold_order(draft: Draft) -> Iterator[Key]:
    for channel in (EXACT, MEANING, WORDS):
        for found in draft.channels.get(channel, ()):
            yield found.memory_id, found.ordinal
