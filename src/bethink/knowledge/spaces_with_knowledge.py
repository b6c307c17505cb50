"""Which spaces are knowledge bases, and how much each holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from bethink.filters import Condition
from bethink.knowledge.shared import DOCUMENT, FAQ

if TYPE_CHECKING:
    from bethink.engine import Engine


class Base(NamedTuple):
    """A space that holds documents or frequent questions."""

    name: str
    documents: int
    entries: int  # frequent questions


def knowledge_bases(engine: Engine, *, sees: Callable[[str], bool] | None = None) -> list[Base]:
    """All of them, by their names; `sees` says which spaces are looked at."""
    return [
        Base(name, _count(engine, name, DOCUMENT), _count(engine, name, FAQ))
        for name in sorted(_names(engine, sees))
    ]


def has_knowledge(engine: Engine, *, sees: Callable[[str], bool] | None = None) -> bool:
    """Whether there is any: nothing is counted."""
    return next(_names(engine, sees), None) is not None


def _names(engine: Engine, sees: Callable[[str], bool] | None) -> Iterator[str]:
    kinds = {"kind": {"in": [DOCUMENT, FAQ]}}
    for info in engine.spaces():
        if (sees is None or sees(info.name)) and engine.list(
            spaces=[info.name], where=kinds, limit=1
        ).memories:
            yield info.name


def _count(engine: Engine, space: str, kind: str) -> int:
    return engine.store.count(spaces=[space], where=Condition("kind", None, "=", kind))
