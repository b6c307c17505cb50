from __future__ import annotations

import argparse

from bethink.doors.cli.ids import memory_id
from bethink.doors.cli.questions import (
    add_question_options,
    naming_options,
    question,
    question_options,
    with_options,
)
from bethink.doors.cli.session import Session

_EPILOG = """\
examples:
  bethink why-not theme-2 "which theme does Mei like?"
  bethink why-not budget-1 "预算会什么时候开" --preset skill --space work

Give the options that you asked with: the same pipeline runs again, and this memory is watched.
No counter changes.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "id", metavar="MEMORY", help="the id of the memory that you expected, or its beginning"
    )
    parser.add_argument(
        "words_asked", nargs="*", metavar="QUESTION", help="what was asked; '-' reads a pipe"
    )
    add_question_options(parser)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.recall.why_not import as_lines, as_record

    asked = question(arguments.words_asked, "why-not MEMORY")
    options = question_options(arguments, session)
    whole = memory_id(session.engine, arguments.id, offers=True)
    with naming_options():
        why = session.engine.why_not(whole, asked, **options)
    if session.json:
        session.show(as_record(why))
    else:
        for line in as_lines(why):
            session.say(line)
    for reason in why.reasons:
        session.hint(with_options(reason))
    return 0
