from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "For a thorough check of every part: recollect doctor"


def run(arguments: argparse.Namespace, session: Session) -> int:
    status = session.engine.status()
    if session.json:
        session.show(
            {
                "store": status.store,
                "memories": status.memories,
                "spaces": [info._asdict() for info in status.spaces],
                "embedder": status.embedder,
                "index": status.indexed_by,
                "pending": status.pending,
                "notes": list(status.notes),
            }
        )
        return 0
    session.say(f"store     {status.store}")
    session.say(f"memories  {status.memories:,} in {len(status.spaces)} spaces")
    session.say(f"embedder  {status.embedder} (index by {status.indexed_by})")
    for note in status.notes:
        session.say(f"note      {note}")
    return 0
