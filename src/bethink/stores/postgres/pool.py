"""The connections of one process to one server, shared by the stores of all its tenants.

Connections are opened by whoever needs one, so a server that is back is used by the next call:
there is nobody in the background who waits longer and longer between tries. A connection that was
cut while nobody used it shows so in its socket, and is thrown away.

A server that hangs cuts nothing, and ends no statement that takes too long. So nobody waits longer
than a connection's `patience` for a word of it, and after some seconds of silence only while it
takes new connections. A connection that was given up is closed: its answer might still come.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg.types.json import set_json_loads

from bethink.errors import StoreBusy, StoreError
from bethink.stores.postgres.address import Address
from bethink.stores.postgres.plain_errors import in_plain_words

if TYPE_CHECKING:
    from psycopg.abc import PQGen

_T = TypeVar("_T")
_EMPTY = {b"[]": list, b"{}": dict}
_PATIENCE = 10.0  # seconds to wait for a connection that others use
AT_ONCE = 5.0  # seconds for what takes a moment: a key is looked up, a connection set up
_SILENCE = 10.0  # seconds after which it is looked whether the server lives, again and again
_MAY_IT_BE_TLS = struct.pack(">II", 8, 80877103)  # what any server answers before a login
_UNUSABLE = (psycopg.OperationalError, psycopg.InterfaceError)


def _from_json(data: bytes | str) -> Any:
    """Most of what memories say of themselves is nothing."""
    empty = _EMPTY.get(data) if isinstance(data, bytes) else None
    return json.loads(data) if empty is None else empty()


class Silent(psycopg.OperationalError):
    """The server says nothing, and is not waited for any more."""


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """One that knows for whom it is set up, so that this need not be said with every statement."""

    conninfo = ""
    given_up = False
    patience = float("inf")  # seconds of silence; beyond `_SILENCE` only while the server lives
    tenant: int | None = None
    entered = True  # has the tenant a row, in this transaction? Without one it was removed
    schema = 0  # the database's, in this transaction
    half_moved = False  # does a move fill the tenant's store, in this transaction?
    followed = False  # does somebody follow the tenant, in this transaction? (`changes.py`)
    looks_at: int | None = None  # how far it looks in an index of vectors (`near.py`)
    # A pool server such as PgBouncer stands between: whatever is set in a session is another's
    # next, so it must be said in every transaction.
    borrowed = False
    careless = False  # the server acknowledges before what it was told is on disk

    def wait(self, gen: PQGen[_T], *args: Any, **options: Any) -> _T:
        try:
            return super().wait(self._heard(gen), *args, **options)
        except Silent:
            self.given_up = True
            self.close()
            raise

    def _heard(self, gen: PQGen[_T]) -> PQGen[_T]:
        """psycopg wakes it ten times a second while nothing comes: no clock is read before that."""
        since = look_at = 0.0
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    since = 0.0
                elif not since:
                    since = time.monotonic()
                    look_at = since + _SILENCE
                else:
                    silent = (now := time.monotonic()) - since
                    if silent > self.patience or (now > look_at and not self._server_lives()):
                        raise Silent(f"it did not answer for {silent:.0f} seconds")
                    if now > look_at:
                        look_at = time.monotonic() + _SILENCE
                wanted = gen.send(ready)
        except StopIteration as done:
            answer: _T = done.value
            return answer

    def _server_lives(self) -> bool:
        """Whatever it says to a new connection, a refusal too, is a sign of life. Where the address
        names several hosts, it is this one that must say it."""
        said = int(float(self.info.get_parameters().get("connect_timeout", 0)))
        seconds = said if said > 0 else int(AT_ONCE)
        try:
            psycopg.connect(
                self.conninfo,
                host=self.info.host,
                hostaddr=self.info.hostaddr,
                port=self.info.port,
                target_session_attrs="any",
                connect_timeout=seconds,
            ).close()
        except psycopg.errors.ConnectionTimeout:
            return False
        except psycopg.Error:
            return self._says_a_word(seconds)
        return True

    def _says_a_word(self, seconds: float) -> bool:
        """Was a connection refused by the server, or by nobody (a port that is closed, no way
        there)? libpq tells the two apart in words only."""
        try:
            with self._another_socket(seconds) as one:
                one.sendall(_MAY_IT_BE_TLS)
                return bool(one.recv(1))
        except OSError:
            return False

    def _another_socket(self, seconds: float) -> socket.socket:
        if self.info.hostaddr:
            return socket.create_connection((self.info.hostaddr, self.info.port), seconds)
        path = f"{self.info.host}/.s.PGSQL.{self.info.port}"
        until = time.monotonic() + seconds
        one = socket.socket(socket.AF_UNIX)
        try:
            one.settimeout(seconds)
            while True:
                try:
                    one.connect("\0" + path[1:] if path.startswith("@") else path)
                except BlockingIOError:  # its queue is full: for a moment, or nobody empties it
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.1)
                else:
                    return one
        except BaseException:
            one.close()
            raise

    def is_cut(self) -> bool:
        """Without asking the server: it never speaks first, except to say goodbye."""
        try:
            poll = select.poll()
            poll.register(self.fileno(), select.POLLIN)
            if poll.poll(0):
                self.pgconn.consume_input()
        except (psycopg.Error, OSError, ValueError):
            return True
        return self.pgconn.status != psycopg.pq.ConnStatus.OK


def _is_lost(connection: Connection, error: psycopg.Error) -> bool:
    """Did the connection end? What a server that is still there refuses (a lock was not to be had
    in time) is a psycopg.OperationalError too, and would take as long on another connection."""
    said = error.sqlstate
    return connection.closed or said is None or said.startswith(("08", "57P0"))


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
            connection = Connection.connect(self.address.conninfo, autocommit=True)
            try:
                self._set_up(connection)
            except BaseException:
                connection.close()
                raise
        except psycopg.Error as e:
            raise in_plain_words(e, self.address.shown) from e
        return connection

    def _set_up(self, connection: Connection) -> None:
        connection.conninfo, connection.patience = self.address.conninfo, AT_ONCE
        set_json_loads(_from_json, connection)
        connection.execute("SET TimeZone = 'UTC'")
        row = connection.execute(
            "SELECT pg_backend_pid(), current_setting('synchronous_commit')"
        ).fetchone()
        assert row is not None
        connection.borrowed = row[0] != connection.info.backend_pid
        if connection.borrowed:
            connection.prepare_threshold = None
        connection.careless = row[1] == "off"
        if connection.careless:  # acknowledged means on disk
            connection.execute("SET synchronous_commit = on")
        connection.patience = Connection.patience

    def take(self, tenant: int, begin: Callable[[Connection], object]) -> Connection:
        """A connection in which `begin` worked, one that last served this tenant if there is one.
        Nothing was done before `begin`, so where a connection turns out to be cut, another may be
        tried."""
        if not self._free.acquire(timeout=_PATIENCE):
            raise StoreBusy(
                f"all {self.address.connections} connections to {self.address.shown} are in use; "
                "try again, or allow more with connections=… in its address"
            )
        try:
            while (connection := self._pop(tenant)) is not None:
                if self._begun(connection, begin):
                    return connection
            connection = self.connect()
            try:
                begin(connection)
            except BaseException:
                connection.close()
                raise
            return connection
        except BaseException as e:
            if isinstance(e, Silent):
                self._drop_idle()
            self._free.release()
            raise

    @staticmethod
    def _begun(connection: Connection, begin: Callable[[Connection], object]) -> bool:
        """False where it is cut; what did not begin is of no use to anybody."""
        begun = False
        try:
            if not connection.is_cut():
                begin(connection)
                begun = True
        except _UNUSABLE as e:
            if isinstance(e, Silent) or not _is_lost(connection, e):
                raise  # another connection would wait as long: for the server, or a lock
            return False
        finally:
            if not begun:
                connection.close()
        return begun

    def _pop(self, tenant: int) -> Connection | None:
        with self._guard:
            if self._closed:
                raise StoreError("this store is closed; open it again to use it")
            if self._owner != os.getpid():  # a fork must not speak on its parent's connections
                self._owner, self._idle = os.getpid(), []
            for at in reversed(range(len(self._idle))):
                if self._idle[at].tenant == tenant:
                    return self._idle.pop(at)
            return self._idle.pop(0) if self._idle else None

    def give_back(self, connection: Connection) -> None:
        usable = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._guard:
            keep = usable and not self._closed and self._owner == os.getpid()
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
        if connection.given_up:
            self._drop_idle()
        self._free.release()

    def _drop_idle(self) -> None:
        """After silence on another: whoever comes next opens one, and hears soon that the server is
        away."""
        with self._guard:
            if self._owner != os.getpid():
                return
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

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
