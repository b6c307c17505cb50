"""Qdrant finds by meaning; the truth stays elsewhere. It holds vectors, ids, spaces, times and
hashes of what filters ask for: no text.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, partial
from itertools import combinations, islice
from typing import TypeVar

from qdrant_client import QdrantClient
from qdrant_client import models as q

from bethink.errors import FingerprintMismatch, StoreBusy, StoreError
from bethink.filters import Filter
from bethink.stores import facts
from bethink.stores.copies import (
    POSITION_ID,
    copy_id,
    is_vectors_of,
    position_read,
    position_written,
    vectors_in,
)
from bethink.stores.protocol import Embedding
from bethink.stores.qdrant.collections import VECTOR, check_version, make_base, make_vectors
from bethink.stores.qdrant.plain_errors import plain_errors
from bethink.stores.qdrant.where import among, any_of
from bethink.stores.retriever_address import RetrieverAddress, in_the_clear, trusting
from bethink.stores.retrievers import (
    MAKE_ANEW,
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

_T = TypeVar("_T")
_one_at_a_time = threading.Lock()  # filters of warnings are those of the whole process
_AT_ONCE = 256  # points in a request: 2 MB with 384 numbers each
_LOOKED_AT = 192  # candidates at least while the graph is walked
# Neighbours of neighbours where many do not pass the filter: recall@10 .99 instead of .87 at 40 %.
_UNDER_FILTERS = q.AcornSearchParams(enable=True, max_selectivity=0.8)
_PAUSES = (0.25, 0.5, 1.0, 2.0)  # between tries, while it takes no more writes
_KEPT = ["memory", "ordinal", "version"]


class QdrantRetriever:
    def __init__(self, address: RetrieverAddress, *, timeout: float = 10.0) -> None:
        self.name = address.name
        self.finds: Collection[Finds] = address.finds
        self.address = address
        self._base = address.index
        self._timeout = timeout
        self._lock = threading.RLock()
        self._checked = False

    @cached_property
    def _connection(self) -> QdrantClient:
        address = self.address
        with _one_at_a_time, warnings.catch_warnings():
            # it would be said on every terminal; `doctor` says it (`in_the_clear`)
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
            return QdrantClient(
                url=address.url,
                port=address.port,
                grpc_port=address.grpc or 6334,
                prefer_grpc=bool(address.grpc),
                api_key=address.secret or None,
                timeout=int(self._timeout),
                # without TLS no certificates need be read, which takes a while
                verify=trusting(address) if address.ca else address.tls,
                check_compatibility=False,  # it would ask the server here; we ask at first use
            )

    def _client(self) -> QdrantClient:
        with self._lock:
            if not self._checked:
                check_version(self._connection.info().version, self.name)
                self._checked = True
        return self._connection

    # How far it has come

    def position(self) -> Position | None:
        with plain_errors(self.name):
            client = self._client()
            if not client.collection_exists(self._base):
                return None
            found = client.retrieve(self._base, [POSITION_ID])
        if not found:
            return None
        payload = found[0].payload or {}
        return position_read(payload["position"])

    def set_position(self, position: Position) -> None:
        kept = {"position": position_written(position)}
        point = q.PointStruct(id=POSITION_ID, vector={}, payload=kept)
        with plain_errors(self.name):
            self._there()
            self._patiently(lambda: self._client().upsert(self._base, [point], wait=True))

    def clear(self) -> None:
        with plain_errors(self.name):
            client = self._client()
            ours = self._ours()
            if self._base in ours:  # first: without it the others count for nothing
                client.delete_collection(self._base)
            for name in ours - {self._base}:
                client.delete_collection(name)

    def _ours(self) -> set[str]:
        names = [one.name for one in self._client().get_collections().collections]
        return {n for n in names if n == self._base or is_vectors_of(self._base, n)}

    def _there(self) -> set[str]:
        """The collections that there are, the first among them."""
        ours = self._ours()
        if self._base in ours:
            return ours
        with self._lock:  # two threads that both find it missing make it once
            if self._base not in self._ours():
                make_base(self._client(), self._base)
        return ours | {self._base}

    # Following

    def apply(self, changes: Changes) -> None:
        with plain_errors(self.name):
            names = self._follow(changes, self._there())
            for name in names:
                if changes.spaces_gone:
                    self._delete(name, q.Filter(must=[any_of("space", changes.spaces_gone)]))
                for gone in _in_parts(changes.gone, _AT_ONCE):
                    self._delete(name, q.Filter(must=[any_of("memory", gone)]))
            for written in _in_parts(changes.written, _AT_ONCE):
                self._write(self._base, written, None)
                for embedding in changes.embeddings:
                    name = vectors_in(self._base, embedding.fingerprint)
                    self._write(name, written, embedding.fingerprint)

    def _follow(self, changes: Changes, there: set[str]) -> set[str]:
        """Have a collection for each embedder that holds, and for no other."""
        if not changes.embeddings:
            return there
        client = self._client()
        wanted = {vectors_in(self._base, e.fingerprint): e for e in changes.embeddings}
        emptied = {vectors_in(self._base, fingerprint) for fingerprint in changes.vectors_gone}
        for name in there - {self._base}:
            if name not in wanted or name in emptied:
                self._let_go(client, name, wanted.keys() - {name})
                there = there - {name}
        missing = wanted.keys() - there
        if missing:
            self._make(client, {name: wanted[name] for name in missing}, emptied)
        return there | wanted.keys()

    def _let_go(self, client: QdrantClient, name: str, others: Collection[str]) -> None:
        """Of these vectors nobody notes any more that there are some, or it would seem robbed of
        them; nor that they were made, or it would seem so when their embedder comes back."""
        for size in range(len(others), 0, -1):  # of the others everybody notes what it did
            for kept in combinations(sorted(others), size):
                both = q.Filter(must=[any_of("vectors", [one]) for one in (name, *kept)])
                client.set_payload(self._base, {"vectors": list(kept)}, both, wait=True)
        noted = q.Filter(must=[any_of("vectors", [name])])
        client.delete_payload(self._base, ["vectors"], noted, wait=True)
        client.delete_collection(name)
        client.delete(self._base, q.PointIdsList(points=[_mark(name)]), wait=True)

    def _make(
        self, client: QdrantClient, missing: dict[str, Embedding], emptied: Collection[str]
    ) -> None:
        """What was made before and is not there any more was removed by somebody, with vectors
        that are nowhere else: then all is made anew."""
        marks = {name: _mark(name) for name in missing}
        with self._lock:
            there = self._ours()
            made = client.retrieve(self._base, list(marks.values()))
            lost = {str(point.id) for point in made} - {marks[n] for n in emptied if n in marks}
            for name, embedding in missing.items():
                if name in there:  # another thread was faster
                    continue
                if marks[name] in lost:
                    raise RetrieverUnfit(f"{self.name}: the collection {name} was removed")
                make_vectors(client, name, embedding.dimension)
            points = [
                q.PointStruct(id=mark, vector={}, payload={"made": name})
                for name, mark in marks.items()
            ]
            client.upsert(self._base, points, wait=True)

    def _write(self, name: str, written: Sequence[Indexed], fingerprint: str | None) -> None:
        points = [
            _point(one, passage, fingerprint, self._base)
            for one in written
            for passage in one.passages
            if fingerprint is None or fingerprint in passage.vectors
        ]
        for part in _in_parts(points, _AT_ONCE):
            self._patiently(partial(self._client().upsert, name, part, wait=True))
        memories = any_of("memory", [one.memory.id for one in written])
        kept = q.HasIdCondition(has_id=[point.id for point in points])
        self._delete(name, q.Filter(must=[memories], must_not=[kept] if points else None))

    def _delete(self, name: str, where: q.Filter) -> None:
        selector = q.FilterSelector(filter=where)
        self._patiently(lambda: self._client().delete(name, selector, wait=True))

    def _patiently(self, write: Callable[[], _T]) -> _T:
        """Writing happens where nobody need wait for it: too many requests are spread out."""
        for pause in _PAUSES:
            try:
                with plain_errors(self.name):
                    return write()
            except StoreBusy:
                time.sleep(pause)
        return write()

    # Finding

    def expresses(self, where: Filter) -> bool:
        return facts.expresses(where)

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Seen]:
        raise StoreError(f"{self.name} finds by meaning only")

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Seen]:
        try:
            with plain_errors(self.name):
                found = self._client().query_points(
                    vectors_in(self._base, fingerprint),
                    query=vector.tolist(),
                    using=VECTOR,
                    query_filter=among(spaces, where),
                    search_params=q.SearchParams(
                        hnsw_ef=max(_LOOKED_AT, 2 * limit), acorn=_UNDER_FILTERS
                    ),
                    limit=limit,
                    with_payload=_KEPT,
                )
        except RetrieverUnfit:
            raise FingerprintMismatch(
                f"{self.name} holds no vectors of {fingerprint} yet; it follows when it catches up"
            ) from None
        return [
            Seen(payload["memory"], payload["ordinal"], point.score, payload["version"])
            for point in found.points
            if (payload := point.payload) is not None
        ]

    def copies(self, *, cursor: str | None, limit: int) -> Copies:
        passages = q.Filter(must_not=[q.IsEmptyCondition(is_empty=q.PayloadField(key="memory"))])
        with plain_errors(self.name):
            if cursor is None and not self._client().collection_exists(self._base):
                return Copies([], None)
            points, after = self._client().scroll(
                self._base, scroll_filter=passages, limit=limit, offset=cursor
            )
        copies = [
            Copy(p["memory"], p["ordinal"], p["space"], p["version"])
            for p in (point.payload or {} for point in points)
        ]
        return Copies(copies, None if after is None else str(after))

    # Care

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        """There is no text here. Numbers of vectors that were deleted stay in its files, where
        nothing finds them, until Qdrant writes these anew."""
        return True

    def check(self) -> list[Check]:
        with plain_errors(self.name):
            ours = self._ours()
            if self._base not in ours:  # what is missing is seen by its copies
                return []
            collections = [self._check(name) for name in sorted(ours)]
            return [*collections, *in_the_clear(self.address)]

    def _check(self, name: str) -> Check:
        """A collection of vectors must have as many as the first says that it has."""
        part = f"collection {name}"
        status = self._client().get_collection(name).status
        held = self._client().count(name, exact=True).count
        if status == q.CollectionStatus.RED:
            fix = f"see Qdrant's log; then {MAKE_ANEW}"
            return Check(part, False, f"{held:,} points, {status.value}", fix)
        noted = held
        if name != self._base:
            where = q.Filter(must=[any_of("vectors", [name])])
            noted = self._client().count(self._base, where, exact=True).count
        if held < noted:
            finding = f"{noted - held:,} of {noted:,} vectors are missing: somebody removed them"
            return Check(part, False, finding, MAKE_ANEW)
        return Check(part, True, f"{held:,} points, {status.value}")

    def close(self) -> None:
        if "_connection" in self.__dict__:
            self._connection.close()


def _mark(name: str) -> str:
    """The point that says that a collection was made."""
    return copy_id(name, -1)


def _point(
    one: Indexed, passage: IndexedPassage, fingerprint: str | None, base: str
) -> q.PointStruct:
    """With the vector of this embedder; without one, what says which vectors there are."""
    memory, ordinal = one.memory, passage.passage.ordinal
    payload: dict[str, object] = {
        "memory": memory.id,
        "ordinal": ordinal,
        "space": memory.space,
        "version": passage.version,
    }
    vector: q.VectorStruct = {}
    if fingerprint is None:
        payload["vectors"] = sorted(vectors_in(base, held) for held in passage.vectors)
    else:
        payload |= {"facts": facts.facts_of(memory), **facts.numbers_of(memory)}
        vector = {VECTOR: passage.vectors[fingerprint].tolist()}
    return q.PointStruct(id=copy_id(memory.id, ordinal), vector=vector, payload=payload)


def _in_parts(items: Sequence[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
