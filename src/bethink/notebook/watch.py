"""Follow the files while they are edited: the system says what changed, and only that is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bethink.errors import BethinkError, InvalidInput, MissingExtra
from bethink.notebook.books import Book, Books, must_have
from bethink.notebook.report import Refusal, SyncReport

if TYPE_CHECKING:
    from threading import Event

# Editors write a file in several steps, and a checkout touches hundreds: wait until it is quiet.
_QUIET_MS = 300
_AT_MOST_MS = 3_000
# The system does not see changes on some network drives, and a folder may come back: so all is
# looked at now and then, which costs a fifth of a second for ten thousand files.
_LOOK_EVERY = 60.0  # seconds
_WAKE_MS = 1_000
_ENDINGS = (".md", ".markdown")


class Syncing(Protocol):
    """What is needed of an engine."""

    @property
    def books(self) -> Books | None: ...

    def sync(
        self,
        *,
        spaces: Sequence[str] | None = None,
        books: Sequence[Book] | None = None,
        paths: Sequence[Path] | None = None,
    ) -> SyncReport: ...


def watch(
    engine: Syncing,
    *,
    spaces: Sequence[str] | None = None,
    tell: Callable[[SyncReport | str], None],
    stop: Event | None = None,
) -> None:
    """Sync, then follow until `stop` is set or Ctrl-C is pressed. `tell` hears of every sync that
    found something, and of errors, which stop nothing."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise MissingExtra("'bethink watch'", "watch") from None
    watcher = _Watcher(engine, must_have(engine.books), spaces, tell)
    try:
        while stop is None or not stop.is_set():
            watcher.look()
            watcher.greet()
            there = [book.root for book in watcher.books if book.root.is_dir()]
            if not there:
                time.sleep(_WAKE_MS / 1000)
                continue
            since, seen_since = time.monotonic(), False
            try:
                for batch in changes(
                    *there,
                    watch_filter=lambda _, path: watcher.cares_for(Path(path)),
                    debounce=_AT_MOST_MS,
                    step=_QUIET_MS,
                    rust_timeout=_WAKE_MS,
                    yield_on_timeout=True,
                    stop_event=stop,
                    raise_interrupt=True,
                    ignore_permission_denied=True,
                ):
                    if not seen_since:  # what changed before the system was watching
                        seen_since = True
                        watcher.sync(None)
                    elif batch:
                        watcher.sync([Path(path) for _, path in batch])
                    if time.monotonic() - since > _LOOK_EVERY or watcher.outdated(there):
                        break  # look at everything, and at books that came or went meanwhile
            except (OSError, RuntimeError) as e:  # e.g. no more watches, or a folder that went
                tell(f"the system cannot watch ({e}); looking every second instead")
                time.sleep(_WAKE_MS / 1000)
    except KeyboardInterrupt:
        return


class _Watcher:
    def __init__(
        self,
        engine: Syncing,
        registry: Books,
        spaces: Sequence[str] | None,
        tell: Callable[[SyncReport | str], None],
    ) -> None:
        self._engine = engine
        self._registry = registry
        self._spaces = spaces
        self._tell = tell
        self._told_first = False
        self._last_faults: tuple[str, ...] = ()
        self._refused: set[Refusal] = set()
        self._greeted: list[Path] = []
        self.books: list[Book] = []

    def _registered(self) -> list[Book]:
        if self._spaces is None:
            return self._registry.all()
        return self._registry.of_spaces(self._spaces)

    def look(self) -> None:
        """At every book, as they are registered now."""
        self.books = self._registered()
        if not self.books:
            raise InvalidInput(
                "there is no folder to watch; 'bethink init' or 'bethink source add' adds one"
            )
        self.sync(None)

    def greet(self) -> None:
        """Once, and again when there are other folders."""
        roots = [book.root for book in self.books]
        if roots != self._greeted:
            self._greeted = roots
            self._tell(f"watching {', '.join(map(str, roots))}; Ctrl-C to stop")

    def outdated(self, watched: Sequence[Path]) -> bool:
        try:
            if self._registered() != self.books:
                return True
        except BethinkError:
            return False
        return [book.root for book in self.books if book.root.is_dir()] != list(watched)

    def cares_for(self, path: Path) -> bool:
        """Markdown, or what may be a folder, and nothing hidden."""
        if path.suffix and path.suffix.lower() not in _ENDINGS:
            return False
        roots = [book.root for book in self.books if path.is_relative_to(book.root)]
        return any(
            not any(part.startswith(".") for part in path.relative_to(root).parts) for root in roots
        )

    def sync(self, paths: list[Path] | None) -> None:
        try:
            report = self._engine.sync(books=self.books, paths=paths)
        except (BethinkError, OSError) as e:
            self._tell(str(e))
            return
        known = self._refused
        if paths is not None:
            known = {r for r in known if r.book / r.path not in paths}
        new = not known.issuperset(report.refused)
        self._refused = set(report.refused) if paths is None else known | set(report.refused)
        tells = paths is None or bool(report.faults)  # a file alone says nothing of the book
        news = new or report.changed or report.removed
        if tells and report.faults != self._last_faults:
            news = True
        if news or not self._told_first:
            self._tell(report)
        self._told_first = True
        if tells:
            self._last_faults = report.faults
