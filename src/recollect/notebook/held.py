"""What a store holds of a book, and how a book is let go of."""

from __future__ import annotations

from recollect.notebook.books import Book, book_lock
from recollect.notebook.ledger import remove_ledger
from recollect.notebook.report import SyncKit
from recollect.stores.protocol import Store
from recollect.vocabulary import Memory


def held_of(book: Book, store: Store) -> list[Memory]:
    """Every memory that the store holds of a book."""
    from recollect.filters import parse_filter

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


def let_go(kit: SyncKit, book: Book, *, forget: bool) -> int:
    """Read a book no more; with `forget` what was remembered of it goes too. How many went."""
    directory = kit.books.directory
    with book_lock(directory, book):
        kit.books.remove(book.root)
        remove_ledger(directory / f"{book.key}.ledger")
        if not forget:
            return 0
        done = kit.store.delete([memory.id for memory in held_of(book, kit.store)])
        kit.store.finish_erasing()
        return sum(done)
