"""What PostgreSQL says, in the words of Bethink: what happened, then what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg

from bethink.errors import (
    BethinkError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

# It lost to another transaction, and nothing of it was kept: done again it may well succeed.
LOST = (pg.SerializationFailure, pg.DeadlockDetected, pg.UniqueViolation)
_REFUSED = (pg.InvalidPassword, pg.InvalidAuthorizationSpecification)
_FULL = (pg.DiskFull, pg.OutOfMemory)
_WAITED = (pg.LockNotAvailable, pg.QueryCanceled, *LOST)
_GONE = (
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.IdleInTransactionSessionTimeout,
)
_UNKNOWN = (pg.UndefinedTable, pg.UndefinedColumn, pg.UndefinedObject, pg.InvalidSchemaName)
# What a server says to whoever is not logged in yet comes without a code, in English or Chinese
# here. It stays so until somebody does something.
_NO_ROLE = r'role ".*" does not exist|角色 ?".*" ?不存在'
_NO_LOGIN = (
    r"authentication failed|no password supplied|not permitted to log in|pg_hba\.conf"
    r"|认证失败|进行登录"
)
_NO_DATABASE = r'database ".*" does not exist|数据库 ?".*" ?不存在'
_NO_CONNECTING = r'permission denied for database|访问数据库 ?".*" ?的权限不够'
_NO_MORE = (
    r"too many (connections|clients)|connection slots are reserved"
    r"|连接太多|连接位置|太多.*客户"
)
_NO_SUCH_SETTING = r"^connection is bad: invalid |does not support SSL"


@contextmanager
def plain_errors(shown: str) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as e:
        raise in_plain_words(e, shown) from e


def in_plain_words(error: psycopg.Error, shown: str) -> BethinkError:
    said = _first_line(error)
    if isinstance(error, psycopg.OperationalError) and (advice := _refused(error, said)):
        return StoreError(f"{shown} refused the login ({_after_place(said)}); {advice}")
    if isinstance(error, pg.TooManyConnections) or (
        error.sqlstate is None and re.search(_NO_MORE, said)
    ):
        return StoreUnavailable(
            f"{shown} takes no more connections now ({_after_place(said)}). Try again in a moment; "
            "if it stays so, take fewer (connections=… in the address, 8 for each process unless "
            "it says otherwise) or allow more (ALTER ROLE … CONNECTION LIMIT, or max_connections)"
        )
    if isinstance(error, _WAITED):
        return StoreBusy(f"{shown} was busy for too long ({said}); try again")
    if isinstance(error, _FULL):
        return StoreFull(f"{shown} has no room ({said}); nothing was written. Make some, try again")
    if isinstance(error, pg.ReadOnlySqlTransaction):
        return StoreReadOnly(
            f"{shown} only reads (is it a replica?); write to the primary server instead"
        )
    if isinstance(error, pg.InsufficientPrivilege):
        return StoreError(
            f"{shown}: {said}. The role of the address must own the schema 'bethink' and what "
            "is in it: run, as a superuser, GRANT CREATE ON DATABASE <database> TO <role>, and "
            "ALTER TABLE … OWNER TO <role> where another owns one, then 'bethink doctor'"
        )
    if isinstance(error, (pg.DataCorrupted, pg.IndexCorrupted)):
        return StoreCorrupt(f"{shown}: {said}. Restore a backup of the database")
    if isinstance(error, _UNKNOWN):
        return StoreCorrupt(
            f"{shown}: {said}. The tables of Bethink were changed by somebody else; restore them"
        )
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, *_GONE)):
        return StoreUnavailable(
            f"{shown} cannot be reached now ({said}); nothing that was acknowledged is lost. "
            "Try again in a moment; if it stays so, look at the address and the server"
        )
    return StoreError(f"{shown}: {said}")


def _refused(error: psycopg.OperationalError, said: str) -> str:
    """What to do where trying again would not help; nothing where it might."""
    if re.search(_NO_ROLE, said):
        return "create it with CREATE ROLE … LOGIN, or mend the user in the address"
    if isinstance(error, pg.InvalidCatalogName) or re.search(_NO_DATABASE, said):
        return "create it with CREATE DATABASE, or mend the address"
    if isinstance(error, _REFUSED) or re.search(_NO_LOGIN, said):
        return "check the user and password in the address, and who may log in (pg_hba.conf)"
    if error.sqlstate is None and re.search(_NO_CONNECTING, said):
        return "run, as its owner, GRANT CONNECT ON DATABASE <database> TO <role>"
    if error.sqlstate is None and re.search(_NO_SUCH_SETTING, said):
        return "mend the address"
    return ""


def _after_place(said: str) -> str:
    """Without which socket or port it was: the address is shown before."""
    return re.sub(r"^connection (failed|is bad): (connection to .* failed: )?(\w+: +)?", "", said)


def _first_line(error: psycopg.Error) -> str:
    """libpq repeats what failed for every address that a name has. Of an address that it cannot
    read it quotes a piece, which may be the password: nothing in quotes is shown then."""
    text = error.diag.message_primary or str(error)
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        text = text.partition('"')[0]
    return (text.strip().splitlines() or [type(error).__name__])[0].rstrip(".: ")
