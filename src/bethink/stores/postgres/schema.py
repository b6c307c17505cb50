"""The tables, how an older database becomes a newer one, and what it takes to have them."""

from __future__ import annotations

from importlib.resources import files

import psycopg
from psycopg import errors as pg

from bethink.errors import UPGRADE, StoreError, StoreTooNew
from bethink.stores.postgres.database import SCHEMA, Cursor, Database
from bethink.stores.postgres.plain_errors import in_plain_words
from bethink.stores.postgres.pool import Connection, Pool
from bethink.stores.postgres.rows import checksum
from bethink.text import tokenise
from bethink.vocabulary import GLOBAL_SPACE

LEAST_PGVECTOR = (0, 7, 0)  # the first with halfvec
WANTED_PGVECTOR = (0, 8, 2)  # iterative scans, and no known hole
_LOCK = 0x5265636F  # "Reco": one migrates, others wait
OF_OWN_SPACE = "EXISTS (SELECT FROM spaces s WHERE s.id = space)"  # what `wall_in` may ask for
_EXTENSION = (
    "SELECT e.extversion, quote_ident(n.nspname) FROM pg_extension e "
    "JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
)


def migrations() -> list[str]:
    """The steps in their order; the first is number 1."""
    folder = files("bethink.stores.postgres") / "migrations"
    return [
        one.read_text("utf-8")
        for one in sorted(folder.iterdir(), key=lambda one: one.name)
        if one.name.endswith(".sql")
    ]


def prepare(database: Database) -> None:
    """See that the database is one that a store can use, and has the tables of this version."""
    connection = database.pool.connect()
    try:
        _check_server(connection, database.shown)
        database.extension_schema = _extension(connection, database.shown)
        database.newest = len(migrations())
        if version_in(connection, database.shown) != database.newest:
            migrate(connection, database.shown, database.extension_schema)
    except psycopg.Error as e:
        raise in_plain_words(e, database.shown) from e
    finally:
        connection.close()


def migrate_database(pool: Pool) -> int:
    """The newest tables, for whoever does this apart from using the store; the version."""
    database = Database(pool, "")
    prepare(database)
    return len(migrations())


def _check_server(connection: Connection, shown: str) -> None:
    row = connection.execute(
        "SELECT current_user, rolsuper OR rolbypassrls, current_setting('server_encoding') "
        "FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    assert row is not None
    role, above_the_rules, encoding = row
    if encoding != "UTF8":
        raise StoreError(
            f"{shown} keeps text as {encoding}; Chinese needs UTF8: "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
        )
    if above_the_rules:
        raise StoreError(
            f"{shown}: the role {role!r} stands above row-level security, so nothing would keep "
            "tenants apart. Make one that does not, and connect as it: CREATE ROLE bethink "
            "LOGIN PASSWORD '…'; GRANT CREATE ON DATABASE <database> TO bethink"
        )


def _extension(connection: Connection, shown: str) -> str:
    """The schema that pgvector is in, once it is there."""
    row = connection.execute(_EXTENSION).fetchone()
    if row is None:
        try:
            with connection.transaction():  # one at a time: two who made it at once would collide
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                if connection.execute(_EXTENSION).fetchone() is None:
                    connection.execute("CREATE EXTENSION vector")
        except pg.InsufficientPrivilege:
            raise StoreError(
                f"{shown} has no pgvector, and this role may not add it: run, as a superuser in "
                "that database, CREATE EXTENSION vector"
            ) from None
        except (pg.UndefinedFile, pg.FeatureNotSupported, pg.UndefinedObject) as e:
            raise StoreError(
                f"{shown} has no pgvector on its machine ({e.diag.message_primary}); install it "
                "there (Debian: postgresql-18-pgvector), then run CREATE EXTENSION vector"
            ) from None
        row = connection.execute(_EXTENSION).fetchone()
        assert row is not None
    version, schema = row
    if version_numbers(version) < LEAST_PGVECTOR:
        raise StoreError(
            f"{shown} has pgvector {version}, which is too old; install "
            f"{'.'.join(map(str, WANTED_PGVECTOR))} or later there, then run, as a superuser, "
            "ALTER EXTENSION vector UPDATE"
        )
    return str(schema)


def version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def version_in(connection: Connection, shown: str) -> int:
    """0 before the first; refused where a newer Bethink was here."""
    if not table_exists(connection, SCHEMA, "schema_version"):
        return 0
    (version,) = connection.execute(
        f"SELECT coalesce(max(version), 0) FROM {SCHEMA}.schema_version"
    ).fetchone() or (0,)
    if version > len(migrations()):
        raise StoreTooNew(
            f"{shown} has schema {version}; this Bethink knows {len(migrations())}. "
            f"Upgrade with: {UPGRADE}"
        )
    return int(version)


def migrate(connection: Connection, shown: str, extension_schema: str) -> None:
    """Every step that is missing, each in a transaction of its own, one process at a time."""
    for number, script in enumerate(migrations(), start=1):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, {extension_schema}")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY, "
                "applied_at timestamptz NOT NULL DEFAULT now())"
            )
            if version_in(connection, shown) >= number:
                continue
            connection.execute(script.encode())
            for table in _tables_without_a_wall(connection):
                wall_in(connection, table)
            connection.execute("INSERT INTO schema_version (version) VALUES (%s)", (number,))


def table_exists(connection: Connection | Cursor, schema: str, table: str) -> bool:
    """By the catalog as it is now. `to_regclass` answers from the session's memory, where a table
    that was made by another while this one waited for a lock is still missing."""
    found = connection.execute(
        "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = %s",
        (schema, table),
    )
    return found.fetchone() is not None


def _tables_without_a_wall(connection: Connection) -> list[str]:
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
        "WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant' "
        "AND NOT c.relforcerowsecurity ORDER BY c.relname",
        (SCHEMA,),
    )
    return [name for (name,) in rows]


def wall_in(connection: Connection | Cursor, table: str, *, refers: str = "") -> None:
    """Nobody sees or writes rows of a tenant other than the one that the transaction names, the
    owner of the table neither. `refers`: what else must hold of a row that is written, where it
    names others: keys are checked past these rules."""
    connection.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY".encode())
    connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY".encode())
    own = "tenant = (SELECT nullif(current_setting('bethink.tenant', true), '')::bigint)"
    check = f" WITH CHECK ({own} AND ({refers}))" if refers else ""
    connection.execute(f"CREATE POLICY own_tenant ON {table} USING ({own}){check}".encode())
    connection.execute(f"REVOKE TRUNCATE ON {table} FROM CURRENT_USER".encode())


def enter(cursor: Cursor, database: Database) -> bool:
    """The tenant's own row and its first space; is its words index by another tokeniser?"""
    cursor.execute(
        "INSERT INTO tenants (tenant, name, tokeniser) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (database.number, database.tenant, tokenise.VERSION),
    )
    row = cursor.execute("SELECT name, tokeniser FROM tenants").fetchone()
    assert row is not None
    if row[0] != database.tenant:
        raise StoreError(
            f"the tenants {row[0]!r} and {database.tenant!r} have the same number by chance; "
            "choose another name for the new one"
        )
    cursor.execute("INSERT INTO spaces (name) VALUES (%s) ON CONFLICT DO NOTHING", (GLOBAL_SPACE,))
    cursor.execute(  # rows that are older than checksums
        f"UPDATE memories m SET checksum = {checksum('m')} WHERE m.checksum IS NULL".encode()
    )
    return bool(row[1] != tokenise.VERSION)
