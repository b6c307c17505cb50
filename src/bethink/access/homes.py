"""Where the stores of tenants are: a file for each beside the store of the server, or rows of one
database that row-level security keeps apart."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bethink.access.server_rows import ServerRows, only
from bethink.access.tenant_names import DEFAULT_TENANT, check_tenant, file_of, tenant_in
from bethink.clock import Clock, to_micros
from bethink.settings import Settings

if TYPE_CHECKING:
    from bethink.stores.protocol import Store

_LOOK_AGAIN = 1.0  # seconds: so long a tenant that another process removed may still be served


class Homes(Protocol):
    """The default tenant is the store that the settings name, and always there."""

    def list(self) -> list[str]:
        """All but the default one."""

    def exists(self, tenant: str) -> bool: ...

    def shown(self, tenant: str) -> str:
        """Where its store is, for people."""

    def mark(self, tenant: str) -> object:
        """Another for another store: one of the same name may have been made anew. Asked with every
        request."""

    def create(self, tenant: str) -> None: ...

    def erase(self, tenant: str) -> None: ...

    def open(self, tenant: str) -> tuple[Store | Path | None, Settings]:
        """What an engine is to be opened with."""


class FileHomes:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder = settings.store_path.with_name(settings.store_path.name + ".tenants")

    def path(self, tenant: str) -> Path:
        if tenant == DEFAULT_TENANT:
            return self._settings.store_path
        return file_of(self.folder, check_tenant(tenant))

    def list(self) -> list[str]:
        return sorted(filter(None, map(tenant_in, self.folder.glob("*.db"))))

    def exists(self, tenant: str) -> bool:
        return self.path(tenant).exists()

    def shown(self, tenant: str) -> str:
        return str(self.path(tenant))

    def mark(self, tenant: str) -> object:
        try:
            found = os.stat(self.path(tenant))
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def create(self, tenant: str) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        from bethink.stores.sqlite.store import SQLiteStore

        SQLiteStore(self.path(tenant)).close()

    def erase(self, tenant: str) -> None:
        """Delete the store first, then what we made beside it: were this interrupted, nothing
        could be asked. A file that somebody else put there, as a copy of the store, stays."""
        if self._settings.retrievers:
            from bethink.beside import erase_copies

            erase_copies(_engines_of(tenant, self._settings))
        from bethink.stores.sqlite.own_files import unlink_own

        path = self.path(tenant)
        path.unlink(missing_ok=True)
        unlink_own(path)

    def open(self, tenant: str) -> tuple[Store | Path | None, Settings]:
        if tenant == DEFAULT_TENANT:
            return None, self._settings
        path = self.path(tenant)
        retrievers = _engines_of(tenant, self._settings)
        return path, replace(self._settings, store=str(path), retrievers=retrievers)


class ServerHomes:
    def __init__(
        self,
        settings: Settings,
        rows: ServerRows,
        clock: Clock,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        assert settings.server is not None
        self._url = settings.server
        self._settings = settings
        self._rows = rows
        self._clock = clock
        self._timer = timer
        self._looked: dict[str, tuple[float, int | None]] = {}
        self._guard = threading.Lock()

    def list(self) -> list[str]:
        with self._rows.read() as reader:
            assert reader is not None
            return [name for (name,) in reader.execute("SELECT name FROM tenants ORDER BY name")]

    def exists(self, tenant: str) -> bool:
        return self._created(check_tenant(tenant)) is not None

    def shown(self, tenant: str) -> str:
        return f"{self._settings.store_shown} (tenant {tenant})"

    def mark(self, tenant: str) -> object:
        if tenant == DEFAULT_TENANT:
            return tenant
        with self._guard:
            at, created = self._looked.get(tenant, (float("-inf"), None))
        if self._timer() - at >= _LOOK_AGAIN:
            created = self._created(tenant)
            with self._guard:
                self._looked[tenant] = self._timer(), created
        return created

    def _created(self, tenant: str) -> int | None:
        with self._rows.ask() as reader:
            assert reader is not None
            found: int | None = only(
                reader.execute("SELECT created_at FROM tenants WHERE name = ?", (tenant,))
            )
        return found

    def create(self, tenant: str) -> None:
        from bethink.stores.postgres.store import PostgresStore

        PostgresStore(self._url, tenant=tenant).close()
        with self._rows.write() as writer:
            writer.execute(
                "INSERT INTO tenants VALUES (?, ?) ON CONFLICT DO NOTHING",
                (tenant, to_micros(self._clock())),
            )
        self._look_again(tenant)

    def erase(self, tenant: str) -> None:
        """All rows in one transaction, then the name: interrupted between the two, it is there and
        empty, and can be removed again."""
        from bethink.stores.postgres.erasing_tenants import erase_tenant

        if self._settings.retrievers:
            from bethink.beside import erase_copies

            erase_copies(_engines_of(tenant, self._settings))
        erase_tenant(self._url, tenant)
        with self._rows.write() as writer:
            writer.execute("DELETE FROM tenants WHERE name = ?", (tenant,))
        self._look_again(tenant)

    def open(self, tenant: str) -> tuple[Store | Path | None, Settings]:
        return opened_on_server(self._settings, tenant)

    def _look_again(self, tenant: str) -> None:
        with self._guard:
            self._looked.pop(tenant, None)


def opened_on_server(settings: Settings, tenant: str) -> tuple[Store | None, Settings]:
    if tenant == DEFAULT_TENANT:
        return None, settings
    from bethink.stores.postgres.store import PostgresStore

    assert settings.server is not None
    store: Store = PostgresStore(settings.server, tenant=tenant)
    if settings.retrievers:
        from bethink.beside import with_retrievers

        store = with_retrievers(store, _engines_of(tenant, settings))
    return store, settings


def _engines_of(tenant: str, settings: Settings) -> tuple[str, ...]:
    """The same engines that find beside the store, with an index for each tenant."""
    if not settings.retrievers:
        return ()
    from bethink.stores.retriever_address import of_tenant

    return tuple(of_tenant(address, tenant) for address in settings.retrievers)


def homes_for(settings: Settings, rows: ServerRows, clock: Clock) -> Homes:
    if settings.server is None:
        return FileHomes(settings)
    return ServerHomes(settings, rows, clock)
