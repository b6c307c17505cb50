from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session

_EPILOG = """\
An agent starts this program and speaks MCP with it over standard input and output. It needs no key:
it is you who starts it. The store is opened, and the model loaded, with the first call.

In the agent's settings (docs/how-to/mcp.md has them for each agent):
  command: recollect    arguments: mcp

examples:
  recollect mcp
  recollect mcp --space work --space global    what is in other spaces does not exist for it
  recollect mcp --read-only                    only tools that change nothing

Over HTTP, with keys, for a team: 'recollect serve' has MCP under /mcp.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--space",
        action="append",
        default=[],
        metavar="NAME",
        help="the agent sees this space only; may be repeated",
    )
    parser.add_argument(
        "--read-only", action="store_true", help="no tools that write, and no writing"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    from recollect.checks import check_space
    from recollect.doors.mcp.local import local_caller, serve_stdio

    spaces = [check_space(name) for name in arguments.space]
    caller = local_caller(spaces=spaces, read_only=arguments.read_only)
    serve_stdio(session.loaded.settings, caller)
    return 0
