"""How far the embedding of many texts is, for whoever waits for it. It takes most of the time of an
import, and nothing is kept before all of a batch has its vectors, so what is kept says nothing of
it for long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Embedded = Callable[[int, int], None]  # so many texts, of so many that are embedded together

_watching: ContextVar[Embedded | None] = ContextVar("watching_embedding", default=None)


@contextmanager
def watched(tell: Embedded) -> Iterator[None]:
    """While the block runs, and in its thread: others may embed for somebody else."""
    before = _watching.set(tell)
    try:
        yield
    finally:
        _watching.reset(before)


def watcher() -> Embedded | None:
    return _watching.get()
