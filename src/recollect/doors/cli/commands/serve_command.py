from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session

_EPILOG = """\
REST under /v1 (its page: /docs), live events under /ws/events and /v1/events/stream, MCP under
/mcp, and a page for people at /.

Without keys it is open, to this machine only. With the first key everybody needs one:
  recollect keys create laptop --scope read --scope write

examples:
  recollect serve
  recollect serve --host 0.0.0.0 --allow-host memory.example.org
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8321, help="default: 8321")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which others reach it; may be repeated",
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    from recollect.doors.http.serving import reception_for, serve

    reception = reception_for(session.loaded.settings, arguments.host)
    session.hint(f"http://{arguments.host}:{arguments.port} (stop it with Ctrl+C)")
    if reception.open_to_all:
        session.hint(
            "OPEN: no keys exist, so every program on this machine may read and change everything"
        )
    serve(
        reception,
        host=arguments.host,
        port=arguments.port,
        allowed_hosts=arguments.allow_host,
    )
    return 0
