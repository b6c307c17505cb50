from __future__ import annotations

import argparse

from bethink.doors.cli.colour import Styled
from bethink.doors.cli.ids import memory_id
from bethink.doors.cli.session import Session
from bethink.errors import no_such_memory
from bethink.records import memory_record as as_record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="as 'remember', 'recall' and 'list' print it, or its beginning")
    parser.add_argument("--space", help="only if it is in this space")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if stale := session.engine.freshen(spaces=None):
        session.hint(f"stale: {stale}")
    whole = memory_id(session.engine, arguments.id, space=arguments.space)
    memory = session.engine.get(whole, space=arguments.space)
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
            session.say(Styled(f"{name:>14}", "label"), f"  {value}")
    return 0
