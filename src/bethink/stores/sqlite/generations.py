"""Whether an answer from these spaces could be another now: one cheap look at what is counted
anyway.

`spaces.seq` grows with every change of a space, by an amount that nobody can foretell: of a backup
that was put back, or a copy, another write leads to another number. Rows of working memory are
never changed and their numbers never given again, so the greatest number and how many there are say
which they are: under the same greatest number they can only become fewer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import apsw

from bethink.clock import from_micros, to_micros
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.schema import has_tiers
from bethink.stores.sqlite.spaces import spaces_of
from bethink.stores.sqlite.vector_tables import active_table

_MARKS = (
    "SELECT space, max(number), count(*), max(expires_at) FROM working "
    "WHERE space IN (SELECT value FROM json_each(?)) GROUP BY space"
)
# The first end or beginning after a moment; memories without either are in no index that is read.
_VALIDITY = (
    "SELECT min(CASE WHEN valid_from > ?1 THEN valid_from END), "
    "min(CASE WHEN valid_to > ?1 THEN valid_to END) FROM memories "
    "WHERE space = ?2 AND (valid_from IS NOT NULL OR valid_to IS NOT NULL)"
)
_EXPIRY = (
    "SELECT min(expires_at) FROM working WHERE expires_at > ? "
    "AND space IN (SELECT value FROM json_each(?))"
)


class HasGenerations:
    """The part of a store that says so."""

    _database: Database
    path: Path

    def identity(self) -> str:
        with self._database.read() as reader:
            return _identity(reader, self.path)

    def generation(self, spaces: Sequence[str]) -> str:
        with self._database.read() as reader:
            return _generation(reader, spaces)

    def changes_by_itself(self, spaces: Sequence[str], *, after: datetime) -> datetime | None:
        with self._database.read() as reader:
            return _changes_by_itself(reader, spaces, after)


def _identity(reader: apsw.Connection, path: Path) -> str:
    """A copied file has the same number inside; it is another file."""
    import socket  # here: few need it, and it takes a cold process some milliseconds
    from hashlib import blake2b

    number: str = reader.execute("SELECT value FROM meta WHERE key = 'store'").get
    at = os.stat(path)
    place = f"{number} {socket.gethostname()} {path.resolve()} {at.st_dev} {at.st_ino}"
    return blake2b(place.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _marks(reader: apsw.Connection, spaces: Sequence[str]) -> dict[str, str]:
    if not has_tiers(reader):
        return {}
    rows = reader.execute(_MARKS, (json.dumps(list(spaces)),))
    # when it expires, for backups that were put back: numbers are given again there
    return {space: f"{last}-{count}-{until}" for space, last, count, until in rows}


def _generation(reader: apsw.Connection, spaces: Sequence[str]) -> str:
    index = active_table(reader)
    held = _marks(reader, spaces)
    parts = ["" if index is None else f"{index.id} {index.fingerprint}"]
    for space in spaces_of(reader, spaces):
        vectors = None
        if index is not None:
            vectors = reader.execute(
                "SELECT passages FROM embedded WHERE index_id = ? AND space = ?",
                (index.id, space.id),
            ).get
        parts.append(f"{space.id} {space.seq} {vectors or 0} {held.get(space.name, '')}")
    return "/".join(parts)


def _changes_by_itself(
    reader: apsw.Connection, spaces: Sequence[str], after: datetime
) -> datetime | None:
    now = to_micros(after)
    found: list[int | None] = []
    for space in spaces_of(reader, spaces):
        found += next(iter(reader.execute(_VALIDITY, (now, space.id))))
    if has_tiers(reader):
        found.append(reader.execute(_EXPIRY, (now, json.dumps(list(spaces)))).get)
    moments = [moment for moment in found if moment is not None]
    return from_micros(min(moments)) if moments else None
