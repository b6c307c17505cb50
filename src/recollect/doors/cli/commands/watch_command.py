from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session

_EPILOG = """\
Prints a line for each sync, until you press Ctrl-C. It needs an optional part:
pip install 'recollect[watch]'

examples:
  recollect watch
  recollect watch --space work --json     one JSON object for each sync

Without it nothing is lost: every recall looks at the files first.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--space", action="append", help="only this space's; may be repeated")


def run(arguments: argparse.Namespace, session: Session) -> int:
    import json
    import sys

    from recollect.doors.cli.commands.sync_command import line, record
    from recollect.notebook.report import SyncReport
    from recollect.notebook.watch import watch

    def tell(report: SyncReport | str) -> None:
        if isinstance(report, str):
            print(f"recollect: {report}", file=sys.stderr, flush=True)
        elif session.json:
            print(json.dumps(record(report), ensure_ascii=False), flush=True)
        else:
            print(line(report), flush=True)
            for refusal in report.refused:
                print(f"not read: {refusal.book / refusal.path}: {refusal.why}", flush=True)
            for fault in report.faults:
                print(f"not finished: {fault}", flush=True)

    watch(session.engine, spaces=arguments.space, tell=tell)
    return 0
