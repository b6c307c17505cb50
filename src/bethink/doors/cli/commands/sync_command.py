from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.session import Session

if TYPE_CHECKING:
    from bethink.notebook.report import SyncReport

_EPILOG = """\
Only what changed is read. Every recall does this by itself for the spaces it asks, as long as it
takes no more than the setting 'sync_seconds'; this command takes the time it needs.

examples:
  bethink sync                        every folder of this store
  bethink sync --space work           the folders of one space
  bethink sync notes/plan.md          one file
  bethink sync --anew                 read every file again, and mend what the store lost
  bethink sync --accept-empty         a folder is empty because you emptied it, or you deleted
                                        half of its files (three or more) at once

Exit code 0: the store is true to the files. 1: some folder could not be read to the end.
Files that are refused are named, and stop nothing else.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("paths", nargs="*", metavar="FILE", help="only these files or folders")
    parser.add_argument("--space", action="append", help="only this space's; may be repeated")
    parser.add_argument(
        "--anew", action="store_true", help="look at every file and memory, changed or not"
    )
    parser.add_argument(
        "--accept-empty",
        action="store_true",
        help="forget what was read of a folder that is empty now, or lost many files at once",
    )
    parser.add_argument(
        "--within", type=float, metavar="SECONDS", help="stop after so long (default: never)"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    with session.progress("reading") as progress:
        report = session.engine.sync(
            spaces=arguments.space,
            paths=arguments.paths or None,
            within=arguments.within,
            progress=progress,
            anew=arguments.anew,
            accept_empty=arguments.accept_empty,
        )
    if session.json:
        session.show(record(report))
    else:
        books = session.engine.books
        if not report.files and not report.faults and not (books and books.all()):
            session.say("No folders to read; 'bethink init' and 'bethink source add' add some.")
        else:
            session.say(line(report))
        say_what_was_left(report, session)
        for note in report.notes:
            session.hint(note)
    return 0 if report.complete else 1


def say_what_was_left(report: SyncReport, session: Session) -> None:
    """What a sync did not read, does not find, or did not finish."""
    for refusal in report.refused:
        session.say(f"not read: {refusal.book / refusal.path}: {refusal.why}")
    for lost in report.astray:
        session.say(f"{lost.book / lost.path}: {lost.why}")
    for fault in report.faults:
        session.say(f"not finished: {fault}")


def line(report: SyncReport) -> str:
    """A sync in one line."""
    told = [
        f"{count:,} {what}"
        for count, what in (
            (report.added, "added"),
            (report.revised, "revised"),
            (report.moved, "moved"),
            (report.removed, "removed"),
            (report.redacted, "with secrets redacted"),
        )
        if count
    ]
    done = f": {', '.join(told)}" if told else ""
    refused = f"; {len(report.refused):,} not read" if report.refused else ""
    counted = f"{report.files:,} files, {report.changed:,} changed"
    return f"{counted}{done}{refused} ({report.seconds:.2f} s)"


def record(report: SyncReport) -> dict[str, Any]:
    return {
        **{name: getattr(report, name) for name in _COUNTS},
        "refused": [{"book": str(r.book), "path": r.path, "why": r.why} for r in report.refused],
        "astray": [{"book": str(r.book), "path": r.path, "why": r.why} for r in report.astray],
        "faults": list(report.faults),
        "notes": list(report.notes),
        "complete": report.complete,
        "seconds": round(report.seconds, 3),
    }


_COUNTS = ("files", "unchanged", "changed", "added", "revised", "moved", "removed", "redacted")
