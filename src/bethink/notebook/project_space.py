"""Whether a project's file may choose its space although nobody agreed to it yet: a space that is
not there holds nothing to show, and one that is written in the project's own folder is its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bethink.consent import agree
from bethink.settings import Loaded, data_directory


def settled(loaded: Loaded) -> Loaded:
    """The settings with what the project's file chose, where that shows nothing of anybody else's.
    `claim` is left in them if the space is not there yet."""
    withheld = loaded.withheld
    if withheld is None:
        return loaded
    if loaded.settings.server is not None:  # others' spaces are there: only an agreement counts
        return loaded
    store = loaded.settings.store_path
    roots = _written_in(store, withheld.space)
    own = any(root.is_relative_to(withheld.folder) for root in roots)
    if not own and (roots or _exists(store, withheld.space)):
        return loaded
    return loaded._replace(
        settings=replace(loaded.settings, space=withheld.space),
        origins={**loaded.origins, "space": withheld.file},
        warnings=tuple(w for w in loaded.warnings if w != withheld.warning),
        withheld=None,
        claim=None if own else withheld,
    )


def claim(loaded: Loaded) -> None:
    """A project that was the first to write into a space may go on."""
    wanted = loaded.claim
    if (
        wanted is not None
        and loaded.settings.server is None
        and _exists(loaded.settings.store_path, wanted.space)
    ):
        agree(data_directory(), wanted.folder, wanted.space)


def _written_in(store: Path, space: str) -> list[Path]:
    """The folders that the space is read from, which may hold more than was read yet."""
    from bethink.notebook.books import REGISTRY, Books, books_directory

    directory = books_directory(store)
    if not (directory / REGISTRY).exists():
        return []
    return [book.root for book in Books(directory).of_spaces([space])]


def _exists(store: Path, space: str) -> bool:
    from bethink.stores.sqlite.connection import ReadPool, plain_errors
    from bethink.stores.sqlite.spaces import space_id

    if not store.is_file() or store.stat().st_size == 0:
        return False
    pool = ReadPool(store)
    try:
        with plain_errors(store), pool.use() as reader:
            if not reader.execute("SELECT 1 FROM sqlite_schema WHERE name = 'spaces'").get:
                return False
            return space_id(reader, space) is not None
    finally:
        pool.close()
