"""From one embedder to another."""

from __future__ import annotations

from bethink.stores.protocol import Store
from bethink.testing.entries import ToyEmbedder

_EVERY = 10_000


def change_over(store: Store, embedder: ToyEmbedder) -> None:
    """Build an index by this one beside the other, fill it, and let it answer."""
    store.build(embedder.embedding)
    waiting = store.unembedded(embedder.fingerprint, limit=_EVERY)
    vectors = embedder.embed([one.text for one in waiting])
    store.fill(embedder.fingerprint, [one.handle for one in waiting], vectors)
    assert store.switch(embedder.fingerprint)
