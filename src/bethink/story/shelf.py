"""Where a story's things stand: memories in the project's space, by kind and by scene.

Every memory that belongs to a scene has `chapter`, `scene` and `at` in its metadata; `at` is both
in one number, so that "before this scene" is one condition. Memories without it (notes about the
world) belong to no scene, and are never from the future.
"""

from __future__ import annotations

from typing import NamedTuple

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.shelf import Where
from bethink.vocabulary import Json, Memory

SCENE, STATE, EVENT, THREAD, CAST = "scene", "entity_state", "event", "thread", "cast"
_SCENES = 100_000  # in a chapter, at most; and as many chapters


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
            raise InvalidInput(
                f"{name}: expected a whole number from 0 to {_SCENES - 1:,}, got {shown(value)}"
            )
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
