from __future__ import annotations

import argparse

from recollect.doors.cli.inputs import filter_option
from recollect.doors.cli.session import Session, clip
from recollect.remember.transfer import as_record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--space", action="append", help="of which space; may be repeated")
    parser.add_argument("--where", metavar="JSON", help="a filter, as for recall")
    parser.add_argument("--limit", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--cursor", help="go on where the last list ended")
    parser.add_argument("--oldest-first", action="store_true")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if stale := session.engine.freshen(spaces=arguments.space or session.loaded.settings.space):
        session.hint(f"stale: {stale}")
    page = session.engine.list(
        spaces=arguments.space,
        where=filter_option(arguments.where),
        newest_first=not arguments.oldest_first,
        cursor=arguments.cursor,
        limit=arguments.limit,
    )
    if session.json:
        session.show({"memories": [as_record(m) for m in page.memories], "cursor": page.cursor})
        return 0
    for memory in page.memories:
        day = (memory.occurred_at or memory.created_at).astimezone().strftime("%Y-%m-%d")
        session.say(f"{memory.id}  {day}  {memory.kind:<10}  {clip(memory.text, 64)}")
    if not page.memories:
        session.say('nothing here yet; tell it something: recollect remember "…"')
    if page.cursor is not None:
        session.hint(f"there is more: --cursor {page.cursor}")
    return 0
