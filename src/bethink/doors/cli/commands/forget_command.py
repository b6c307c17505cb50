from __future__ import annotations

import argparse

from bethink.doors.cli.ids import is_chosen, memory_id
from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput
from bethink.remember.transfer import receipt_record

_EPILOG = """\
Forgotten means gone: the text, its history, its words, its vectors and the write-ahead log. There
is no undo; an export made before is the only way back.

What stands in a notebook leaves its file too, with the lines of history.md whose place it took.
What stands in a folder that is only read is refused, with the file and the line: edit it there. A
space that is read from a folder is let go of first: bethink source remove DIR
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("ids", nargs="*", metavar="ID", help="or its beginning")
    parser.add_argument("--space", help="forget this whole space")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if bool(arguments.ids) == bool(arguments.space):
        raise InvalidInput("say what to forget: ids, or a whole space with --space")
    if arguments.space:
        session.confirm(f"Erase the space {arguments.space!r} with everything in it?")
        count = session.engine.forget_space(arguments.space)
        if session.json:
            session.show({"space": arguments.space, "forgotten": count})
        else:
            session.say(f"{arguments.space}: {count} memories are gone")
        session.mention_move()
        return 0
    ids = [memory_id(session.engine, told, offers=True) for told in arguments.ids]
    for told, whole in zip(arguments.ids, ids, strict=True):
        if told != whole and is_chosen(whole):  # 'note-1' is gone, and 'note-10' begins so
            session.confirm(f"There is no {told!r}. Erase {whole!r}, which begins so?")
    receipts = [session.engine.forget(one) for one in dict.fromkeys(ids)]
    if session.json:
        session.show_each(receipt_record(receipt) for receipt in receipts)
    else:
        for receipt in receipts:
            session.say(f"{receipt.id} is gone")
            for note in receipt.notes:
                session.hint(note)
    return 0
