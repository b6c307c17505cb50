"""Any store as a retriever: a second SQLite file, or the reference in tests.

It needs a store for itself alone, which nobody else writes to. Its copies keep their texts, because
a store finds passages in texts; so what is forgotten is erased there as thoroughly as in the truth.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from bethink.errors import FingerprintMismatch, StoreError, UnknownSpace
from bethink.filters import Filter
from bethink.stores.protocol import Embedding, Store
from bethink.stores.retrievers import (
    MEANING,
    WORDS,
    Changes,
    Copies,
    Copy,
    Finds,
    Held,
    Indexed,
    KeepsChanges,
    Position,
    Seen,
    version_of,
)
from bethink.text.searched import searched_alike, searched_text
from bethink.vocabulary import Check, Entry, Found, Vector

_POSITION = "retriever/position"


class StoreRetriever:
    """`finds` says what it is asked for. What it does not find by is not copied."""

    def __init__(
        self, store: Store, *, name: str, finds: Collection[Finds] = (WORDS, MEANING)
    ) -> None:
        if not isinstance(store, KeepsChanges):
            raise StoreError(f"{type(store).__name__} cannot tell what it holds; use another store")
        self.name = name
        self.finds = frozenset(finds)
        self._store = store
        feed = store.feed()
        self._held, self._embeddings = feed.held, feed.embeddings

    # How far it has come

    def position(self) -> Position | None:
        kept = self._store.notes(_POSITION).get(_POSITION)
        return None if kept is None else Position(*json.loads(kept))

    def set_position(self, position: Position) -> None:
        self._store.write_note(_POSITION, json.dumps(position))

    def clear(self) -> None:
        self._store.write_note(_POSITION, None)
        for info in self._store.spaces():
            self._store.delete_space(info.name)
        self._store.finish_erasing()

    # Following

    def apply(self, changes: Changes) -> None:
        if changes.spaces_gone:
            for space in self._known(changes.spaces_gone):
                self._store.delete_space(space)
        embeddings = changes.embeddings if MEANING in self.finds else ()
        if embeddings:
            self._follow(embeddings, changes.vectors_gone)
        self._store.delete(changes.gone)
        self._write(changes.written)
        if embeddings and self._store.embedding() != embeddings[0]:
            self._store.switch(embeddings[0].fingerprint)  # False: more vectors are on their way
        if changes.spaces_gone or changes.gone:
            self._store.finish_erasing()

    def _follow(self, embeddings: Sequence[Embedding], begun_anew: Collection[str]) -> None:
        """A store lets go of the vectors of an embedder when it switches to another, and of what
        it was building when it builds another."""
        if not begun_anew and self._embeddings() == tuple(embeddings):
            return
        answering, *building = embeddings
        if self._store.declare(answering) != answering:
            self._store.build(answering)
            if not self._store.switch(answering.fingerprint):
                return
        if answering.fingerprint in begun_anew:
            self._store.clear_vectors()
        elif not building or building[0].fingerprint in begun_anew:
            self._store.build(answering)
        if building:
            self._store.build(building[0])

    def _write(self, written: Sequence[Indexed]) -> None:
        """In place where the passages are the same or the text is another; else anew. Never gone
        meanwhile, where that can be helped."""
        held = self._held([one.memory.id for one in written])
        changed: list[Entry] = []
        fresh: list[Entry] = []
        anew: list[str] = []
        for one, there in zip(written, held, strict=True):
            if there is not None and _in_place(there, one):
                changed.append(self._entry(one))
                continue
            fresh.append(self._entry(one))
            if there is not None:
                anew.append(one.memory.id)
        self._store.delete(anew)
        self._store.revise_many(changed, history=False)
        self._store.put(fresh)
        if MEANING in self.finds:
            self._fill(written)

    def _entry(self, one: Indexed) -> Entry:
        terms = tuple(p.terms if WORDS in self.finds else "" for p in one.passages)
        passages = tuple(p.passage for p in one.passages)
        return Entry(one.memory, passages, terms, identity=one.memory.id, merge=False)

    def _fill(self, written: Sequence[Indexed]) -> None:
        import numpy as np

        held = self._held([one.memory.id for one in written])
        for fingerprint in [embedding.fingerprint for embedding in self._embeddings()]:
            handles: list[int] = []
            vectors: list[Vector] = []
            for one, there in zip(written, held, strict=True):
                for passage, copy in zip(
                    one.passages, there.passages if there else (), strict=True
                ):
                    vector = passage.vectors.get(fingerprint)
                    if vector is not None and fingerprint not in copy.vectors:
                        handles.append(copy.handle)
                        vectors.append(vector)
            if handles:
                self._store.fill(fingerprint, handles, np.stack(vectors))

    # Finding

    def expresses(self, where: Filter) -> bool:
        return True

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        try:
            found = self._store.search_words(terms, spaces=spaces, where=where, limit=limit)
        except UnknownSpace:
            spaces = self._known(spaces)
            found = self._store.search_words(terms, spaces=spaces, where=where, limit=limit)
        return self._seen(found)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        held = self._store.embedding()
        if held is None or held.fingerprint != fingerprint:
            raise FingerprintMismatch(
                f"{self.name} does not answer by {fingerprint} yet; it follows when it catches up"
            )
        try:
            found = self._store.search_meaning(
                vector, fingerprint=fingerprint, spaces=spaces, where=where, limit=limit
            )
        except UnknownSpace:
            spaces = self._known(spaces)
            found = self._store.search_meaning(
                vector, fingerprint=fingerprint, spaces=spaces, where=where, limit=limit
            )
        return self._seen(found)

    def _known(self, spaces: Sequence[str]) -> list[str]:
        known = {info.name for info in self._store.spaces()}
        return [space for space in spaces if space in known]

    def _seen(self, found: Sequence[Found]) -> list[Seen]:
        fetched = self._store.fetch([(f.memory_id, f.ordinal) for f in found])
        return [
            Seen(*f, version_of(searched_text(*one)))
            for f, one in zip(found, fetched, strict=True)
            if one is not None  # erased between the two looks
        ]

    def copies(self, *, cursor: str | None, limit: int) -> Copies:
        page = self._store.scan(cursor=cursor, limit=limit)
        held = self._held([memory.id for memory in page.memories])
        return Copies([copy for h in held if h is not None for copy in _copies_of(h)], page.cursor)

    # Care

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        return self._store.finish_erasing(texts)

    def check(self) -> list[Check]:
        return [c for c in self._store.check() if "wait for a vector" not in c.finding]

    def close(self) -> None:
        self._store.close()


def _in_place(held: Held, one: Indexed) -> bool:
    """May what is held be revised? A store lets no memory move to another space, and keeps the
    passages and vectors of a text that stays the same."""
    if held.memory.space != one.memory.space:
        return False
    if not searched_alike(held.memory, one.memory):
        return True
    same = [h.passage for h in held.passages] == [p.passage for p in one.passages]
    return same and all(
        h.vectors.keys() <= p.vectors.keys()
        for h, p in zip(held.passages, one.passages, strict=True)
    )


def _copies_of(held: Held) -> list[Copy]:
    space = held.memory.space
    return [
        Copy(held.memory.id, p.ordinal, space, version_of(searched_text(held.memory, p)))
        for p in (h.passage for h in held.passages)
    ]
