from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput
from bethink.settings import config_file, space_named_by
from bethink.vocabulary import GLOBAL_SPACE

if TYPE_CHECKING:
    from bethink.notebook.beginning import Offer
    from bethink.notebook.books import Book, Books

_EPILOG = """\
Looks at what is there, says what it would do, and asks before each notebook. A notebook is a folder
of Markdown that you and your agents write; Bethink keeps its index true to it. What is there is
never overwritten, and running it again changes nothing.

  your own notebook   preferences, instructions, people and things; space 'global'
  a project's         .bethink/ in the project: tasks, decisions, patterns, journal
  notes               a folder with an INDEX.md and notes, as some agents keep them

examples:
  bethink init                    ask for each
  bethink init .                  the same; this folder is a project, also without .git
  bethink init --yes              both notebooks, without asking
  bethink init --project --yes    the project's alone
  bethink init --notes memory     a folder of notes with an INDEX.md, for this project
  bethink source add ~/vault      any other Markdown, only read
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "project_folder",
        nargs="?",
        metavar="FOLDER",
        help="the project's folder (default: the current one)",
    )
    parser.add_argument("--global", dest="own", action="store_true", help="only your own notebook")
    parser.add_argument("--project", action="store_true", help="only the notebook of this project")
    parser.add_argument("--notes", metavar="DIR", help="a folder of notes with an INDEX.md")
    parser.add_argument("--space", help="the project's or the notes' space (default: by its name)")
    parser.add_argument("--yes", action="store_true", help="do not ask")


class _Plan(NamedTuple):
    """What could be made here, and what there is to say beside it."""

    offers: list[Offer]
    notes: list[str]
    here: Path  # where was asked
    project: Path | None
    wanted: str | None  # the space that the project's file names, before anybody agreed to it


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.project_folder is not None:
        _check_folder(arguments)
    settings = session.loaded.settings
    existed = settings.server is not None or os.path.exists(settings.store_path)
    status = session.engine.status()
    plan = _plan(arguments, session)
    asking = sys.stdin.isatty() and not session.json and not arguments.yes
    if not session.json:
        session.say(f"{'Here is' if existed else 'Created'} your store: {settings.store_shown}")
        session.say(
            f"It holds {status.memories} memories. Settings may be written to {config_file()}."
        )
        session.say(f"Meaning is read by {status.embedder}, on this machine, without a network.")
    made: list[tuple[Book, Any]] = []
    left: list[Offer] = []
    known = {info.name: info.memories for info in status.spaces}
    for offer in plan.offers:
        if arguments.yes or (asking and _agreed(_explained(offer, known), session)):
            made.append(_make(offer, session))
        else:
            left.append(offer)
    notes = [*plan.notes, *_agree(plan, made, left, known, arguments.yes, asking, session)]
    suggestions = _suggestions(plan, session)
    if session.json:
        session.show(
            {"store": settings.store_shown, "created": not existed, "config": str(config_file()),
             "embedder": status.embedder, "memories": session.engine.status().memories,
             "books": [_made_record(book, report) for book, report in made],
             "offers": [_offer_record(offer) for offer in left],
             "notes": notes, "suggestions": suggestions}
        )  # fmt: skip
    else:
        explained = [] if asking else [_explained(offer, known) for offer in left]
        _what_next(session, made, explained, notes, suggestions)
    return 0


def _check_folder(arguments: argparse.Namespace) -> None:
    if arguments.own:
        raise InvalidInput("--global is not about a folder; leave out one of the two")
    if not Path(arguments.project_folder).is_dir():
        raise InvalidInput(
            f"there is no folder {arguments.project_folder}; create it first, or say '.'"
        )


def _plan(arguments: argparse.Namespace, session: Session) -> _Plan:
    """Of what was asked for. Everything is checked before anything is made."""
    from bethink.consent import agreed_space
    from bethink.notebook import beginning
    from bethink.settings import PROJECT_FILE, data_directory

    books = _every_book(session)
    here = (
        Path.cwd() if arguments.project_folder is None else Path(arguments.project_folder).resolve()
    )
    project = beginning.project_root(here)
    every = not (arguments.own or arguments.project or arguments.notes)
    offers: list[Offer | None] = []
    notes: list[str] = []
    wanted = None
    if arguments.own or every:
        offers.append(beginning.global_offer(books))
        if offers[-1] is None and (own := beginning.own_notebook(books)) is not None:
            notes.append(f"your own notebook is there already: {own.root}")
    if project is None and (arguments.project or arguments.project_folder is not None):
        project = here  # named explicitly
    if every and project is None:
        notes.append(
            f"{here} is no project (neither .git nor {PROJECT_FILE} is there or above), so there "
            "is no notebook of a project; to have one here: bethink init ."
        )
    if (arguments.project or every) and project is not None:
        offers.append(beginning.project_offer(books, project, arguments.space))
        bound = beginning.bound_at(project / beginning.PROJECT_FOLDER, books)
        if offers[-1] is None and bound is not None:
            notes.append(f"the project's notebook is there already: {bound.root} ({bound.space})")
    if not arguments.own and project is not None:
        named = space_named_by(project / PROJECT_FILE)
        if named not in (None, GLOBAL_SPACE, agreed_space(data_directory(), project)):
            wanted = named
        if arguments.space not in (None, named) and named is not None:
            notes.append(
                f"{project / PROJECT_FILE} names the space {named!r}, not {arguments.space!r}; "
                "write that there, so that questions asked here look in it"
            )
    if arguments.notes:
        folder = Path(arguments.notes).expanduser().absolute()
        if folder.exists() and not folder.is_dir():
            raise InvalidInput(f"{folder} is no folder; name the one that holds INDEX.md")
        space = beginning.notes_space(folder, arguments.space, books, project)
        offers.append(beginning.notes_offer(books, folder, space, project=project))
        if offers[-1] is None:
            notes.append(f"{folder} is bound already; see: bethink source list")
        elif project is None and space != session.loaded.settings.space:
            notes.append(f"this is no project, so ask these notes with --space {quote(space)}")
    elif every and project is not None and (notes_there := beginning.notes_there(project)):
        space = beginning.space_of(project, arguments.space, [])
        offers.append(beginning.notes_offer(books, notes_there, space, project=project))
    if session.engine.books is None:
        said = "notebooks need a store in a file, on the machine of their files; none is made here"
        return _Plan([], [said], here, project, wanted)
    possible = _possible(offers, books, notes, session, named=arguments.space is not None)
    return _Plan(possible, notes, here, project, wanted)


def _possible(
    offers: list[Offer | None],
    books: list[Book],
    notes: list[str],
    session: Session,
    *,
    named: bool,
) -> list[Offer]:
    """The offers that can be made to the end; why not, of the others."""
    from bethink.notebook import beginning
    from bethink.notebook.forms import Form

    kept = {book.root: book.pieces for book in session.engine.status().books}
    found = []
    for offer in offers:
        if offer is None:
            continue
        beginning.check(offer)
        root = str(offer.root.resolve())
        other = beginning.written_elsewhere(offer, books)
        if other is not None and beginning.was_moved(other, offer, session.engine.books):
            other = None  # binding it takes its memories along
        if offer.again and kept.get(root):
            notes.append(
                f"{root} is gone, and the store keeps {kept[root]:,} memories of it. Bring the "
                f"folder back; or begin anew: bethink source remove {quote(root)} --forget "
                "--yes, then this again"
            )
        elif other is not None and offer.project and offer.form is Form.NOTEBOOK:
            way = "for one of its own, say --space NAME"
            if not other.root.is_dir():
                way = (
                    "that folder is gone: if the project was moved, say: bethink source remove "
                    f"{quote(str(other.root))} --forget --yes, then this again"
                )
            notes.append(
                f"space {offer.space!r} is written into {other.root} already, so no notebook is "
                f"made in {offer.root}; {way}"
            )
        elif other is not None and offer.project and offer.form is Form.NOTES and not named:
            found.append(offer._replace(writable=False, missing=()))
            notes.append(
                f"{root} is only read: what is told to space {offer.space!r} is written into "
                f"{other.root}"
            )
        elif other is not None:
            raise InvalidInput(
                f"space {offer.space!r} is written into {other.root} already; say --space NAME"
            )
        else:
            found.append(offer)
    return found


def _agree(
    plan: _Plan,
    made: list[tuple[Book, Any]],
    left: list[Offer],
    known: dict[str, int],
    yes: bool,
    asking: bool,
    session: Session,
) -> list[str]:
    """Let the project's file choose its space: by making a notebook in it, or by saying so."""
    from bethink.consent import agree
    from bethink.settings import PROJECT_FILE, data_directory

    if plan.project is None:
        return []
    by_notebook = {
        book.space for book, _ in made if book.project or book.root.is_relative_to(plan.project)
    }
    if plan.wanted is None:
        for space in by_notebook:  # in the file that was just written
            if space == space_named_by(plan.project / PROJECT_FILE):
                agree(data_directory(), plan.project, space)
        return []
    held = known.get(plan.wanted, 0)
    told = f"{plan.project / PROJECT_FILE} names the space {plan.wanted!r}"
    question = [f"{told}, which holds {held:,} memories; they would be shown and added to here"]
    declined = any(offer.space == plan.wanted for offer in left)
    if (
        plan.wanted in by_notebook
        or yes
        or (asking and not declined and _agreed(question, session))
    ):
        agree(data_directory(), plan.project, plan.wanted)
        return [f"{told}: agreed; its {held:,} memories are shown here"] if held else []
    if plan.wanted not in known:
        return []  # nobody's: it is used
    return [f"{told}, which holds {held:,} memories: not used here until you agree (--yes)"]


