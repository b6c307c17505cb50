"""Where things made of memories stand: in one space, by kind, under ids that their parts give.

A story's scenes and a knowledge base's documents are memories, so that what holds for memories
(walls, erasing, export, every store) holds for them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from bethink.checks import check_space
from bethink.vocabulary import Memory

if TYPE_CHECKING:
    from bethink.engine import Engine

_PAGE = 1_000
_COMPARED = ("text", "section", "tags", "entities", "source", "metadata")

Where = Mapping[str, Any]


def made_id(space: str, kind: str, *parts: object) -> str:
    """The same for the same parts, so that what is told again is not there twice. It begins with
    the space and `~`, which no name of a space holds: whoever tells of another space cannot take
    it first."""
    made = sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:20]
    return f"{space}~{kind}/{made}"


def space_of(name: str) -> str:
    return check_space("-".join(name.split()) if isinstance(name, str) else name)


class Shelf:
    def __init__(self, engine: Engine, space: str) -> None:
        """`space` may be a title: `The Lighthouse` is kept in the space `The-Lighthouse`."""
        self.engine = engine
        self.space = space_of(space)

    def id(self, kind: str, *parts: object) -> str:
        return made_id(self.space, kind, *parts)

    def is_begun(self) -> bool:
        """Whether anything was ever told in this space; a name that is mistyped never was."""
        return any(info.name == self.space for info in self.engine.spaces())

    def every(self, where: Where) -> list[Memory]:
        """All that fits, in the order told; nothing in a project that is not begun."""
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            page = self.engine.list(
                spaces=self.space, where=where, newest_first=False, cursor=cursor, limit=_PAGE
            )
            found += page.memories
            cursor = page.cursor
            if cursor is None:
                return found

    def page(
        self, where: Where, *, cursor: str | None, limit: int
    ) -> tuple[Sequence[Memory], str | None]:
        """Some of what fits, in the order told, and the cursor of the next page."""
        page = self.engine.list(
            spaces=self.space, where=where, newest_first=False, cursor=cursor, limit=limit
        )
        return page.memories, page.cursor

    def of_kind(self, kind: str, where: Where | None = None) -> list[Memory]:
        return self.every({"kind": kind, **(where or {})})

    def get(self, memory_id: str) -> Memory | None:
        return self.engine.get(memory_id, space=self.space)

    def put(self, told: Sequence[Mapping[str, Any]]) -> list[str]:
        """Write what is new, all together, and revise what reads otherwise; notes of it."""
        held = {
            memory.id: memory
            for memory in self.engine.store.get([one["id"] for one in told])
            if memory is not None and memory.space == self.space
        }
        fresh = [{**one, "space": self.space} for one in told if one["id"] not in held]
        notes = [note for r in self.engine.remember_many(fresh) for note in r.notes]
        for one in told:
            if one["id"] in held and _differs(held[one["id"]], one):
                changed = {name: one[name] for name in _COMPARED if name in one}
                notes += self.engine.revise(one["id"], **changed).notes
        return list(dict.fromkeys(notes))

    def drop(self, ids: Iterable[str]) -> None:
        for memory_id in ids:
            self.engine.forget(memory_id, spaces=[self.space])


def _differs(held: Memory, told: Mapping[str, Any]) -> bool:
    for name in _COMPARED:
        if name in told:
            new, old = told[name], getattr(held, name)
            if (list(new) != list(old)) if isinstance(old, tuple) else new != old:
                return True
    return False
