"""A scene told again: what of the former telling stays, and what its author should look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.story.models import ScenePlan
from bethink.story.shelf import EVENT, SCENE, STATE, THREAD, Point
from bethink.story.splitting import sentences_of
from bethink.story.telling import (
    FURTHER,
    GIVEN,
    MADE_OF,
    SENTENCE,
    Mentions,
    mentions_of,
    part_of,
)
from bethink.vocabulary import Memory

EXTRACTED = "extracted"  # metadata: a language model found it in the text
_KEPT_SENTENCES = 1 / 3  # with fewer than these, a text is another one


class Former:
    """What was told with a scene before, all of it."""

    def __init__(self, told: Sequence[Memory]) -> None:
        self.told = told
        self._parts = sorted((m for m in told if m.kind == SCENE), key=part_of)

    def plan(self) -> ScenePlan:
        """The plan as far as it is kept: whoever tells only the text anew means the same scene."""
        if not self._parts:
            return ScenePlan()
        first = self._parts[0]
        made = [m.text for m in self.told if m.metadata.get(MADE_OF) not in (None, SENTENCE)]
        return ScenePlan(
            title=first.section,
            summary=made[0] if made else "",
            location=_text(first.metadata.get("place")),
            time=_text(first.metadata.get("time")),
            characters=_texts(first.metadata.get(GIVEN)),
            tags=list(first.tags),
            **_further(first.metadata.get(FURTHER)),
        )

    def mentions(self) -> Mentions:
        return mentions_of(self._parts[0]) if self._parts else {}

    def is_another(self, text: str) -> bool:
        """Does this text share next to nothing with the one before?"""
        if not self._parts:
            return False
        before = _sentences("\n".join(part.text for part in self._parts))
        now = _sentences(text)
        shared = len(before & now)
        return shared < _KEPT_SENTENCES * len(before) and shared < _KEPT_SENTENCES * len(now)

    def by_hand(self, kind: str) -> bool:
        """Did anybody tell something of this kind, rather than a model or we ourselves?"""
        return any(
            m.kind == kind and MADE_OF not in m.metadata and not m.metadata.get(EXTRACTED)
            for m in self.told
        )

    def extracted(self) -> list[Memory]:
        return [m for m in self.told if m.metadata.get(EXTRACTED)]


def note_on_what_stays(where: Point, staying: Sequence[Memory]) -> list[str]:
    """Of a scene that has another text now. A scene put in before it has moved it on, perhaps, and
    its states are at the wrong place."""
    counted = [
        f"{count} {name}{'s' if count > 1 else ''}"
        for kind, name in ((EVENT, "event"), (STATE, "state"), (THREAD, "thread"))
        if (count := sum(m.kind == kind and MADE_OF not in m.metadata for m in staying))
    ]
    if not counted:
        return []
    return [
        f"{where} has quite another text than before; what was told with that stays "
        f"({', '.join(counted)}): tell it anew, or move or remove the scene first"
    ]


def _sentences(text: str) -> set[str]:
    return {"".join(sentence.split()) for sentence in sentences_of(text)}


def _further(value: object) -> dict[str, Any]:
    return {str(name): told for name, told in value.items()} if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def marked(records: Sequence[dict[str, Any]], by_model: bool) -> list[dict[str, Any]]:
    """As found by a model, if they were."""
    if not by_model:
        return list(records)
    return [{**one, "metadata": {**one["metadata"], EXTRACTED: True}} for one in records]
