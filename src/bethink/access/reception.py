"""The reception of a server: who comes in, to which desk, how often, and what is noted of it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bethink.access.answering import Setup
from bethink.access.audit import DONE, Audit
from bethink.access.caller import Caller, Scope
from bethink.access.cursors import Cursors
from bethink.access.desk import Desk
from bethink.access.homes import homes_for
from bethink.access.kept_answers import with_offers, without_text
from bethink.access.keys import KeyBook, KeyRecord, NewKey
from bethink.access.rates import PER_MINUTE, Rates
from bethink.access.refusals import Refusals
from bethink.access.repeats import Answer, Repeats, Replayed
from bethink.access.server_rows import server_rows
from bethink.access.tenant_names import DEFAULT_TENANT
from bethink.access.tenants import Tenants
from bethink.clock import Clock, system_clock
from bethink.errors import (
    BethinkError,
    Forbidden,
    InvalidInput,
    StoreError,
    StoreUnavailable,
    Unauthorised,
    changing_nothing,
)
from bethink.hot import HotNumbers
from bethink.records import offer_record
from bethink.settings import Settings

if TYPE_CHECKING:
    from bethink.access.answerers import Answerers
    from bethink.embedders.protocol import Embedder
    from bethink.engine import Engine


class Reception:
    """What servers use. Safe to share between threads.

    with reception.desk(reception.caller(key, door="rest")) as desk:
        desk.recall("预算会议改到哪天？")
    """

    def __init__(
        self,
        settings: Settings,
        *,
        open_to_all: bool = False,
        open_until_keys: bool = False,
        embedder: Embedder | str | None = None,
        clock: Clock = system_clock,
        per_minute: int = PER_MINUTE,
        engine: Engine | None = None,
    ) -> None:
        """`engine`: the one of the tenant `default`, which is not closed with the reception."""
        self.open_to_all = open_to_all
        self.open_until_keys = open_until_keys
        self.clock = clock
        if not settings.store:  # our own place; a place that the user named must exist
            settings.store_path.parent.mkdir(parents=True, exist_ok=True)
        self._file = server_rows(settings)
        homes = homes_for(settings, self._file, clock)
        self.tenants = Tenants(settings, embedder=embedder, clock=clock, homes=homes, engine=engine)
        self.keys = KeyBook(self._file, clock=clock)
        self.audit = Audit(self._file, clock=clock)
        self._repeats = Repeats(self._file, clock=clock)
        self._rates = Rates(per_minute=per_minute)
        self._cursors = Cursors(self._file.secret)
        self._refusals = Refusals(self.audit, clock)
        self._setup = Setup(settings, embedder)
        self.answerers: Answerers | None = None
        self._remove_folder: Callable[[], object] = lambda: None

    @classmethod
    def for_engine(cls, engine: Engine, *, open_until_keys: bool = False) -> Reception:
        """Return a reception for an engine that a program has opened and goes on using. Keys and
        the audit trail are kept beside its store. If that has no place (`InMemoryStore`, or one of
        your own), they last as long as the reception."""
        settings = engine.settings
        path = getattr(engine.store, "path", None)
        folder = None
        if path is not None:
            settings = replace(settings, store=str(path))
        elif getattr(engine.store, "writes_elsewhere", False):
            if settings.server is None:  # its keys are in that database, and must be asked for
                raise InvalidInput(
                    "the settings of this engine do not name its store; open it with "
                    "Engine(settings=Settings(store=ADDRESS)), or give the address itself"
                )
        else:
            folder = tempfile.mkdtemp(prefix="bethink-")
            settings = replace(settings, store=os.path.join(folder, "memory.db"))
        reception = cls(
            settings,
            open_until_keys=open_until_keys,
            embedder=engine._parts.embedder,
            clock=engine.now,
            engine=engine,
        )
        if folder is not None:  # also where nobody closes it, as in an application that is mounted
            remove = weakref.finalize(reception, shutil.rmtree, folder, ignore_errors=True)
            reception._remove_folder = remove
        return reception

    def answer_beside(self, processes: int) -> None:
        """From now on questions are answered by so many processes of their own."""
        from bethink.access.answerers import Answerers

        self.answerers = Answerers(processes, self._setup)
        self.tenants.before_erasing = self.answerers.settle

    def caller(self, key: str | None, *, door: str) -> Caller:
        """Who holds this key; without one, whoever is on this machine, if the server is open: to
        all, or until there are keys."""
        if key is None:
            if self._open_now():
                return Caller(
                    tenant=DEFAULT_TENANT,
                    name="local",
                    scopes=frozenset(Scope),
                    door=door,
                )
            self._refusals.note(None, door=door)
            raise Unauthorised(
                "a key is needed: send it as 'Authorization: Bearer bk_...'; "
                "'bethink keys create' makes one"
            )
        try:
            with changing_nothing():
                return self.keys.caller(key, door=door)
        except Unauthorised:
            self._refusals.note(self.keys.claimed(key), door=door)
            raise

    def caller_for_numbers(self, key: str | None, *, door: str) -> Caller:
        """The same for who sees nothing but what is counted of the server. While the store cannot
        be asked, which is when the numbers matter, a key that held lately is enough."""
        try:
            return self.caller(key, door=door)
        except StoreError:
            held = None if key is None else self.keys.held_lately(key, door=door)
            if held is None:
                raise
            return held

    def _open_now(self) -> bool:
        """With the first key that is made, in whatever process, everybody needs one."""
        with changing_nothing():
            if self.open_until_keys and self.keys.any():
                self.open_until_keys = False
        return self.open_to_all or self.open_until_keys

    @contextmanager
    def desk(self, caller: Caller) -> Iterator[Desk]:
        """The desk of this caller; its engine stays open until the block ends."""
        with ExitStack() as open_:
            with changing_nothing():
                engine = open_.enter_context(self.tenants.engine(caller.tenant))
            yield Desk(
                engine,
                caller,
                audit=self.audit,
                cursors=self._cursors,
                answerers=self.answerers,
            )

    def still_in(self, caller: Caller) -> bool:
        """Does the caller's key hold still? To be asked while a stream of events goes on."""
        return self._open_now() if not caller.key_id else self.keys.holds(caller.key_id)

    def allow(self, caller: Caller) -> None:
        """One request more, or TooManyRequests."""
        if caller.key_id:
            self._rates.take(caller.key_id, caller.per_minute)

    def idempotent(
        self,
        caller: Caller,
        key: str,
        request_hash: str,
        do: Callable[[], Answer],
        *,
        repeatable: bool = False,
    ) -> Replayed:
        """Do it, or give the answer that the same request got before: see `repeats`."""
        return self._repeats.once(
            caller,
            key,
            request_hash,
            do,
            repeatable=repeatable,
            keep=without_text,
            show=lambda kept: with_offers(kept, lambda one: self._offer(caller, one)),
        )

    def see_numbers(self, caller: Caller) -> None:
        """May this caller see what is counted of the whole server? It tells how busy others are."""
        caller.needs(Scope.READ)
        if caller.tenant != DEFAULT_TENANT or caller.spaces is not None:
            raise Forbidden(
                "these numbers are of the whole server; they are for keys of the tenant "
                f"{DEFAULT_TENANT!r} that see every space"
            )

    def hot_numbers(self) -> HotNumbers:
        """What the setting `hot` did so far, for all tenants, wherever they are answered."""
        numbers = self.tenants.hot_numbers()
        return numbers if self.answerers is None else numbers.and_(self.answerers.hot_numbers())

    def look(self) -> None:
        """Can the store be read, is somebody there to answer, and is what the settings name beside
        it installed? Raises what is wrong."""
        if self.answerers is not None and not self.answerers.alive:
            raise StoreUnavailable(
                "none of the processes that answer questions is there; they are being started, try "
                "again in a moment"
            )
        with self.tenants.engine(DEFAULT_TENANT) as engine:
            engine.spaces()
            engine._open_hot()

    # For whoever runs the server; each is noted

    def create_key(self, *, door: str = "cli", **options: Any) -> NewKey:
        """The options are those of `KeyBook.create`. The tenant must be there."""
        tenant = options.get("tenant", DEFAULT_TENANT)
        self.tenants.must_exist(tenant)
        self.audit.ready()
        made = self.keys.create(**options)
        self.audit.note("create_key", tenant=tenant, door=door, targets=[made.record.id])
        return made

    def revoke_key(self, key_id: str, *, door: str = "cli") -> KeyRecord:
        record = self.keys.revoke(key_id)  # first: what must end ends, noted or not
        self.audit.note("revoke_key", tenant=record.tenant, door=door, targets=[record.id])
        return record

    def create_tenant(self, tenant: str, *, door: str = "cli") -> None:
        self.audit.ready()
        self.tenants.create(tenant)
        self.audit.note("create_tenant", tenant=tenant, door=door, targets=[tenant])

    def remove_tenant(self, tenant: str, *, door: str = "cli") -> list[KeyRecord]:
        """Erase a tenant and all that is its own; which keys were revoked."""
        self.tenants.must_be_removable(tenant)  # before anything of it ends
        self.audit.ready()
        revoked = self.keys.revoke_all(tenant)
        outcome = "failed"
        try:
            self._repeats.forget_tenant(tenant)
            self.tenants.remove(tenant)
            outcome = DONE
        except BethinkError as e:
            outcome = e.code
            raise
        finally:
            targets = [tenant, *(record.id for record in revoked)]
            self.audit.note(
                "remove_tenant", tenant=tenant, door=door, targets=targets, outcome=outcome
            )
        return revoked

    def close(self) -> None:
        try:
            if self.answerers is not None:
                self.answerers.close()
            self._refusals.flush()
            self.tenants.close()
        finally:
            self._file.close()
            self._remove_folder()

    def __enter__(self) -> Reception:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _offer(self, caller: Caller, offer_id: str) -> dict[str, Any] | None:
        with self.tenants.engine(caller.tenant) as engine:
            found = engine.tiers.get(offer_id, spaces=caller.spaces)
        return None if found is None else offer_record(found)
