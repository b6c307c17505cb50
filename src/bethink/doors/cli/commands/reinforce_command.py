from __future__ import annotations

import argparse

from bethink.doors.cli.ids import memory_id
from bethink.doors.cli.session import Session
from bethink.remember.transfer import receipt_record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", help="the id of a memory, or its beginning")
    parser.add_argument("--times", type=int, default=1, help="how often it was told (default 1)")


def run(arguments: argparse.Namespace, session: Session) -> int:
    whole = memory_id(session.engine, arguments.id)
    receipt = session.engine.reinforce(whole, arguments.times)
    if session.json:
        session.show(receipt_record(receipt))
    else:
        session.say(f"{receipt.id} reinforced")
    for note in receipt.notes:
        session.hint(note)
    return 0
