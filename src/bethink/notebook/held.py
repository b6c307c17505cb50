"""What a store holds of a book, and how a book is let go of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bethink.errors import NotebookFileRefused
from bethink.notebook.books import Book, book_lock
from bethink.notebook.ledger import remove_ledger
from bethink.notebook.reading import list_files, read_text
from bethink.notebook.report import SyncKit
from bethink.stores.protocol import Store
from bethink.vocabulary import Memory

if TYPE_CHECKING:
    from bethink.notebook.parse import About


def held_of(book: Book, store: Store) -> list[Memory]:
    """Every memory that the store holds of a book."""
    from bethink.filters import parse_filter

    if all(info.name != book.space for info in store.spaces()):
        return []
    where = parse_filter({"provenance.book": str(book.root)})
    memories: list[Memory] = []
    cursor: str | None = None
    while True:
        page = store.scan(spaces=[book.space], where=where, cursor=cursor, limit=1_000)
        memories += page.memories
        cursor = page.cursor
        if cursor is None:
            return memories


def adopted(book: Book, kit: SyncKit, abouts: Mapping[str, About]) -> list[Memory]:
    """Memories that stayed when a folder was let go of, and that this one says again, in files of
    the same names: they are not made a second time."""
    former = [root for root in kit.books.former(book.space) if root != book.root]
    old = [memory for root in former for memory in held_of(book._replace(root=root), kit.store)]
    if not old:
        return []
    left = Counter(_said(book, kit, abouts))
    found: list[Memory] = []
    for memory in old:
        if left[memory.source, memory.text] > 0:
            left[memory.source, memory.text] -= 1
            found.append(memory)
    return found


def _said(book: Book, kit: SyncKit, abouts: Mapping[str, About]) -> Iterator[tuple[str, str]]:
    from bethink.notebook.parse import parse
    from bethink.notebook.stored import as_stored

    for found in list_files(book.root).files:
        name = str(found.path)
        try:
            pieces = parse(
                read_text(book.root, found.path), found.path,
                book_form=book.form, zone=kit.zone(), about=abouts.get(name),
            )  # fmt: skip
        except NotebookFileRefused:
            continue  # the sync says so itself
        for piece in as_stored(pieces, redact=kit.redact):
            yield name, piece.text


def let_go(kit: SyncKit, book: Book, *, forget: bool) -> int:
    """Read a book no more; with `forget` what was remembered of it goes too. How many went."""
    directory = kit.books.directory
    with book_lock(directory, book):
        kit.books.remove(book.root, forgotten=forget)
        remove_ledger(directory / f"{book.key}.ledger")
        if not forget:
            return 0
        done = kit.store.delete([memory.id for memory in held_of(book, kit.store)])
        kit.store.finish_erasing()
        return sum(done)
