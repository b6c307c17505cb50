from __future__ import annotations

import argparse

from bethink.doors.cli.commands.install_command import add_place, chosen, report
from bethink.doors.cli.session import Session
from bethink.doors.hooks.events import HARNESSES

_EPILOG = """\
Takes out what 'bethink install' added, and nothing else. A file that reads as installing left it
gets its former text back from its copy, or goes if there was none before; what was changed since is
kept, and the copy with it. Memories are not touched.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("agent", choices=HARNESSES, help="which agent")
    add_place(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.doors.hooks.changes import apply, to_uninstall

    agent, place = chosen(arguments)
    changes = to_uninstall(agent.steps(place, removing=True))
    if not arguments.dry_run:
        apply(changes)
    report(session, changes, dry=arguments.dry_run, diff=arguments.diff)
    return 0
