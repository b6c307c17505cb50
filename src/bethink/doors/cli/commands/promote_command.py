from __future__ import annotations

import argparse

from bethink.doors.cli.ids import memory_id
from bethink.doors.cli.reviewing import add_deciding, ids_of, who
from bethink.doors.cli.session import Session
from bethink.remember.transfer import promotion_record

_EPILOG = """\
What you promote counts as verified: you looked at it. 'bethink undo ID' takes it back.

examples:
  bethink promote ID
  bethink quarantine --decision admitted --json | jq -r .offers[].id | bethink promote -
  bethink promote ID --supersedes MEMORY      it takes that one's place, which is kept as history
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
    ids = list(dict.fromkeys(ids_of(arguments, session)))
    supersedes = arguments.supersedes and memory_id(session.engine, arguments.supersedes)
    receipts = session.engine.promote(
        ids,
        by=who(arguments),
        reason=arguments.reason,
        supersedes=supersedes,
    )
    if session.json:
        session.show_each(
            promotion_record(offer_id, receipt)
            for offer_id, receipt in zip(ids, receipts, strict=True)
        )
        return 0
    for offer_id, receipt in zip(ids, receipts, strict=True):
        held = "" if receipt.id == offer_id else f", as {receipt.id}"
        session.say(f"{offer_id}  {_TOLD.get(receipt.action.value, receipt.action.value)}{held}")
        for note in receipt.notes:
            session.hint(note)
    return 0
