"""Folders of Markdown, repairs and a look at how it is doing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bethink.condition import EngineStatus, checks_of, status_of, troubles_of
from bethink.engine.shared import Shared
from bethink.hot import HotNumbers
from bethink.recall.asking import space_names
from bethink.vocabulary import (
    Check,
    Progress,
    SpaceNames,
)

if TYPE_CHECKING:
    from bethink.notebook.books import Book, Books
    from bethink.notebook.sync import SyncReport


class Keeping(Shared):
    """Books and care."""

    @property
    def books(self) -> Books | None:
        """The folders of Markdown whose memories this store holds; None if it is no file."""
        return self._bookkeeping.books

    def sync(self, *, spaces: SpaceNames | None = None, **options: Any) -> SyncReport:
        """Make the store true to its books: all, or those of some spaces.

        Options: `paths` (only these files), `within` (seconds), `progress`, `anew` (look at every
        file and memory), `accept_empty` (a folder that is empty now was emptied on purpose).
        """
        from bethink.notebook.sync import sync

        names = None if spaces is None else space_names(spaces, self.settings)
        return sync(self._bookkeeping.sync_kit, spaces=names, **options)

    def freshen(self, *, spaces: SpaceNames | None = None) -> str:
        """Read what changed in the files of these spaces (by default all), as a recall does and
        within `sync_seconds`; why the store is behind them all the same, or nothing."""
        return self._bookkeeping.freshen(
            None if spaces is None else tuple(space_names(spaces, self.settings) or ())
        )

    def _let_go(self, book: Book, *, forget: bool = False) -> int:
        """Read a book no more; with `forget`, erase what was remembered of it. How many went."""
        from bethink.notebook.sync import let_go

        return let_go(self._bookkeeping.sync_kit, book, forget=forget)

    def rebuild_words(self) -> int:
        """Make the words index anew from the texts; how many passages it holds."""
        return self.store.rebuild_words()

    def rebuild_files(self) -> None:
        """Throw the derived files beside the store away and write them anew."""
        self.store.maintain(anew=True)

    def reindex(self, *, force: bool = False, progress: Progress | None = None) -> int:
        """Fill in missing vectors; change over to the embedder that the settings name.

        The index that answers now goes on answering until the new one is complete. Interrupted, it
        goes on where it stopped. `force` first throws all vectors away, for when they are damaged:
        until they are made again, words alone answer. How many were made is returned.
        Files of books are the truth of their memories: all are read again first.
        """
        if self._bookkeeping.in_use() is not None:
            self.sync(anew=True)
        return self._parts.writer.reindex(force=force, progress=progress)

    def status(self) -> EngineStatus:
        """A quick look, without loading any model."""
        return status_of(self.store, self._parts)

    def _troubles(self) -> tuple[str, ...]:
        """What fails in this process; for whoever answers in several."""
        return tuple(troubles_of(self.store, self._parts))

    def _settle(self, *, forget: bool = False) -> None:
        """Write what is owed: how often memories were recalled, and events. `forget`: keep no
        question in memory, since somebody is about to erase what may have been asked for."""
        try:
            self._accesses.flush()
        finally:  # a count that cannot be written keeps no trace of a question alive
            if "events" in self._parts.__dict__:
                self._parts.events.flush()
                if forget:
                    self._parts.events.drop_questions()
            if forget:
                self._parts.forget_questions()

    def _before_erasing(self, told: Callable[[], None]) -> None:
        """Have this called before questions are erased; for whoever answers in other processes."""
        self._parts.before_erasing = told

    def _open_hot(self) -> None:
        """Now, not with the first question: what is missing or wrong of it is said at once. Redis
        itself is not asked."""
        _ = self._parts.hot

    def _hot_numbers(self) -> HotNumbers:
        """What the setting `hot` did so far, without asking Redis anything."""
        return self._parts.hot_numbers()

    def doctor(self) -> Sequence[Check]:
        """Check every part thoroughly; each fault comes with its fix."""
        return checks_of(self.store, self._parts)
