from __future__ import annotations

import argparse

from bethink.doors.cli.reviewing import add_deciding, ids_of, show_offers, who
from bethink.doors.cli.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "It stays in the log, and nobody finds it. 'bethink restore ID' brings it back."
    add_deciding(parser, "decides")


def run(arguments: argparse.Namespace, session: Session) -> int:
    offers = session.engine.reject(
        ids_of(arguments, session), by=who(arguments), reason=arguments.reason
    )
    show_offers(offers, session)
    return 0
