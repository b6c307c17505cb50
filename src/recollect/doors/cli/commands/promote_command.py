from __future__ import annotations

import argparse

from recollect.doors.cli.reviewing import add_deciding, who
from recollect.doors.cli.session import Session
from recollect.remember.transfer import receipt_record

_EPILOG = """\
What you promote counts as verified: you looked at it. 'recollect undo ID' takes it back.

examples:
  recollect promote ID
  recollect promote ID --supersedes MEMORY      it takes that one's place, which is kept as history
"""

_TOLD = {
    "created": "in long-term memory",
    "reinforced": "was known: counted once more",
    "unchanged": "was promoted before",
    "revised": "in long-term memory, as a correction",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    add_deciding(parser, "decides")
    parser.add_argument("--supersedes", metavar="MEMORY", help="take the place of this memory")


def run(arguments: argparse.Namespace, session: Session) -> int:
    receipts = session.engine.promote(
        arguments.ids,
        by=who(arguments),
        reason=arguments.reason,
        supersedes=arguments.supersedes,
    )
    if session.json:
        session.show_each(receipt_record(receipt) for receipt in receipts)
        return 0
    for receipt in receipts:
        session.say(f"{receipt.id}  {_TOLD.get(receipt.action.value, receipt.action.value)}")
        for note in receipt.notes:
            session.hint(note)
    return 0
