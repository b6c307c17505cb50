"""What a server knows besides memories, in the database of its store: keys, the audit trail, which
writes were answered, and which tenants there are. Whoever serves from this database, on whatever
machine, sees the same: a key that one revokes is refused by all from the next request on.

The tables have a schema of their own, and row-level security as those of memories have: they are
seen in transactions that name the server and no tenant, so that a question of a tenant that went
astray finds no key. No text of any memory is ever in them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bethink.access.server_rows import Answered, Rows, only
from bethink.errors import UPGRADE, MissingExtra, StoreTooNew

try:
    # a connection knows the types that are known when it is opened, and those of the pool will
    # serve stores too
    from bethink.stores.postgres import arrays as arrays
    from bethink.stores.postgres.address import parse_address
    from bethink.stores.postgres.database import Cursor, Database, seen_by, tenant_number
    from bethink.stores.postgres.plain_errors import plain_errors
    from bethink.stores.postgres.pool import borrow_pool, return_pool
    from bethink.stores.postgres.schema import prepare, table_exists
except ModuleNotFoundError as e:
    if not (e.name or "").startswith("psycopg"):
        raise
    raise MissingExtra("a store on PostgreSQL", "postgres") from None

SCHEMA = "bethink_server"
_NOBODY = " server"  # no tenant can have this name
_LOCK = 0x52655365  # "ReSe"
_PATIENCE = 30.0
_VERSION = 2
_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE meta (key text PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE last_audited (number bigint NOT NULL);
INSERT INTO last_audited VALUES (0);
CREATE TABLE tenants (name text COLLATE "C" PRIMARY KEY, created_at bigint NOT NULL);
CREATE TABLE keys (
    id text PRIMARY KEY,
    name text NOT NULL,
    tenant text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text NOT NULL,
    spaces text,
    trusted integer NOT NULL,
    per_minute integer,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
);
CREATE INDEX keys_tenant ON keys (tenant);
CREATE TABLE audit (
    number bigint PRIMARY KEY,
    at bigint NOT NULL,
    tenant text NOT NULL,
    key_id text NOT NULL,
    door text NOT NULL,
    action text NOT NULL,
    targets text NOT NULL,
    outcome text NOT NULL,
    hash bytea NOT NULL
);
CREATE INDEX audit_tenant ON audit (tenant, number);
CREATE TABLE idempotency (
    tenant text NOT NULL,
    key_id text NOT NULL,
    token_hash bytea NOT NULL,
    request_hash text NOT NULL,
    begun_at bigint NOT NULL,
    owner text NOT NULL,
    answer text,
    PRIMARY KEY (tenant, key_id, token_hash)
);
CREATE INDEX idempotency_begun ON idempotency (begun_at);

CREATE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit trail only grows'; END $$;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION only_grows();
CREATE FUNCTION note_last() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
UPDATE {SCHEMA}.last_audited SET number = greatest(number, NEW.number);
RETURN NULL;
END $$;
CREATE TRIGGER audit_is_counted AFTER INSERT ON audit
    FOR EACH ROW EXECUTE FUNCTION note_last();
"""
_WALLED = ("meta", "last_audited", "tenants", "keys", "audit", "idempotency")


class _Transaction:
    def __init__(self, cursor: Cursor) -> None:
        self._connection = cursor.connection

    def execute(self, sql: str, bindings: Sequence[Any] = (), /) -> Answered:
        return self._connection.execute(sql.replace("?", "%s").encode(), tuple(bindings))


class ServerTables:
    def __init__(self, url: str) -> None:
        self._pool = borrow_pool(parse_address(url))
        # every request waits for what is asked here
        self._database = Database(self._pool, _NOBODY, schema=SCHEMA, at_once=True)
        try:
            prepare(self._database)  # is it a database that a store can use?
            if self._version() != _VERSION:
                self._make()
        except BaseException:
            return_pool(self._pool)
            raise

    @property
    def shown(self) -> str:
        return self._database.shown

    @contextmanager
    def write(self, *, patience: float | None = None) -> Iterator[Rows]:
        seconds = _PATIENCE if patience is None else patience
        with self._database.transaction(f"lock_timeout = {seconds * 1000:.0f}") as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield _Transaction(cursor)

    @contextmanager
    def read(self) -> Iterator[Rows | None]:
        with self._database.read() as cursor:
            yield _Transaction(cursor)

    @contextmanager
    def ask(self) -> Iterator[Rows | None]:
        with self._database.ask() as cursor:
            yield _Transaction(cursor)

    def last_audited(self, rows: Rows) -> int:
        return int(only(rows.execute("SELECT number FROM last_audited")))

    def secret(self) -> bytes:
        asked = "SELECT value FROM meta WHERE key = 'secret'"
        with self._database.ask() as cursor:
            known = only(_Transaction(cursor).execute(asked))
        if known is None:
            with self.write() as writer:
                writer.execute(
                    "INSERT INTO meta VALUES ('secret', ?) ON CONFLICT DO NOTHING",
                    (os.urandom(32),),
                )
                known = only(writer.execute(asked))
        return bytes(known)

    def close(self) -> None:
        if not self._database.closed:
            self._database.close()
            return_pool(self._pool)

    def _version(self) -> int:
        with self._database.read() as cursor:
            if not table_exists(cursor, SCHEMA, "version"):
                return 0
            cursor.execute(f"SELECT number FROM {SCHEMA}.version")
            (version,) = cursor.fetchone() or (0,)
        if version > _VERSION:
            raise StoreTooNew(
                f"the keys in {self.shown} have schema {version}; this Bethink knows {_VERSION}. "
                f"Upgrade with: {UPGRADE}"
            )
        return int(version)

    def _make(self) -> None:
        """The tables as they are now, whatever is there already."""
        with self._database.transaction() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            before = 0
            if table_exists(cursor, SCHEMA, "version"):
                row = cursor.execute(f"SELECT number FROM {SCHEMA}.version").fetchone()
                (before,) = row or (0,)
            if before >= _VERSION:  # another was faster
                return
            if before < 1:
                _make_first(cursor)
            # no policy is asked when a table is emptied as a whole, and nobody here does that
            cursor.execute(f"REVOKE TRUNCATE ON {', '.join(_WALLED)} FROM CURRENT_USER".encode())
            cursor.execute("UPDATE version SET number = %s", (_VERSION,))


def tenants_known(url: str) -> list[str]:
    """All but the default one, also of a database that no server has used. Only looked at."""
    pool = borrow_pool(parse_address(url))
    try:
        with plain_errors(pool.address.shown):
            connection = pool.connect()
            try:
                if not table_exists(connection, SCHEMA, "tenants"):
                    return []
                with seen_by(connection, _NOBODY):
                    found = connection.execute(f"SELECT name FROM {SCHEMA}.tenants ORDER BY name")
                    return [name for (name,) in found]
            finally:
                connection.close()
    finally:
        return_pool(pool)


def _make_first(cursor: Cursor) -> None:
    create, tables = _TABLES.split(";", 1)
    cursor.execute(create.encode())
    cursor.execute(tables.encode())
    seen = f"current_setting('bethink.tenant', true) = '{tenant_number(_NOBODY)}'"
    for table in _WALLED:
        cursor.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY".encode())
        cursor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY".encode())
        cursor.execute(f"CREATE POLICY the_server ON {table} USING ({seen})".encode())
    cursor.execute("CREATE TABLE version AS SELECT 1 AS number")
