"""Where a story's things stand: memories in the project's space, by kind and by scene.

Every memory that belongs to a scene has `chapter`, `scene` and `at` in its metadata; `at` is both
in one number, so that "before this scene" is one condition. Memories without it (notes about the
world) belong to no scene, and are never from the future.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.checks import check_space, shown
from recollect.errors import InvalidInput, UnknownSpace
from recollect.vocabulary import Json, Memory

if TYPE_CHECKING:
    from recollect.engine import Engine

SCENE, STATE, EVENT, THREAD, CAST = "scene", "entity_state", "event", "thread", "cast"
_SCENES = 100_000  # in a chapter, at most; and as many chapters
_PAGE = 1_000
_COMPARED = ("text", "section", "tags", "entities", "source", "metadata")

Where = Mapping[str, Any]


class Point(NamedTuple):
    """A scene's place in the story."""

    chapter: int
    scene: int

    @property
    def at(self) -> int:
        return self.chapter * _SCENES + self.scene

    @property
    def metadata(self) -> dict[str, Json]:
        return {"chapter": self.chapter, "scene": self.scene, "at": self.at}

    def __str__(self) -> str:
        return f"{self.chapter}.{self.scene}"


def point(chapter: object, scene: object) -> Point:
    for name, value in (("chapter", chapter), ("scene", scene)):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _SCENES:
            raise InvalidInput(f"{name}: expected a whole number from 0, got {shown(value)}")
    assert isinstance(chapter, int)
    assert isinstance(scene, int)
    return Point(chapter, scene)


def point_of(memory: Memory) -> Point | None:
    chapter, scene = memory.metadata.get("chapter"), memory.metadata.get("scene")
    return Point(chapter, scene) if isinstance(chapter, int) and isinstance(scene, int) else None


def until(end: Point) -> Where:
    """Up to this scene and in it."""
    return {"metadata.at": {"<=": end.at}}


def before(end: Point) -> Where:
    return {"metadata.at": {"<": end.at}}


def made_id(space: str, kind: str, *parts: object) -> str:
    """The same for the same parts, so that what is told again is not there twice. It begins with
    the space and `~`, which no name of a space holds: whoever tells of another space cannot take
    it first."""
    made = sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:20]
    return f"{space}~{kind}/{made}"


class Shelf:
    def __init__(self, engine: Engine, space: str) -> None:
        self.engine = engine
        self.space = check_space(space)

    def id(self, kind: str, *parts: object) -> str:
        return made_id(self.space, kind, *parts)

    def every(self, where: Where) -> list[Memory]:
        """All that fits, in the order told; nothing in a project that is not begun."""
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            try:
                page = self.engine.list(
                    spaces=self.space, where=where, newest_first=False, cursor=cursor, limit=_PAGE
                )
            except UnknownSpace:
                return []
            found += page.memories
            cursor = page.cursor
            if cursor is None:
                return found

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
