"""Import a source into a store: what is it, where does it go, and what became of it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.errors import InvalidInput
from bethink.formats.plan import Plan, plan
from bethink.formats.take_in import ImportReport, take_in
from bethink.remember.transfer import foreseen
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.vocabulary import Progress

if TYPE_CHECKING:
    from bethink.notebook.books import Books
    from bethink.remember.writer import Writer


_TOLD = (
    "text", "kind", "section", "tags", "entities", "source", "provenance", "occurred_at",
    "valid_from", "valid_to", "metadata",
)  # fmt: skip


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
    update: bool = False,
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
            lambda records, refused: foreseen(
                records, store, now=now, refused=refused, redact=settings.redact
            ),
            dry_run=True,
            revise=partial(_updated, found, store, None) if update else None,
        )
    return take_in(
        found,
        lambda records, refused: writer.import_many(
            records, progress=progress, refused=refused, total=found.memories
        ),
        dry_run=False,
        revise=partial(_updated, found, store, writer) if update else None,
    )


def _updated(found: Plan, store: Store, writer: Writer | None, numbers: set[int]) -> Counter[str]:
    """Give those that are here the text that the source has now; their history is kept."""
    fates: Counter[str] = Counter()
    for number, record in enumerate(found.records(), start=1):
        if number not in numbers:
            continue
        (former,) = store.get([record["id"]])
        if former is None or former.space != record["space"]:
            fates["conflict"] += 1
            continue
        if writer is not None:
            writer.revise(former, {name: record[name] for name in _TOLD if name in record})
        fates["revised"] += 1
    return fates
