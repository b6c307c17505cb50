"""Entries as the writing pipeline would make them, with every part under the test's control."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import numpy as np

from bethink.embedders.protocol import Kind
from bethink.remember.ingress import identity
from bethink.stores.protocol import Embedding
from bethink.text.searched import searched_text
from bethink.text.tokenise import joined_terms
from bethink.vocabulary import Decision, Entry, Memory, Offer, Passage, Principal, Vectors

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class ToyEmbedder:
    """A direction for each text, by chance but always the same. No meaning, no weights, no time."""

    batch = 64

    def __init__(self, name: str = "toy", dimension: int = 8) -> None:
        self.name = name
        self.dimension = dimension
        self.fingerprint = f"toy/{name}/{dimension}"

    @property
    def embedding(self) -> Embedding:
        return Embedding(self.fingerprint, self.dimension, self.name)

    def __repr__(self) -> str:
        return f"ToyEmbedder({self.name!r}, {self.dimension})"

    def embed(self, texts: Sequence[str], *, kind: Kind = "document") -> Vectors:
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            seed = blake2b(f"{self.name}\0{text}".encode(), digest_size=8).digest()
            chance = np.random.default_rng(int.from_bytes(seed, "little"))
            vector = chance.standard_normal(self.dimension)
            rows[row] = vector / np.linalg.norm(vector)
        return rows


def make_memory(text: str, memory_id: str, *, space: str = "global", **fields: Any) -> Memory:
    times = {"created_at": NOON, "updated_at": NOON}
    return Memory(id=memory_id, space=space, text=text, **{**times, **fields})


def make_entry(
    memory: Memory,
    embedder: ToyEmbedder | None = None,
    *,
    vectors: Vectors | None = None,
    merge: bool = False,
) -> Entry:
    """An entry with one passage for each line; with vectors if an embedder (or they) are given."""
    passages = lines(memory.text)
    texts = [searched_text(memory, p) for p in passages]
    if embedder is not None:
        vectors = embedder.embed(texts)
    joined = tuple(joined_terms(text) for text in texts)
    return Entry(memory, passages, joined, identity(memory), vectors, merge)


def lines(text: str) -> tuple[Passage, ...]:
    """Small passages, so that a short text has several."""
    passages: list[Passage] = []
    start = 0
    for ordinal, line in enumerate(text.split("\n")):
        passages.append(Passage(ordinal, start, start + len(line)))
        start += len(line) + 1
    return tuple(passages)


def make_offer(text: str, offer_id: str, *, space: str = "global", **fields: Any) -> Offer:
    """An offer as it stands in quarantine: admitted, and by somebody of no account."""
    plain = {
        "by": Principal("agent", "python"),
        "source_hash": "source",
        "identity": f"says {text}",
        "decision": Decision.ADMITTED,
        "reason": "as good as any",
        "decided_at": NOON,
    }
    return Offer(memory=make_memory(text, offer_id, space=space), **{**plain, **fields})
