"""A move that is cut off at one of its writes to the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from bethink.stores.protocol import Store

_WRITES = (
    *("exchange", "exchange_notes", "fill", "write_notes", "touch"),
    *("open_space", "close_space", "declare", "build"),
)
_WRITES_OF_TIERS = ((0, "log"), (0, "decide"), (1, "add"), (2, "append"))


class Cut(Exception):
    pass


@contextmanager
def cut_off(target: Store, after: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each write counts twice: it may be the last before it is done, and just after."""
    done = 0

    def cutting(honest: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal done
            done += 1
            if done == after + 1:
                raise Cut
            said = honest(*arguments, **named)
            done += 1
            if done == after + 1:
                raise Cut
            return said

        return call

    with monkeypatch.context() as broken, pytest.raises(Cut):
        for name in _WRITES:
            broken.setattr(type(target), name, cutting(getattr(type(target), name)))
        for tier, name in _WRITES_OF_TIERS:
            kind = type(target.tiers()[tier])
            broken.setattr(kind, name, cutting(getattr(kind, name)))
        yield
