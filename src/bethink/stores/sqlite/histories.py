"""Of which history the numbers of changes are.

A file that was put back from a backup gives the same numbers once more, to other changes. So each
opening of the file begins a stretch with a mark of its own, in the transaction of the first change
that it makes: what was given after the backup is then of a stretch that the file does not know, or
lies beyond the end of one that it does. Only while somebody follows, and until all have passed it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from bethink.stores.sqlite import triggers
from bethink.stores.stretches import Stretch, mark_of

_KEYS = "history/"  # in `meta`, then which stretch it is; "after which number, its mark"
_OURS = "key >= 'history/' AND key < 'history0'"


class Opening:
    """One opening of the file, by any process."""

    def __init__(self) -> None:
        self._kept: tuple[str, str] | None = None

    @contextmanager
    def noted(self, writer: apsw.Connection) -> Iterator[None]:
        """Around what a transaction does."""
        if self._is_kept(writer) or not triggers.followed(writer):
            yield
            return
        before = triggers.last(writer)
        yield
        if triggers.followed(writer) and triggers.last(writer) > before:
            self._kept = begin(writer, before)

    def _is_kept(self, writer: apsw.Connection) -> bool:
        """Looked up, since the transaction that began it may have failed at its very end."""
        if self._kept is None:
            return False
        key, value = self._kept
        there: str | None = writer.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
        return there == value


def begin(writer: apsw.Connection, number: int) -> tuple[str, str]:
    """Whatever comes after this number is of a new stretch."""
    newest: str | None = writer.execute(f"SELECT max(key) FROM meta WHERE {_OURS}").get
    count = int(newest.removeprefix(_KEYS)) + 1 if newest else 1
    kept = (f"{_KEYS}{count:012}", f"{number} {os.urandom(8).hex()}")
    writer.execute("INSERT INTO meta VALUES (?, ?)", kept)
    return kept


def at(connection: apsw.Connection, number: int) -> str:
    return mark_of(number, _newest_first(connection))


def drop(writer: apsw.Connection, dropped: int | None) -> None:
    """Numbers below this one are nobody's any more. None: nobody follows."""
    if dropped is None:
        writer.execute(f"DELETE FROM meta WHERE {_OURS}")
        return
    for key, after, _ in _newest_first(writer):
        if after < dropped:
            writer.execute(f"DELETE FROM meta WHERE {_OURS} AND key < ?", (key,))
            return


def _newest_first(connection: apsw.Connection) -> Iterator[Stretch]:
    for key, value in connection.execute(
        f"SELECT key, value FROM meta WHERE {_OURS} ORDER BY key DESC"
    ):
        after, mark = value.split()
        yield Stretch(key, int(after), mark)
