from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bethink.condition import status_record
from bethink.doors.cli.session import Session

if TYPE_CHECKING:
    from bethink.notebook.condition import BookStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "For a thorough check of every part: bethink doctor"


def run(arguments: argparse.Namespace, session: Session) -> int:
    status = session.engine.status()
    if session.json:
        session.show(
            {
                "store": status.store,
                "tenant": session.tenant or "default",
                **status_record(status),
                "books": [_book_record(book) for book in status.books],
            }
        )
        return 0
    session.say(f"store     {status.store}")
    if session.tenant is not None:
        session.say(f"tenant    {session.tenant}")
    session.say(f"memories  {status.memories:,} in {len(status.spaces)} spaces")
    session.say(f"embedder  {status.embedder} (index by {status.indexed_by})")
    if status.hot:
        session.say(f"hot       {status.hot}")
    for waiting in status.waiting:
        session.say(
            f"waiting   {waiting.held:,} held, {waiting.admitted:,} admitted in {waiting.space}: "
            f"bethink digest --space {waiting.space}"
        )
    for book in status.books:
        session.say(f"book      {_book_line(book)}")
    for note in status.notes:
        session.say(f"note      {note}")
    return 0


def _book_record(book: BookStatus) -> dict[str, Any]:
    from bethink.doors.cli.commands.source_command import book_record

    return book_record(book)


def _book_line(book: BookStatus) -> str:
    from bethink.doors.cli.commands.source_command import book_line

    return book_line(book)
