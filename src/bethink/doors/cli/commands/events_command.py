from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.session import Session, clip
from bethink.errors import unknown_space
from bethink.events.kinds import (
    GAP,
    KINDS,
    MEMORY_RETRIEVAL_ERROR,
    NODE_STATE_CHANGE,
    RETRIEVAL_TRACE,
    TIER_CHANGE,
    event_record,
)

if TYPE_CHECKING:
    from bethink.events.events import Events
    from bethink.vocabulary import Event

_EPILOG = """\
Shown are the newest, the last one below; in a pipe one JSON object a line. Events of all processes
that use the store are there, as many as the setting 'keep_events' says. None holds a memory's text.

examples:
  bethink events --space work --kind tier_change
  bethink events --after 120                    what came after number 120
  bethink events --follow                       go on printing, until you press Ctrl-C
  bethink events --follow --after 0 --json      everything that is kept, then what happens

docs/reference/events.md says what each kind holds.
"""

_LINE = 72  # columns of what a line says beside number, time and kind
_PAGE = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--after", type=int, metavar="ID", help="only what came after this one")
    parser.add_argument("--space", action="append", help="only of this space; may be repeated")
    parser.add_argument(
        "--kind",
        action="append",
        choices=[kind for kind in KINDS if kind != GAP],
        help="only of this kind; may be repeated",
    )
    parser.add_argument("--limit", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--follow", action="store_true", help="go on as they happen")


def run(arguments: argparse.Namespace, session: Session) -> int:
    events = session.engine.events
    if not events.on:
        session.hint("keep_events is 0 here: this machine's settings write none")
    if arguments.follow:
        return _follow(arguments, session)
    found = _asked_for(arguments, events)
    if not found:
        _refuse_unknown(arguments.space or (), session)
    for event in found:
        _show(event, session)
    if not found and not session.json:
        session.say("no such events are kept")
    if arguments.after is not None and len(found) == arguments.limit:
        session.hint(f"there may be more: --after {found[-1].id}")
    return 0


def _refuse_unknown(names: Sequence[str], session: Session) -> None:
    """Of a space that nobody knows there is nothing, and a mistyped name is worth saying so. One
    that a workflow has asked about may have events before anything is remembered there."""
    known = [info.name for info in session.engine.spaces()]
    for name in names:
        if name not in known and not session.engine.events.since(spaces=[name], limit=1):
            raise unknown_space(name, known)


def _asked_for(arguments: argparse.Namespace, events: Events) -> list[Event]:
    filters = {"spaces": arguments.space, "kinds": arguments.kind}
    if arguments.after is not None:
        return events.since(arguments.after, limit=arguments.limit, **filters)
    events.since(limit=arguments.limit)  # says what is wrong with the limit
    return list(deque(_all(events, filters), maxlen=arguments.limit))


def _all(events: Events, filters: dict[str, Any]) -> Iterator[Event]:
    after = 0
    while page := events.since(after, limit=_PAGE, **filters):
        yield from page
        after = page[-1].id


def _follow(arguments: argparse.Namespace, session: Session) -> int:
    follower = session.engine.events.follow(
        arguments.after, spaces=arguments.space, kinds=arguments.kind
    )
    try:
        while not follower.closed:
            event = follower.get(timeout=1)  # so that Ctrl-C is heard everywhere
            if event is not None:
                _show(event, session)
                sys.stdout.flush()  # whoever reads a pipe wants to know now
    except KeyboardInterrupt:
        return 0
    finally:
        follower.close()
    return 0


def _show(event: Event, session: Session) -> None:
    if session.json:
        session.show_each([event_record(event)])
    else:
        time = event.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        where = ", ".join(event.spaces)
        session.say(f"{event.id:>6}  {time}  {event.kind}  [{where}]  {clip(_said(event), _LINE)}")


def _said(event: Event) -> str:
    """An event in a few words."""
    data: dict[str, Any] = dict(event.data)
    if event.kind == TIER_CHANGE:
        way = f"{data.get('from') or 'offered'} → {data.get('to') or 'gone'}"
        return f"{data.get('decision')} {data.get('offer_id')} ({way}): {data.get('reason')}"
    if event.kind == RETRIEVAL_TRACE:
        hits, spent = len(data.get("hits", ())), data.get("milliseconds", 0)
        return f"{data.get('status')}, hits {hits}, {spent:.1f} ms: {data.get('question')}"
    if event.kind == GAP:
        return f"events {data.get('from')} to {data.get('to')} are kept no more"
    if event.kind == MEMORY_RETRIEVAL_ERROR:
        return f"{data.get('node')} {data.get('run')}: {data.get('error')}"
    if event.kind == NODE_STATE_CHANGE:
        ended = f", {data.get('status')}, hits {data.get('hits')}" if "status" in data else ""
        return f"{data.get('node')} {data.get('run')}: {data.get('state')}{ended}"
    return str(data)
