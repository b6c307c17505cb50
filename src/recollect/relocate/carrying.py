"""Memories, taken from one store to another page by page. What is there already and the same is
left alone, so that a page may be carried twice: after a kill nobody knows how far the last one got.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from recollect.relocate.digests import of_memory, without_counters
from recollect.stores.movable import Movable, Whole
from recollect.stores.protocol import Embedding, Store
from recollect.text.searched import searched_text
from recollect.text.tokenise import joined_terms
from recollect.vocabulary import Entry, Memory, Vectors

PAGE = 1_000


@runtime_checkable
class MovableStore(Store, Movable, Protocol):
    """A store that can be taken elsewhere, or that what is taken comes to."""


class Walked(NamedTuple):
    """A page of a store."""

    whole: list[Whole]
    cursor: str | None


def walk(store: MovableStore, cursor: str | None, damaged: list[str]) -> Iterator[Walked]:
    """All memories in the order told, from a cursor on. What cannot be read is named."""
    while True:
        page = store.scan(cursor=cursor, limit=PAGE, damaged=damaged)
        whole = [one for one in store.whole([m.id for m in page.memories]) if one is not None]
        cursor = page.cursor
        yield Walked(whole, cursor)
        if cursor is None:
            return


def memories_of(store: Store) -> Iterator[list[Memory]]:
    """The same without what belongs to them."""
    cursor: str | None = None
    while True:
        page = store.scan(cursor=cursor, limit=PAGE)
        yield page.memories
        cursor = page.cursor
        if cursor is None:
            return


def agree_on_embeddings(source: MovableStore, target: MovableStore) -> None:
    """The same embedder answers here as there, and the same is being built."""
    wanted = source.embeddings()
    if not wanted or target.embeddings() == wanted:
        return
    answers = wanted[0]
    if target.declare(answers) != answers:  # declared while it was empty, by another embedder
        target.build(answers)
        target.switch(answers.fingerprint)
    for built in wanted[1:]:
        target.build(built)


def carry(whole: Sequence[Whole], target: MovableStore, embeddings: Sequence[Embedding]) -> int:
    """Let the target hold these; how many were new or otherwise there."""
    ids = [one.memory.id for one in whole]
    there = dict(zip(ids, target.whole(ids), strict=True))
    fresh: list[Whole] = []
    changed: list[Whole] = []
    counted: list[tuple[Whole, Whole]] = []
    for one in whole:
        held = there[one.memory.id]
        if held is None:
            fresh.append(one)
        elif of_memory(held) == of_memory(one):
            continue
        elif _counts_further(held, one):
            counted.append((held, one))
        elif _lacks_vectors_only(held, one):
            changed.append(one)
        else:
            target.delete([one.memory.id])
            fresh.append(one)
    answers = embeddings[0].fingerprint if embeddings else None
    entries = [_entry(one, answers) for one in fresh]
    if entries:
        target.put(entries, fingerprint=answers)
    if counted:
        target.touch(
            accessed={w.memory.id: w.memory.access_count - h.memory.access_count
                      for h, w in counted},
            reinforced={w.memory.id: w.memory.reinforcement - h.memory.reinforcement
                        for h, w in counted},
        )  # fmt: skip
    complete = {entry.memory.id for entry in entries if entry.vectors is not None}
    _fill([*fresh, *changed], target, embeddings, complete)
    return len(fresh) + len(changed) + len(counted)


def _counts_further(held: Whole, wanted: Whole) -> bool:
    """Was it only read and told again meanwhile? Then counting on will do."""
    return (
        held.memory.access_count <= wanted.memory.access_count
        and held.memory.reinforcement <= wanted.memory.reinforcement
        and of_memory(without_counters(held)) == of_memory(without_counters(wanted))
    )


def _lacks_vectors_only(held: Whole, wanted: Whole) -> bool:
    """Are vectors missing and nothing else? One that the source has no more cannot be taken away
    singly."""
    bare = _without_vectors(held), _without_vectors(wanted)
    return of_memory(bare[0]) == of_memory(bare[1]) and all(
        fingerprint in theirs.vectors and (vector == theirs.vectors[fingerprint]).all()
        for own, theirs in zip(held.passages, wanted.passages, strict=True)
        for fingerprint, vector in own.vectors.items()
    )


def _without_vectors(whole: Whole) -> Whole:
    return whole._replace(passages=tuple(p._replace(vectors={}) for p in whole.passages))


def _entry(whole: Whole, answers: str | None) -> Entry:
    """As it stands there: cut as it was, under its own id, merged with nothing."""
    passages = tuple(held.passage for held in whole.passages)
    return Entry(
        whole.memory,
        passages,
        tuple(joined_terms(searched_text(whole.memory, p)) for p in passages),
        whole.identity,
        _all_vectors(whole, answers),
        merge=False,
        history=whole.history,
    )


def _all_vectors(whole: Whole, answers: str | None) -> Vectors | None:
    """Vectors come with a memory where every passage has one."""
    import numpy as np

    if answers is None or not whole.passages:
        return None
    if any(answers not in held.vectors for held in whole.passages):
        return None
    return np.stack([held.vectors[answers] for held in whole.passages])


def _fill(
    whole: Sequence[Whole],
    target: MovableStore,
    embeddings: Sequence[Embedding],
    complete: set[str],
) -> None:
    """Vectors that did not come with their memories: where only some passages have one, and those
    by an embedder whose index is being built."""
    import numpy as np

    for embedding in embeddings:
        by = embedding.fingerprint
        owing = [one for one in whole if any(by in held.vectors for held in one.passages)]
        if embedding is embeddings[0]:
            owing = [one for one in owing if one.memory.id not in complete]
        there = target.whole([one.memory.id for one in owing])
        wanted = [
            (place.handle, held.vectors[by])
            for one, copy in zip(owing, there, strict=True)
            if copy is not None
            for held, place in zip(one.passages, copy.passages, strict=True)
            if by in held.vectors and by not in place.vectors
        ]
        if wanted:
            target.fill(by, [handle for handle, _ in wanted], np.stack([v for _, v in wanted]))


def forget_others(source: MovableStore, target: MovableStore, *, told_before: datetime) -> int:
    """What was forgotten in the source while it was carried is forgotten here too; how many. What
    was told here since then is somebody else's."""
    gone: list[str] = []
    for page in memories_of(target):
        ids = [memory.id for memory in page if memory.created_at <= told_before]
        gone += [i for i, m in zip(ids, source.get(ids), strict=True) if m is None]
    if gone:
        target.delete(gone)
        target.finish_erasing()
    return len(gone)
