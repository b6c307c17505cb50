from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from recollect.doors.cli.session import Session
from recollect.errors import InvalidInput, StoreCorrupt


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "One JSON object a line, with every field, the counters and the history."
    parser.add_argument("--out", metavar="FILE", help="write here (default: standard output)")
    parser.add_argument("--space", action="append", help="only this space; may be repeated")


def run(arguments: argparse.Namespace, session: Session) -> int:
    damaged: list[str] = []
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
    if damaged:
        raise StoreCorrupt(
            f"{len(damaged)} memories cannot be read any more and were left out: "
            f"{', '.join(damaged[:10])}. Import what was saved into a new store"
        )
    return 0


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
