from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.notebook.condition import BookStatus

_EPILOG = """\
A source is a folder of Markdown that is read and never written. Its notes, by their headings,
become memories of a space; change a file and the memories follow.

examples:
  bethink source add ~/vault --space notes
  bethink source add docs                     into the setting 'space'
  bethink source list
  bethink source remove ~/vault               its memories stay
  bethink source remove ~/vault --forget      its memories go too; the files stay

Notebooks, which are written too, are made by 'bethink init' and listed and removed here.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["add", "list", "remove"], nargs="?", default="list")
    parser.add_argument("folder", metavar="DIR", nargs="?")
    parser.add_argument("--space", help="whose memories they are (default: the setting 'space')")
    parser.add_argument(
        "--forget", action="store_true", help="on removing, erase what was remembered of it"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.what == "list":
        return _list(session)
    if arguments.folder is None:
        raise InvalidInput(f"which folder? say: bethink source {arguments.what} DIR")
    return _add(arguments, session) if arguments.what == "add" else _remove(arguments, session)


def _add(arguments: argparse.Namespace, session: Session) -> int:
    from pathlib import Path

    from bethink.doors.cli.commands.sync_command import line, record, say_what_was_left
    from bethink.formats.plan import too_broad
    from bethink.notebook.books import Form, must_have

    folder = Path(arguments.folder).expanduser().resolve()
    if too_broad(folder, Path.home().resolve()):
        raise InvalidInput(
            f"{folder} is a whole home or disk: everything that lies in it would be read, also "
            "what is nobody's memory. Name the folder that you mean"
        )
    books = must_have(session.engine.books)
    space = arguments.space or session.loaded.settings.space
    book = books.add(arguments.folder, space=space, form=Form.FOLDER, writable=False, project=False)
    with session.progress("reading") as progress:
        report = session.engine.sync(books=[book], progress=progress)
    if session.json:
        session.show({"root": str(book.root), "space": book.space, "sync": record(report)})
    else:
        session.say(f"{book.root} is read into space {book.space}.")
        session.say(line(report))
        say_what_was_left(report, session)
        for note in report.notes:
            session.hint(note)
    return 0 if report.complete else 1


def _list(session: Session) -> int:
    books = session.engine.status().books
    if session.json:
        session.show([book_record(book) for book in books])
        return 0
    if session.engine.books is None:
        session.say("No folders: only a store in a file can have some.")
    elif not books:
        session.say("No folders yet; 'bethink init' and 'bethink source add DIR' add some.")
    for book in books:
        session.say(book_line(book))
    return 0


def _remove(arguments: argparse.Namespace, session: Session) -> int:
    from pathlib import Path

    from bethink.notebook.books import must_have

    engine = session.engine
    books = must_have(engine.books)
    root = Path(arguments.folder).expanduser().resolve()
    book = next((b for b in books.all() if b.root == root), None)
    if book is None:
        raise NotFound(f"{root} is not one of the folders of this store; see: bethink source list")
    if arguments.forget:
        if not arguments.yes and session.json:
            raise InvalidInput("--forget erases memories for good; say --yes to go on")
        session.confirm(f"Erase what was remembered of {root}? The files stay.")
    forgotten = engine._let_go(book, forget=arguments.forget)
    if session.json:
        session.show({"root": str(root), "space": book.space, "forgotten": forgotten})
    else:
        told = f"{forgotten:,} memories were erased" if arguments.forget else "its memories stay"
        session.say(f"{root} is not read any more; {told}. The files are untouched.")
    return 0


def book_record(book: BookStatus) -> dict[str, Any]:
    reasons = [{"path": path, "why": why} for path, why in book.reasons]
    return {**book._asdict(), "reasons": reasons}


def book_line(book: BookStatus) -> str:
    state = book.fault or (
        f"{book.files:,} files, {book.pieces:,} memories, last looked at {book.synced_at[:19]}"
        if book.synced_at
        else "not read yet: bethink sync"
    )
    unread = f"; {book.refused:,} files not read" if book.refused else ""
    unfinished = "" if book.complete or book.fault or not book.synced_at else "; not to the end"
    written = "" if book.writable else ", read only"
    return f"{book.root} ({book.form} of {book.space}{written}): {state}{unread}{unfinished}"
