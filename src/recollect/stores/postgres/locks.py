"""Locks that are held while something is done outside of any transaction, by one thread of one
process at a time. Each has a connection of its own: with the process it ends, and the lock too."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from recollect.errors import StoreBusy, StoreUnavailable
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.plain_errors import plain_errors
from recollect.stores.postgres.pool import Connection


class ServerLock:
    def __init__(self, database: Database, name: str, does: str = "decides") -> None:
        self._database = database
        self._does = does
        self._name = f"recollect {name} {database.number}"
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
        connection.execute(f"SET lock_timeout = {wait:d}")
        connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (self._name,))
        return connection

    def _unlock(self, connection: Connection) -> None:
        try:
            connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (self._name,))
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
            connection.close()
