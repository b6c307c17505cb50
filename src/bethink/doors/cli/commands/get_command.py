from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session
from bethink.errors import no_such_memory
from bethink.remember.transfer import as_record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="as 'remember', 'recall' and 'list' print it")
    parser.add_argument("--space", help="only if it is in this space")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if stale := session.engine.freshen(spaces=None):
        session.hint(f"stale: {stale}")
    memory = session.engine.get(arguments.id, space=arguments.space)
    if memory is None:
        raise no_such_memory(arguments.id)
    record = as_record(memory)
    if session.json:
        session.show(record)
        return 0
    session.say(memory.text)
    session.say()
    for name, value in record.items():
        if name != "text" and value not in (None, "", [], {}):
            session.say(f"{name:>14}  {value}")
    return 0
