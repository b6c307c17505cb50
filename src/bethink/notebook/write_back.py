"""Remember into a book: the file is written first, because it is the truth, then indexed from it.

Here is decided where it goes: a note into a file of its own (`note_files.py`), anything else into a
line of a file (`item_files.py`), and what has no book into the store. Told again, it is counted and
the file stays as it is. All of it happens under the book's lock, so that of many who remember at
once nobody's line is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.clock import Clock
from bethink.errors import InvalidInput, NotFound, no_such_memory
from bethink.notebook.books import Book, Books, book_lock
from bethink.notebook.forms import Form
from bethink.notebook.history_file import one_line
from bethink.notebook.layout import HOMES
from bethink.notebook.receipts import near_note, reinforced
from bethink.notebook.report import SyncKit
from bethink.remember.ingress import accept, with_speaker
from bethink.remember.judging import Finding, find
from bethink.remember.redacting import redacted_fields, redacted_of
from bethink.remember.sameness import Verdict
from bethink.remember.succession import SUPERSEDES, link, refuse_superseded
from bethink.stores.protocol import Store
from bethink.text.visible import clip
from bethink.vocabulary import Action, Memory, Receipt

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder

KINDS = frozenset({*HOMES, "journal"})
MERGES = ("words", "corrections", "meaning")
_NOTE = "note"  # a file of its own in a book of notes; nowhere in a notebook


class Kit(NamedTuple):
    """What remembering into books needs. The embedder is asked for late: loading one is slow."""

    store: Store
    books: Books | None
    embedder: Callable[[], Embedder | None]
    clock: Clock
    zone: Callable[[], tzinfo]
    plainly: Callable[[Mapping[str, Any]], Receipt]  # into the store alone
    redact: bool = True


def remembered(
    kit: Kit, told: Mapping[str, Any], *, supersedes: str | None = None, merge: str = "corrections"
) -> Receipt:
    """Into the space's book if it has one for this kind, else into the store."""
    if merge not in MERGES:
        raise InvalidInput(f"merge: expected {' or '.join(map(repr, MERGES))}, got {merge!r}")
    told = with_speaker(told)
    memory = accept(told, now=kit.clock(), redact=kit.redact)
    if kit.redact:  # before anything of it is written into a file
        told = redacted_fields(told)
    receipt = _kept(kit, memory, told, supersedes, merge)
    said = redacted_of(memory)
    if not said or said in receipt.notes:
        return receipt
    return receipt._replace(notes=(*receipt.notes, said))


def _kept(
    kit: Kit, memory: Memory, told: Mapping[str, Any], supersedes: str | None, merge: str
) -> Receipt:
    old = _superseded(kit, memory, supersedes)
    if old is not None and one_line(old.text) == one_line(memory.text):
        return reinforced(kit.store, Finding(Verdict.SAME, "the same words", old))
    book = _book(kit, memory, old, own_id=bool(told.get("id")))
    if book is not None and kit.books is not None:
        syncing = SyncKit(kit.store, kit.books, kit.embedder, kit.clock, kit.zone, kit.redact)
        with book_lock(kit.books.directory, book):
            if memory.kind == _NOTE and old is None:
                from bethink.notebook.note_files import remember_note

                return remember_note(syncing, book, memory, told)
            from bethink.notebook.item_files import remember_item

            return remember_item(syncing, book, memory, told, old)
    if old is None and merge != "meaning":
        return kit.plainly(told)
    return _in_store(kit, told, memory, old)


def _superseded(kit: Kit, memory: Memory, supersedes: str | None) -> Memory | None:
    if supersedes is None:
        return None
    old = kit.store.get([supersedes], spaces=[memory.space])[0]
    if old is None:
        if kit.store.get([supersedes])[0] is None:
            raise no_such_memory(supersedes)
        raise NotFound(
            f"no memory of space {memory.space!r} has the id {supersedes!r}; what takes its place "
            "must be told in its space"
        )
    refuse_superseded(old, memory.created_at)
    return old


def _book(kit: Kit, memory: Memory, old: Memory | None, *, own_id: bool) -> Book | None:
    """The book that this is written into. An id of the caller's own cannot stand in a file."""
    books = kit.books
    if own_id or books is None or not (memory.kind in (*KINDS, _NOTE) or old is not None):
        return None
    if old is not None and (memory.kind not in HOMES or "book" in old.provenance):
        root = old.provenance.get("book")
        mine = next((book for book in books.all() if str(book.root) == root), None)
        if mine is not None and not mine.writable:
            raise InvalidInput(
                f"{old.id} stands in {mine.root / old.source}, which is only read; edit it there"
            )
        return mine
    return books.writable_for(memory.space, Form.NOTES if memory.kind == _NOTE else Form.NOTEBOOK)


def _in_store(kit: Kit, told: Mapping[str, Any], memory: Memory, old: Memory | None) -> Receipt:
    """Without a book: the same judgement, in the store alone."""
    store, now = kit.store, memory.created_at
    notes: tuple[str, ...] = ()
    others: tuple[Memory, ...] = ()
    if old is None:
        finding = find(memory, store=store, embedder=kit.embedder, zone=kit.zone())
        if finding.verdict is Verdict.SAME and finding.memory is not None:
            return reinforced(kit.store, finding)
        notes = near_note(finding)
        old = finding.memory if finding.verdict is Verdict.CORRECTION else None
        others = finding.others
        if old is None:
            receipt = kit.plainly(told)
            return receipt._replace(notes=(*receipt.notes, *notes))
    metadata = {**memory.metadata, SUPERSEDES: old.id}
    receipt = kit.plainly({**told, "valid_from": memory.valid_from or now, "metadata": metadata})
    if receipt.id == old.id:  # it was known by these very words
        return receipt
    for one in (old, *others):
        link(store, one, receipt.id, until=memory.valid_from or now)
    said = [f"supersedes {one.id}: {clip(one_line(one.text), 80)}" for one in (old, *others)]
    return receipt._replace(action=Action.REVISED, notes=(*receipt.notes, *said))
