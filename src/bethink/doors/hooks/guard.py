"""What a hook runs. It ends well, whatever happens: an agent must never wait for its memory, nor be
stopped by it (Claude Code takes an exit code of 2 as "block this prompt").

The work is done by a child, forked before anything heavy is loaded, that the kernel ends when its
time is up: a lock that is never given back, a hung disk, a crash in native code end the child and
not the hook. What it found counts only when it is whole. Counters, and what is captured from a
prompt, are written after the answer is out, and hardly waited for; the child itself says in the log
if that did not end in time.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from bethink.doors.hooks import log

# Seconds until a hook gives up. A cold start with the model takes under one on an idle machine.
SECONDS = {"start": 4.0, "prompt": 4.0, "stop": 15.0}
_LEAST, _MOST = 0.1, 60.0
_GRACE = 0.5  # the parent ends it first, and knows why; this is for when the parent is gone
_AFTERWARDS = 10.0  # seconds for what is written after the answer: nobody waits
_PUT_AWAY = 0.25  # seconds for counters; what takes longer goes on alone
_END = b"\0"  # no answer holds it: JSON escapes it


class Options(NamedTuple):
    event: str = ""
    harness: str = ""
    store: str | None = None
    embedder: str | None = None
    within: float = 4.0


def main(argv: Sequence[str]) -> int:
    """`hook EVENT --harness NAME [--store FILE] [--embedder NAME] [--within SECONDS]`"""
    options = Options()
    try:
        options = read_options(argv)
        if hasattr(os, "fork"):
            _in_a_child(options)
        else:
            _in_a_thread(options)
    except BaseException as e:
        with suppress(Exception):
            log.write(options.harness, options.event, f"gave up: {log.why(e)}")
    return 0


def read_options(argv: Sequence[str]) -> Options:
    """Never an error: what is not understood is left out, and the log says what is missing."""
    words: list[str] = []
    named: dict[str, str] = {}
    rest = iter(argv)
    for word in rest:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in ("harness", "store", "embedder", "within"):
                named[name] = value if equals else next(rest, "")
        else:
            words.append(word)
    event = words[1] if len(words) > 1 else ""
    try:
        within = float(named.get("within", ""))
    except ValueError:
        within = SECONDS.get(event, 4.0)
    return Options(
        event,
        named.get("harness", ""),
        named.get("store") or None,
        named.get("embedder") or None,
        within if _LEAST <= within <= _MOST else SECONDS.get(event, 4.0),
    )


def _in_a_child(options: Options) -> None:
    import select
    import signal

    started = time.monotonic()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _be_the_child(options, reader, writer)
    os.close(writer)
    found = b""
    whole = False
    while not whole:
        left = started + options.within - time.monotonic()
        ready, _, _ = select.select([reader], [], [], max(0.0, left))
        if not ready:
            os.kill(child, signal.SIGKILL)
            _print_silence(options)
            _say_late(options)
            return
        piece = os.read(reader, 65_536)
        if not piece:
            break
        found += piece
        whole = found.endswith(_END)
    if whole:
        _print(found[:-1])
        select.select([reader], [], [], _PUT_AWAY)  # it closes its end when it is gone
        gone, status = os.waitpid(child, os.WNOHANG)
        if gone and os.WIFSIGNALED(status):
            log.write(
                options.harness,
                options.event,
                f"gave up after the answer: the work died (signal {os.WTERMSIG(status)})",
            )
    else:  # it ended without a word
        _, status = os.waitpid(child, 0)
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        _print_silence(options)
        if number == signal.SIGALRM:
            _say_late(options)
        else:
            log.write(options.harness, options.event, f"gave up: the work died (signal {number})")


def _say_late(options: Options) -> None:
    log.write(
        options.harness,
        options.event,
        f"gave up: not done within {options.within:g} s; is another process holding the store, or "
        "the disk hung? 'bethink doctor' looks",
    )


def _print_silence(options: Options) -> None:
    """What says nothing: to Cursor that is an object that lets the prompt go on."""
    from bethink.doors.hooks.events import Event, harness_named

    with suppress(ValueError, KeyError):
        answer = harness_named(options.harness).answer(Event(options.event), "")
        _print(answer.encode("utf-8", "replace"))


def _watch_what_is_left(options: Options) -> None:
    """The parent is gone by now: when the time is up, this process says so and ends itself."""
    import signal
    import threading

    def end() -> None:
        log.write(
            options.harness,
            options.event,
            f"gave up after the answer: nothing could be written within {_AFTERWARDS:g} s, neither "
            "counters nor what was to be kept of this prompt; is another process holding the "
            "store? 'bethink doctor' looks",
        )
        os._exit(0)

    signal.setitimer(signal.ITIMER_REAL, _AFTERWARDS + _GRACE)
    watch = threading.Timer(_AFTERWARDS, end)
    watch.daemon = True
    watch.start()


def _be_the_child(options: Options, reader: int, writer: int) -> None:
    """Work, hand over what was found, put things away. Never returns."""
    import signal

    code = 1
    try:
        os.close(reader)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the kernel's own end: no lock stops it
        signal.setitimer(signal.ITIMER_REAL, options.within + _GRACE)
        # the agent waits until nobody holds its end of the pipe; what libraries print is not ours
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        if not sys.stderr.isatty():
            os.dup2(nowhere, 2)

        def hand_over(answer: str) -> None:
            data = answer.replace("\0", "").encode("utf-8", "replace") + _END
            while data:
                data = data[os.write(writer, data) :]
            _watch_what_is_left(options)

        _work(options, hand_over)
        code = 0
    finally:
        os._exit(code)  # nothing of the parent is put away twice


def _in_a_thread(options: Options) -> None:
    """Where nothing can be forked: the watch is a thread that ends the whole process."""
    import threading

    answered = False

    def end() -> None:
        if not answered:
            _print_silence(options)
        _say_late(options)
        os._exit(0)

    def hand_over(answer: str) -> None:
        nonlocal answered
        answered = True
        _print(answer.encode("utf-8", "replace"))

    watch = threading.Timer(options.within, end)
    watch.daemon = True
    watch.start()
    try:
        _work(options, hand_over)
    finally:
        watch.cancel()


def _print(data: bytes) -> None:
    """Past Python's buffer: an agent that is gone must not make the end of the process fail."""
    data = data + b"\n" if data else b""
    while data:
        data = data[os.write(1, data) :]


def _work(options: Options, hand_over: Callable[[str], None]) -> None:
    from bethink.doors.hooks.work import work

    work(options, hand_over)
