"""An engine for each tenant, each with a store of its own. Nothing is shared but the program and
the embedder: no statistics, caches, counts or ids (docs/decisions/0014-tenants.md)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bethink.access.homes import FileHomes, Homes
from bethink.access.tenant_names import DEFAULT_TENANT, check_tenant
from bethink.clock import Clock, system_clock
from bethink.embedders.waiting import Waiting
from bethink.engine import Engine
from bethink.errors import BethinkError, Conflict, InvalidInput, NotFound, StoreError
from bethink.hot import HotNumbers
from bethink.settings import Settings

if TYPE_CHECKING:
    from bethink.embedders.protocol import Embedder

_LOOK_SECONDS = 30.0
MOST_OPEN = 32  # engines at once; each holds a few files and threads


@dataclass(slots=True)
class _Open:
    engine: Engine
    mark: object  # which store it is: one of the same name may be another
    users: int = 0
    stale: bool = False


class Tenants:
    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | str | None = None,
        clock: Clock = system_clock,
        most_open: int = MOST_OPEN,
        homes: Homes | None = None,
        timer: Callable[[], float] = time.monotonic,
        engine: Engine | None = None,
    ) -> None:
        """`engine`: the one of the default tenant. Whoever lent it closes it."""
        self._settings = settings
        self._clock = clock
        self._most_open = most_open
        self._given = embedder if embedder is not None else settings.embedder
        self._embedder: Embedder | str | None = None
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.RLock()
        self._opening: dict[str, threading.Lock] = {}
        self._closed = False
        self._timer = timer
        self._look_again = timer() + _LOOK_SECONDS
        self._hot_before = HotNumbers()  # of engines that were closed
        self.homes = homes if homes is not None else FileHomes(settings)
        self.before_erasing: Callable[[str], None] = lambda tenant: None
        self._lent = engine
        if engine is not None:
            self._heed_erasing(engine, DEFAULT_TENANT)
            mark = self.homes.mark(DEFAULT_TENANT)
            self._open[DEFAULT_TENANT] = _Open(engine, mark, users=1)  # never idle

    # Who there is

    def list(self) -> list[str]:
        """The tenants, `default` first."""
        return [DEFAULT_TENANT, *(name for name in self.homes.list() if name != DEFAULT_TENANT)]

    def exists(self, tenant: str) -> bool:
        return tenant == DEFAULT_TENANT or self.homes.exists(tenant)

    def create(self, tenant: str) -> None:
        if check_tenant(tenant) == DEFAULT_TENANT or self.exists(tenant):
            raise Conflict(f"there is a tenant {tenant!r} already; choose another name")
        self.homes.create(tenant)

    def remove(self, tenant: str) -> None:
        """Erase a tenant's store with all that belongs to it. Its keys are revoked elsewhere."""
        self.must_be_removable(tenant)
        self._let_go(tenant)
        self.homes.erase(tenant)

    # Using

    @contextmanager
    def engine(self, tenant: str) -> Iterator[Engine]:
        """The tenant's engine, which stays open until the block ends."""
        held = self._borrow(tenant)
        try:
            yield held.engine
        finally:
            self._give_back(held)

    def in_use(self) -> tuple[str, ...]:
        """Those whose engines are open."""
        with self._lock:
            return tuple(self._open)

    def settle(self, tenant: str, *, forget: bool = False) -> None:
        """See `Engine._settle`; nothing where its engine is not open."""
        with self._if_open(tenant) as engine:
            if engine is not None:
                engine._settle(forget=forget)

    def troubles(self, tenant: str) -> tuple[str, ...]:
        """See `Engine._troubles`; none where its engine is not open."""
        with self._if_open(tenant) as engine:
            return () if engine is None else engine._troubles()

    @contextmanager
    def _if_open(self, tenant: str) -> Iterator[Engine | None]:
        with self._lock:
            held = self._open.get(tenant)
            if held is not None:
                held.users += 1
        try:
            yield None if held is None else held.engine
        finally:
            if held is not None:
                self._give_back(held)

    def hot_numbers(self) -> HotNumbers:
        """What the setting `hot` did so far, for all tenants."""
        with self._lock:
            numbers = self._hot_before
            for held in self._open.values():
                numbers = numbers.and_(held.engine._hot_numbers())
        return numbers

    def _end(self, engine: Engine) -> None:
        done = engine._hot_numbers()._replace(away=0)
        with self._lock:
            self._hot_before = self._hot_before.and_(done)
        if engine is not self._lent:
            engine.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            held = list(self._open.values())
            self._open.clear()
            for one in held:
                one.stale = True
        for one in held:
            self._end(one.engine)
        let_go = getattr(self._embedder, "close", None)
        if let_go is not None and isinstance(self._given, str):  # or it is somebody else's
            let_go()

    def _borrow(self, tenant: str) -> _Open:
        with self._lock:
            if self._closed:
                raise StoreError("this server is closing; try again when it is back")
            if (held := self._fresh(tenant)) is not None:
                return held
            opening = self._opening.setdefault(tenant, threading.Lock())
        with opening:  # one at a time for each tenant; others need not wait for it
            with self._lock:
                if (held := self._fresh(tenant)) is not None:
                    return held
            self.must_exist(tenant)
            held = _Open(self._opened(tenant), self.homes.mark(tenant), users=1)
            with self._lock:
                self._open[tenant] = held
        self._close_idle()
        return held

    def _fresh(self, tenant: str) -> _Open | None:
        """The engine that is open, unless its store was removed or is another by now."""
        held = self._open.get(tenant)
        if held is None:
            return None
        if held.mark != self.homes.mark(tenant):
            held.stale = True
            del self._open[tenant]
            if not held.users:
                self._end(held.engine)
            return None
        self._open.move_to_end(tenant)
        held.users += 1
        return held

    def _give_back(self, held: _Open) -> None:
        with self._lock:
            held.users -= 1
            done = held.stale and not held.users
        if done:
            self._end(held.engine)
        self._close_removed()
        self._close_idle()

    def _close_removed(self) -> None:
        """A file that another process removed is on the disk until the last lets go of it."""
        now = self._timer()
        with self._lock:
            if not isinstance(self.homes, FileHomes) or now < self._look_again:
                return
            self._look_again = now + _LOOK_SECONDS
            for tenant in [*self._open]:
                if (held := self._fresh(tenant)) is not None:
                    held.users -= 1

    def _close_idle(self) -> None:
        """The one that was used least recently and is not in use, while there are too many."""
        with self._lock:
            idle: list[_Open] = []
            for tenant, held in list(self._open.items()):
                if len(self._open) <= self._most_open:
                    break
                if not held.users:
                    del self._open[tenant]
                    idle.append(held)
        for held in idle:
            self._end(held.engine)

    def _let_go(self, tenant: str) -> None:
        with self._lock:
            held = self._open.get(tenant)
            if held is None:
                return
            if held.users:
                raise Conflict(f"the tenant {tenant!r} is in use here; try again in a moment")
            del self._open[tenant]
        self._end(held.engine)

    def must_be_removable(self, tenant: str) -> None:
        if check_tenant(tenant) == DEFAULT_TENANT:
            raise InvalidInput(
                "the tenant 'default' is the store itself; erase its spaces with "
                "'bethink forget --space', or remove the file"
            )
        if not self.exists(tenant):
            raise NotFound(f"there is no tenant {tenant!r}; 'bethink tenants list' shows them all")

    def must_exist(self, tenant: str) -> None:
        if not self.exists(tenant):
            raise NotFound(
                f"there is no tenant {tenant!r}; create it with 'bethink tenants create {tenant}'"
            )

    def _opened(self, tenant: str) -> Engine:
        store, settings = self.homes.open(tenant)
        engine = Engine(store, embedder=self._shared(), settings=settings, clock=self._clock)
        self._heed_erasing(engine, tenant)
        return engine

    def _heed_erasing(self, engine: Engine, tenant: str) -> None:
        engine._before_erasing(lambda: self.before_erasing(tenant))

    def _shared(self) -> Embedder | str:
        """One embedder for all: a model is in memory once. Where there is none of that name, each
        engine says so when it is asked."""
        with self._lock:
            if self._embedder is None:
                self._embedder = self._given
                if isinstance(self._given, str):
                    from bethink.embedders.loading import embedder_named

                    try:
                        self._embedder = embedder_named(self._given, self._settings) or self._given
                    except BethinkError:
                        self._embedder = self._given
                if not isinstance(self._embedder, str):  # that it hangs, all learn from one
                    self._embedder = Waiting.around(self._embedder)
            return self._embedder
