"""Find what is near to a new text among what is known, and judge it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from bethink.clock import to_micros
from bethink.errors import EmbedderError, StoreError
from bethink.filters import All, Condition, Filter, ValidAt
from bethink.remember.changes import says_changed
from bethink.remember.ingress import identity
from bethink.remember.sameness import (
    Judgement,
    Told,
    Verdict,
    bounds_of,
    judge,
    one_fact,
    opposite,
)
from bethink.remember.succession import SUPERSEDES, link
from bethink.stores.protocol import Store
from bethink.stores.told_again import takes_in
from bethink.text.both_ends import MAX_MEANING_CHARS, both_ends
from bethink.text.facts import Reading
from bethink.text.tokenise import query_terms
from bethink.text.visible import clip
from bethink.vocabulary import Action, Entry, Memory, Receipt

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder

_log = logging.getLogger(__name__)
_NEAR = 20  # candidates of each search: who says the same is among the first few


class Finding(NamedTuple):
    """What the new text is to what is known. `memory` is whom it repeats or corrects; for what is
    new, the nearest that is worth naming."""

    verdict: Verdict
    why: str
    memory: Memory | None = None
    others: tuple[Memory, ...] = ()  # that say the same as the one that is corrected


def find(
    memory: Memory,
    *,
    store: Store,
    embedder: Callable[[], Embedder | None],
    zone: tzinfo,
    where: Filter | None = None,
    unmarked: bool = True,
    among: Callable[[Memory], bool] = lambda known: True,
) -> Finding:
    """Among the memories of the same space and kind that hold now. For `unmarked` see `judge`."""
    if all(info.name != memory.space for info in store.spaces()):
        return Finding(Verdict.NEW, "nothing is known there yet")
    conditions: list[Filter] = [
        Condition("kind", None, "=", memory.kind),
        ValidAt(to_micros(memory.created_at)),
    ]
    if where is not None:
        conditions.append(where)
    near, fingerprint = _near(memory, store, embedder, All(tuple(conditions)))
    known = [one for one in store.get(list(near)) if one is not None and among(one)]
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
                unmarked=unmarked,
            ),
        )
        for one in known
        if one.id != memory.id
    ]
    done = [pair for pair in judged if is_done(pair[0]) and not is_done(memory)]
    judged = [pair for pair in judged if pair not in done]
    same = [
        (one, said)
        for one, said in judged
        if said.verdict is Verdict.SAME and takes_in(one.valid_from, one.valid_to, memory)
    ]
    for one, said in sorted(same, key=lambda pair: is_done(pair[0])):
        return Finding(Verdict.SAME, said.why, one)
    for one, said in done:  # told again, a finished task is to be done once more
        if said.verdict is Verdict.SAME:
            return Finding(Verdict.NEW, "it was done before, and is open once more", one)
    corrected = [(one, said) for one, said in judged if said.verdict is Verdict.CORRECTION]
    corrected = _meant(corrected, reading, zone)
    if corrected and all(one_fact(corrected[0][0].text, other.text) for other, _ in corrected[1:]):
        one, said = corrected[0]
        return Finding(Verdict.CORRECTION, said.why, one, tuple(o for o, _ in corrected[1:]))
    if corrected:
        return Finding(
            Verdict.NEW,
            f"it may correct any of {len(corrected)}: name the one with --supersedes",
            corrected[0][0],
        )
    for one, said in judged:
        if said.beside:
            when = "if it does" if said.doubt else "if not"
            return Finding(Verdict.NEW, f"{said.why} ({when}: --supersedes ID)", one)
    nearest = next((one for one in known if (near[one.id] or -1.0) >= bounds.note), None)
    return Finding(Verdict.NEW, "near to it, but not surely the same", nearest)


def _meant(
    corrected: list[tuple[Memory, Judgement]], reading: Reading, zone: tzinfo
) -> list[tuple[Memory, Judgement]]:
    """Those of whom it says the very opposite, word for word, before those of which it only may."""
    exact = [
        (one, said)
        for one, said in corrected
        if opposite(Told(one.text, told_at(one)).reading(zone), reading)
    ]
    if not exact:
        return corrected
    # in a list of one's own, who is meant may be left out
    others = [p for p in corrected if p not in exact and one_fact(p[0].text, exact[0][0].text)]
    return exact + others


def is_done(memory: Memory) -> bool:
    return memory.kind == "task" and memory.metadata.get("done") is True


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
            from bethink.embedders.protocol import embed_texts

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


# Corrections of what is in the store alone


_LONGEST = 300  # characters: what is longer says several things, and replaces none as a whole
# Records of what was said or happened, and parts of documents: none of them is out of date.
_RECORDS = frozenset({"document", "faq", "journal", "scene", "event", "turn", "message"})


def may_correct(memory: Memory, *, alone: bool) -> bool:
    """Whether a text is worth comparing with what is known. Told among many, only if it says
    itself that something has changed: looking at each would make an import slow."""
    if len(memory.text) > _LONGEST or memory.kind in _RECORDS or memory.valid_to is not None:
        return False
    metadata = memory.metadata
    if SUPERSEDES in metadata or "document" in metadata or not memory.verified:
        return False
    if memory.role or metadata.get("conversation"):
        return False  # a turn of a conversation is a record of what was said
    if memory.text.rstrip()[-1:] in ("?", "？"):
        return False
    return alone or says_changed(memory.text)


def supersede(
    memories: Sequence[Memory], receipts: Sequence[Receipt], *, store: Store, zone: tzinfo
) -> list[Receipt]:
    """Let new memories take the place of those that they surely correct; both stay in the store.
    The receipts say so. Words alone judge: the rules need the same words anyway."""
    alone = len(memories) == 1
    done = list(receipts)
    for at, (memory, receipt) in enumerate(zip(memories, receipts, strict=True)):
        if receipt.action is not Action.CREATED or not may_correct(memory, alone=alone):
            continue
        done[at] = _superseding(replace(memory, id=receipt.id), receipt, store, zone)
    return done


def _superseding(memory: Memory, receipt: Receipt, store: Store, zone: tzinfo) -> Receipt:
    def among(known: Memory) -> bool:
        return (
            known.id != memory.id
            and "book" not in known.provenance  # a file says it, and would say it again
            and "document" not in known.metadata
            and len(known.text) <= _LONGEST
            and known.speaker == memory.speaker
            and told_at(known) <= told_at(memory)
            and known.confidence <= memory.confidence
        )

    searched: Store = getattr(store, "truth", store)  # a write waits for no retriever
    try:
        finding = find(
            memory, store=searched, embedder=lambda: None, zone=zone, unmarked=False, among=among
        )
    except StoreError as e:  # it is kept already; that must not look like a failed write
        _log.warning("not compared with what is known: %s", e)
        return receipt._replace(notes=(*receipt.notes, "not compared with what is known"))
    old = finding.memory
    if old is None or finding.verdict is not Verdict.CORRECTION:
        doubted = old is not None and finding.verdict is Verdict.NEW and "correct" in finding.why
        note = f"{finding.why}: {old.id} {clip(_line(old), 80)}" if doubted and old else ""
        return receipt._replace(notes=(*receipt.notes, note)) if note else receipt
    until = memory.valid_from or memory.created_at
    metadata = {**memory.metadata, SUPERSEDES: old.id}
    new = replace(memory, valid_from=until, metadata=metadata)
    store.revise_many([Entry(new, (), (), identity(new), merge=False)], history=False)
    gone = (old, *finding.others)
    for one in gone:
        link(store, one, memory.id, until=until, detected=True)
    said = [
        f"supersedes {one.id}: {clip(_line(one), 80)} (undo: forget {memory.id}; to keep both, "
        "tell it again with merge 'words')"
        for one in gone
    ]
    return receipt._replace(action=Action.REVISED, notes=(*receipt.notes, *said))


def contradicts(older: Memory, newer: Memory, *, zone: tzinfo) -> bool:
    """Whether the newer surely or perhaps corrects the older."""
    judged = judge(
        Told(older.text, told_at(older)),
        Told(newer.text, told_at(newer)),
        zone=zone,
        strictly=older.kind == "task",
        unmarked=False,
    )
    return judged.verdict is Verdict.CORRECTION or judged.doubt


def _line(memory: Memory) -> str:
    return " ".join(memory.text.split())
