from __future__ import annotations

import argparse
from datetime import datetime

from bethink.doors.cli.colour import identifier
from bethink.doors.cli.ids import memory_id
from bethink.doors.cli.session import Session, clip
from bethink.remember.transfer import history_record
from bethink.vocabulary import Memory

_EPILOG = """\
Shown are the former forms of the memory, and the memories that it took the place of or that took
its place, with when each held. 'bethink recall --as-of DATE' asks what held then.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", help="the id of a memory, or its beginning")


def run(arguments: argparse.Namespace, session: Session) -> int:
    whole = memory_id(session.engine, arguments.id)
    former = session.engine.history(whole)
    chain = session.engine.succession(whole)
    if session.json:
        session.show(history_record(former, chain, memory_id=whole))
        return 0
    for revision in former:
        session.say(f"until {_shown(revision.replaced_at)}  {clip(revision.memory.text, 96)}")
    if former and len(chain) == 1:
        session.say(f"now {'':18}{clip(chain[0].text, 96)}")
    if len(chain) > 1:
        for memory in chain:
            mark = "→" if memory.id == whole else " "
            about = identifier(memory.id)
            session.say(f"{mark} {_held(memory)}  ", about, f"  {clip(memory.text, 80)}")
    elif not former:
        session.say("it was never revised or superseded")
    return 0


def _held(memory: Memory) -> str:
    since = memory.valid_from or memory.created_at
    until = "now" if memory.valid_to is None else _shown(memory.valid_to)
    return f"{_shown(since)} – {until:16}"


def _shown(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
