from __future__ import annotations

import argparse
from datetime import datetime

from bethink.clock import system_clock
from bethink.doors.cli.colour import Styled, identifier
from bethink.doors.cli.inputs import filter_option
from bethink.doors.cli.questions import mention_spaces
from bethink.doors.cli.session import Session, clip, padded
from bethink.records import memory_record as as_record
from bethink.stores.damage import damage_record, left_out
from bethink.vocabulary import Memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--space",
        action="append",
        help="of which space; may be repeated (default: where recall looks)",
    )
    parser.add_argument("--where", metavar="JSON", help="a filter, as for recall")
    parser.add_argument("--limit", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--cursor", help="go on where the last list ended")
    parser.add_argument("--oldest-first", action="store_true")


def run(arguments: argparse.Namespace, session: Session) -> int:
    spaces = arguments.space or session.engine.spaces_here()
    if stale := session.engine.freshen(spaces=spaces):
        session.hint(f"stale: {stale}")
    page = session.engine.list(
        spaces=spaces,
        where=filter_option(arguments.where),
        newest_first=not arguments.oldest_first,
        cursor=arguments.cursor,
        limit=arguments.limit,
    )
    if page.damaged:
        session.aside(f"bethink: {left_out(page.damaged)}")  # also with --quiet
    if session.json:
        session.show(
            {
                "memories": [as_record(m) for m in page.memories],
                "cursor": page.cursor,
                **damage_record(page.damaged),
            }
        )
        return 0
    now = system_clock()
    for memory in page.memories:
        day = (memory.occurred_at or memory.created_at).astimezone().strftime("%Y-%m-%d")
        over = _ended(memory, now)
        kind = Styled(padded(memory.kind, 11), "label")
        ended = Styled(over, "attention")
        text = clip(memory.text, 64)
        session.say(identifier(memory.id), f"  {day}  ", kind, "  ", ended, text)
    if not page.memories and not page.damaged:
        session.say('nothing here yet; tell it something: bethink remember "…"')
        mention_spaces(spaces, session)
    if page.cursor is not None:
        session.hint(f"there is more: --cursor {page.cursor}")
    return 0


def _ended(memory: Memory, now: datetime) -> str:
    """What holds no more says so, and what took its place."""
    if memory.valid_to is None or memory.valid_to > now:
        return ""
    by = memory.metadata.get("superseded_by")
    return f"[superseded by {by}] " if by else f"[until {memory.valid_to.astimezone():%Y-%m-%d}] "
