"""A process beside the server that answers questions. Python runs one thread at a time, so one
process answers no more than one core can.

    python -P -m bethink.access.answering_process FD...

It has a store, engines and an embedder of its own, and one thread for each socket that it was
given. Whoever started it ends it by closing them. Ctrl+C and what else is sent to all processes of
a service is for the server: it may still need an answer.
"""

from __future__ import annotations

import logging
import pickle
import signal
import socket
import sys
import threading
from contextlib import closing, suppress

from bethink import server_log
from bethink.access.answering import (
    Alive,
    Answer,
    Broken,
    Numbers,
    Question,
    Refused,
    Reply,
    Settle,
    Setup,
    Troubles,
    packed,
)
from bethink.access.desk import Desk
from bethink.access.reception import Reception
from bethink.access.wire import Wire
from bethink.errors import BethinkError

_SETTLE_SECONDS = 2.0  # until the server can see how often something was recalled
_log = logging.getLogger("bethink.server")


def answered(reception: Reception, asked: Question) -> Reply:
    try:
        if isinstance(asked, Alive):
            return Answer(None)
        if isinstance(asked, Numbers):
            return Answer(reception.tenants.hot_numbers())
        if isinstance(asked, Troubles):
            return Answer(reception.tenants.troubles(asked.tenant))
        if isinstance(asked, Settle):
            reception.tenants.settle(asked.tenant, forget=True)
            return Answer(None)
        with reception.tenants.engine(asked.caller.tenant) as engine:
            # without the audit trail: the server notes what is refused
            desk = Desk(engine, asked.caller)
            return Answer(getattr(desk, asked.verb)(*asked.args, **asked.kwargs))
    except BethinkError as e:
        return Refused.of(e)
    except BaseException as e:  # told to the server, which logs it under the number of the request
        return Broken.of(e)  # also what is no Exception, as a library in Rust that panics


def _serve(reception: Reception, wire: Wire) -> None:
    """Closed whatever happens: the server would wait for an answer for ever."""
    with closing(wire), suppress(EOFError, OSError):  # the server went, or wants no more
        while True:
            asked = pickle.loads(wire.receive())  # noqa: S301  (from the server that started us)
            wire.send(packed(answered(reception, asked)))


def _settle(reception: Reception) -> None:
    try:
        for tenant in reception.tenants.in_use():
            reception.tenants.settle(tenant)
    except Exception:  # tried again in a moment; questions are answered all the same
        _log.exception("what was noted of questions could not be written")


def _say(first: Wire, reply: Reply) -> None:
    with suppress(OSError):  # where nobody is left to hear it, that is noticed next
        first.send(packed(reply))


def main() -> None:
    server_log.begin()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    wires = [Wire(socket.socket(fileno=int(number))) for number in sys.argv[1:]]
    first = wires[0]
    try:
        sent = first.receive()
    except (EOFError, OSError):  # the server went meanwhile
        return
    try:
        setup: Setup = pickle.loads(sent)  # noqa: S301  (from the server that started us)
        reception = Reception(setup.settings, embedder=setup.embedder)
        reception.look()
    except BethinkError as e:
        _say(first, Refused.of(e))
        return
    except Exception as e:
        _say(first, Broken.of(e))
        return
    with reception:
        _say(first, Answer(None))
        threads = [threading.Thread(target=_serve, args=(reception, wire)) for wire in wires]
        for thread in threads:
            thread.start()
        while alive := [thread for thread in threads if thread.is_alive()]:
            alive[0].join(_SETTLE_SECONDS)
            _settle(reception)


if __name__ == "__main__":
    main()
