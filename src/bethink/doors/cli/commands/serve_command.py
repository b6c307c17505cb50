from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session

_EPILOG = """\
REST under /v1 (its page: /docs), live events under /ws/events and /v1/events/stream, MCP under
/mcp, and a page for people at /.

Without keys it is open, to this machine only. With the first key everybody needs one:
  bethink keys create laptop --scope read --scope write

examples:
  bethink serve
  bethink serve --host 0.0.0.0 --allow-host memory.example.org
  bethink serve --store postgresql://bethink@db.example.org/memory
  bethink serve --workers 4

One process answers no more questions than one core can. With --workers, others answer them, and it
does the rest: keys, limits, sessions, writes.

With a store on PostgreSQL any number of servers may share it: keys, tenants, the audit trail and
repeated writes are in the database too. Rate limits are counted by each server on its own.
"""

_OPEN = (
    "OPEN: nobody is asked for a key, so every program on this machine may read and change "
    "everything. 'bethink keys create NAME' closes it"
)
_OPEN_TO_ALL = "OPEN (--no-keys): every program on this machine may read and change everything"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8321, help="default: 8321; 0: any that is free")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which others reach it; may be repeated",
    )
    parser.add_argument(
        "--hot",
        metavar="ADDRESS",
        help="cache of repeated questions: redis://…, memory, or none",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="so many processes beside it answer questions, each on a core of its own (default: "
        "none, it answers them itself)",
    )
    parser.add_argument(
        "--no-keys",
        action="store_true",
        help="ask nobody for a key, although there are some; on this machine only",
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink import server_log
    from bethink.doors.http.serving import address_of, listen, reception_for, serve

    server_log.begin()
    reception = reception_for(
        session.loaded.settings,
        arguments.host,
        allowed=arguments.allow_host,
        no_keys=arguments.no_keys,
        workers=arguments.workers,
    )
    with reception, listen(arguments.host, arguments.port) as bound:
        is_open = reception.open_to_all or not reception.keys.any()

        def started() -> None:
            """Not before: what cannot start is open to nobody."""
            if is_open:
                session.aside(_OPEN_TO_ALL if arguments.no_keys else _OPEN)
            session.aside(f"{address_of(bound)} (stop it with Ctrl+C)")

        serve(
            reception,
            bound,
            allowed_hosts=[arguments.host, *arguments.allow_host],
            started=started,
        )
    return 0
