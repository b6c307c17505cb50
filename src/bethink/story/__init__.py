"""Story memory: who is here, what state they are in, what happened that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Cast",
    "Character",
    "CharactersConfig",
    "Claim",
    "Contradiction",
    "EntityStateSnapshot",
    "SceneAdded",
    "SceneMemoryContext",
    "ScenePlan",
    "ScenePoint",
    "Source",
    "StateChange",
    "Story",
    "StoryEvent",
    "StoryMemoryChunk",
    "StoryTools",
    "Thread",
    "TimelineContext",
    "TimelineEntry",
]

if TYPE_CHECKING:
    from bethink.story.models import (
        Cast,
        Character,
        CharactersConfig,
        Claim,
        Contradiction,
        EntityStateSnapshot,
        SceneAdded,
        SceneMemoryContext,
        ScenePlan,
        ScenePoint,
        Source,
        StateChange,
        StoryEvent,
        StoryMemoryChunk,
        Thread,
        TimelineContext,
        TimelineEntry,
    )
    from bethink.story.story import Story
    from bethink.story.tools import StoryTools
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.story.models": (
                "Cast Character CharactersConfig Claim Contradiction EntityStateSnapshot "
                "SceneAdded SceneMemoryContext ScenePlan ScenePoint Source StateChange StoryEvent "
                "StoryMemoryChunk Thread TimelineContext TimelineEntry"
            ),
            "bethink.story.story": "Story",
            "bethink.story.tools": "StoryTools",
        },
        extras={
            "bethink.story.models": "story",
            "bethink.story.story": "story",
            "bethink.story.tools": "story",
        },
    )
