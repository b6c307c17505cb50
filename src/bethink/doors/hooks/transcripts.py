"""The user's messages in an agent's records: JSON lines that the agent is writing at this moment.

Only the end of a long record is read: a hook has seen the rest in the turns before.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bethink.doors.hooks.events import Said

_TAIL = 4 * 1024 * 1024  # bytes


def said_in(path: Path, said: Callable[[Mapping[str, Any]], Said | None]) -> Iterator[Said]:
    """Raises OSError; a line that is no JSON (the one being written) is passed over."""
    for line in _lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            found = said(record)
            if found is not None and found.text.strip():
                yield found


def _lines(path: Path) -> list[bytes]:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe must not hold us
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("the transcript is no regular file")
        skipped = status.st_size > _TAIL
        if skipped:
            file.seek(-_TAIL, os.SEEK_END)
        lines = file.read(_TAIL).split(b"\n")
    return lines[1:] if skipped else lines
