"""Story memory: who is here, what state they are in, what happened that matters."""

from bethink.story.models import (
    Cast,
    Character,
    EntityState,
    SceneAdded,
    SceneMemoryContext,
    ScenePlan,
    StoryEvent,
    StoryMemory,
    Thread,
    TimelineEntry,
)
from bethink.story.story import Story
from bethink.story.tools import StoryTools

__all__ = [
    "Cast",
    "Character",
    "EntityState",
    "SceneAdded",
    "SceneMemoryContext",
    "ScenePlan",
    "Story",
    "StoryEvent",
    "StoryMemory",
    "StoryTools",
    "Thread",
    "TimelineEntry",
]
