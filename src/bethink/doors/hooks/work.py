"""The work of a hook: read what the agent tells, do what the event asks for, say it as the agent
wants to hear it. Reasons for silence go to the log, never to the user."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bethink.doors.hooks import log
from bethink.doors.hooks.events import Event, Signal, harness_named
from bethink.errors import InvalidInput, SettingsError

if TYPE_CHECKING:
    from bethink.doors.hooks.capture import Taught
    from bethink.doors.hooks.guard import Options
    from bethink.engine import Engine

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
        say("gave up: expected 'bethink hook start|prompt|stop --harness NAME'")
        return
    try:
        signal = harness.signal(event, _told())
        taught: Taught | None = None
        if event is Event.STOP or (event is Event.PROMPT and harness.captures_prompts):
            from bethink.doors.hooks.capture import capture, look

            taught = look(harness, signal)
            if event is Event.STOP and not taught.lessons:  # no store is made for nothing
                once(harness.answer(event, ""))
                say(taught.outcome)
                return
        learned = taught is not None and bool(taught.lessons)
        with _engine(options, signal, may_create=learned) as engine:
            if event is not Event.STOP:
                context, outcome = _context(engine, signal)
                once(harness.answer(event, context))
                say(outcome)  # before anything else that may wait for the store
            if taught is not None and learned:  # of a prompt: nobody waits for that
                say(capture(engine, harness, signal, taught))
            once(harness.answer(event, ""))
    except Exception as e:
        before = "" if not handed else "after the answer, "
        once(harness.answer(event, ""))
        say(f"{before}gave up: {log.why(e)}")


def _told() -> dict[str, Any]:
    """What the agent says on standard input; nothing where it says nothing."""
    data = sys.stdin.buffer.read(_MOST_TOLD + 1) if not sys.stdin.isatty() else b""
    if len(data) > _MOST_TOLD:
        raise InvalidInput(f"the agent said more than {_MOST_TOLD:,} bytes on standard input")
    if not data.strip():
        return {}
    try:
        told = json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise InvalidInput("what the agent said on standard input is no JSON") from None
    if not isinstance(told, dict):
        raise InvalidInput("what the agent said on standard input is no JSON object")
    return told


@contextmanager
def _engine(options: Options, signal: Signal, *, may_create: bool) -> Iterator[Engine]:
    """With the settings of the place where the agent works, not of where the hook runs."""
    from bethink import settings
    from bethink.checks import check_space
    from bethink.engine import Engine
    from bethink.errors import StoreMissing

    given = {"store": options.store, "embedder": options.embedder}
    loaded = settings.load(given, directory=signal.directory)
    if loaded.withheld is not None:  # a project's file names a space that nobody agreed to
        from bethink.notebook.project_space import settled

        loaded = settled(loaded)
        if loaded.withheld is not None:
            log.write(options.harness, options.event, loaded.withheld.warning, seconds=0.0)
    path, server = loaded.settings.store_path, loaded.settings.server
    if not (may_create or server) and not (path.exists() and path.stat().st_size > 0):
        raise StoreMissing(f"there is no store at {path} yet; 'bethink init' creates it")
    try:
        check_space(loaded.settings.space)
        engine = Engine(settings=loaded.settings)
    except InvalidInput as e:  # what it quotes is a setting, nobody's words
        raise SettingsError(f"{e} ({loaded.origins['space']})") from e
    with engine:
        yield engine
    if loaded.claim is not None:
        from bethink.notebook.project_space import claim

        claim(loaded)


def _context(engine: Engine, signal: Signal) -> tuple[str, str]:
    """What to put before the model, and what the log says of it."""
    if signal.event is Event.START:
        if signal.again:
            return "", "silent: the session goes on and has had its primer"
        from bethink.doors.hooks.primer import primer

        return primer(engine)
    from bethink.doors.hooks.inject import inject

    return inject(engine, signal.prompt)
