from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session
from recollect.settings import config_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Running it again changes nothing: what is there is kept."


def run(arguments: argparse.Namespace, session: Session) -> int:
    path = session.loaded.settings.store_path
    existed = path.exists()
    status = session.engine.status()
    if session.json:
        session.show(
            {"store": str(path), "created": not existed, "config": str(config_file()),
             "embedder": status.embedder, "memories": status.memories}
        )  # fmt: skip
        return 0
    session.say(f"{'Here is' if existed else 'Created'} your store: {path}")
    session.say(f"It holds {status.memories} memories. Settings may be written to {config_file()}.")
    session.say(f"Meaning is read by {status.embedder}, on this machine, without a network.")
    session.say('\nNow tell it something:\n  recollect remember "Mei prefers dark mode"')
    session.say('and ask:\n  recollect recall "which theme does Mei like?"')
    return 0
