"""What an engine does for its books, the folders of Markdown that some of its spaces are read from.

A store without books must not pay for them: nothing of `bethink.notebook` is loaded before a look
at the disk has found some.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bethink.checks import is_id
from bethink.clock import Clock
from bethink.errors import BethinkError
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.vocabulary import Memory, Receipt

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder
    from bethink.notebook.books import Book, Books
    from bethink.notebook.freshen import Freshener
    from bethink.notebook.sync import SyncKit
    from bethink.recall.presets import Preset


class Bookkeeping:
    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._embedder = embedder

    @cached_property
    def books(self) -> Books | None:
        """The folders whose memories the store holds; None if the store is no file."""
        if (path := getattr(self._store, "path", None)) is None:
            return None
        from bethink.notebook.books import Books, books_directory

        return Books(books_directory(path))

    def in_use(self) -> Books | None:
        """The same, if there are any: one look at the disk."""
        path = getattr(self._store, "path", None)
        if path is None or not os.path.exists(f"{path}.books/books.json"):
            return None
        return self.books

    @cached_property
    def sync_kit(self) -> SyncKit:
        from bethink.notebook.sync import sync_kit

        return sync_kit(self._store, self.books, self._embedder, self._clock, self._settings)

    # Writing

    def remember(
        self,
        told: Mapping[str, Any],
        plainly: Callable[[Mapping[str, Any]], Receipt],
        *,
        space: str,
        supersedes: str | None,
        merge: str,
    ) -> Receipt:
        """Into its file, or `plainly` into the store. Told in no `space` in particular, what is the
        user's own goes to `global`, and the receipt says so."""
        from bethink.notebook import write_back
        from bethink.notebook.whose import space_for

        here = space or self._settings.space
        kept = here
        if not space and (books := self.in_use()) is not None:
            old = self._store.get([supersedes])[0] if supersedes and is_id(supersedes) else None
            kept = space_for(books, here, str(told.get("kind", "")), old)
        kit = write_back.Kit(
            self._store,
            self.books,
            self._embedder,
            self._clock,
            lambda: self._settings.zone,
            plainly,
            self._settings.redact,
        )
        receipt = write_back.remembered(
            kit, {**told, "space": kept}, supersedes=supersedes, merge=merge
        )
        if kept == here:
            return receipt
        said = f"kept in the space {kept!r}, which is yours, and not the project's"
        return receipt._replace(notes=(*receipt.notes, f"{said}; --space NAME keeps it elsewhere"))

    def revise(
        self,
        memory: Memory,
        fields: Mapping[str, Any],
        revise: Callable[[Memory, Mapping[str, Any]], Receipt],
    ) -> Receipt:
        """In its file too, if one says it: changed only in the store it would come back."""
        if (book := self._book_of(memory)) is None:
            return revise(memory, fields)
        from bethink.notebook.in_file import revise_in_file

        return revise_in_file(self.sync_kit, book, memory, fields, revise)

    def forget(self, memory: Memory) -> tuple[str, ...] | None:
        """Out of its file and the store; what is worth knowing of it. None: no file says it."""
        if (book := self._book_of(memory)) is None:
            return None
        from bethink.notebook.in_file import forget_in_file

        return forget_in_file(self.sync_kit, book, memory).notes

    def stands_in_a_book(self, memory: Memory) -> bool:
        return self._book_of(memory) is not None

    def refuse_following(self, space: str) -> None:
        """A space that is read from a folder must be let go of before it is erased."""
        if (books := self.in_use()) is not None:
            from bethink.notebook.in_file import refuse_following

            refuse_following(books, space)

    def in_store_alone(self, memories: Sequence[Memory]) -> Sequence[str]:
        """Of what books might have held, why it is in the store alone."""
        if (books := self.in_use()) is None:
            return ()
        from bethink.notebook.receipts import in_store_alone

        return in_store_alone(books, memories)

    def _book_of(self, memory: Memory) -> Book | None:
        if "book" not in memory.provenance or (books := self.in_use()) is None:
            return None
        from bethink.notebook.in_file import book_of

        return book_of(memory, books)

    # Reading

    def spaces_here(self) -> tuple[str, ...] | None:
        """Where a question looks that names no space; None where there are no books."""
        if (books := self.in_use()) is None:
            return None
        from bethink.notebook.whose import spaces_here

        return spaces_here(books, self._store, self._settings.space)

    def freshened(self, preset: Preset) -> Preset:
        """The same stages, after a look at the files where there are any."""
        if not self._settings.sync_seconds or self.in_use() is None:
            return preset
        from bethink.notebook.freshen import Freshen

        look = Freshen(self._freshener, self._settings.sync_seconds)
        return preset._replace(stages=(look, *preset.stages))

    def freshen(self, spaces: tuple[str, ...] | None) -> str:
        """Read what changed in the files of these spaces (None: of all), as before a question; why
        the store is behind them all the same, or nothing."""
        if not self._settings.sync_seconds or (books := self.in_use()) is None:
            return ""
        from bethink.notebook.freshen import behind

        try:
            known = tuple(dict.fromkeys(book.space for book in books.all()))
        except BethinkError as e:  # what was read before is there all the same
            return str(e)
        wanted = known if spaces is None else spaces
        report, _ = self._freshener.freshen(wanted, self._settings.sync_seconds)
        return "; ".join(behind(report))

    @cached_property
    def _freshener(self) -> Freshener:
        from bethink.notebook.freshen import Freshener
        from bethink.notebook.sync import sync

        return Freshener(
            lambda spaces, within, wanted: sync(
                self.sync_kit, spaces=spaces, within=within, wanted=wanted
            )
        )
