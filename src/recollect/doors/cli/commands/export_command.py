from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from recollect.doors.cli.session import Session
from recollect.errors import InvalidInput


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "One JSON object a line, with every field, the counters and the history."
    parser.add_argument("--out", metavar="FILE", help="write here (default: standard output)")
    parser.add_argument("--space", action="append", help="only this space; may be repeated")


def run(arguments: argparse.Namespace, session: Session) -> int:
    records = session.engine.export(spaces=arguments.space)
    if arguments.out is None:
        session.show_each(records)
        return 0
    path = Path(arguments.out)
    draft = path.with_name(path.name + ".new")
    count = 0
    try:
        with draft.open("w", encoding="utf-8") as file, session.progress("exporting") as progress:
            for count, record in enumerate(records, start=1):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                if progress is not None and count % 100 == 0:
                    progress(count, None)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)  # the name appears only when everything is in it
    except OSError as e:
        draft.unlink(missing_ok=True)
        raise InvalidInput(f"{path} cannot be written: {e.strerror}") from None
    print(f"{count:,} memories are in {path}", file=sys.stderr)
    return 0
