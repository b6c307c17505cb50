"""A tenant that goes, with every row that is its own."""

from __future__ import annotations

from bethink.stores.postgres import schema, vector_tables
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.database import SCHEMA, Cursor, Database
from bethink.stores.postgres.pool import borrow_pool, return_pool
from bethink.stores.postgres.upkeep import index_name, vacuum

_TABLES = (
    "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
    f"WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind = 'r' "
    "AND a.attname = 'tenant' AND c.relname <> 'tenants' ORDER BY c.relname"
)


def erase_tenant(url: str, tenant: str) -> None:
    """All at once, when those who write have finished; who comes later is refused. Then
    PostgreSQL empties the places as far as nobody's older snapshot sees them. Logs,
    replicas and backups of the database are the operator's."""
    pool = borrow_pool(parse_address(url))
    database = Database(pool, tenant)
    try:
        schema.prepare(database)
        indexes, tables = database.write(_erase, alone=True, unknown=True)
        with database.outside() as connection:
            for index in indexes:
                connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{index}".encode())
            vacuum(connection, tables)
    finally:
        database.close()
        return_pool(pool)


def _erase(cursor: Cursor) -> tuple[list[str], list[str]]:
    """Which indexes were of its spaces alone, and which tables had rows of it."""
    spaces = [
        number for (number,) in cursor.execute("SELECT id FROM spaces ORDER BY id FOR UPDATE")
    ]
    indexes = [
        index_name(table, space) for table in vector_tables.all_tables(cursor) for space in spaces
    ]
    tables = [name for (name,) in cursor.execute(_TABLES.encode())]
    for table in (*tables, "tenants"):
        cursor.execute(f"DELETE FROM {table}".encode())  # row-level security: its own rows
    return indexes, tables
