from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session

_EPILOG = """\
A store is brought forward by whoever opens it first, so that nobody needs this. It is for those who
want it done before the servers start: in a deployment, by a role with other rights, or in a pause.

examples:
  bethink migrate --check                                  exits with 1 if it is behind
  bethink migrate --store postgresql://bethink@db/memory

There is no way back: make a backup first. A store of a newer Bethink is refused.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if it is behind"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.access.places import bring_forward, schemas_at

    settings = session.loaded.settings
    before = schemas_at(settings)
    if not arguments.check and any(one.behind for one in before):
        bring_forward(settings)
    if session.json:
        session.show_each(
            {"store": one.shown, "from": one.found, "to": one.known, "behind": one.behind}
            for one in before
        )
    else:
        for one in before:
            if not one.behind:
                session.say(f"{one.shown}: schema {one.found}, nothing to do")
            elif arguments.check:
                session.say(f"{one.shown}: schema {one.found}, behind {one.known}")
            else:
                session.say(f"{one.shown}: schema {one.found} → {one.known}")
    return 1 if arguments.check and any(one.behind for one in before) else 0
