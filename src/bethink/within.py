"""A part of the work, given so long and no longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from bethink.errors import BethinkError

T = TypeVar("T")


class Late(BethinkError):
    """It did not come in time; it may still be going on, and nobody waits for it."""

    code = "late"


def within(seconds: float, do: Callable[[], T]) -> T:
    """What it answers, in time; its error, or Late. The thread never keeps a process alive."""
    if seconds <= 0:
        raise Late("the deadline was over before it could be asked")
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(do())
        except BaseException as e:  # whoever waits gets it
            future.set_exception(e)

    threading.Thread(target=work, name="bethink-in-time", daemon=True).start()
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        if future.done():
            raise  # its own
        raise Late(f"it did not answer within {seconds:.3g} s") from None
