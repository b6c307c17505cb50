"""From changes, which are names only, to what a retriever is told: as the truth stands now."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.stores.retrievers import (
    Change,
    Changes,
    Feed,
    Held,
    Indexed,
    IndexedPassage,
    What,
    version_of,
)
from bethink.text.searched import searched_text
from bethink.text.tokenise import joined_terms


def resolved(feed: Feed, changes: Sequence[Change]) -> Changes:
    named: dict[What, list[str]] = {what: [] for what in What}
    for change in changes:
        named[change.what].append(change.name)
    return memories(feed, named[What.MEMORY])._replace(
        spaces_gone=tuple(named[What.SPACE]), vectors_gone=tuple(named[What.VECTORS])
    )


def memories(feed: Feed, ids: Sequence[str]) -> Changes:
    """These memories as they are now, or that they are gone."""
    held = feed.held(ids)
    return Changes(
        embeddings=feed.embeddings(),  # read last: it knows every vector that was read before
        gone=tuple(i for i, one in zip(ids, held, strict=True) if one is None),
        written=tuple(_indexed(one) for one in held if one is not None),
    )


def _indexed(held: Held) -> Indexed:
    passages: list[IndexedPassage] = []
    for one in held.passages:
        text = searched_text(held.memory, one.passage)
        passages.append(
            IndexedPassage(one.passage, version_of(text), joined_terms(text), one.vectors)
        )
    return Indexed(held.memory, tuple(passages))