def _suggestions(plan: _Plan, session: Session) -> list[dict[str, str]]:
    """Commands that take in what lies here already."""
    from bethink.notebook.beginning import PROJECT_FOLDER, bound_at
    from bethink.notebook.found_here import found_here

    books = _every_book(session)
    here = Path.cwd()
    folder = plan.project or plan.here
    own = bound_at(folder / PROJECT_FOLDER, books)
    space = f" --space {quote(own.space)}" if own is not None else ""
    spaces = {info.name for info in session.engine.spaces()}
    target = own.space if own is not None else session.loaded.settings.space
    found = []
    for find in found_here(folder, books):
        if find.command == "source add" and session.engine.books is None:
            continue  # such a store has no folders
        if find.command == "import" and target in spaces:
            where = {"source": find.path.name}
            if session.engine.list(spaces=[target], where=where, limit=1).memories:
                continue  # it was taken in before
        name = str(find.path.relative_to(here) if find.path.is_relative_to(here) else find.path)
        found.append({"command": f"bethink {find.command} {quote(name)}{space}", "why": find.why})
    return found


def _every_book(session: Session) -> list[Book]:
    return [] if session.engine.books is None else _books(session).all()


def _books(session: Session) -> Books:
    registry = session.engine.books
    assert registry is not None  # without one there is nothing that could be made
    return registry


