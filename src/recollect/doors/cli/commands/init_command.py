from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.doors.cli.session import Session
from recollect.errors import InvalidInput
from recollect.settings import config_file

if TYPE_CHECKING:
    from recollect.notebook.beginning import Offer
    from recollect.notebook.books import Book

_EPILOG = """\
Looks at what is there, says what it would do, and asks before each notebook. A notebook is a folder
of Markdown that you and your agents write; Recollect keeps its index true to it. What is there is
never overwritten, and running it again changes nothing.

  your own notebook   preferences, instructions, people and things; space 'global'
  a project's         .recollect/ in the project: tasks, decisions, patterns, journal
  notes               a folder with an INDEX.md and notes, as some agents keep them

examples:
  recollect init                    ask for each
  recollect init --yes              both notebooks, without asking
  recollect init --project --yes    the project's alone
  recollect init --notes memory     a folder of notes with an INDEX.md
  recollect source add ~/vault      any other Markdown, only read
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--global", dest="own", action="store_true", help="only your own notebook")
    parser.add_argument("--project", action="store_true", help="only the notebook of this project")
    parser.add_argument("--notes", metavar="DIR", help="a folder of notes with an INDEX.md")
    parser.add_argument("--space", help="the project's or the notes' space (default: by its name)")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    path = session.loaded.settings.store_path
    existed = path.exists()
    status = session.engine.status()
    offers = _offers(arguments, session)
    asking = sys.stdin.isatty() and not session.json
    if not session.json:
        session.say(f"{'Here is' if existed else 'Created'} your store: {path}")
        session.say(
            f"It holds {status.memories} memories. Settings may be written to {config_file()}."
        )
        session.say(f"Meaning is read by {status.embedder}, on this machine, without a network.")
    made: list[tuple[Book, Any]] = []
    left: list[Offer] = []
    for offer in offers:
        if arguments.yes or (asking and _agreed(offer, session)):
            made.append(_make(offer, session))
        else:
            left.append(offer)
    if session.json:
        session.show(
            {"store": str(path), "created": not existed, "config": str(config_file()),
             "embedder": status.embedder, "memories": session.engine.status().memories,
             "books": [_made_record(book, report) for book, report in made],
             "offers": [_offer_record(offer) for offer in left]}
        )  # fmt: skip
    else:
        _what_next(session, made, [] if asking else left)
    return 0


def _offers(arguments: argparse.Namespace, session: Session) -> list[Offer]:
    """What could be made here, of what was asked for."""
    from recollect.notebook import beginning

    registry = session.engine.books
    assert registry is not None  # the command line opens stores by their path
    books = registry.all()
    here = Path.cwd()
    project = beginning.project_root(here)
    every = not (arguments.own or arguments.project or arguments.notes)
    offers: list[Offer | None] = []
    if arguments.own or every:
        offers.append(beginning.global_offer(books))
    if arguments.project and project is None:
        project = here  # who says so makes it one
    if (arguments.project or every) and project is not None:
        offers.append(beginning.project_offer(books, project, arguments.space))
    if arguments.notes:
        folder = Path(arguments.notes).expanduser().absolute()
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{folder} is no folder; name the one that holds INDEX.md")
        space = arguments.space or session.loaded.settings.space
        offers.append(beginning.notes_offer(books, folder, space, project=project is not None))
    elif every and project is not None and (notes := beginning.notes_there(project)) is not None:
        space = beginning.space_of(project, arguments.space, [])
        offers.append(beginning.notes_offer(books, notes, space, project=True))
    return [offer for offer in offers if offer is not None]


def _explained(offer: Offer) -> list[str]:
    there = offer.root.is_dir()
    lines = [
        f"The {offer.title}, in space {offer.space!r}: {offer.root}"
        f"{'' if there else ' (a new folder)'}"
    ]
    if offer.missing:
        lines.append(f"  would be made there: {', '.join(map(str, offer.missing))}")
    if offer.project_file is not None:
        lines.append(f"  would be written: {offer.project_file}, which names the space")
    if there:
        lines.append("  what is there already is read, and stays as it is")
    return lines


def _agreed(offer: Offer, session: Session) -> bool:
    session.say()
    for line in _explained(offer):
        session.say(line)
    return input("Do this? [y/N] ").strip().lower() in ("y", "yes", "是")


def _make(offer: Offer, session: Session) -> tuple[Book, Any]:
    from recollect.notebook.beginning import accept

    registry = session.engine.books
    assert registry is not None
    book = accept(offer, registry)
    with session.progress("reading") as progress:
        report = session.engine.sync(books=[book], progress=progress)
    return book, report


def _what_next(session: Session, made: list[tuple[Book, Any]], left: list[Offer]) -> None:
    from recollect.doors.cli.commands.sync_command import line

    for book, report in made:
        session.say(f"\n{book.root} is the {book.form} of space {book.space}.")
        session.say(line(report))
        for refusal in report.refused:
            session.say(f"not read: {refusal.book / refusal.path}: {refusal.why}")
        for fault in report.faults:
            session.say(f"not finished: {fault}")
    if left:
        session.say("\nThere could be more. Say --yes to have it, or run this in a terminal:")
        for offer in left:
            for told in _explained(offer):
                session.say(told)
    kind = " --kind preference" if any(not book.project for book, _ in made) else ""
    session.say(f'\nNow tell it something:\n  recollect remember "Mei prefers dark mode"{kind}')
    session.say('and ask:\n  recollect recall "which theme does Mei like?"')
    if made:
        session.say("Edit the files as you like: the next recall reads what changed.")


def _made_record(book: Book, report: Any) -> dict[str, Any]:
    from recollect.doors.cli.commands.sync_command import record

    return {"root": str(book.root), "space": book.space, "form": book.form.value,
            "sync": record(report)}  # fmt: skip


def _offer_record(offer: Offer) -> dict[str, Any]:
    return {
        "root": str(offer.root),
        "space": offer.space,
        "form": offer.form.value,
        "would_make": [str(file) for file in offer.missing],
        "would_write": None if offer.project_file is None else str(offer.project_file),
    }
