"""Memories, taken from one store to another page by page. What is there already and the same is
left alone, so that a page may be carried twice: after a kill nobody knows how far the last one got.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bethink.relocate.digests import mark_of_memory, of_memory, without_counters
from bethink.relocate.journal import Journal
from bethink.relocate.strangers import Strangers
from bethink.stores.movable import Exchange, MovableStore, Whole
from bethink.stores.protocol import Embedding, Store
from bethink.text.searched import searched_text
from bethink.text.tokenise import joined_terms
from bethink.vocabulary import Entry, Memory, Vectors

PAGE = 1_000


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


def carry(
    whole: Sequence[Whole],
    target: MovableStore,
    embeddings: Sequence[Embedding],
    journal: Journal,
    strangers: Strangers,
) -> int:
    """Let the target hold these; how many were new or otherwise there. What says something else
    there, and not what was brought, somebody told or revised there: that stays as it is."""
    ids = [one.memory.id for one in whole]
    there = target.whole(ids)
    changed: list[Whole] = []
    counted: list[tuple[Whole, Whole]] = []
    differing: list[tuple[Whole, Whole]] = []
    for one, held in zip(whole, there, strict=True):
        if held is None or of_memory(held) == of_memory(one):
            continue
        if _counts_further(held, one):
            counted.append((held, one))
        elif _lacks_vectors_only(held, one):
            changed.append(one)
        else:
            differing.append((held, one))
    replaced = _may_be_replaced(differing, journal)
    strangers.otherwise(
        "memories", [one.memory.id for _, one in differing if one.memory.id not in replaced]
    )
    fresh = [
        (held, one)
        for held, one in zip(there, whole, strict=True)
        if held is None or one.memory.id in replaced
    ]
    answers = embeddings[0].fingerprint if embeddings else None
    brought = _exchanged(fresh, target, answers, journal)
    if counted:
        target.touch(
            accessed={w.memory.id: w.memory.access_count - h.memory.access_count
                      for h, w in counted},
            reinforced={w.memory.id: w.memory.reinforcement - h.memory.reinforcement
                        for h, w in counted},
        )  # fmt: skip
    complete = {one.memory.id for one in brought if _has_all_vectors(one, answers)}
    _fill([*brought, *changed], target, embeddings, complete)
    return len(brought) + len(changed) + len(counted)


def _exchanged(
    fresh: Sequence[tuple[Whole | None, Whole]],
    target: MovableStore,
    answers: str | None,
    journal: Journal,
) -> list[Whole]:
    """Those that the target holds now. Where somebody wrote since it was looked at, that stays:
    the comparison finds it, and the next round looks again."""
    if not fresh:
        return []
    journal.bring([mark_of_memory(one) for _, one in fresh])
    exchanges = [Exchange(one.memory.id, held, _entry(one, answers)) for held, one in fresh]
    done = target.exchange(exchanges, fingerprint=answers)
    return [one for (_, one), made in zip(fresh, done, strict=True) if made]


def _may_be_replaced(differing: Sequence[tuple[Whole, Whole]], journal: Journal) -> set[str]:
    """Where the move's own stands there, or the same with other counters, vectors or passages."""
    marks = [(mark_of_memory(held), mark_of_memory(one)) for held, one in differing]
    ours = journal.ours([held for held, _ in marks])
    return {
        one.memory.id
        for (_, one), (held, wanted), brought in zip(differing, marks, ours, strict=True)
        if brought or held == wanted
    }


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

    if answers is None or not _has_all_vectors(whole, answers):
        return None
    return np.stack([held.vectors[answers] for held in whole.passages])


def _has_all_vectors(whole: Whole, answers: str | None) -> bool:
    return bool(whole.passages) and all(answers in held.vectors for held in whole.passages)


def _fill(
    whole: Sequence[Whole],
    target: MovableStore,
    embeddings: Sequence[Embedding],
    complete: set[str],
) -> None:
    """Vectors that did not come with their memories: where only some passages have one, and those
    by an embedder whose index is being built. They are of these very words: whatever somebody
    revised since has other handles, and is passed over."""
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
            if copy is not None and _are_cut_alike(copy, one)
            for held, place in zip(one.passages, copy.passages, strict=True)
            if by in held.vectors and by not in place.vectors
        ]
        if wanted:
            target.fill(by, [handle for handle, _ in wanted], np.stack([v for _, v in wanted]))


def _are_cut_alike(one: Whole, other: Whole) -> bool:
    """Do both say the same, in the same passages?"""
    return of_memory(_without_vectors(without_counters(one))) == of_memory(
        _without_vectors(without_counters(other))
    )


def forget_others(
    source: MovableStore, target: MovableStore, journal: Journal, strangers: Strangers
) -> None:
    """What was brought and then forgotten in the source is forgotten here too; the rest of what
    only the target holds is somebody else's."""
    erased = False
    for page in memories_of(target):
        ids = [memory.id for memory in page]
        missing = [i for i, m in zip(ids, source.get(ids), strict=True) if m is None]
        held = [one for one in target.whole(missing) if one is not None]
        ours = journal.ours([mark_of_memory(one) for one in held])
        gone = [one for one, brought in zip(held, ours, strict=True) if brought]
        if gone:  # where somebody wrote since, that stays, and the next round names it
            target.exchange([Exchange(one.memory.id, one, None) for one in gone])
            erased = True
        left = [one.memory.id for one, brought in zip(held, ours, strict=True) if not brought]
        strangers.only_there("memories", left)
    if erased:
        target.finish_erasing()
