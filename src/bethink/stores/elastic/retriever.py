"""Elasticsearch finds by words and by meaning, OpenSearch by words; the truth stays elsewhere. It
holds terms, vectors, ids, spaces, times and hashes of what filters ask for."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from bethink.errors import FingerprintMismatch, StoreError
from bethink.filters import Filter
from bethink.stores import facts
from bethink.stores.copies import (
    POSITION_ID,
    copy_id,
    position_read,
    position_written,
    vectors_in,
)
from bethink.stores.elastic.mapping import MOST_DIMENSIONS, base_index, vectors_index
from bethink.stores.elastic.server import Server
from bethink.stores.elastic.where import among
from bethink.stores.elastic.wire import must_be_installed
from bethink.stores.elastic.words import MOST, scored, searches, statistics
from bethink.stores.protocol import Embedding
from bethink.stores.retriever_address import RetrieverAddress, in_the_clear
from bethink.stores.retrievers import (
    MEANING,
    WORDS,
    Changes,
    Copies,
    Copy,
    Finds,
    Indexed,
    IndexedPassage,
    Position,
    RetrieverUnfit,
    Seen,
)
from bethink.vocabulary import Check, Vector

_LOOKED_AT = 200  # candidates at least, of each shard, while the graph is walked


class ElasticRetriever:
    def __init__(self, address: RetrieverAddress, *, timeout: float = 10.0) -> None:
        must_be_installed(address.scheme)  # now: at first use it would count as being away
        self.name = address.name
        self.finds: Collection[Finds] = address.finds
        self.address = address
        self._base = address.index
        self._timeout = timeout
        self._lock = threading.RLock()

    @cached_property
    def _connection(self) -> Server:
        return Server(self.address, self._timeout)

    @property
    def _server(self) -> Server:
        with self._lock:
            return self._connection

    # How far it has come

    def position(self) -> Position | None:
        if self._base not in self._server.indexes():
            return None
        kept = self._server.document(self._base, POSITION_ID)
        return None if kept is None else position_read(kept["position"])

    def set_position(self, position: Position) -> None:
        self._there()
        kept = {"position": position_written(position)}
        self._server.write(self._base, [(POSITION_ID, kept)], searched=False)

    def clear(self) -> None:
        ours = self._server.indexes()
        for name in sorted(ours):  # the first comes first: without it the others count for nothing
            self._server.remove(name)

    def _there(self) -> set[str]:
        """The indexes that there are, the first among them."""
        ours = self._server.indexes()
        if self._base not in ours:
            self._server.make(self._base, base_index())
        return ours | {self._base}

    # Following

    def apply(self, changes: Changes) -> None:
        embeddings = changes.embeddings if MEANING in self.finds else ()
        for name in self._follow(embeddings, changes.vectors_gone, self._there()):
            if changes.spaces_gone:
                self._server.delete(name, {"terms": {"space": list(changes.spaces_gone)}})
            if changes.gone:
                self._server.delete(name, {"terms": {"memory": list(changes.gone)}})
        if changes.written:
            self._write(self._base, changes.written, None)
            for embedding in embeddings:
                name = vectors_in(self._base, embedding.fingerprint)
                self._write(name, changes.written, embedding.fingerprint)

    def _follow(
        self, embeddings: Sequence[Embedding], gone: Sequence[str], there: set[str]
    ) -> set[str]:
        """Have an index for each embedder that holds, and for no other."""
        if not embeddings:
            return there
        wanted = {vectors_in(self._base, e.fingerprint): e for e in embeddings}
        emptied = {vectors_in(self._base, fingerprint) for fingerprint in gone}
        for name in there - {self._base}:
            if name not in wanted or name in emptied:
                self._server.remove(name)
                self._note(name, made="")  # or it would seem robbed when its embedder comes back
                there = there - {name}
        for name in wanted.keys() - there:
            self._make(name, wanted[name], made_before=name not in emptied)
        return there | wanted.keys()

    def _make(self, name: str, embedding: Embedding, *, made_before: bool) -> None:
        """What was made before and is not there any more was removed by somebody, with vectors
        that are nowhere else: then all is made anew."""
        if embedding.dimension > MOST_DIMENSIONS:
            raise StoreError(
                f"{self.name}: vectors of {embedding.name} have {embedding.dimension:,} numbers; "
                f"it keeps {MOST_DIMENSIONS:,} at most. Let its address say finds=words"
            )
        with self._lock:
            if name in self._server.indexes():  # another thread was faster
                return
            if made_before and self._is_noted(name):
                raise RetrieverUnfit(f"{self.name}: the index {name} was removed")
            self._server.make(name, vectors_index(embedding.dimension))
            self._note(name, made=name)

    def _note(self, name: str, *, made: str) -> None:
        """That an index was made, or (empty) that it was let go of."""
        self._server.write(self._base, [(copy_id(name, -1), {"made": made})], searched=False)

    def _is_noted(self, name: str) -> bool:
        found = self._server.document(self._base, copy_id(name, -1))
        return found is not None and found["made"] == name

    def _write(self, name: str, written: Sequence[Indexed], fingerprint: str | None) -> None:
        documents = [
            (key := copy_id(one.memory.id, passage.passage.ordinal),
             self._document(key, one, passage, fingerprint))
            for one in written
            for passage in one.passages
            if fingerprint is None or fingerprint in passage.vectors
        ]  # fmt: skip
        self._server.write(name, documents)
        former = {
            "filter": [{"terms": {"memory": [one.memory.id for one in written]}}],
            "must_not": [{"ids": {"values": [key for key, _ in documents]}}],
        }
        self._server.delete(name, {"bool": former})

    def _document(
        self, key: str, one: Indexed, passage: IndexedPassage, fingerprint: str | None
    ) -> dict[str, Any]:
        memory = one.memory
        document: dict[str, Any] = {
            "key": key,
            "memory": memory.id,
            "ordinal": passage.passage.ordinal,
            "space": memory.space,
            "version": passage.version,
            "facts": facts.facts_of(memory),
            **facts.numbers_of(memory),
        }
        if fingerprint is not None:
            return document | {"vector": passage.vectors[fingerprint].tolist()}
        terms = passage.terms if WORDS in self.finds else ""
        return document | {"terms": terms, "length": len(terms.split())}

    # Finding

    def expresses(self, where: Filter) -> bool:
        return facts.expresses(where)

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        terms, spaces = list(dict.fromkeys(terms)), list(dict.fromkeys(spaces))
        if not terms or not spaces:
            return []
        asked = searches(terms, spaces, where, limit)
        candidates, *of_spaces = self._server.search_many(self._base, asked)
        known = {
            space: statistics(terms, answer)
            for space, answer in zip(spaces, of_spaces, strict=True)
        }
        return scored(terms, candidates["hits"]["hits"], known, limit)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        wanted = min(limit, MOST)
        nearest = {
            "field": "vector",
            "query_vector": vector.tolist(),
            "k": wanted,
            "num_candidates": min(max(2 * wanted, _LOOKED_AT), MOST),
            "filter": {"bool": {"filter": among(spaces, where)}},
        }
        asked = {
            "size": wanted,
            "track_total_hits": False,
            "_source": ["memory", "ordinal", "version"],
            "knn": nearest,
        }
        found = self._server.search(vectors_in(self._base, fingerprint), asked, missing=None)
        if found is None:
            raise FingerprintMismatch(
                f"{self.name} holds no vectors of {fingerprint} yet; it follows when it catches up"
            )
        return [
            # (1 + cosine) / 2 is what it returns, since no score may be negative
            Seen(held["memory"], held["ordinal"], 2 * hit["_score"] - 1, held["version"])
            for hit in found["hits"]["hits"]
            for held in (hit["_source"],)
        ]

    def copies(self, *, cursor: str | None, limit: int) -> Copies:
        asked: dict[str, Any] = {
            "size": min(limit, MOST),
            "track_total_hits": False,
            "_source": ["memory", "ordinal", "space", "version"],
            "query": {"exists": {"field": "memory"}},
            "sort": [{"key": "asc"}],
        }
        if cursor is not None:
            asked["search_after"] = [cursor]
        found = self._server.search(self._base, asked, missing=None)
        hits = found["hits"]["hits"] if found is not None else []
        copies = [
            Copy(held["memory"], held["ordinal"], held["space"], held["version"])
            for held in (hit["_source"] for hit in hits)
        ]
        more = bool(hits) and len(hits) == asked["size"]
        return Copies(copies, hits[-1]["sort"][0] if more else None)

    # Care

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        """Write the files anew without what is deleted. It may keep some of it longer, for replicas
        that are behind: then it says so, and this is False."""
        names = ",".join(sorted(self._server.indexes()))
        if not names:
            return True
        if self._deleted(names):
            expunge = {"only_expunge_deletes": "true"}
            self._server.ask("POST", f"/{names}/_forcemerge", params=expunge)
        self._server.ask("POST", f"/{names}/_flush")  # the log of writes goes with it
        return self._deleted(names) == 0

    def _deleted(self, names: str) -> int:
        told = self._server.ask("GET", f"/{names}/_stats/docs")
        return int(told["_all"]["total"]["docs"]["deleted"])

    def check(self) -> list[Check]:
        names = ",".join(sorted(self._server.indexes()))
        if not names:
            well = Check("cluster", True, "it can be reached, and holds nothing yet")
            return [well, *in_the_clear(self.address)]
        health = self._server.ask("GET", f"/_cluster/health/{names}")
        status = str(health["status"])
        fix = "see GET _cluster/allocation/explain; or make it anew from the store"
        shards = Check("cluster", status != "red", f"its shards are {status}", fix)
        return [shards, *in_the_clear(self.address)]

    def close(self) -> None:
        if "_connection" in self.__dict__:
            self._connection.close()
