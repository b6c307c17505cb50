"""Where a server keeps what it knows besides memories: in a file beside the store
(`server_file.py`), or, with a store on PostgreSQL, in its database (`server_tables.py`), so that
every server process there knows the same keys. Both speak the same SQL, with `?` for what is bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bethink.settings import Settings


class Answered(Protocol):
    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class Rows(Protocol):
    """A transaction."""

    def execute(self, sql: str, bindings: Sequence[Any] = (), /) -> Answered: ...


class ServerRows(Protocol):
    @property
    def shown(self) -> str:
        """Where it is, for people."""

    def write(self, *, patience: float | None = None) -> AbstractContextManager[Rows]:
        """One at a time, in whatever process; on disk when the block ends. `patience`: seconds to
        wait for others."""

    def read(self) -> AbstractContextManager[Rows | None]:
        """None before the first write."""

    def ask(self) -> AbstractContextManager[Rows | None]:
        """The same for one statement: on a server one trip instead of three."""

    def last_audited(self, rows: Rows) -> int:
        """The greatest number that a row of the audit trail ever had."""

    def secret(self) -> bytes:
        """32 random bytes that every server process here shares."""

    def close(self) -> None: ...


def server_rows(settings: Settings) -> ServerRows:
    if settings.server is not None:
        from bethink.access.server_tables import ServerTables

        return ServerTables(settings.server)
    from bethink.access.server_file import ServerFile

    return ServerFile(settings.store_path)


def only(answered: Answered) -> Any:
    """The first value of the first row; None where there is none."""
    row = answered.fetchone()
    return None if row is None else row[0]
