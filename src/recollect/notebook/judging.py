"""Find what is near to a new text among what is known, and judge it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from recollect.clock import to_micros
from recollect.errors import EmbedderError
from recollect.filters import All, Condition, Filter, ValidAt
from recollect.notebook.sameness import Judgement, Told, Verdict, bounds_of, judge
from recollect.stores.protocol import Store
from recollect.text.both_ends import MAX_MEANING_CHARS, both_ends
from recollect.text.tokenise import query_terms
from recollect.vocabulary import Memory

if TYPE_CHECKING:
    from recollect.embedders.protocol import Embedder

_NEAR = 20  # candidates of each search: who says the same is among the first few


class Finding(NamedTuple):
    """What the new text is to what is known. `memory` is whom it repeats or corrects; for what is
    new, the nearest that is worth naming."""

    verdict: Verdict
    why: str
    memory: Memory | None = None


def find(
    memory: Memory,
    *,
    store: Store,
    embedder: Callable[[], Embedder | None],
    zone: tzinfo,
    where: Filter | None = None,
) -> Finding:
    """Among the memories of the same space and kind that hold now."""
    if all(info.name != memory.space for info in store.spaces()):
        return Finding(Verdict.NEW, "nothing is known there yet")
    conditions: list[Filter] = [
        Condition("kind", None, "=", memory.kind),
        ValidAt(to_micros(memory.created_at)),
    ]
    if where is not None:
        conditions.append(where)
    near, fingerprint = _near(memory, store, embedder, All(tuple(conditions)))
    known = [one for one in store.get(list(near)) if one is not None]
    bounds = bounds_of(fingerprint)
    new = Told(memory.text, memory.created_at)
    reading = new.reading(zone)
    strictly = memory.kind == "task"  # of two tasks on two days both are to be done
    judged: list[tuple[Memory, Judgement]] = [
        (
            one,
            judge(
                Told(one.text, told_at(one)),
                new,
                cosine=near[one.id],
                bounds=bounds,
                zone=zone,
                strictly=strictly,
                reading=reading,
            ),
        )
        for one in known
        if one.id != memory.id
    ]
    for one, said in judged:
        if said.verdict is Verdict.SAME:
            return Finding(Verdict.SAME, said.why, one)
    corrected = [(one, said) for one, said in judged if said.verdict is Verdict.CORRECTION]
    if len(corrected) == 1:
        one, said = corrected[0]
        return Finding(Verdict.CORRECTION, said.why, one)
    if corrected:
        return Finding(
            Verdict.NEW,
            f"it may correct any of {len(corrected)}: name the one with --supersedes",
            corrected[0][0],
        )
    nearest = next((one for one in known if (near[one.id] or -1.0) >= bounds.note), None)
    return Finding(Verdict.NEW, "near to it, but not surely the same", nearest)


def told_at(memory: Memory) -> datetime:
    return memory.occurred_at or memory.valid_from or memory.created_at


def _near(
    memory: Memory, store: Store, embedder: Callable[[], Embedder | None], where: Filter
) -> tuple[dict[str, float | None], str | None]:
    """Ids with their cosines, nearest first; those found by words only at the end."""
    near: dict[str, float | None] = {}
    fingerprint = None
    try:
        maker = embedder()
        held = store.embedding()
        if maker is not None and held is not None and held.fingerprint == maker.fingerprint:
            from recollect.embedders.protocol import embed_texts

            text = both_ends(memory.text, MAX_MEANING_CHARS)
            vector = embed_texts(maker, [text], kind="document")[0]
            fingerprint = maker.fingerprint
            for found in store.search_meaning(
                vector, fingerprint=fingerprint, spaces=[memory.space], where=where, limit=_NEAR
            ):
                near.setdefault(found.memory_id, found.score)
    except EmbedderError:
        fingerprint = None  # words alone judge then, more strictly
    named = store.search_words(
        query_terms(memory.text), spaces=[memory.space], where=where, limit=_NEAR
    )
    for found in named:
        near.setdefault(found.memory_id, None)
    return near, fingerprint
