"""A real server in a thread, with a tenant for whoever asks for one."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bethink.access.reception import Reception
from bethink.doors.http.app import create_app
from bethink.doors.http.running import server_for
from bethink.doors.http.serving import address_of, listen
from bethink.settings import Settings
from tests.scenarios.doors.door import WHO
from tests.scenarios.doors.in_python import InPython
from tests.scenarios.scenario import Json


class Tenant:
    """A store of its own, and a key to it."""

    def __init__(self, reception: Reception, name: str, **key: Any) -> None:
        self._reception = reception
        self.name = name
        if not reception.tenants.exists(name):
            reception.create_tenant(name)
        options = {"name": WHO, "scopes": ["admin"], "per_minute": 1_000_000, **key}
        self.key = reception.create_key(tenant=name, **options).key

    def in_python(self, verb: str, given: Mapping[str, Json]) -> Json:
        """Beside the doors of the server, on the same store."""
        with self._reception.tenants.engine(self.name) as engine:
            return InPython(engine).call(verb, given)


class Served:
    def __init__(self, reception: Reception, address: str) -> None:
        self.reception = reception
        self.address = address

    def tenant(self, name: str, **key: Any) -> Tenant:
        return Tenant(self.reception, name, **key)


@contextmanager
def serving(settings: Settings) -> Iterator[Served]:
    reception = Reception(settings)
    bound = listen("127.0.0.1", 0)
    answers = threading.Event()
    server = server_for(create_app(reception), grace=5, started=answers.set)
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        assert answers.wait(60), "the server did not start"
        yield Served(reception, address_of(bound))
    finally:
        server.should_exit = True
        thread.join()
        bound.close()
