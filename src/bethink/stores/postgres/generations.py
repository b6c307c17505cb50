"""Whether an answer from these spaces could be another now: one look at their marks, which triggers
draw anew (`migrations/0003_generations.sql`).

Rows of working memory are never changed and their numbers never given again, so the greatest number
and how many there are say which they are: under the same greatest number they only become fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bethink.clock import to_micros
from bethink.stores.postgres.database import Database
from bethink.stores.postgres.spaces import check_names, names_of, spaces_of
from bethink.stores.postgres.vector_tables import FRAMED


class HasGenerations:
    """The part of a store that says so."""

    _database: Database

    def identity(self) -> str:
        with self._database.read() as reader:
            row = reader.execute("SELECT identity FROM tenants").fetchone()
        assert row is not None
        return str(row[0])

    def generation(self, spaces: Sequence[str]) -> str:
        """One trip: it is asked before every question whose answer may be kept."""
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT s.name, s.mark, i.fingerprint, coalesce(e.passages, 0), w.* "
                f"FROM {FRAMED} CROSS JOIN LATERAL (SELECT {_RECENT} FROM working w "
                "WHERE w.space = s.name) w WHERE s.name = ANY(%b)".encode(),
                (names_of(spaces),),
                prepare=True,
            )
            found = {
                name: f"{mark} {index} {vectors} {_mark(*recent)}"
                for name, mark, index, vectors, *recent in rows
            }
            check_names(reader, spaces, found)
        return "/".join(found[name] for name in dict.fromkeys(spaces))

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


# When it expires, for backups that were put back: numbers are given again there.
_RECENT = "max(w.number), count(*), max(w.expires_at)"


def _mark(last: int | None, count: int, until: datetime | None) -> str:
    return "" if until is None else f"{last}-{count}-{to_micros(until)}"


def _names(spaces: Sequence[str]) -> list[str]:
    return [name for name in spaces if "\0" not in name]
