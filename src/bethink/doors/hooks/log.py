"""What hooks did and why they were silent, in `hooks.log` of the data directory.

A line has the time, the agent, the event, the outcome and the milliseconds: never what a memory or
a prompt says, unless BETHINK_HOOK_LOG is set to "full".
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from bethink.errors import BethinkError, InvalidInput
from bethink.settings import data_directory

_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[‘“「][^’”」]*[’”」]"
_MOST = 256 * 1024  # bytes, then a new file is begun; one former file is kept


def log_file() -> Path:
    return data_directory() / "hooks.log"


def is_full() -> bool:
    return os.environ.get("BETHINK_HOOK_LOG", "") == "full"


def write(harness: str, event: str, outcome: str, *, seconds: float | None = None) -> None:
    """One line. A log that cannot be written must not keep an agent from working."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    took = "" if seconds is None else f" ({seconds * 1000:.0f} ms)"
    if is_full():  # it may say what somebody wrote
        from bethink.text.redaction import redact

        outcome = redact(outcome).text
    outcome = " ".join(outcome.split())[:2_000]
    outcome = "".join(c if c.isprintable() else "�" for c in outcome)  # it is read in terminals
    line = f"{moment} {harness or '?'} {event or '?'}: {outcome}{took}\n"
    if sys.stderr is not None and sys.stderr.isatty():  # a person is trying it out
        sys.stderr.write(line)
    with suppress(OSError, RuntimeError):  # the latter: nobody knows where home is
        path = log_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if path.stat().st_size > _MOST:
                path.replace(path.with_suffix(".log.1"))
        data = line.encode("utf-8", "replace")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, data)  # one write of a line: two hooks at once do not mix theirs
        finally:
            os.close(handle)


def why(error: BaseException) -> str:
    """An error as a reason. Ours say what to do; where they are about wrong input they may quote
    what somebody wrote, which is taken out. Others may say anything: those are named only."""
    name = type(error).__name__
    if isinstance(error, InvalidInput) and not is_full():
        import re

        return f"{name}: {re.sub(_QUOTED, '…', str(error))}"
    return f"{name}: {error}" if is_full() or isinstance(error, BethinkError) else name
