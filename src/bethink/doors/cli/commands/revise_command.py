from __future__ import annotations

import argparse

from bethink.doors.cli.ids import memory_id
from bethink.doors.cli.inputs import add_speaker, memory_fields, piped, read_text
from bethink.doors.cli.session import Session
from bethink.remember.transfer import receipt_record

_EPILOG = """\
examples:
  bethink revise 0196… "Mei prefers light mode now"
  bethink revise 0196… --valid-to 2026-06-01
  bethink revise 0196… --tag ui --tag theme      replaces the tags

The former form stays: bethink history ID
What stands in a notebook's file is changed there, in its place.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", help="the id of a memory, or its beginning")
    parser.add_argument("words", nargs="*", metavar="TEXT", help="the new text; '-' reads a pipe")
    parser.add_argument("--file", metavar="FILE", help="take the new text from this file")
    parser.add_argument("--kind")
    parser.add_argument("--section")
    parser.add_argument(
        "--tag", action="append", metavar="TAG", help="replaces all tags; may be repeated"
    )
    parser.add_argument("--entity", action="append", metavar="NAME", help="replaces all entities")
    parser.add_argument("--source")
    add_speaker(parser)
    parser.add_argument("--confidence", type=float, metavar="0..1")
    parser.add_argument("--occurred-at", metavar="TIME")
    parser.add_argument("--valid-from", metavar="TIME")
    parser.add_argument("--valid-to", metavar="TIME")
    parser.add_argument(
        "--meta", action="append", metavar="KEY=JSON", help="replaces your own fields"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    text = _text(arguments)
    fields = memory_fields(arguments) | ({} if text is None else {"text": text})
    receipt = session.engine.revise(memory_id(session.engine, arguments.id), **fields)
    if session.json:
        session.show(receipt_record(receipt))
    else:
        session.say(f"{receipt.id} revised; 'bethink history {receipt.id}' shows its former form")
    for note in receipt.notes:
        session.hint(note)
    return 0


def _text(arguments: argparse.Namespace) -> str | None:
    if arguments.file is not None:
        return read_text(arguments.file)
    if arguments.words == ["-"]:
        return piped()
    return " ".join(arguments.words) if arguments.words else None
