"""A small story in two languages, and the engines that keep it."""

from __future__ import annotations

from typing import Any

from bethink import Engine
from bethink.settings import Settings
from bethink.story import Cast, Character, Story

CAST = Cast(
    characters=[
        Character(id="lin", name="Lin Wan", aliases=["林婉", "阿婉"], titles=["Captain"]),
        Character(id="zhao", name="赵允", aliases=["Zhao Yun"], titles=["王爷"]),
        Character(id="sword", name="月剑", aliases=["the Moon Sword"], kind="object"),
        Character(id="ferry", name="Old Ferry", aliases=["老渡口"], kind="place"),
    ]
)


def story_in(engine: Engine, project: str = "river", *, cast: Cast | None = CAST) -> Story:
    story = Story(engine, project)
    if cast is not None:
        story.set_cast(cast)
    return story


def small_engine(**options: Any) -> Engine:
    return Engine.in_memory(**{"embedder": "hashing", "settings": Settings(), **options})
