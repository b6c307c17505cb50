"""Out and back in again, in our form and in others'."""

from __future__ import annotations

import builtins
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bethink.engine.shared import Shared
from bethink.recall.asking import space_names
from bethink.vocabulary import (
    Progress,
    SpaceNames,
)

if TYPE_CHECKING:
    from bethink.formats.export_markdown import Exported
    from bethink.formats.take_in import ImportReport


class Moving(Shared):
    """Export and import."""

    def export(
        self, *, spaces: SpaceNames | None = None, damaged: builtins.list[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every memory with its history as JSON-ready objects; `import_many` takes them back.

        With a list `damaged`, what cannot be read any more is named there. Without one,
        StoreCorrupt is raised after the last memory that can be read.
        """
        from bethink.remember.transfer import exported

        self._accesses.flush()
        names = None if spaces is None else space_names(spaces, self.settings)
        return exported(self.store, names, damaged)

    def import_many(
        self, records: Iterable[Mapping[str, Any]], *, progress: Progress | None = None
    ) -> Counter[str]:
        """Take back what `export` gave: ids, times, counters and history stay as they were.

        What is here already stays as it is, also where it has changed since ("conflict" counts
        those). Returns how many memories met each fate.
        """
        return self._parts.writer.import_many(records, progress=progress)

    def import_from(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",  # noqa: A002  (as people call it)
        space: str | None = None,
        spaces: Mapping[str, str] | None = None,
        own_spaces: bool = False,
        dry_run: bool = False,
        update: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Take in what others wrote: Markdown, Claude's memory, mem0, LangGraph, chats, or ours.

        `space` is where it goes. Where the source says whose each memory is, `spaces` maps these
        owners to spaces, and `own_spaces` gives each a space of its name; nothing is mixed unsaid.
        One bad record stops nothing: the report names it. Taken twice, nothing is added; what the
        source has changed since is named, and revised with `update`.
        """
        from bethink.formats.importing import import_from

        return import_from(
            path,
            self.store,
            self._parts.writer,
            books=self._bookkeeping.books,
            settings=self.settings,
            now=self._clock(),
            format_name=format,
            space=space,
            spaces=spaces,
            own_spaces=own_spaces,
            dry_run=dry_run,
            update=update,
            progress=progress,
        )

    def export_markdown(
        self,
        folder: str | os.PathLike[str],
        *,
        spaces: SpaceNames | None = None,
        damaged: builtins.list[str] | None = None,
        progress: Progress | None = None,
    ) -> Exported:
        """Write every memory as a file of Markdown, without loss; `import_from` takes them back.

        Exported again, the folder is brought up to date. Files that are not ours, or that a person
        changed, are never touched."""
        from pathlib import Path

        from bethink.formats.export_markdown import export_markdown

        records = self.export(spaces=spaces, damaged=damaged)
        return export_markdown(records, Path(folder).expanduser(), progress=progress)
