"""What a server knows besides memories: keys, the audit trail, and which writes were answered. One
SQLite file beside the store; no text of any memory is ever in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from bethink.access.server_rows import Rows, only
from bethink.stores.sqlite.connection import check_sqlite_version, create_private, plain_errors
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.schema import version_of

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tenant TEXT NOT NULL,
    secret_hash BLOB NOT NULL,
    scopes TEXT NOT NULL,
    spaces TEXT, -- NULL: every space of the tenant
    trusted INTEGER NOT NULL,
    per_minute INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX keys_tenant ON keys (tenant);

CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a missing one is seen
    at INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    key_id TEXT NOT NULL,
    door TEXT NOT NULL,
    action TEXT NOT NULL,
    targets TEXT NOT NULL,
    outcome TEXT NOT NULL,
    hash BLOB NOT NULL -- of this row and of the hash before it
);
CREATE INDEX audit_tenant ON audit (tenant);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit trail only grows'); END;
CREATE TRIGGER audit_is_not_erased BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'the audit trail only grows'); END;

CREATE TABLE idempotency (
    tenant TEXT NOT NULL,
    key_id TEXT NOT NULL,
    token_hash BLOB NOT NULL, -- of the Idempotency-Key
    request_hash TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    owner TEXT NOT NULL, -- who does it
    answer TEXT, -- NULL until it is done
    PRIMARY KEY (tenant, key_id, token_hash)
) WITHOUT ROWID;
CREATE INDEX idempotency_begun ON idempotency (begun_at);
"""
_SECRET = "SELECT value FROM meta WHERE key = 'secret'"  # noqa: S105
_VERSION = 1
_APPLICATION_ID = 0x52655365  # "ReSe"


def server_file(store: Path) -> Path:
    return store.with_name(store.name + ".server")


class ServerFile:
    """Made at the first write; before that there are no keys, and nothing was audited."""

    def __init__(self, store: Path) -> None:
        check_sqlite_version()
        self.path = server_file(store.absolute())
        with plain_errors(self.path):
            self._database = Database(self.path, read_only=False)

    @property
    def shown(self) -> str:
        return str(self.path)

    def last_audited(self, rows: Rows) -> int:
        return only(rows.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'")) or 0

    @contextmanager
    def write(self, *, patience: float | None = None) -> Iterator[apsw.Connection]:
        create_private(self.path)
        waiting = {} if patience is None else {"patience": patience}
        with self._database.write(**waiting) as writer:
            if not _version(writer):
                writer.execute(_TABLES)
                writer.pragma("application_id", _APPLICATION_ID)
                writer.pragma("user_version", _VERSION)
            yield writer

    @contextmanager
    def read(self) -> Iterator[apsw.Connection | None]:
        """None before the first write."""
        if not self.path.exists():
            yield None
            return
        with self._database.read() as reader:
            yield reader if _version(reader) else None

    ask = read

    def secret(self) -> bytes:
        """32 random bytes that every process at this file shares."""
        with self.read() as reader:
            known: bytes | None = None if reader is None else reader.execute(_SECRET).get
        if known is None:
            with self.write() as writer:
                writer.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (os.urandom(32),))
                known = writer.execute(_SECRET).get
                assert known is not None
        return known

    def close(self) -> None:
        self._database.close()


def _version(connection: apsw.Connection) -> int:
    return version_of(connection, known=_VERSION, application_id=_APPLICATION_ID)
