from __future__ import annotations

import argparse

from bethink.checks import check_space
from bethink.doors.cli.reviewing import add_who, counted, glimpse, who
from bethink.doors.cli.session import Session
from bethink.tiers.records import origin_record

_EPILOG = """\
Everything that came from a source, and everything that was made from it, leaves long-term and
working memory. In the log the offers stay, as rejected; 'bethink forget ID' erases them too.

examples:
  bethink rollback https://example.org/page --dry-run       what would go
  bethink rollback https://example.org/page
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("source", metavar="SOURCE", help="as it was given to 'offer' or 'remember'")
    parser.add_argument("--space", action="append", help="only in this one; may be repeated")
    parser.add_argument("--dry-run", action="store_true", help="only show what would go")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_who(parser, "decides")


def run(arguments: argparse.Namespace, session: Session) -> int:
    tiers = session.engine.tiers
    spaces = arguments.space and [check_space(name) for name in arguments.space]
    origin = tiers.from_source(arguments.source, spaces=spaces)
    if arguments.dry_run or (not origin and not session.json):
        if session.json:
            session.show(origin_record(origin))
            return 0
        for kind, offers in (("from it", origin.offers), ("made from it", origin.derived)):
            for offer in offers:
                text = glimpse(offer.memory.text, 60)
                session.say(f"{kind:<12}  {offer.id}  {offer.decision.value:<9}  {text}")
        for memory in origin.memories:
            session.say(f"{'remembered':<12}  {memory.id}  {glimpse(memory.text, 72)}")
        if not origin:
            session.say(f"nothing came from {arguments.source}")
        return 0
    count = len(origin.offers) + len(origin.derived)
    if origin:
        session.confirm(
            f"Take back {counted(count, 'offer')} and {_memories(len(origin.memories))} from "
            f"{arguments.source}?"
        )
    done = tiers.roll_back(arguments.source, by=who(arguments), spaces=spaces)
    if session.json:
        session.show({"source": arguments.source, **done._asdict()})
    else:
        session.say(
            f"{counted(done.rejected, 'offer')} rejected, {_memories(done.forgotten)} forgotten"
        )
        if done.in_files:
            session.hint(f"{_memories(done.in_files)} of files of yours stay: edit them there")
        if done.revised:
            session.hint(
                f"{_memories(done.revised)} that you revised stay as you wrote them: forget them "
                "by their ids if you do not want them"
            )
    return 0


def _memories(number: int) -> str:
    return "1 memory" if number == 1 else f"{number:,} memories"
