from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session
from bethink.errors import install_extra

_EPILOG = f"""\
Prints a line for each sync, until you press Ctrl-C. It needs an optional part:
{install_extra("watch")}

examples:
  bethink watch
  bethink watch --space work --json     one JSON object for each sync

Without it nothing is lost: every recall looks at the files first.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--space", action="append", help="only this space's; may be repeated")


def run(arguments: argparse.Namespace, session: Session) -> int:
    import sys

    from bethink.doors.cli.commands.sync_command import line, record, say_what_was_left
    from bethink.notebook.report import SyncReport
    from bethink.notebook.watch import watch

    def tell(report: SyncReport | str) -> None:
        if isinstance(report, str):
            session.aside(f"bethink: {report}")
        elif session.json:
            session.show_each([record(report)])
        else:
            session.say(line(report))
            say_what_was_left(report, session)
        sys.stdout.flush()  # whoever reads a pipe wants to know now

    watch(session.engine, spaces=arguments.space, tell=tell)
    return 0
