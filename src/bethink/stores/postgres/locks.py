"""Locks that are held while something is done outside of any transaction, by one thread of one
process at a time. Each has a connection of its own: with the process it ends, and the lock too.

Behind a pool server a session is another's after each transaction, and a lock of it would stay for
ever. There the lock is one of a transaction, which does nothing else and ends with it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from bethink.errors import StoreBusy, StoreUnavailable
from bethink.stores.postgres.database import Database, end
from bethink.stores.postgres.plain_errors import plain_errors
from bethink.stores.postgres.pool import Connection


class ServerLock:
    def __init__(self, database: Database, name: str, does: str = "decides") -> None:
        self._database = database
        self._does = does
        self._name = f"bethink {name} {database.number}"
        self._thread = threading.Lock()
        self._connection: Connection | None = None

    @contextmanager
    def hold(self, patience: float) -> Iterator[None]:
        until = time.monotonic() + patience
        if not self._thread.acquire(timeout=patience):
            raise self._busy()
        try:
            connection = self._locked(until)
            try:
                yield
            finally:
                self._unlock(connection)
        finally:
            self._thread.release()

    def _locked(self, until: float) -> Connection:
        connection = self._connection
        if connection is not None:
            try:
                return self._lock(connection, until)
            except (psycopg.OperationalError, psycopg.InterfaceError) as e:
                self.close()
                if isinstance(e, psycopg.errors.LockNotAvailable):
                    raise self._busy() from e
        # the first time, or it was cut while nobody held the lock
        self._connection = connection = self._database.pool.connect()
        try:
            with plain_errors(self._database.shown):
                return self._lock(connection, until)
        except StoreBusy:
            self.close()
            raise self._busy() from None

    def _lock(self, connection: Connection, until: float) -> Connection:
        wait = max(int(1000 * (until - time.monotonic())), 1)
        begin, scope = ("BEGIN; SET LOCAL", "xact_") if connection.borrowed else ("SET", "")
        connection.execute(f"{begin} lock_timeout = {wait:d}".encode())
        take = f"SELECT pg_advisory_{scope}lock(hashtextextended({{}}, 0))"
        connection.execute(_said(take, self._name))
        return connection

    def _unlock(self, connection: Connection) -> None:
        try:
            if connection.borrowed:
                connection.execute("COMMIT")
            else:
                give = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"
                connection.execute(give, (self._name,))
        except (psycopg.OperationalError, psycopg.InterfaceError) as e:
            self.close()
            raise StoreUnavailable(
                f"{self._database.shown} was lost while a decision was made; others may have "
                "decided meanwhile. Look at what holds now, then go on"
            ) from e

    def _busy(self) -> StoreBusy:
        return StoreBusy(f"somebody else {self._does} in {self._database.shown}; try again")

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            end(connection)
            connection.close()


def _said(statement: str, value: str | int) -> bytes:
    """As one text: what is bound to a statement keeps its snapshot until the next one, and with it
    whatever others erase meanwhile."""
    return statement.format(sql.Literal(value).as_string()).encode()


@contextmanager
def if_free(database: Database, number: int) -> Iterator[bool]:
    """Hold this lock while the block runs, unless somebody else does: then False, at once."""
    connection = database.pool.connect()
    try:
        if connection.borrowed:
            connection.execute("BEGIN")
        scope = "xact_" if connection.borrowed else ""
        take = _said(f"SELECT pg_try_advisory_{scope}lock({{}})", number)
        (taken,) = connection.execute(take).fetchone() or (False,)
        yield bool(taken)
    finally:
        end(connection)
        connection.close()
