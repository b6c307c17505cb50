from __future__ import annotations

import argparse

from recollect.doors.cli.session import Session, clip
from recollect.remember.transfer import as_record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id")


def run(arguments: argparse.Namespace, session: Session) -> int:
    former = session.engine.history(arguments.id)
    if session.json:
        session.show(
            [{**as_record(r.memory), "replaced_at": r.replaced_at.isoformat()} for r in former]
        )
        return 0
    for revision in former:
        when = revision.replaced_at.astimezone().strftime("%Y-%m-%d %H:%M")
        session.say(f"until {when}  {clip(revision.memory.text, 96)}")
    if not former:
        session.say("it was never revised")
    return 0
