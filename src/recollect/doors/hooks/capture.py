"""When a turn ends: keep what the user asked to be kept, in their words, in the journal.

Nothing twice: a ledger of hashes beside the log knows what was captured, and in which session. Told
again in another session, a memory is reinforced; one that was forgotten since does not come back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.doors.hooks import log
from recollect.doors.hooks.events import Event, Harness, Said, Signal
from recollect.doors.hooks.learned import Learned, lessons
from recollect.errors import InvalidInput, NotFound
from recollect.settings import data_directory

if TYPE_CHECKING:
    from recollect.engine import Engine

CONFIDENCE = 0.5  # nobody has looked at it
TAG = "captured"
_MOST = 12  # in one turn; more is a pasted document
_REMEMBERED = 20_000  # lines of the ledger


class _Line(NamedTuple):
    hash: str
    session: str
    id: str


def capture(engine: Engine, harness: Harness, signal: Signal) -> str:
    """Keep what is new; what the log says."""
    try:
        said = list(_said(harness, signal))
    except OSError as e:
        return f"nothing captured: the transcript cannot be read ({e.strerror or e})"
    found = [(learned, words) for words in said for learned in lessons(words.text)]
    if not found:
        return f"nothing to capture in {len(said)} messages"
    kept = told_again = 0
    with _ledger() as ledger:
        for learned, words in found[-_MOST * 4 :]:
            key = _key(engine, learned.text)
            session = sha256(f"{harness.name}:{signal.session}".encode()).hexdigest()[:16]
            known = ledger.known(key)
            if known is None:
                if kept < _MOST:
                    ledger.add(_Line(key, session, _keep(engine, harness, signal, learned, words)))
                    kept += 1
            elif session not in known:
                ledger.add(_Line(key, session, next(iter(known.values()))))
                told_again += _reinforce(engine, next(iter(known.values())))
    return f"{kept} captured, {told_again} told again"


def _said(harness: Harness, signal: Signal) -> Iterator[Said]:
    if signal.event is Event.PROMPT:
        yield Said(signal.prompt)
        return
    yield from signal.said
    if signal.transcript is not None:
        from recollect.doors.hooks.transcripts import said_in

        yield from said_in(signal.transcript, harness.said)


def _keep(engine: Engine, harness: Harness, signal: Signal, learned: Learned, words: Said) -> str:
    """Into the journal: of the space's notebook where it has one, else of the store."""
    fields: dict[str, Any] = {
        "kind": "journal",
        "tags": [TAG],
        "confidence": CONFIDENCE,
        "source": f"hook:{harness.name}",
        "provenance": {
            "by": "hook",
            "harness": harness.name,
            "session": signal.session[:200],
            "rule": learned.rule,
        },
    }
    moment = _moment(words.at)
    if moment is not None:
        fields["occurred_at"] = moment
    return engine.remember(learned.text, **fields).id


def _reinforce(engine: Engine, memory_id: str) -> int:
    try:
        engine.reinforce(memory_id)
    except (NotFound, InvalidInput):  # forgotten since: it stays forgotten
        return 0
    return 1


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _key(engine: Engine, text: str) -> str:
    """The same sentence in the same place, whatever its case, spaces and last stop."""
    words = " ".join(text.casefold().split()).rstrip(".。!！;；")
    place = f"{engine.settings.store_path}\x1f{engine.settings.space}"
    return sha256(f"{place}\x1f{words}".encode("utf-8", "replace")).hexdigest()[:32]


class _Ledger:
    def __init__(self, path: Path, lines: list[_Line]) -> None:
        self._path = path
        self._lines = lines

    def known(self, key: str) -> dict[str, str] | None:
        """The sessions that told it, with the memory's id; None if none did."""
        return {line.session: line.id for line in self._lines if line.hash == key} or None

    def add(self, line: _Line) -> None:
        """On disk at once: what was remembered must not be remembered again after a crash."""
        self._lines.append(line)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(" ".join(line) + "\n")


@contextmanager
def _ledger() -> Iterator[_Ledger]:
    """One process at a time; two agents may end their turns at once."""
    path = data_directory() / "hooks.captured"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle)
        text = path.read_text("utf-8", "replace") if path.exists() else ""
        parted = (line.split() for line in text.splitlines())
        lines = [_Line(*parts) for parts in parted if len(parts) == len(_Line._fields)]
        if len(lines) > _REMEMBERED:
            lines = lines[-_REMEMBERED // 2 :]
            draft = path.with_suffix(".draft")
            draft.write_text("".join(" ".join(line) + "\n" for line in lines), "utf-8")
            os.replace(draft, path)
        yield _Ledger(path, lines)
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: two agents that end a turn at once may both keep a sentence
        log.write("", "stop", "no file locks on this system")
        return
    fcntl.flock(handle, fcntl.LOCK_EX)
