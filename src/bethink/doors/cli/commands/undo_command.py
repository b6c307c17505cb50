from __future__ import annotations

import argparse

from bethink.doors.cli.ids import offer_ids
from bethink.doors.cli.reviewing import add_who, show_offers, who
from bethink.doors.cli.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Takes the last decision about an offer back: what was promoted leaves long-term memory,\n"
        "what was rejected is where it was. Undo again for the decision before."
    )
    parser.add_argument(
        "id", metavar="ID", help="as 'bethink quarantine' shows it, or its beginning"
    )
    add_who(parser, "decides")


def run(arguments: argparse.Namespace, session: Session) -> int:
    (whole,) = offer_ids(session.engine, [arguments.id])
    show_offers([session.engine.tiers.undo(whole, by=who(arguments))], session)
    return 0
