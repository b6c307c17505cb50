from __future__ import annotations

import argparse

from recollect.doors.cli.commands.install_command import add_place, chosen, report
from recollect.doors.cli.session import Session
from recollect.doors.hooks.events import HARNESSES

_EPILOG = """\
Takes out what 'recollect install' added, and nothing else. A file that then says what it said
before us gets its former layout back from its copy. Memories are not touched.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("agent", choices=HARNESSES, help="which agent")
    add_place(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from recollect.doors.hooks.changes import apply, to_uninstall

    agent, place = chosen(arguments)
    changes = to_uninstall(agent.steps(place, removing=True))
    if not arguments.dry_run:
        for change in changes:
            apply(change)
    report(session, changes, dry=arguments.dry_run)
    return 0
