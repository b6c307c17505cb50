"""Conversations: who stands next to whom, and replies that no search found.

Half of the wrong first hits in conversations are turns that ask what is asked: they share its
words. The answer is the next turn, which often shares none. `AddReplies` looks up the turns next to
the best candidates and makes the reply to a turn that asks a candidate too. How much a reply gets
from the question before it is decided with everything else, in `relevance.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from bethink.filters import matches
from bethink.recall.draft import Draft, Kit
from bethink.text.questions import asking_share
from bethink.vocabulary import Candidate, Memory, Place

CHANNEL = "neighbour"
ASKS_FROM = 0.3  # the share of a turn's text that asks, from which on it waits for a reply
# Notes of different days that stand next to each other need have nothing to do with each other.
_SAME_CONVERSATION = timedelta(hours=12)
_PREFIX = re.compile(r"\s*([A-Za-z][\w .'-]{0,30}?|[\u4e00-\u9fff]{1,6})\s*[:：]")
_USER = frozenset({"user", "human", "用户", "me", "我"})
_ASSISTANT = frozenset({"assistant", "ai", "bot", "助手", "model", "agent"})


@dataclass(frozen=True, slots=True)
class AddReplies:
    """Look up the neighbours of the best candidates, and add the replies to those that ask."""

    name: ClassVar[str] = "replies"
    best: int = 16  # candidates whose replies are looked for (benchmarks/LOG.md)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        placed = [c.memory for c in draft.candidates if c.memory is not None and _placed(c.memory)]
        ids = list(dict.fromkeys(memory.id for memory in placed))
        if not ids:
            return draft
        beside = dict(zip(ids, kit.store.neighbours(ids), strict=True))
        here = {c.memory_id: c.memory for c in draft.candidates if c.memory is not None}
        wanted: dict[str, Memory] = {}  # the reply's id, and the turn that it replies to
        for candidate in draft.candidates[: self.best]:
            memory = candidate.memory
            if memory is None or memory.id not in beside:
                continue
            after = beside[memory.id].after
            if after is not None and after not in here and waits_for_reply(memory):
                wanted.setdefault(after, memory)
        draft = draft._replace(beside=beside)
        if not wanted:
            return draft
        added: list[Candidate] = []
        fetched = kit.store.fetch([(reply, 0) for reply in wanted])
        for (reply, turn), found in zip(wanted.items(), fetched, strict=True):
            if found is None or found[0].space not in draft.query.spaces:
                continue
            memory, passage = found
            if not matches(memory, draft.query.where) or not replies_to(memory, turn):
                continue
            at = {CHANNEL: Place(len(added), 0.0)}
            added.append(Candidate(reply, 0, 0.0, at, memory, passage))
        if not added:
            return draft
        return draft._replace(candidates=(*draft.candidates, *added)).note(
            f"{len(added)} replies to turns that ask were added"
        )


def waits_for_reply(memory: Memory) -> bool:
    """Return True for a turn that asks somebody else. A user who asks the assistant gets an answer
    from a model, which is no fact about the user: such turns wait for nothing."""
    return role_of(memory) != "user" and asking_share(memory.text) >= ASKS_FROM


def replies_to(reply: Memory, turn: Memory) -> bool:
    """Return True if the two are of one conversation and said by different speakers."""
    return together(reply, turn) and speaker_of(reply) != speaker_of(turn)


def together(one: Memory, other: Memory) -> bool:
    """Return True if both are of one conversation: the same source or name of it, close in time.

    Memories with neither were perhaps told in a row, but need have nothing to do with each other.
    """
    name = one.conversation
    if name != other.conversation:
        return False
    if not name and (one.occurred_at is None or other.occurred_at is None):
        return False
    return abs(_moment(one) - _moment(other)) <= _SAME_CONVERSATION


def speaker_of(memory: Memory) -> str:
    """The speaker's name: the one told, else the one that the text begins with ("Mei: …")."""
    if memory.speaker:
        return memory.speaker
    found = _PREFIX.match(memory.text[:64])
    return found[1] if found else memory.role


def role_of(memory: Memory) -> str:
    """`user`, `assistant` or another role; empty if nothing tells."""
    role = (memory.role or memory.speaker).lower()
    if role in _USER:
        return "user"
    if role in _ASSISTANT:
        return "assistant"
    return memory.role


def speakers_in(memories: Iterable[Memory]) -> set[str]:
    return {name for memory in memories if (name := speaker_of(memory))}


def _placed(memory: Memory) -> bool:
    return bool(memory.conversation) or memory.occurred_at is not None


def _moment(memory: Memory) -> datetime:
    return memory.occurred_at or memory.created_at
