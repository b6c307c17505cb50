"""What happens in a memory, for whoever watches: kept with increasing ids, replayed, followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "GAP",
    "KINDS",
    "KNOWLEDGE_CHANGE",
    "MEMORY_RETRIEVAL_ERROR",
    "NODE_STATE_CHANGE",
    "RETRIEVAL_TRACE",
    "TIER_CHANGE",
    "AsyncFollower",
    "Event",
    "Events",
    "Follower",
    "Subscription",
    "event_record",
]

if TYPE_CHECKING:
    from bethink.events.events import Events
    from bethink.events.following import Follower
    from bethink.events.following_async import AsyncFollower
    from bethink.events.kinds import (
        GAP,
        KINDS,
        KNOWLEDGE_CHANGE,
        MEMORY_RETRIEVAL_ERROR,
        NODE_STATE_CHANGE,
        RETRIEVAL_TRACE,
        TIER_CHANGE,
        event_record,
    )
    from bethink.events.subscribing import Subscription
    from bethink.vocabulary import Event
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.events.events": "Events",
            "bethink.events.following": "Follower",
            "bethink.events.following_async": "AsyncFollower",
            "bethink.events.kinds": (
                "GAP KINDS KNOWLEDGE_CHANGE MEMORY_RETRIEVAL_ERROR NODE_STATE_CHANGE "
                "RETRIEVAL_TRACE TIER_CHANGE event_record"
            ),
            "bethink.events.subscribing": "Subscription",
            "bethink.vocabulary": "Event",
        },
    )
