from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session, padded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "A space is a wall: nothing in it is found unless a question names it."


def run(arguments: argparse.Namespace, session: Session) -> int:
    infos = session.engine.spaces()
    if session.json:
        session.show([info._asdict() for info in infos])
        return 0
    for info in infos:
        waiting = f", {info.pending:,} wait for a vector" if info.pending else ""
        session.say(f"{padded(info.name, 24)} {info.memories:>9,} memories{waiting}")
    return 0
