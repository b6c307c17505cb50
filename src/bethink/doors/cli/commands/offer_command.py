from __future__ import annotations

import argparse
import sys
from typing import Any

from bethink.doors.cli.inputs import add_speaker, memory_fields, piped
from bethink.doors.cli.reviewing import add_who, say_offer, who
from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput
from bethink.records import offer_record

_EPILOG = """\
What is offered is heard, not known. It is logged in quarantine and filtered: too little confidence
is refused, what is too short is ignored, what looks like an attack is held for you. The rest is
in working memory for a day. 'bethink digest' proposes what to promote.

examples:
  bethink offer "The deploy log says that staging moved to port 5433." --source deploy.log
  some-agent | bethink offer - --by researcher --confidence 0.9 --space work
  bethink offer "…" --parent ID        made from that offer or memory: no more trusted than it is

Something that you know yourself is told with 'bethink remember'.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("words", nargs="*", metavar="TEXT", help="what was heard; '-' reads a pipe")
    parser.add_argument("--space", default="", help="where (default: the setting 'space')")
    parser.add_argument("--confidence", type=float, metavar="0..1", help="how sure its author is")
    parser.add_argument("--source", help="where it comes from; 'bethink rollback' takes it")
    parser.add_argument(
        "--parent", action="append", default=[], metavar="ID", help="made from; may be repeated"
    )
    add_who(parser, "offers it")
    add_speaker(parser)
    parser.add_argument("--kind", help="note (default) or a word of your own")
    parser.add_argument("--section", help="a heading that it belongs under")
    parser.add_argument("--tag", action="append", metavar="TAG", help="may be repeated")
    parser.add_argument("--entity", action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--occurred-at", metavar="TIME", help="when it happened")
    parser.add_argument("--meta", action="append", metavar="KEY=JSON", help="may be repeated")
    parser.add_argument("--id", help="an id of your own; delivering it again changes nothing")
    parser.set_defaults(valid_from=None, valid_to=None)


def run(arguments: argparse.Namespace, session: Session) -> int:
    fields: dict[str, Any] = memory_fields(arguments)
    if "occurred_at" in fields:
        from bethink.doors.cli.moments import moment

        fields["occurred_at"] = moment(fields["occurred_at"], "--occurred-at", session)
    if arguments.id is not None:
        fields["id"] = arguments.id
    offer = session.engine.offer(
        _text(arguments),
        space=arguments.space,
        parents=arguments.parent,
        by=who(arguments),
        **fields,
    )
    if session.json:
        session.show(offer_record(offer))
    else:
        say_offer(offer, session)
    session.mention_move()
    return 0


def _text(arguments: argparse.Namespace) -> str:
    if arguments.words and arguments.words != ["-"]:
        return " ".join(arguments.words)
    if arguments.words == ["-"] or not sys.stdin.isatty():
        return piped()
    raise InvalidInput('nothing to offer; say: bethink offer "…" (or --help)')
