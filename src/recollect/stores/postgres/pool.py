"""The connections of one process to one server, shared by the stores of all its tenants.

Connections are opened by whoever needs one, so a server that is back is used by the next call:
there is nobody in the background who waits longer and longer between tries. A connection that was
cut is noticed by the first statement of a transaction, and thrown away.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import psycopg

from recollect.errors import StoreBusy, StoreError
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.plain_errors import in_plain_words

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"
_PATIENCE = 10.0  # seconds to wait for a connection that others use
_UNUSABLE = (psycopg.OperationalError, psycopg.InterfaceError)


class Pool:
    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: list[Connection] = []
        self._guard = threading.Lock()
        self._free = threading.BoundedSemaphore(address.connections)
        self._owner = os.getpid()
        self._closed = False
        self.users = 0

    def connect(self) -> Connection:
        """A connection of its own, which never comes into the pool."""
        try:
            connection = psycopg.connect(self.address.conninfo, autocommit=True)
            connection.execute("SET TimeZone = 'UTC'")
            (durable,) = connection.execute("SHOW synchronous_commit").fetchone() or ("",)
            if durable == "off":  # acknowledged means on disk
                connection.execute("SET synchronous_commit = on")
        except psycopg.Error as e:
            raise in_plain_words(e, self.address.shown) from e
        return connection

    def take(self, begin: Callable[[Connection], object]) -> Connection:
        """A connection in which `begin` worked. One that was cut while it was idle fails at that
        first statement: nothing was done in it, so another may be tried."""
        if not self._free.acquire(timeout=_PATIENCE):
            raise StoreBusy(
                f"all {self.address.connections} connections to {self.address.shown} are in use; "
                "try again, or allow more with connections=… in its address"
            )
        try:
            while (connection := self._pop()) is not None:
                try:
                    begin(connection)
                    return connection
                except _UNUSABLE:
                    connection.close()
            connection = self.connect()
            try:
                begin(connection)
            except BaseException:
                connection.close()
                raise
            return connection
        except BaseException:
            self._free.release()
            raise

    def _pop(self) -> Connection | None:
        with self._guard:
            if self._closed:
                raise StoreError("this store is closed; open it again to use it")
            if self._owner != os.getpid():  # a fork must not speak on its parent's connections
                self._owner, self._idle = os.getpid(), []
            return self._idle.pop() if self._idle else None

    def give_back(self, connection: Connection) -> None:
        usable = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._guard:
            keep = usable and not self._closed and self._owner == os.getpid()
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
        self._free.release()

    def close(self) -> None:
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


_pools: dict[tuple[int, Address], Pool] = {}
_pools_guard = threading.Lock()


def borrow_pool(address: Address) -> Pool:
    """The pool of this address; give it back with `return_pool`."""
    with _pools_guard:
        pool = _pools.setdefault((os.getpid(), address), Pool(address))
        pool.users += 1
        return pool


def return_pool(pool: Pool) -> None:
    with _pools_guard:
        pool.users -= 1
        if pool.users:
            return
        _pools.pop((os.getpid(), pool.address), None)
    pool.close()
