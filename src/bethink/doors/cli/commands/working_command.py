from __future__ import annotations

import argparse

from bethink.doors.cli.colour import identifier
from bethink.doors.cli.session import Session, clip
from bethink.recall.asking import space_names
from bethink.records import memory_record as as_record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--space", action="append", help="of which space; may be repeated")
    parser.add_argument("--limit", type=int, default=10, help="how many (default 10)")


def run(arguments: argparse.Namespace, session: Session) -> int:
    memories = session.engine.tiers.working(
        spaces=space_names(arguments.space, session.loaded.settings), limit=arguments.limit
    )
    if session.json:
        session.show({"memories": [as_record(memory) for memory in memories]})
        return 0
    for memory in memories:
        when = memory.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        label = "" if memory.verified else "(unverified) "
        session.say(identifier(memory.id), f"  {when}  {label}{clip(memory.text, 72)}")
    if not memories:
        session.say("nothing recent here; 'bethink offer' brings something")
    return 0
