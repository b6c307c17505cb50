"""A process beside the server that answers questions. Python runs one thread at a time, so one
process answers no more than one core can.

    python -P -m recollect.access.answering_process FD...

It has a store, engines and an embedder of its own, and one thread for each socket that it was
given. Whoever started it ends it by closing them. Ctrl+C and what else is sent to all processes of
a service is for the server: it may still need an answer.
"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

from recollect.access.answering import Answer, Asked, Broken, Numbers, Refused, Settle, Setup
from recollect.access.desk import Desk
from recollect.access.reception import Reception
from recollect.errors import RecollectError

_SETTLE_SECONDS = 2.0  # until the server can see how often something was recalled


def answered(reception: Reception, asked: Asked | Numbers | Settle) -> Answer | Refused | Broken:
    try:
        if isinstance(asked, Numbers):
            return Answer(reception.tenants.hot_numbers())
        if isinstance(asked, Settle):
            reception.tenants.settle(asked.tenant, forget=True)
            return Answer(None)
        with reception.tenants.engine(asked.caller.tenant) as engine:
            # without the audit trail: the server notes what is refused
            desk = Desk(engine, asked.caller)
            return Answer(getattr(desk, asked.verb)(*asked.args, **asked.kwargs))
    except RecollectError as e:
        return Refused.of(e)
    except Exception as e:  # told to the server, which logs it under the number of the request
        return Broken.of(e)


def _serve(reception: Reception, connection: Connection) -> None:
    with suppress(EOFError, OSError):  # the server went, or wants no more
        while True:
            connection.send(answered(reception, connection.recv()))


def main() -> None:
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    connections = [Connection(int(number)) for number in sys.argv[1:]]
    first = connections[0]
    try:
        setup: Setup = first.recv()
        reception = Reception(setup.settings, embedder=setup.embedder)
        reception.look()
    except RecollectError as e:
        first.send(Refused.of(e))
        return
    with reception:
        first.send(Answer(None))
        threads = [
            threading.Thread(target=_serve, args=(reception, connection))
            for connection in connections
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            threads[0].join(_SETTLE_SECONDS)
            for tenant in reception.tenants.in_use():
                reception.tenants.settle(tenant)


if __name__ == "__main__":
    main()
