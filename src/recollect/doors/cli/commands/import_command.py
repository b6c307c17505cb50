from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from recollect.doors.cli.inputs import numbered_lines, parse_json
from recollect.doors.cli.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "What is here already stays as it is, so importing twice does no harm."
    parser.add_argument(
        "file", metavar="FILE", help="what 'recollect export' wrote; '-' reads a pipe"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    def records() -> Iterator[dict[str, Any]]:
        for number, line in numbered_lines(arguments.file):
            yield parse_json(line, f"line {number}")

    with session.progress("importing") as progress:
        fates = session.engine.import_many(records(), progress=progress)
    if session.json:
        session.show(dict(fates))
    else:
        session.say(", ".join(f"{count:,} {fate}" for fate, count in fates.items()) or "nothing")
    return 0