def _explained(offer: Offer, known: dict[str, int]) -> list[str]:
    there = offer.root.is_dir()
    gone = " (it is gone, and would be made again)" if offer.again else " (a new folder)"
    lines = [f"The {offer.title}, in space {offer.space!r}: {offer.root}{'' if there else gone}"]
    if known.get(offer.space) and offer.space != GLOBAL_SPACE:
        lines.append(
            f"  the space is there, with {known[offer.space]:,} memories; they are shown here then"
        )
    if offer.missing:
        lines.append(f"  would be made there: {', '.join(map(str, offer.missing))}")
    if offer.project_file is not None:
        lines.append(f"  would be written: {offer.project_file}, which names the space")
    if there:
        lines.append("  what is there already is read, and stays as it is")
    return lines


def _agreed(explained: list[str], session: Session) -> bool:
    session.say()
    for line in explained:
        session.say(line)
    return session.agreed("Do this?")


def _make(offer: Offer, session: Session) -> tuple[Book, Any]:
    from bethink.notebook.beginning import accept

    book = accept(offer, _books(session))
    with session.progress("reading") as progress:
        report = session.engine.sync(books=[book], progress=progress)
    return book, report


def _what_next(
    session: Session,
    made: list[tuple[Book, Any]],
    left: list[list[str]],
    notes: list[str],
    suggestions: list[dict[str, str]],
) -> None:
    from bethink.doors.cli.commands.sync_command import line, say_what_was_left

    for book, report in made:
        session.say(f"\n{book.root} is the {book.form} of space {book.space}.")
        session.say(line(report))
        say_what_was_left(report, session)
        for note in report.notes:
            session.say(note)
    if left:
        session.say("\nThere could be more. Say --yes to have it, or run this in a terminal:")
        for explained in left:
            for told in explained:
                session.say(told)
    if notes:
        session.say()
    for note in notes:
        session.say(f"Note: {note}.")
    if suggestions:
        session.say("\nThis lies here already; to have it remembered too:")
    for suggestion in suggestions:
        session.say(f"  {suggestion['command']}    {suggestion['why']}")
    kind = " --kind preference" if any(not book.project for book, _ in made) else ""
    session.say(f'\nNow tell it something:\n  bethink remember "Mei prefers dark mode"{kind}')
    session.say('and ask:\n  bethink recall "which theme does Mei like?"')
    if made:
        session.say("Edit the files as you like: the next recall reads what changed.")


def _made_record(book: Book, report: Any) -> dict[str, Any]:
    from bethink.doors.cli.commands.sync_command import record

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
