from __future__ import annotations

import argparse

from bethink.doors.cli.reviewing import add_deciding, ids_of, show_offers, who
from bethink.doors.cli.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "What was held, refused, ignored or rejected goes into working memory after all."
    )
    add_deciding(parser, "decides")


def run(arguments: argparse.Namespace, session: Session) -> int:
    offers = session.engine.restore(
        ids_of(arguments, session), by=who(arguments), reason=arguments.reason
    )
    show_offers(offers, session)
    return 0
