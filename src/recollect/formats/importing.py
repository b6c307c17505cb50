"""Import a source into a store: what is it, where does it go, and what became of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput
from recollect.formats.plan import plan
from recollect.formats.take_in import ImportReport, take_in
from recollect.remember.transfer import foreseen
from recollect.settings import Settings
from recollect.stores.protocol import Store
from recollect.vocabulary import Progress

if TYPE_CHECKING:
    from recollect.notebook.books import Books
    from recollect.remember.writer import Writer


def import_from(
    path: str | os.PathLike[str],
    store: Store,
    writer: Writer,
    *,
    books: Books | None,
    settings: Settings,
    now: datetime,
    format_name: str,
    space: str | None,
    spaces: Mapping[str, str] | None,
    own_spaces: bool,
    dry_run: bool,
    progress: Progress | None,
) -> ImportReport:
    source = Path(path).expanduser()
    book = books.holding(source.resolve()) if books is not None else None
    if book is not None:
        raise InvalidInput(
            f"{source} is part of {book.root}, which this store follows already in space "
            f"{book.space!r}: imported, all of it would be there twice"
        )
    found = plan(
        source,
        format_name=format_name,
        zone=settings.zone,
        default_space=settings.space,
        space=space,
        spaces=spaces,
        own_spaces=own_spaces,
    )
    if dry_run:
        return take_in(
            found,
            lambda records, refused: foreseen(records, store, now=now, refused=refused),
            dry_run=True,
        )
    return take_in(
        found,
        lambda records, refused: writer.import_many(
            records, progress=progress, refused=refused, total=found.memories
        ),
        dry_run=False,
    )
