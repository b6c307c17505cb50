"""Whether an answer from these spaces could be another now: one look at their marks, which triggers
draw anew (`migrations/0003_generations.sql`).

Rows of working memory are never changed and their numbers never given again, so the greatest number
and how many there are say which they are: under the same greatest number they only become fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from recollect.clock import to_micros
from recollect.stores.postgres.database import Cursor, Database
from recollect.stores.postgres.spaces import spaces_of


class HasGenerations:
    """The part of a store that says so."""

    _database: Database

    def identity(self) -> str:
        with self._database.read() as reader:
            row = reader.execute("SELECT identity FROM tenants").fetchone()
        assert row is not None
        return str(row[0])

    def generation(self, spaces: Sequence[str]) -> str:
        with self._database.read() as reader:
            rows = reader.execute(
                "SELECT s.name, s.mark, i.fingerprint, coalesce(e.passages, 0) FROM spaces s "
                "LEFT JOIN indexes i ON i.active "
                "LEFT JOIN embedded e ON e.space = s.id AND e.fingerprint = i.fingerprint "
                "WHERE s.name = ANY(%s)",
                (_names(spaces),),
            )
            found = {name: f"{mark} {index} {vectors}" for name, mark, index, vectors in rows}
            if not all(name in found for name in spaces):
                spaces_of(reader, spaces)  # says which one there is not
            recent = marks(reader, spaces)
        return "/".join(f"{found[name]} {recent.get(name, '')}" for name in dict.fromkeys(spaces))

    def changes_by_itself(self, spaces: Sequence[str], *, after: datetime) -> datetime | None:
        with self._database.read() as reader:
            numbers = [space.id for space in spaces_of(reader, spaces)]
            row = reader.execute(
                "SELECT least("
                "(SELECT min(valid_from) FROM memories WHERE space = ANY(%s) AND valid_from > %s), "
                "(SELECT min(valid_to) FROM memories WHERE space = ANY(%s) AND valid_to > %s), "
                "(SELECT min(expires_at) FROM working WHERE space = ANY(%s) AND expires_at > %s))",
                (numbers, after, numbers, after, _names(spaces), after),
            ).fetchone()
        assert row is not None
        moment: datetime | None = row[0]
        return moment


def marks(reader: Cursor, spaces: Sequence[str]) -> dict[str, str]:
    rows = reader.execute(
        "SELECT space, max(number), count(*), max(expires_at) FROM working "
        "WHERE space = ANY(%s) GROUP BY space",
        (_names(spaces),),
    )
    # when it expires, for backups that were put back: numbers are given again there
    return {space: f"{last}-{count}-{to_micros(until)}" for space, last, count, until in rows}


def _names(spaces: Sequence[str]) -> list[str]:
    return [name for name in spaces if "\0" not in name]
