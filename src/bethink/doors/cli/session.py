"""What every command shares: the engine, opened late, and the ways to speak."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.checks import store_is_there
from bethink.doors.cli.colour import Piece, Styled, painted, plain
from bethink.doors.cli.colour import wanted as colour_wanted
from bethink.errors import BethinkError, InvalidInput, StoreMissing
from bethink.text.visible import clip as clip  # commands take them from here
from bethink.text.visible import padded as padded
from bethink.text.visible import visible

if TYPE_CHECKING:
    from bethink.engine import Engine
    from bethink.settings import Loaded
    from bethink.vocabulary import Progress


_FILL = frozenset({"sync", "reindex", "watch"})  # and those that fill it from files
_CREATE = frozenset(
    {"init", "remember", "offer", "import", "source"}
)  # commands that may create the store


def some(names: Sequence[str], most: int = 10) -> str:
    """As many names as fit in a sentence."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Session:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._engine: Engine | None = None
        self._loaded: Loaded | None = None
        self.json = bool(arguments.json or not (sys.stdout.isatty() or arguments.text))
        self.quiet = bool(arguments.quiet)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if self._engine is not None:
            self._engine.close()
        if self._loaded is not None and self._loaded.claim is not None:
            from bethink.notebook.project_space import claim

            claim(self._loaded)

    @property
    def loaded(self) -> Loaded:
        """The settings; a project file's ignored lines are mentioned once."""
        if self._loaded is None:
            from bethink import settings

            given = {
                "store": self._arguments.store,
                "embedder": self._arguments.embedder,
                "retrievers": self._arguments.retriever,
                "hot": getattr(self._arguments, "hot", None),
            }
            folder = getattr(self._arguments, "project_folder", None)  # else the current one
            self._loaded = settings.load(given, directory=folder and Path(folder).absolute())
            if self._loaded.withheld is not None:
                from bethink.notebook.project_space import settled

                self._loaded = settled(self._loaded)
            for warning in self._loaded.warnings:
                self.hint(warning)
        return self._loaded

    @property
    def engine(self) -> Engine:
        if self._engine is None:
            from bethink.engine import Engine

            if self.tenant is None:
                self._refuse_a_missing_store()
                self._engine = Engine(settings=self.loaded.settings)
            else:
                from bethink.access.places import home_at

                store, settings = home_at(self.loaded.settings, self.tenant)
                self._engine = Engine(store, settings=settings)
        return self._engine

    @property
    def tenant(self) -> str | None:
        """Whose store the command is about, where it says so; else that of the settings."""
        named: str | None = getattr(self._arguments, "of_tenant", None)
        if named is not None:
            from bethink.access.tenant_names import check_tenant

            check_tenant(named)
        return named

    def other_tenants(self) -> list[str]:
        """Those that have a store here too, which the command leaves alone."""
        from bethink.access.places import tenants_at
        from bethink.access.tenant_names import DEFAULT_TENANT

        own = self.tenant or DEFAULT_TENANT
        return [name for name in tenants_at(self.loaded.settings) if name != own]

    def mention_others(self, what: str) -> None:
        """That a command was about one tenant, where there are several."""
        if not self.quiet and (others := self.other_tenants()):
            self.hint(
                f"{what}: the tenant {self.tenant or 'default'}; not {some(others)} (--tenant NAME)"
            )

    def mention_move(self) -> None:
        """After a write whose answer has no place for notes."""
        from bethink.relocate.unfinished import warning

        if said := warning(self.engine.store):
            self.hint(said)

    @property
    def before_first_use(self) -> bool:
        """True if there is no store yet, and no trace of one: no notebook and no other tenant."""
        settings = self.loaded.settings
        if settings.server is not None or self.tenant is not None:
            return False
        path = settings.store_path
        known = os.path.lexists(path) or os.path.exists(f"{path}.books/books.json")
        return not known and not self.other_tenants()

    def _refuse_a_missing_store(self) -> None:
        """Asking a store that is not there must not look like "nothing known"."""
        if self.loaded.settings.server is not None:  # it says itself when it is not there
            return
        path = self.loaded.settings.store_path
        there = store_is_there(path)
        creates = getattr(self._arguments, "creates", False)  # a command that writes at times
        if there or creates or self._arguments.command in _CREATE:
            return
        if os.path.exists(f"{path}.books/books.json"):  # the files are the truth: fill it again
            if self._arguments.command in _FILL:
                return
            raise StoreMissing(
                f"there is no store at {path} (or it is empty), but its notebooks are known: "
                "'bethink sync' fills it again from their files"
            )
        if hasattr(self._arguments, "of_tenant") and (others := self.other_tenants()):
            raise StoreMissing(
                f"there is no store at {path} (or it is empty), but there are tenants beside it: "
                f"{some(others)}; name one with --tenant"
            )
        raise StoreMissing(
            f"there is no store at {path} (or it is empty); check --store and "
            "BETHINK_STORE, or create it with 'bethink init' or the first "
            "'bethink remember'"
        )

    # Speaking

    def say(self, *pieces: Piece) -> None:
        """Print a line of the answer, for people; in colour if standard output is a terminal that
        takes it. Control characters of memories and file names are escaped."""
        print(painted(*pieces) if self._coloured else plain(*pieces))

    @cached_property
    def _coloured(self) -> bool:
        return colour_wanted(sys.stdout)

    def hand_on(self, text: str) -> None:
        """An answer that goes to a model or a program as it is, unless a person reads it."""
        print(visible(text) if sys.stdout.isatty() else text)

    def show(self, record: Any) -> None:
        """The answer as JSON, on one line in a pipe and laid out in a terminal."""
        indent = 2 if sys.stdout.isatty() else None
        print(visible(json.dumps(record, ensure_ascii=False, indent=indent)))

    def show_each(self, records: Iterable[Any]) -> None:
        for record in records:
            print(visible(json.dumps(record, ensure_ascii=False)))

    def hint(self, line: str) -> None:
        """Something worth knowing beside the answer."""
        if not self.quiet:
            print(visible(f"bethink: {line}"), file=sys.stderr)

    def aside(self, line: str) -> None:
        """Something that was asked for, but is no part of the answer."""
        print(visible(line), file=sys.stderr)

    def fail(self, error: BethinkError) -> None:
        if self.json:
            record = {"error": error.to_dict()}
            print(visible(json.dumps(record, ensure_ascii=False)), file=sys.stderr)
        else:
            pieces = (Styled("bethink:", "bad"), f" {error}")
            print(
                painted(*pieces) if colour_wanted(sys.stderr) else plain(*pieces), file=sys.stderr
            )

    def confirm(self, question: str) -> None:
        """Ask before what cannot be undone; without a terminal, --yes is needed."""
        if self._arguments.yes:
            return
        if not sys.stdin.isatty():
            raise InvalidInput(f"{question} Say --yes to go on")
        if not self.agreed(question):
            raise InvalidInput("nothing was changed")

    @staticmethod
    def agreed(question: str) -> bool:
        """Only a yes is one. Whoever ends the input (Ctrl+D), or types what is no text, says no."""
        try:
            said = input(visible(f"{question} [y/N] "))
        except (EOFError, UnicodeDecodeError):
            print()
            return False
        return said.strip().lower() in ("y", "yes", "是")

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress | None]:
        """A bar on standard error, if that is a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        from bethink.embedders.watching import watched

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),  # on a line of 80 there is room for the rest
            MofNCompleteColumn(),
            TextColumn("{task.fields[beside]}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=False) as bar:
            task = bar.add_task(title, total=None, beside="")

            def advance(done: int, total: int | None) -> None:
                elapsed = bar.tasks[0].elapsed or 0.0
                rate = f"{done / elapsed:,.0f}/s" if done and elapsed > 0.5 else ""
                bar.update(task, completed=done, total=total, beside=rate)

            def embedded(done: int, of: int) -> None:
                """Beside the bar, which counts what is kept."""
                bar.update(task, beside=f"embedded {done:,}/{of:,}")

            with watched(embedded):
                yield advance
