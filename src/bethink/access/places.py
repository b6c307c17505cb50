"""Stores by their place, for whoever looks after them rather than asks them: a file or an address,
and a tenant of the server that serves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from bethink.access.homes import FileHomes, homes_for, opened_on_server
from bethink.access.server_rows import server_rows
from bethink.access.tenant_names import DEFAULT_TENANT, check_tenant
from bethink.checks import store_is_there
from bethink.clock import system_clock
from bethink.errors import NotFound, StoreMissing
from bethink.settings import Settings

if TYPE_CHECKING:
    from bethink.stores.protocol import Store


def tenants_at(settings: Settings) -> list[str]:
    """Those whose stores are there, `default` first. Only looked at: nothing is made."""
    if settings.server is None:
        homes = FileHomes(settings)
        default, others = store_is_there(settings.store_path), homes.list()
    else:
        from bethink.access.server_tables import tenants_known
        from bethink.stores.postgres.looking import tenant_exists

        _must_be_prepared(settings)
        default = tenant_exists(settings.server, DEFAULT_TENANT)
        others = tenants_known(settings.server)
    return [DEFAULT_TENANT] * default + [name for name in others if name != DEFAULT_TENANT]


def home_at(settings: Settings, tenant: str) -> tuple[Store | Path | None, Settings]:
    """What an engine of a tenant is opened with. One that is not there is refused, and not made."""
    _must_have(settings, tenant)
    if settings.server is None:
        return FileHomes(settings).open(tenant)
    return opened_on_server(settings, tenant)


@contextmanager
def source_at(place: str, tenant: str) -> Iterator[Store]:
    """A store that is only read; it must be there."""
    settings = Settings(store=place)
    _must_have(settings, tenant)
    if settings.server is None:
        from bethink.stores.sqlite.store import SQLiteStore

        store: Store = SQLiteStore(FileHomes(settings).path(tenant), read_only=True)
    else:
        from bethink.stores.postgres.store import PostgresStore

        store = PostgresStore(settings.server, tenant=tenant)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def target_at(place: str, tenant: str) -> Iterator[Store]:
    """A store that comes to be if it is not there, and a tenant that a server then knows."""
    settings = Settings(store=place)
    if tenant != DEFAULT_TENANT:
        _see_to(check_tenant(tenant), settings)
    if settings.server is None:
        from bethink.stores.sqlite.store import SQLiteStore

        store: Store = SQLiteStore(FileHomes(settings).path(tenant))
    else:
        from bethink.stores.postgres.store import PostgresStore

        store = PostgresStore(settings.server, tenant=tenant)
    try:
        yield store
    finally:
        store.close()


def _see_to(tenant: str, settings: Settings) -> None:
    rows = server_rows(settings)
    try:
        homes = homes_for(settings, rows, system_clock)
        if not homes.exists(tenant):
            homes.create(tenant)
    finally:
        rows.close()


def _must_have(settings: Settings, tenant: str) -> None:
    if settings.server is None:
        homes = FileHomes(settings)
        if store_is_there(homes.path(tenant)):
            return
        if tenant == DEFAULT_TENANT or not tenants_at(settings):
            _must_be_there(settings.store_path)
    else:
        from bethink.stores.postgres.looking import tenant_exists

        _must_be_prepared(settings)
        if tenant_exists(settings.server, check_tenant(tenant)):
            return
    raise NotFound(
        f"{settings.store_shown} has no tenant {tenant!r}; this names those that it has: "
        f"bethink tenants list --store {quote(settings.store_shown)}"
    )


def _must_be_prepared(settings: Settings) -> None:
    from bethink.stores.postgres.looking import is_prepared

    assert settings.server is not None
    if not is_prepared(settings.server):
        raise StoreMissing(
            f"{settings.store_shown} holds no store of this version; where it holds an older "
            f"one, 'bethink migrate --store {settings.store_shown}' brings it forward"
        )


def _must_be_there(path: Path) -> None:
    if not store_is_there(path):
        raise StoreMissing(f"there is no store at {path} (or it is empty); check the path")


class SchemaOf(NamedTuple):
    """Which tables a store has, and which this program knows."""

    shown: str
    found: int
    known: int

    @property
    def behind(self) -> bool:
        return self.found < self.known


def schemas_at(settings: Settings) -> list[SchemaOf]:
    """Of the store and, in files, of each tenant's. A newer one than is known is StoreTooNew."""
    if settings.server is not None:
        from bethink.stores.postgres.looking import schema_found

        return [SchemaOf(settings.store_shown, *schema_found(settings.server))]
    from bethink.stores.sqlite.looking import schema_found as found_in_file

    homes = FileHomes(settings)
    _must_be_there(settings.store_path)
    return [
        SchemaOf(homes.shown(tenant), *found_in_file(homes.path(tenant)))
        for tenant in (DEFAULT_TENANT, *homes.list())
    ]


def bring_forward(settings: Settings) -> None:
    """The newest tables; what is there already stays."""
    if settings.server is not None:
        from bethink.stores.postgres.looking import bring_schema_forward

        bring_schema_forward(settings.server)
        return
    from bethink.stores.sqlite.store import SQLiteStore

    homes = FileHomes(settings)
    for tenant in (DEFAULT_TENANT, *homes.list()):
        SQLiteStore(homes.path(tenant)).close()  # to open it is to bring it forward
