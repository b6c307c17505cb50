"""Pages of the web, cut into passages and ranked by the stages that rank memories.

They go into a store of their own that lives as long as the question. Embedding is the dear part
(some 8 ms a passage on one core), so only the passages that words speak for, and the beginning of
each page, get a vector: `MOST_EMBEDDED` in all, and none for which there is no time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bethink.embedders.protocol import Embedder, embed_texts, embedding_of
from bethink.errors import EmbedderError
from bethink.knowledge.shared import WEB
from bethink.knowledge.web.gathering import WebPage
from bethink.recall.deduplicate import Deduplicate, OnePerMemory
from bethink.recall.draft import Deadline, Draft, Kit, Question, Stage
from bethink.recall.fuse import Key, ReciprocalRanks
from bethink.recall.hydrate import Hydrate
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.thresholds import Thresholds
from bethink.remember.ingress import accept
from bethink.remember.pipeline import prepare
from bethink.shelf import made_id
from bethink.stores.in_memory.store import InMemoryStore
from bethink.text.tokenise import query_terms
from bethink.vocabulary import TRUST, UNVERIFIED, Entry, Found, Memory, Passage, Query

MOST_EMBEDDED = 48  # passages
_BATCH = 8  # between two batches is looked whether there is time for another
_PER_PAGE = 3  # passages that a page may bring
_MOST = 20  # passages in all
_ALL = 1_000_000


class Ranked(NamedTuple):
    found: tuple[Found, ...]
    passages: Mapping[Key, tuple[Memory, Passage]]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    embedder: Callable[[], Embedder | None]  # whoever made the index: loaded already, mostly
    redact: bool = True

    def rank(self, pages: Sequence[WebPage], draft: Draft, kit: Kit, deadline: Deadline) -> Ranked:
        space = draft.query.spaces[0]
        entries = [self._entry(page, space, kit) for page in pages]
        query = replace(draft.query, spaces=(space,), where=None)
        store = InMemoryStore()
        question, notes = self._filled(store, entries, query, kit, deadline)
        scratch = kit._replace(store=store, question=lambda _: question)
        ranked = Draft(query, plan=draft.plan)
        stages: tuple[Stage, ...] = (
            SearchMeaning(),
            SearchWords(),
            Thresholds(),
            ReciprocalRanks(),
            OnePerMemory(most=_PER_PAGE),
            Hydrate(),
            Deduplicate(),
        )
        for stage in stages:
            ranked = stage(ranked, scratch)
        best = ranked.candidates[:_MOST]
        return Ranked(
            tuple(Found(*candidate.key, candidate.score) for candidate in best),
            {c.key: (c.memory, c.passage) for c in best if c.memory and c.passage},
            tuple(notes),
        )

    def _entry(self, page: WebPage, space: str, kit: Kit) -> Entry:
        now = kit.clock()
        told = {
            "id": made_id(space, WEB, page.url),
            "text": page.text,
            "kind": WEB,
            "source": page.url,
            "metadata": {
                "title": page.title,
                "url": page.url,
                "fetched_at": now.isoformat(timespec="seconds"),
                "whole_page": page.fetched,  # or what the provider says of it
            },
        }
        memory = accept(told, now=now, space=space, redact=self.redact)
        memory = replace(memory, provenance={**memory.provenance, TRUST: UNVERIFIED})
        return prepare(memory, given_id=True)

    def _filled(
        self,
        store: InMemoryStore,
        entries: Sequence[Entry],
        query: Query,
        kit: Kit,
        deadline: Deadline,
    ) -> tuple[Question | None, list[str]]:
        """Everything by words, and as much as there is time for by meaning."""
        import numpy as np

        store.put(entries)
        if not query.meaning:
            return None, []
        try:
            question = kit.question(query)
            embedder = self.embedder() if question is not None else None
            if question is None or embedder is None:
                return None, []
            store.declare(embedding_of(embedder))
            wanted = _worth_embedding(store, entries, query)
            handles: dict[str, list[int]] = {}  # the same text may stand on two pages
            for handle, text in store.unembedded(embedder.fingerprint, limit=_ALL):
                handles.setdefault(text, []).append(handle)
            done = 0
            for start in range(0, len(wanted), _BATCH):
                if not deadline.left():
                    return question, [f"web: no time was left for the vectors of "
                                      f"{len(wanted) - done} passages"]  # fmt: skip
                texts = wanted[start : start + _BATCH]
                vectors = embed_texts(embedder, texts, kind="document")
                for text, vector in zip(texts, vectors, strict=True):
                    same = handles[text]
                    store.fill(embedder.fingerprint, same, np.stack([vector] * len(same)))
                done += len(texts)
        except EmbedderError as e:
            return None, [f"web: ranked by words alone: {e}"]
        return question, []


def _worth_embedding(store: InMemoryStore, entries: Sequence[Entry], query: Query) -> list[str]:
    """Half of them by words, then the pages from their beginnings, in turn: a question in another
    language shares no word with its answer."""
    by_words = store.search_words(
        query_terms(query.text), spaces=query.spaces, where=None, limit=MOST_EMBEDDED // 2
    )
    fetched = store.fetch([(one.memory_id, one.ordinal) for one in by_words])
    wanted = dict.fromkeys(m.text[p.start : p.end] for m, p in filter(None, fetched))
    for ordinal in range(max((len(entry.passages) for entry in entries), default=0)):
        for entry in entries:
            if len(wanted) >= MOST_EMBEDDED:
                return list(wanted)
            if ordinal < len(entry.passages):
                passage = entry.passages[ordinal]
                wanted[entry.memory.text[passage.start : passage.end]] = None
    return list(wanted)
