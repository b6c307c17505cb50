"""One tenant's view of the database: a read is one snapshot, a write one transaction.

The tenant is named inside each transaction, so that connections may be shared, also through a pool
server such as PgBouncer. What the tables hold is not known here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

import psycopg

from recollect.errors import StoreError, StoreUnavailable
from recollect.stores.postgres.plain_errors import LOST, in_plain_words, plain_errors
from recollect.stores.postgres.pool import Connection, Pool

Cursor: TypeAlias = "psycopg.Cursor[tuple[Any, ...]]"
_T = TypeVar("_T")

SCHEMA = "recollect"
_READ_SECONDS = 30
_WRITE_SECONDS = 600  # thousands of memories at once
_LOCK_SECONDS = 30  # for others who write to the same space
_TRIES = 8  # of a write that lost to others


class Database:
    def __init__(self, pool: Pool, tenant: str) -> None:
        self.pool = pool
        self.tenant = tenant
        self.number = tenant_number(tenant)
        self.extension_schema = "public"
        self.closed = False

    @property
    def shown(self) -> str:
        return self.pool.address.shown

    @contextmanager
    def read(self, *settings: str) -> Iterator[Cursor]:
        """One snapshot for everything that the block reads. `settings` hold in it: `name = value`,
        our own words only."""
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
        said = self._said(_READ_SECONDS, settings)
        with plain_errors(self.shown), self._connection(f"{begin}; {said}") as connection:
            try:
                yield connection.cursor()
            finally:
                _end(connection)

    def write(self, work: Callable[[Cursor], _T], *, lock_seconds: float = _LOCK_SECONDS) -> _T:
        """`work` in one transaction, on disk when this returns; again where it lost to another."""
        begin = (
            f"BEGIN; {self._said(_WRITE_SECONDS, (f'lock_timeout = {lock_seconds * 1000:.0f}',))}"
        )
        for turn in range(_TRIES):
            try:
                with self._connection(begin) as connection:
                    return self._committed(connection, work)
            except LOST as e:
                if turn == _TRIES - 1:
                    raise in_plain_words(e, self.shown) from e
                time.sleep(random.uniform(0, 0.01 * 2**turn))  # noqa: S311
            except psycopg.Error as e:
                raise in_plain_words(e, self.shown) from e
        raise AssertionError("unreachable")

    def _committed(self, connection: Connection, work: Callable[[Cursor], _T]) -> _T:
        try:
            done = work(connection.cursor())
        except BaseException:
            _end(connection)
            raise
        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError as e:
            if isinstance(e, LOST):
                raise
            raise StoreUnavailable(
                f"{self.shown} was lost while a write was being kept; whether it was is not "
                "known. Do it again: what was kept is not kept twice"
            ) from e
        return done

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        """A connection without a transaction, for what PostgreSQL does in none: VACUUM, and
        building an index beside those who write."""
        with plain_errors(self.shown):
            connection = self.pool.connect()
            try:
                path = f"{SCHEMA}, {self.extension_schema}"
                connection.execute(f"SET search_path = {path}")
                connection.execute(f"SET recollect.tenant = '{self.number}'")
                yield connection
            finally:
                connection.close()

    def _said(self, seconds: int, settings: tuple[str, ...]) -> str:
        every = (
            f"recollect.tenant = '{self.number}'",
            f"search_path = {SCHEMA}, {self.extension_schema}",
            f"statement_timeout = {seconds * 1000}",
            *settings,
        )
        return "; ".join(f"SET LOCAL {one}" for one in every)

    @contextmanager
    def _connection(self, begin: str) -> Iterator[Connection]:
        if self.closed:
            raise StoreError("this store is closed; open it again to use it")
        connection = self.pool.take(lambda one: one.execute(begin.encode()))
        try:
            yield connection
        finally:
            self.pool.give_back(connection)

    def close(self) -> None:
        self.closed = True


def tenant_number(name: str) -> int:
    """A number for each name, the same everywhere, so that nobody need look one up in a list that
    shows who else there is. `schema.py` makes sure that no two names share one."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _end(connection: Connection) -> None:
    """A connection that was cut needs no end."""
    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        try:
            connection.execute("ROLLBACK")
        except psycopg.OperationalError:
            connection.close()
