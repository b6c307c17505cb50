from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput, StoreCorrupt

_EPILOG = """\
jsonl: one JSON object a line, with every field, the counters and the history.
markdown: a folder with a file for each memory, its fields above its text. Exported again, the
folder is brought up to date; files that are not its own, or that you changed, are never touched.
'bethink import' takes either back without loss.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "folder", nargs="?", metavar="DIR", help="with --format markdown: the folder to write into"
    )
    parser.add_argument(
        "--format", choices=("jsonl", "markdown"), default="jsonl", help="default: jsonl"
    )
    parser.add_argument("--out", metavar="FILE", help="write here (default: standard output)")
    parser.add_argument("--space", action="append", help="only this space; may be repeated")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if stale := session.engine.freshen(spaces=arguments.space):
        session.hint(f"stale: {stale}")
    damaged: list[str] = []
    if arguments.format == "markdown":
        _markdown(arguments, session, damaged)
    else:
        _jsonl(arguments, session, damaged)
    session.mention_others("exported")
    if damaged:
        raise StoreCorrupt(
            f"{len(damaged)} memories cannot be read any more and were left out: "
            f"{', '.join(damaged[:10])}. Import what was saved into a new store"
        )
    return 0


def _markdown(arguments: argparse.Namespace, session: Session, damaged: list[str]) -> None:
    if arguments.folder is None or arguments.out is not None:
        raise InvalidInput(
            "--format markdown writes a folder: bethink export --format markdown DIR"
        )
    with session.progress("exporting") as progress:
        done = session.engine.export_markdown(
            arguments.folder, spaces=arguments.space, damaged=damaged, progress=progress
        )
    if session.json:
        session.show(done._asdict())
    else:
        session.say(
            f"{done.written:,} written, {done.unchanged:,} unchanged, {done.removed:,} removed "
            f"in {arguments.folder}"
        )


def _jsonl(arguments: argparse.Namespace, session: Session, damaged: list[str]) -> None:
    if arguments.folder is not None:
        raise InvalidInput("a folder is written with --format markdown; a file of lines with --out")
    records = session.engine.export(spaces=arguments.space, damaged=damaged)
    if arguments.out is None:
        session.show_each(records)
    else:
        path = Path(arguments.out).expanduser()
        try:
            count = _save(records, path, session)
        except OSError as e:
            raise InvalidInput(f"{path} cannot be written: {e.strerror}") from None
        session.hint(f"memories written to {path}: {count:,}")


def _save(records: Iterator[dict[str, Any]], path: Path, session: Session) -> int:
    """Into a new file that takes the name when it is complete; straight into what is no file."""
    if path.exists() and not path.is_file():  # a pipe, a device
        with path.open("w", encoding="utf-8") as file:
            return _write(records, file, session)
    target = path.resolve()  # a link stays a link
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            count = _write(records, file, session)
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return count


def _write(records: Iterator[dict[str, Any]], file: IO[str], session: Session) -> int:
    count = 0
    with session.progress("exporting") as progress:
        for count, record in enumerate(records, start=1):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            if progress is not None and count % 100 == 0:
                progress(count, None)
    file.flush()
    return count
