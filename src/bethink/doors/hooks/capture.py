"""When a turn ends: keep what the user asked to be kept, in their words.

What is to be followed from then on ("from now on", 以后, 发布前要…) is an instruction, a taste is a
preference, all else an entry of the journal.

Nothing twice: a ledger of hashes beside the log knows what was captured, and in which session. What
was forgotten does not come back in a session that told it before the forgetting. Told in another
session, a memory is reinforced, or captured anew where it is gone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.doors.hooks import log
from bethink.doors.hooks.events import Event, Harness, Said, Signal
from bethink.doors.hooks.learned import Learned, lessons
from bethink.errors import NotFound
from bethink.settings import data_directory

if TYPE_CHECKING:
    from bethink.engine import Engine

CONFIDENCE = 0.5  # nobody has looked at it
TAG = "captured"
_MOST = 12  # in one turn; more is a pasted document
_LEFT = "-"  # in the ledger, in place of an id: seen, and not kept
_REMEMBERED = 20_000  # lines of the ledger


class _Line(NamedTuple):
    hash: str
    session: str
    id: str


class Taught(NamedTuple):
    lessons: tuple[tuple[Learned, Said], ...] = ()
    outcome: str = ""  # what the log says where there are none


def look(harness: Harness, signal: Signal) -> Taught:
    """What there is to keep; no store is needed for that."""
    try:
        said = list(_said(harness, signal))
    except OSError as e:
        return Taught(
            outcome=f"nothing captured: the transcript cannot be read ({e.strerror or e})"
        )
    found = tuple((learned, words) for words in said for learned in lessons(words.text))
    return Taught(found, f"nothing to capture in {len(said)} messages")


def capture(engine: Engine, harness: Harness, signal: Signal, taught: Taught) -> str:
    """Keep what is new; what the log says."""
    session = sha256(f"{harness.name}:{signal.session}".encode()).hexdigest()[:16]
    new: dict[str, tuple[Learned, Said]] = {}
    told_again = 0
    with _ledger() as ledger:
        for learned, words in taught.lessons:
            key = _key(engine, learned.text)
            known = ledger.known(key)
            if key in new or session in known:
                continue
            again = next(
                (memory_id for memory_id in known.values() if _is_there(engine, memory_id)), ""
            )
            if again:
                ledger.add(_Line(key, session, again))
                told_again += _reinforce(engine, again)
            else:
                new[key] = (learned, words)
        left = list(new.items())[:-_MOST]
        for key, _ in left:  # or the next turn would take up the next twelve of a pasted document
            ledger.add(_Line(key, session, _LEFT))
        for key, (learned, words) in list(new.items())[-_MOST:]:
            ledger.add(_Line(key, session, _keep(engine, harness, signal, learned, words)))
    outcome = f"{len(new) - len(left)} captured, {told_again} told again"
    return f"{outcome}, {len(left)} left: a turn keeps the last {_MOST}" if left else outcome


def _said(harness: Harness, signal: Signal) -> Iterator[Said]:
    if signal.event is Event.PROMPT:
        yield Said(signal.prompt)
        return
    yield from signal.said
    if signal.transcript is not None:
        from bethink.doors.hooks.transcripts import said_in

        yield from said_in(signal.transcript, harness.said)


def _keep(engine: Engine, harness: Harness, signal: Signal, learned: Learned, words: Said) -> str:
    """Into the space where it was said: its notebook where it has one, else the store. An order for
    one project must not hold in another."""
    fields: dict[str, Any] = {
        "kind": learned.kind,
        "space": engine.settings.space,
        "tags": [TAG],
        "confidence": CONFIDENCE,
        "source": f"hook:{harness.name}",
        "role": "user",  # lessons are taken from the user's words only
        "provenance": {
            "by": "hook",
            "harness": harness.name,
            "session": signal.session[:200],
            "rule": learned.rule,
        },
    }
    session = " ".join(signal.session.split())[:200]
    if session:
        fields["conversation"] = session
    moment = _moment(words.at)
    if moment is not None:
        fields["occurred_at"] = moment
    return engine.remember(learned.text, **fields).id


def _is_there(engine: Engine, memory_id: str) -> bool:
    """It may have been forgotten, or gone with its store."""
    return memory_id != _LEFT and engine.get(memory_id) is not None


def _reinforce(engine: Engine, memory_id: str) -> int:
    try:
        engine.reinforce(memory_id)
    except NotFound:  # forgotten this very moment
        return 0
    return 1


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def _key(engine: Engine, text: str) -> str:
    """The same sentence in the same place, whatever its case, spaces, commas and last stop."""
    for mark in ",，、;；:：":
        text = text.replace(mark, " ")
    words = "".join(text.casefold().split()).rstrip(".。!！?？")
    place = f"{engine.settings.store_path}\x1f{engine.settings.space}"
    return sha256(f"{place}\x1f{words}".encode("utf-8", "replace")).hexdigest()[:32]


class _Ledger:
    def __init__(self, path: Path, lines: list[_Line]) -> None:
        self._path = path
        self._lines = lines

    def known(self, key: str) -> dict[str, str]:
        """The sessions that told it, with the memory's id, the last first."""
        return {line.session: line.id for line in reversed(self._lines) if line.hash == key}

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
            draft.unlink(missing_ok=True)  # a link there must not be followed
            with draft.open("x", encoding="utf-8") as file:
                file.write("".join(" ".join(line) + "\n" for line in lines))
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
