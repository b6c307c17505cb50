"""The ways to make a context that are compared: with rules or a model, and with parts taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple
from unittest.mock import patch

from bethink.story import context, planning, searching


@contextmanager
def _one_phrase() -> Iterator[None]:
    with patch.object(planning, "MOST", 1):
        yield


@contextmanager
def _no_previous_scene() -> Iterator[None]:
    with patch.object(context.ContextMaker, "_previous", lambda _: context._Before()):
        yield


@contextmanager
def _no_entity_filter() -> Iterator[None]:
    everything = searching.content(None)
    with patch.object(context, "_of_the_scene", lambda *_: everything):
        yield


class Run(NamedTuple):
    """`without` takes a part out of the code while the contexts are made; `model`: ask the scripted
    one; `words`: no embedder."""

    model: bool = False
    words: bool = False
    without: Callable[[], AbstractContextManager[None]] = nullcontext


RUNS: Mapping[str, Run] = {
    "rules": Run(),
    "model": Run(model=True),
    "rules, words alone": Run(words=True),
    "rules, one phrase": Run(without=_one_phrase),
    "model, one phrase": Run(model=True, without=_one_phrase),
    "rules, no previous scene": Run(without=_no_previous_scene),
    "model, no previous scene": Run(model=True, without=_no_previous_scene),
    "rules, no entity filter": Run(without=_no_entity_filter),
    "model, no entity filter": Run(model=True, without=_no_entity_filter),
}
MAIN = ("rules", "model")
