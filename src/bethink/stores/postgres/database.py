"""One tenant's view of the database: a question is one statement, what must be of one moment one
snapshot, a write one transaction.

Whose view it is, is said to a connection when it begins to serve a tenant, and to each transaction
where connections are another's (PgBouncer). What the tables hold is not known here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

import psycopg

from bethink.errors import UPGRADE, StoreError, StoreTooNew, StoreUnavailable
from bethink.stores.postgres.plain_errors import LOST, in_plain_words, plain_errors
from bethink.stores.postgres.pool import AT_ONCE, Connection, Pool
from bethink.stores.protocol import MOVE_NOTE

Cursor: TypeAlias = "psycopg.Cursor[tuple[Any, ...]]"
_T = TypeVar("_T")

SCHEMA = "bethink"
_READ_SECONDS = 30
_MOMENT = int(AT_ONCE) - 1  # the server says that a look-up waits before whoever asked gives up
_WRITE_SECONDS = 600  # thousands of memories at once
_LOCK_SECONDS = 30  # for others who write to the same space
_WRITERS = 0x52656357  # "RecW": whoever writes, together with others of the tenant or alone
_NOBODY = (False, 0, False)  # what a write learns of a tenant that is not there
_TRIES = 8  # of a write that lost to others


class Database:
    def __init__(
        self, pool: Pool, tenant: str, *, schema: str = SCHEMA, at_once: bool = False
    ) -> None:
        """`at_once`: what is asked takes a moment, and is not waited for longer. All who share the
        tenant must say the same."""
        self.pool = pool
        self._ask_seconds = _MOMENT if at_once else _READ_SECONDS
        self._ask_patience = AT_ONCE if at_once else _READ_SECONDS + AT_ONCE
        self.schema = schema
        self.tenant = tenant
        self.number = tenant_number(tenant)
        self.extension_schema = "public"
        self.newest = 0  # schema that is known, once it was looked at (`schema.py`)
        self.half_moved = False  # at the last write: does a move fill the tenant's store?
        self.closed = False

    @property
    def shown(self) -> str:
        return self.pool.address.shown

    @contextmanager
    def ask(self) -> Iterator[Cursor]:
        """For questions of one statement: each is one trip to the server, and sees what was written
        before it."""
        with plain_errors(self.shown), self._connection("", self._ask_patience) as connection:
            try:
                yield connection.cursor(binary=True)
            finally:
                end(connection)

    @contextmanager
    def read(self, *settings: str, seconds: float = _READ_SECONDS) -> Iterator[Cursor]:
        """One snapshot for everything that the block reads. `settings` hold in it: `name = value`,
        our own words only."""
        if self._ask_seconds != _READ_SECONDS:
            settings = (f"statement_timeout = {_READ_SECONDS * 1000}", *settings)
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY" + _local(settings)
        patience = seconds + AT_ONCE
        with plain_errors(self.shown), self._connection(begin, patience) as connection:
            try:
                yield connection.cursor(binary=True)
            finally:
                end(connection)

    def write(
        self,
        work: Callable[[Cursor], _T],
        *,
        lock_seconds: float = _LOCK_SECONDS,
        alone: bool = False,
        unknown: bool = False,
    ) -> _T:
        """`work` in one transaction, on disk when this returns; again where it lost to another.
        `alone`: while nobody else of the tenant writes. `unknown`: also where there is no such
        tenant; otherwise nothing is kept of one that was removed."""
        begin = "BEGIN" + _local(
            (
                f"statement_timeout = {_WRITE_SECONDS * 1000}",
                f"lock_timeout = {lock_seconds * 1000:.0f}",
            )
        )
        shared = "" if alone else "_shared"
        begin += f"; SELECT pg_advisory_xact_lock{shared}({_WRITERS}, {self.number % 2**31:d})"
        begin += "; SELECT followed, (SELECT max(version) FROM schema_version), "
        begin += f"EXISTS (SELECT FROM notes WHERE key = '{MOVE_NOTE}') FROM tenants"
        for turn in range(_TRIES):
            try:
                with self._connection(begin, _WRITE_SECONDS + AT_ONCE) as connection:
                    return self._committed(connection, work, unknown)
            except LOST as e:
                if turn == _TRIES - 1:
                    raise in_plain_words(e, self.shown) from e
                time.sleep(random.uniform(0, 0.01 * 2**turn))  # noqa: S311
            except psycopg.Error as e:
                raise in_plain_words(e, self.shown) from e
        raise AssertionError("unreachable")

    @contextmanager
    def transaction(self, *settings: str) -> Iterator[Cursor]:
        """The same as a block, and not tried again: for what makes sure by a lock that it loses to
        nobody."""
        begin = "BEGIN" + _local((f"statement_timeout = {_WRITE_SECONDS * 1000}", *settings))
        patience = _WRITE_SECONDS + AT_ONCE
        with plain_errors(self.shown), self._connection(begin, patience) as connection:
            try:
                yield connection.cursor()
            except BaseException:
                end(connection)
                raise
            self._commit(connection)

    def _committed(self, connection: Connection, work: Callable[[Cursor], _T], unknown: bool) -> _T:
        try:
            if not (unknown or connection.entered):
                raise StoreError(
                    f"the tenant {self.tenant!r} was removed from {self.shown}, and nothing was "
                    "kept. Open its store again to begin anew"
                )
            if connection.schema > self.newest:
                raise StoreTooNew(
                    f"{self.shown} was brought forward to schema {connection.schema} by a newer "
                    f"Bethink; this one knows {self.newest}, and nothing was kept. Upgrade it "
                    f"with: {UPGRADE}"
                )
            self.half_moved = connection.half_moved
            done = work(connection.cursor())
        except BaseException:
            end(connection)
            raise
        self._commit(connection)
        return done

    def _commit(self, connection: Connection) -> None:
        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError as e:
            if isinstance(e, LOST):
                raise
            raise StoreUnavailable(
                f"{self.shown} was lost while a write was being kept; whether it was is not "
                "known. Look before you repeat it: what was told with an id of its own is not "
                "kept twice, but a change or a count would be"
            ) from e

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """A connection without a transaction, for what PostgreSQL does in none: VACUUM, and
        building an index beside those who write. Nothing is set in it, since behind a pool server
        others would find it set: tables are named with their schema."""
        with plain_errors(self.shown):
            connection = self.pool.connect()
            try:
                yield connection
            finally:
                connection.close()

    @contextmanager
    def _connection(self, begin: str, patience: float) -> Iterator[Connection]:
        """`patience`: more seconds than the server gives a statement, as one that lives ends it
        itself, and says so soon after."""
        if self.closed:
            raise StoreError("this store is closed; open it again to use it")

        def enter(one: Connection) -> None:
            one.patience = patience
            self._enter(one, begin)

        connection = self.pool.take(self.number, enter)
        try:
            yield connection
        finally:
            self.pool.give_back(connection)

    def _enter(self, connection: Connection, begin: str) -> None:
        """Whatever is said goes in one piece, and is said as a whole or not at all."""
        own: tuple[str, ...] = (
            f"bethink.tenant = '{self.number}'",
            f"search_path = {self.schema}, {self.extension_schema}",
            f"statement_timeout = {self._ask_seconds * 1000}",
        )
        if connection.borrowed:
            if connection.careless:
                own = (*own, "synchronous_commit = on")
            first, *rest = (begin or "BEGIN").partition(";")
            begin = first + _local(own) + "".join(rest)
        elif connection.tenant != self.number:
            connection.tenant = None  # until it is known to be set
            connection.execute("; ".join(f"SET {one}" for one in own).encode())
            connection.tenant = self.number
        if begin:
            said = connection.execute(begin.encode())
            while said.nextset():
                pass
            if said.description is not None:  # the last thing that a write asks
                row = said.fetchone()
                connection.entered = row is not None
                connection.followed, connection.schema, connection.half_moved = row or _NOBODY

    def close(self) -> None:
        self.closed = True


def tenant_number(name: str) -> int:
    """A number for each name, the same everywhere, so that nobody need look one up in a list that
    shows who else there is. `schema.py` makes sure that no two names share one."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


@contextmanager
def seen_by(connection: Connection, tenant: str) -> Iterator[None]:
    """On a connection of one's own, which may be another's session: as the tenant sees it, in one
    transaction, and nothing of that stays."""
    with connection.transaction():
        connection.execute(f"SET LOCAL bethink.tenant = '{tenant_number(tenant)}'".encode())
        yield


def _local(settings: Sequence[str]) -> str:
    return "".join(f"; SET LOCAL {one}" for one in settings)


def end(connection: Connection) -> None:
    """A connection that was cut needs no end."""
    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        try:
            connection.execute("ROLLBACK")
        except psycopg.OperationalError:
            connection.close()
