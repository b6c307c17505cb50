"""A look at a database that changes nothing in it; and its tables brought forward, for whoever does
that apart from using the store."""

from __future__ import annotations

from bethink.stores.postgres import schema
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.database import SCHEMA, seen_by
from bethink.stores.postgres.plain_errors import plain_errors
from bethink.stores.postgres.pool import borrow_pool, return_pool


def schema_found(url: str) -> tuple[int, int]:
    """The schema of a database, 0 before the first; and the newest that is known."""
    pool = borrow_pool(parse_address(url))
    try:
        with plain_errors(pool.address.shown):
            connection = pool.connect()
            try:
                found = schema.version_in(connection, pool.address.shown)
                return found, len(schema.migrations())
            finally:
                connection.close()
    finally:
        return_pool(pool)


def is_prepared(url: str) -> bool:
    found, known = schema_found(url)
    return found == known


def tenant_exists(url: str, tenant: str) -> bool:
    """Did anybody ever open this tenant's store?"""
    pool = borrow_pool(parse_address(url))
    try:
        with plain_errors(pool.address.shown):
            connection = pool.connect()
            try:
                with seen_by(connection, tenant):
                    found = connection.execute(f"SELECT name FROM {SCHEMA}.tenants").fetchone()
                return found == (tenant,)
            finally:
                connection.close()
    finally:
        return_pool(pool)


def bring_schema_forward(url: str) -> None:
    pool = borrow_pool(parse_address(url))
    try:
        schema.migrate_database(pool)
    finally:
        return_pool(pool)
