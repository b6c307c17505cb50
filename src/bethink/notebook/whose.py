"""In a project: what is the user's own, and what the project's.

Preferences, instructions and people belong to the user wherever they are told, and are nothing to
commit with a project: they go to `global`. A question asked in a project looks in both.
"""

from __future__ import annotations

from bethink.notebook.books import Books
from bethink.notebook.layout import HOMES
from bethink.stores.protocol import Store
from bethink.vocabulary import GLOBAL_SPACE, Memory

USERS_KINDS = frozenset(kind for kind, home in HOMES.items() if not home.project)


def is_project(books: Books, space: str) -> bool:
    """Is this the space of a project that has a notebook of its own?"""
    return space != GLOBAL_SPACE and any(book.project for book in books.of_spaces([space]))


def spaces_here(books: Books, store: Store, space: str) -> tuple[str, ...]:
    """Where a question looks that names no space."""
    if not is_project(books, space):
        return (space,)
    known = {info.name for info in store.spaces()}
    if GLOBAL_SPACE not in known and not books.of_spaces([GLOBAL_SPACE]):
        return (space,)
    return (space, GLOBAL_SPACE)


def space_for(books: Books, space: str, kind: str, old: Memory | None) -> str:
    """Where something is kept that was told without a space, in the place of `old` if given."""
    if kind not in USERS_KINDS or not is_project(books, space):
        return space
    return old.space if old is not None and old.space == space else GLOBAL_SPACE
