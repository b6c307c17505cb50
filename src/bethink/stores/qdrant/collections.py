"""The collections of one retriever, and what is indexed in them.

The first holds a point for each passage, without a vector: which copies there are, and how far the
retriever has come. Beside it stands one for each embedder, with the vectors and what filters ask
for. (Named vectors of one collection would do as well, but Qdrant 1.16 cannot add one to a
collection that exists; and a collection goes as a whole, with its files.)
"""

from __future__ import annotations

from typing import Final

from qdrant_client import QdrantClient
from qdrant_client import models as q

from bethink.errors import StoreError
from bethink.stores.facts import HOLDS_FROM, HOLDS_UNTIL, NUMBERS, TIMES

OLDEST: Final = (1, 16)
VECTOR: Final = "meaning"
# What is best under filters was measured (benchmarks/LOG.md). Links of its own for each common
# value, which is the default, take several times as long to make, and found .82 of the ten nearest
# under a filter to 20 %. So: what passes a filter is looked through up to so many kB of vectors
# (40,000 of 384 numbers); above that, the search walks on through what does not (`retriever.py`).
_HNSW = q.HnswConfigDiff(m=16, ef_construct=128, payload_m=0, full_scan_threshold=60_000)


def make_base(client: QdrantClient, name: str) -> None:
    client.create_collection(name, vectors_config={})
    for field in ("space", "memory", "vectors"):
        client.create_payload_index(name, field, q.PayloadSchemaType.KEYWORD)


def make_vectors(client: QdrantClient, name: str, dimension: int) -> None:
    client.create_collection(
        name,
        vectors_config={VECTOR: q.VectorParams(size=dimension, distance=q.Distance.COSINE)},
        hnsw_config=_HNSW,
    )
    # Points of a space lie together on the disk and are found without looking at the others.
    space = q.KeywordIndexParams(type=q.KeywordIndexType.KEYWORD, is_tenant=True)
    client.create_payload_index(name, "space", space, wait=False)
    for field in ("memory", "facts"):
        client.create_payload_index(name, field, q.PayloadSchemaType.KEYWORD, wait=False)
    for field in (*TIMES, HOLDS_FROM, HOLDS_UNTIL):
        only_ranges = q.IntegerIndexParams(
            type=q.IntegerIndexType.INTEGER, lookup=False, range=True
        )
        client.create_payload_index(name, field, only_ranges, wait=False)
    for field in NUMBERS:
        client.create_payload_index(name, field, q.PayloadSchemaType.FLOAT)


def check_version(version: str, name: str) -> None:
    numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise StoreError(f"{name} is Qdrant {version}; {oldest} or newer is needed: update it")
