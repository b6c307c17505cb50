"""The work of a hook: read what the agent tells, do what the event asks for, say it as the agent
wants to hear it. Reasons for silence go to the log, never to the user."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.doors.hooks import log
from recollect.doors.hooks.events import Event, Signal, harness_named

if TYPE_CHECKING:
    from recollect.doors.hooks.guard import Options
    from recollect.engine import Engine

_MOST_TOLD = 16 * 1024 * 1024  # bytes of standard input that are read
# Of a recall: less than a hook's own time, so that words answer where the model is late.
RECALL_SECONDS = 2.5


def work(options: Options, hand_over: Callable[[str], None]) -> None:
    started = time.monotonic()
    handed = False

    def once(answer: str) -> None:
        nonlocal handed
        if not handed:
            handed = True
            hand_over(answer)

    def say(outcome: str) -> None:
        log.write(options.harness, options.event, outcome, seconds=time.monotonic() - started)

    try:
        event, harness = Event(options.event), harness_named(options.harness)
    except (ValueError, KeyError):
        once("")
        say("gave up: expected 'recollect hook start|prompt|stop --harness NAME'")
        return
    try:
        signal = harness.signal(event, _told())
        with _engine(options, signal) as engine:
            context, outcome = _context(engine, signal)
            if event is not Event.STOP:  # what is captured from a prompt, nobody waits for
                once(harness.answer(event, context))
            if event is Event.STOP or (event is Event.PROMPT and harness.captures_prompts):
                from recollect.doors.hooks.capture import capture

                outcome = "; ".join(filter(None, (outcome, capture(engine, harness, signal))))
        say(outcome)
        once(harness.answer(event, ""))
    except Exception as e:
        once(harness.answer(event, ""))
        say(f"gave up: {log.why(e)}")


def _told() -> dict[str, Any]:
    """What the agent says on standard input; nothing where it says nothing."""
    data = sys.stdin.buffer.read(_MOST_TOLD + 1) if not sys.stdin.isatty() else b""
    if len(data) > _MOST_TOLD:
        raise ValueError("too much on standard input")
    if not data.strip():
        return {}
    told = json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    if not isinstance(told, dict):
        raise ValueError("no object on standard input")
    return told


@contextmanager
def _engine(options: Options, signal: Signal) -> Iterator[Engine]:
    """With the settings of the place where the agent works, not of where the hook runs."""
    from recollect import settings
    from recollect.engine import Engine
    from recollect.errors import StoreMissing

    given = {"store": options.store, "embedder": options.embedder}
    loaded = settings.load(given, directory=signal.directory)
    if loaded.withheld is not None:  # a project's file names a space that nobody agreed to
        from recollect.notebook.project_space import settled

        loaded = settled(loaded)
        if loaded.withheld is not None:
            log.write(options.harness, options.event, loaded.withheld.warning, seconds=0.0)
    path = loaded.settings.store_path
    if signal.event is not Event.STOP and not (path.exists() and path.stat().st_size > 0):
        raise StoreMissing(f"there is no store at {path} yet; 'recollect init' creates it")
    with Engine(settings=loaded.settings) as engine:
        yield engine
    if loaded.claim is not None:
        from recollect.notebook.project_space import claim

        claim(loaded)


def _context(engine: Engine, signal: Signal) -> tuple[str, str]:
    """What to put before the model, and what the log says of it."""
    if signal.event is Event.STOP:
        return "", ""
    if signal.event is Event.START:
        if signal.again:
            return "", "silent: the session goes on and has had its primer"
        from recollect.doors.hooks.primer import primer

        return primer(engine)
    from recollect.doors.hooks.inject import inject

    return inject(engine, signal.prompt)
