"""WRITING: accept → split → embed → commit. One transaction for each batch, then the receipts.

If the embedder is missing or fails, the memory is stored all the same and found by words at once;
its vector is filled in later and the receipt says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import repeat
from typing import NamedTuple

from bethink.embedders.protocol import Embedder, embed_texts, embedding_of
from bethink.errors import Conflict, EmbedderError, FingerprintMismatch, StoreError
from bethink.remember.ingress import identity
from bethink.remember.redacting import redacted_of
from bethink.stores.protocol import Store
from bethink.text.faq_layout import passages_of
from bethink.text.searched import searched_text
from bethink.text.tokenise import joined_terms
from bethink.vocabulary import Action, Entry, Memory, Receipt

# One durable commit for this many memories: FTS5 merges less with larger ones (a tenth faster than
# with 2048), and other writers still wait less than half a second.
BATCH = 4096


# What to say to who told these: a text for each, or none at all.
Notes = Callable[[Sequence[Memory]], Sequence[str]]
IN_STORE_ALONE = "kept in the store alone"  # how such a note begins


class Kit(NamedTuple):
    """What writing needs. `embedder` is asked for late: loading a model is slow and may fail."""

    store: Store
    embedder: Callable[[], Embedder | None]
    notes: Notes | None = None
    redact: bool = True  # secrets are blotted out
    warning: Callable[[], str] | None = None  # what all who have just written must know


def prepare(memory: Memory, *, given_id: bool) -> Entry:
    """A memory with its passages and their terms. With an id of its own it is never merged."""
    passages = passages_of(memory)
    joined = tuple([joined_terms(searched_text(memory, p)) for p in passages])
    return Entry(memory, passages, joined, identity(memory), None, not given_id)


def embed_entries(entries: Sequence[Entry], embedder: Embedder) -> list[Entry]:
    """The entries with vectors, embedded all together."""
    texts = [searched_text(e.memory, p) for e in entries for p in e.passages]
    vectors = embed_texts(embedder, texts, kind="document")
    done: list[Entry] = []
    at = 0
    for memory, passages, terms, same, _, merge, history in entries:
        until = at + len(passages)
        done.append(Entry(memory, passages, terms, same, vectors[at:until], merge, history))
        at = until
    return done


def write(entries: Sequence[Entry], kit: Kit) -> list[Receipt]:
    """Embed what is new, commit all, and say what became of each."""
    note = ""
    fingerprint: str | None = None
    try:
        entries, fingerprint = _with_vectors(entries, kit)
    except EmbedderError as e:
        note = _words_only(e)
    try:
        written = kit.store.put(entries, fingerprint=fingerprint)
    except FingerprintMismatch as e:
        # another process changed the embedder between our look and our write
        note = _words_only(e)
        entries = [entry._replace(vectors=None) for entry in entries]
        written = kit.store.put(entries)
    known = [w.id for w in written if w.action is not Action.CREATED]
    held = {m.id: m for m in kit.store.get(known) if m is not None} if known else {}
    beside = kit.notes([entry.memory for entry in entries]) if kit.notes is not None else ()
    warning = kit.warning() if kit.warning is not None else ""
    created = Action.CREATED
    return [
        Receipt(
            w.id,
            entry.memory.space,
            w.action,
            len(entry.passages),
            entry.vectors is not None or w.action is not created,
            _notes(entry.memory, held.get(w.id), note, said, warning),
        )
        for entry, w, said in zip(entries, written, beside or repeat("", len(entries)), strict=True)
    ]


_KEPT_FIELDS = (
    "section", "tags", "entities", "source", "provenance", "confidence", "valid_from", "valid_to",
    "metadata",
)  # fmt: skip


def _notes(
    told: Memory, held: Memory | None, note: str, said: str, warning: str
) -> tuple[str, ...]:
    """All that a receipt says; nothing, as a rule."""
    if held is None and not (note or said or warning or told.provenance):
        return ()
    return (*_known_as(told, held, note), *filter(None, (said, redacted_of(told), warning)))


def _known_as(told: Memory, held: Memory | None, note: str) -> tuple[str, ...]:
    """Told again changes nothing but the count; whoever told more this time must know."""
    if held is None:
        return (note,) if note else ()
    if told.verified and not held.verified:
        return (
            f"known already as it was offered, and still unverified: 'bethink promote {held.id}' "
            "verifies it",
        )
    other = [name for name in _KEPT_FIELDS if getattr(told, name) != getattr(held, name)]
    if not other:
        return ()
    return (f"known already; its {', '.join(other)} stay as they were: 'revise' changes them",)


def write_each(
    entries: Sequence[Entry], kit: Kit, *, conflict: Callable[[int, Conflict], None]
) -> list[Receipt]:
    """Write all but those whose id is taken by something else; `conflict` hears of these."""
    try:
        return write(entries, kit)
    except Conflict:
        pass  # one by one, to know whose it is
    receipts: list[Receipt] = []
    for position, entry in enumerate(entries):
        try:
            receipts += write([entry], kit)
        except Conflict as e:
            conflict(position, e)
    return receipts


def revise(entry: Entry, kit: Kit, *, same_text: bool) -> Receipt:
    """Replace a memory; its vectors are made anew only where it reads otherwise to a search."""
    note = ""
    if same_text:
        kit.store.revise(entry)
    else:
        (entry,), note = _reworded([entry], kit)
    return Receipt(
        id=entry.memory.id,
        space=entry.memory.space,
        action=Action.REVISED,
        passages=len(entry.passages),
        embedded=same_text or entry.vectors is not None,
        notes=tuple(filter(None, (note, redacted_of(entry.memory)))),
    )


def revise_many(entries: Sequence[Entry], kit: Kit, *, history: bool = True) -> str:
    """Replace memories whose texts have changed, all together; why words alone find them, if so."""
    return _reworded(list(entries), kit, history=history)[1]


def _reworded(entries: list[Entry], kit: Kit, *, history: bool = True) -> tuple[list[Entry], str]:
    note = ""
    fingerprint: str | None = None
    try:
        entries, fingerprint = _embedded(entries, kit)
    except EmbedderError as e:
        note = _words_only(e)
    try:
        kit.store.revise_many(entries, fingerprint=fingerprint, history=history)
    except FingerprintMismatch as e:
        note = _words_only(e)
        entries = [entry._replace(vectors=None) for entry in entries]
        kit.store.revise_many(entries, history=history)
    return entries, note


def _words_only(fault: EmbedderError) -> str:
    return f"found by words only, for now: {fault}"


def _with_vectors(entries: Sequence[Entry], kit: Kit) -> tuple[list[Entry], str | None]:
    """The entries, those that are not known yet with vectors."""
    known = kit.store.known(entries)
    fresh = [entry for entry, old in zip(entries, known, strict=True) if not old]
    embedded, fingerprint = _embedded(fresh, kit)
    done = iter(embedded)
    return [
        entry if old else next(done) for entry, old in zip(entries, known, strict=True)
    ], fingerprint


def _embedded(entries: list[Entry], kit: Kit) -> tuple[list[Entry], str | None]:
    """The entries with vectors, and whose they are; unchanged without an embedder.

    Only an embedder that has proved itself may claim an empty index: one that never worked would
    otherwise have to be asked for ever after.
    """
    embedder = kit.embedder() if entries else None
    if embedder is None:
        return entries, None
    done = embed_entries(entries, embedder)
    claim(kit.store, embedder)
    return done, embedder.fingerprint


def claim(store: Store, embedder: Embedder) -> None:
    """Make the index this embedder's if it is nobody's; raise if it is another's."""
    held = store.declare(embedding_of(embedder))
    if held.fingerprint != embedder.fingerprint:
        raise FingerprintMismatch(
            f"the index is by {held.name}, the embedder is {embedder.name}; run 'bethink reindex'"
        )


def backfill(kit: Kit, embedder: Embedder, *, at_most: int) -> int:
    """Give vectors to passages that wait for one; how many got theirs."""
    done = 0
    while done < at_most:
        waiting = kit.store.unembedded(embedder.fingerprint, limit=min(256, at_most - done))
        if not waiting:
            break
        vectors = embed_texts(embedder, [w.text for w in waiting], kind="document")
        kit.store.fill(embedder.fingerprint, [w.handle for w in waiting], vectors)
        done += len(waiting)
    return done


def keep_fast(store: Store) -> None:
    """Bring derived files up to date after many writes. The memories are on disk already: a disk
    that has no room for more must not make their writing look failed."""
    with suppress(StoreError):
        store.maintain()
